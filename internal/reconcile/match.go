package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// Book provides the ledger's data; *ledger.Book implements it.
type Book interface {
	Status(ctx context.Context) (ledger.Status, error)
	Sealed(ctx context.Context) (ledger.Period, error)
	Cover(ctx context.Context, p ledger.Period) (ledger.Cover, error)
	TransactionsByHash(ctx context.Context, hashes ...chain.Hash) iter.Seq2[*ledger.Transaction, error]
	TransactionsAt(ctx context.Context, places ...ledger.Place) iter.Seq2[*ledger.Transaction, error]
	Transactions(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error]
}

// maxCandidates limits the transactions that one row is compared with.
const maxCandidates = 20

// matcher compares rows with the ledger.
type matcher struct {
	ctx     context.Context
	book    Book
	options *Options
	result  *Result
	period  covered
	records map[string]*Options    // those of each record, by its name
	named   map[ledger.Place]rowAt // the row that names a transaction
	maybe   map[ledger.Place]rowAt // the ambiguous row that may name it
	free    int                    // transactions without a fee that no row names
	missing map[fee.Layer]int      // transactions with a fee that no row names
	assets  fee.AssetTotals        // of those whose fee was paid in an asset: it is in no amount of the token
	idle    []chain.Address        // accounts that paid nothing in the period
	lookups lookups                // of the rows being compared
	mine    map[chain.Address]bool
	record  booked
	shared  map[rowKey]*sharedFee // by the names of several rows
	others  otherAssets
	cuts    cuts
	dates   dates
	scales  scales
}

// Record is a company's record: its rows, and the options that read them.
type Record struct {
	Name    string // by which the result calls it
	Rows    iter.Seq2[*Row, error]
	Options Options
}

// MatchAll finds the transaction of each row, and the period's transactions that the accounts paid for and no row of any
// record names. It returns ErrNotCovered if the ledger lacks blocks of the period.
//
// A transaction is found by its EVM hash, otherwise by its extrinsic hash, otherwise by its ID; all other fields
// of the row must agree.
//
// Each record has its own options, but the accounts, the period and all that does not depend on the file are those of the
// first. Rows are those of [Rows.All]. Neither they nor the items are kept in memory.
func MatchAll(ctx context.Context, book Book, records []Record) (r *Result, err error) {
	read := map[string]*Options{}
	for _, record := range records {
		o, err := record.Options.checked()
		if err != nil {
			return nil, err
		}
		if o.Values != records[0].Options.Values {
			return nil, fmt.Errorf("%s states amounts of the token and %s values in a currency, or the reverse; compare them separately", records[0].Name, record.Name)
		}
		read[record.Name] = &o
	}
	o, rows := *read[records[0].Name], rowsOf(records)
	status, err := book.Status(ctx)
	if err != nil {
		return nil, err
	}
	m := &matcher{ctx: ctx, book: book, options: &o, records: read, named: map[ledger.Place]rowAt{}, maybe: map[ledger.Place]rowAt{}, missing: map[fee.Layer]int{}, mine: map[chain.Address]bool{}, lookups: newLookups(book)}
	if m.period, err = cover(ctx, book, &o); err != nil {
		return nil, err
	}
	for _, a := range o.Accounts {
		m.mine[a] = true
	}
	r = newResult(&o, &status, &m.period)
	m.result = r
	for _, record := range records[1:] {
		r.UnreadSheets = append(r.UnreadSheets, record.Options.unread...)
	}
	m.others.network = status.Network
	if err = m.learnAssets(rows); err == nil {
		err = m.survey(rows)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	if err := m.match(rows, r); err != nil {
		r.Close()
		return nil, err
	}
	if err := r.tie(&m.record); err != nil {
		r.Close()
		return nil, err
	}
	if err := m.lookups.check(ctx, m.period.Span, o.Scanned); err != nil {
		r.Close()
		return nil, err
	}
	if err := r.checkPrices(); err != nil {
		r.Close()
		return nil, err
	}
	switch {
	case len(m.mine) == 0:
		r.Notes = append(r.Notes, "Without accounts, a row that names no payer matches any, and fees missing from the books were not searched for.")
	case o.RowsOnly:
		r.Notes = append(r.Notes, "Fees missing from the books were not searched for.")
	case m.free > 0:
		r.Notes = append(r.Notes, fmt.Sprintf("%s without a fee %s not in the books, which makes no difference.", console.Counted(m.free, "transaction"), console.Verb(m.free, "is", "are")))
	}
	if evm, native := m.missing[fee.EVM], m.missing[fee.Native]; evm+native > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Missing from the books: %s and %s.", console.Counted(evm, "EVM transaction"), console.Counted(native, "native transaction")))
	}
	for _, total := range m.assets {
		r.InAssets += total.Transactions
	}
	for _, note := range m.assets.Notes(r.Options.Token().Amount) {
		r.Notes = append(r.Notes, note+".")
	}
	r.Notes = append(append(r.Notes, m.cuts.notes(m.options)...), m.others.notes(o.Symbol)...)
	r.Notes = append(r.Notes, m.dates.notes()...)
	if len(records) == 1 { // the settings would be those of all
		r.tryCut()
		r.tryUnit(&m.scales)
	}
	r.settle()
	r.OtherAssets = m.others.left.sum()
	if len(m.idle) > 0 {
		r.Notes = append(r.Notes, r.Options.Token().PaidNothing(m.idle)+".")
	}
	return r, nil
}

// rowsOf iterates over the rows of all records, in order.
func rowsOf(records []Record) iter.Seq2[*Row, error] {
	if len(records) == 1 {
		return records[0].Rows
	}
	return func(yield func(*Row, error) bool) {
		for _, record := range records {
			for row, err := range record.Rows {
				if row != nil {
					row.File = record.Name
				}
				if !yield(row, err) {
					return
				}
			}
		}
	}
}

// match finds the items.
func (m *matcher) match(rows iter.Seq2[*Row, error], r *Result) error {
	compared := uint64(0)
	for portion, err := range portions(rows) {
		if err == nil {
			err = m.lookups.read(m.ctx, portion)
		}
		if err != nil {
			return err
		}
		for _, row := range portion {
			m.options = m.records[row.File]
			item := m.judge(row)
			if err := r.add(&item); err != nil {
				return err
			}
		}
		if compared += uint64(len(portion)); m.options.Compared != nil {
			m.options.Compared(compared)
		}
	}
	return m.lacking(r)
}

// judge compares a row with the transaction that it names.
func (m *matcher) judge(row *Row) (item Item) {
	if row.LeftOut != "" {
		return Item{Outcome: LeftOut, Row: row, Notes: []string{row.LeftOut}}
	}
	if above, wrong := row.Above.Get(); wrong {
		return totalDiffers(row, above, m.options.Token().Unit())
	}
	if item, decided := m.otherAsset(row); decided {
		return item
	}
	item = Item{Row: row, Books: chain.Some(row.Fee), Difference: chain.Some(row.Fee.Signed()), Notes: m.stated(row)}
	if _, named := row.key(); !named {
		item.Outcome = WithoutTransaction
		return item
	}
	found := m.find(row)
	if account, known := row.Account.Get(); known && m.options.isView() && m.isSentByAnother(account, found) {
		m.judgeOther(&item, row, account, found)
		return item
	}
	if len(found) == 0 {
		item.Outcome = OnlyInBooks
		if p, ok := row.Place.Get(); ok && !m.period.reaches(p.Height) {
			item.note("block %d was not compared", p.Height)
		}
		return item
	}
	t := found[0]
	against := row.contradiction(t)
	if len(found) > 1 || against != "" {
		item.Outcome = Ambiguous
		m.ambiguous(&item, found, against)
		return item
	}
	item.Transaction = chain.Some(transactionOf(t))
	first, again := m.named[t.Place()]
	shared := m.sharedBy(row)
	switch paid, known := m.result.paid(t).Get(); {
	case again && known && m.isSplit(shared, paid):
	case again && m.repeats(row, shared) && row.otherPayer(t, m.options.Token()) == "":
		item.excluded(Repeated, fmt.Sprintf("%s has the fee of this transaction", first))
		shared.list(row.Listing)
		return item
	case again:
		item.Outcome = Duplicate
		item.note("%s names the same transaction", first)
		return item
	default:
		m.named[t.Place()] = row.at()
	}
	if shared != nil {
		shared.list(row.Listing)
	}
	m.compare(&item, row, t)
	m.compareDate(&item, row, t)
	return item
}

// compare compares a row with its transaction. The chain's side is what the accounts paid in the period, so that
// the items add up to that.
func (m *matcher) compare(item *Item, row *Row, t *ledger.Transaction) {
	payer, isKnown := t.Payer.Get()
	switch {
	case len(m.mine) > 0 && isKnown && !m.mine[payer]:
		item.excluded(PaidByAnother, "paid by another account, "+m.options.Token().Account(payer))
		if row.Fee.IsZero() { // the books state no fee either
			item.Outcome = Matched
		}
	case !m.period.contains(t):
		item.excluded(OutsidePeriod, "the transaction is outside the period")
	case len(m.mine) > 0 && !isKnown:
		item.undetermined()
		item.note("the payer is unknown")
	default:
		m.compareAmount(item, row, t)
	}
	if !t.Final {
		item.note("its block is not final")
	}
}

// excluded sets the outcome of a row whose fee is outside the comparison: the chain's side is 0.
func (i *Item) excluded(outcome Outcome, why string) {
	i.Outcome, i.Chain = outcome, chain.Some(chain.Wei{})
	i.note("%s", why)
}

// undetermined sets the outcome of a row whose chain side is unknown.
func (i *Item) undetermined() {
	i.Outcome, i.Chain, i.Difference = Undetermined, chain.Optional[chain.Wei]{}, chain.Optional[chain.SignedWei]{}
}

// compareAmount compares a row's amount with the charged amount, and its account with the payer.
func (m *matcher) compareAmount(item *Item, row *Row, t *ledger.Transaction) {
	m.result.setPaid(item, t)
	paid, known := item.Chain.Get()
	if !known {
		item.undetermined()
		return
	}
	if shared := m.sharedBy(row); m.isSplit(shared, paid) {
		paid = shared.share(row, paid)
		item.note("its fee is split over %d rows", shared.count)
		item.Outcome = m.sharedAmount(item, row, paid)
	} else {
		item.Outcome = m.amount(item, row, paid)
	}
	item.Chain, item.Difference = chain.Some(paid), chain.Some(row.Fee.Difference(paid))
	if why := cmp.Or(row.otherPayer(t, m.options.Token()), m.otherLabel(row, t)); why != "" {
		item.note("%s", why)
		if item.cut = 0; item.Outcome != AmountDiffers {
			item.Outcome = PayerDiffers
		}
	}
}

// sharedAmount compares a row with its share of a charge: they differ by what was cut from all shares.
func (m *matcher) sharedAmount(item *Item, row *Row, share chain.Wei) Outcome {
	if row.Fee == share {
		return Matched
	}
	m.cuts.add(row.Fee.Difference(share))
	item.note("cut after %d decimals", m.options.CutDecimals)
	return WithinRounding
}

// amount compares only the amounts.
func (m *matcher) amount(item *Item, row *Row, paid chain.Wei) Outcome {
	difference := row.Fee.Difference(paid)
	m.scales.add(row.Fee, paid)
	switch {
	case difference.Sign() == 0:
		return Matched
	case row.Digits == sheetDigits && isKept(row.Fee, paid, sheetDigits):
		item.note("spreadsheets keep 15 digits, so %[2]v %[3]s became %[1]v", row.Fee, paid, m.options.Token().Unit())
		return WithinRounding
	case row.Binary != "" && isSameDouble(row.Fee, paid, row.Binary.places(m.options.Token())):
		item.note("spreadsheets store binary numbers, so %[2]v %[3]s became %[1]v", row.Fee, paid, m.options.Token().Unit())
		return WithinRounding
	case row.Written != "" && isWritten(row.Fee, paid, row.Written.places(m.options.Token())):
		item.note("spreadsheets and scripts write 15 to 17 digits of binary numbers, so %[2]v %[3]s became %[1]v", row.Fee, paid, m.options.Token().Unit())
		return WithinRounding
	case m.options.CutDecimals > 0 && m.options.isCut(row.Fee, paid, m.options.CutDecimals):
		m.cuts.add(difference)
		item.note("cut after %d decimals", m.options.CutDecimals)
		return WithinRounding
	case difference.Size().Cmp(m.options.Tolerance) <= 0:
		item.note("the difference is within the tolerance of %s", m.options.shown(m.options.Tolerance))
		return WithinTolerance
	case row.Digits > 0 && isKept(row.Fee, paid, row.Digits):
		item.note("the record states only %d digits of the fee", row.Digits)
	}
	item.cut = m.options.cutAfter(row.Fee, paid)
	return AmountDiffers
}

// setPaid sets the chain's side: the charged amount, or the fee by the rules if that is unknown.
func (r *Result) setPaid(i *Item, t *ledger.Transaction) {
	i.Chain = r.paid(t)
	charged, isCharged := t.Charged.Get()
	fee, isFee := t.Fee.Get()
	noRule := cmp.Or(t.Error, "no rule of its runtime applies")
	if t.InAsset() {
		i.note("the fee was paid in an asset: %s", t.AssetFee.Text(r.Options.Token().Amount))
	}
	switch {
	case !isCharged && !isFee:
		i.note("its fee is undetermined: %s", noRule)
	case !isFee:
		i.note("its fee is undetermined (%s); the amount is what was charged", noRule)
	case !isCharged:
		i.note("the chain recorded no charge; the amount is the fee by the rules")
	case charged != fee:
		i.note("the fee by the rules is %v %s, but %v was charged", fee, r.Options.Token().Unit(), charged)
	}
}

// judgeOther decides about a line of a view that lists another account's transaction: the chain has it, with this fee.
func (m *matcher) judgeOther(item *Item, row *Row, account chain.Address, found []*ledger.Transaction) {
	if len(found) == 0 {
		item.Outcome = OnlyInBooks
		return
	}
	item.excluded(SentByAnother, "another account sent it: "+m.options.Token().Account(account))
	for _, t := range found {
		paid, known := m.result.paid(t).Get()
		if !known || row.Fee == paid || row.Fee.IsZero() || isKept(row.Fee, paid, sheetDigits) || m.options.CutDecimals > 0 && m.options.isCut(row.Fee, paid, m.options.CutDecimals) {
			return
		}
	}
	item.Outcome = PaidByAnother
	item.note("the line states another fee than was charged")
}

// isSentByAnother reports whether a line of a view lists another account's transaction: none of the accounts sent it, and
// none paid for any transaction that it may mean.
func (m *matcher) isSentByAnother(account chain.Address, found []*ledger.Transaction) bool {
	return len(m.mine) > 0 && !account.In(m.mine) && !slices.ContainsFunc(found, func(t *ledger.Transaction) bool {
		payer, known := t.Payer.Get()
		return !known || m.mine[payer]
	})
}

// isEVMSender reports whether an account sent an EVM transaction. The account that pays for it may have claimed the sender's
// address.
func isEVMSender(account chain.Address, t *ledger.Transaction) bool {
	return t.Layer == fee.EVM && t.Sender == chain.Some(account)
}

// otherPayer names the payer if it differs from the row's account.
func (r *Row) otherPayer(t *ledger.Transaction, token console.Token) string {
	said, has := r.Account.Get()
	payer, known := t.Payer.Get()
	switch {
	case !has:
		return ""
	case !known:
		return "the payer is unknown"
	case !payer.Is(said) && !isEVMSender(said, t):
		return fmt.Sprintf("%s paid, not %s", token.Account(payer), token.Account(said))
	}
	return ""
}

// find returns the transactions that a row can mean: those of its first hash that is on the chain, or of its ID,
// limited to those that agree with the rest of the row if any do.
func (m *matcher) find(row *Row) (found []*ledger.Transaction) {
	for _, l := range row.lookups() {
		if found = m.lookups.find(l); len(found) > 0 {
			break
		}
	}
	if p, ok := row.Place.Get(); ok && len(found) == 0 {
		if t := m.lookups.byPlace[p]; t != nil {
			found = append(found, t)
		}
	}
	agreeing := slices.DeleteFunc(slices.Clone(found), func(t *ledger.Transaction) bool { return row.contradiction(t) != "" })
	if len(agreeing) > 0 {
		found = agreeing
	}
	return found
}

// contradiction returns which of a row's identifiers differ from a transaction's.
func (r *Row) contradiction(t *ledger.Transaction) string {
	var other []string
	if h, ok := r.EVMHash.Get(); ok && t.EVMHash != chain.Some(h) {
		other = append(other, "EVM hash")
	}
	if h, ok := r.Hash.Get(); ok && t.EVMHash != chain.Some(h) && t.Hash != h {
		other = append(other, "hash")
	}
	if h, ok := r.ExtrinsicHash.Get(); ok && t.Hash != h {
		other = append(other, "extrinsic hash")
	}
	if p, ok := r.Place.Get(); ok && p != t.Place() {
		other = append(other, "ID")
	}
	return strings.Join(other, " and ")
}

// ambiguous notes what a row can mean.
func (m *matcher) ambiguous(item *Item, found []*ledger.Transaction, against string) {
	var places []string
	for _, t := range found {
		m.maybe[t.Place()] = item.Row.at()
		places = append(places, t.Place().String())
	}
	switch {
	case against != "" && len(found) == 1:
		item.note("it names %s, but with another %s", places[0], against)
	case len(found) == maxCandidates:
		item.note("it names many transactions: %s, possibly more", strings.Join(places, ", "))
	default:
		item.note("it names several transactions: %s", strings.Join(places, ", "))
	}
}

// lacking adds the transactions that the accounts paid for in the period and no row names, in chain order.
func (m *matcher) lacking(r *Result) error {
	span, some := m.period.Span.Get()
	if !some || m.options.RowsOnly {
		return nil
	}
	var found items // account by account
	defer found.records.Close()
	var order []located
	asked := map[chain.Address]bool{}
	for _, account := range m.options.Accounts {
		if asked[account] {
			continue
		}
		asked[account] = true
		paid := false
		for t, err := range m.book.Transactions(m.ctx, ledger.Query{Accounts: []chain.Address{account}, Span: span}) {
			if err != nil {
				return err
			}
			if !m.period.contains(t) {
				continue
			}
			paid = true
			if _, named := m.named[t.Place()]; t.InAsset() && !named {
				if err := m.assets.Add(&t.AssetFee); err != nil {
					return err
				}
				continue
			}
			item, ok := m.lacks(t)
			if !ok {
				continue
			}
			at, err := found.add(item)
			if err != nil {
				return err
			}
			order = append(order, located{t.Place(), at})
		}
		if !paid {
			m.idle = append(m.idle, account)
		}
	}
	slices.SortFunc(order, func(a, b located) int {
		return cmp.Or(cmp.Compare(a.Height, b.Height), cmp.Compare(a.Row, b.Row))
	})
	for _, l := range order {
		item, err := found.get(l.at)
		if err == nil {
			err = r.add(item)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// located is the position of a transaction's item.
type located struct {
	ledger.Place
	at int64
}

// lacks returns the item of a transaction that an account paid for, if it is missing from the books.
func (m *matcher) lacks(t *ledger.Transaction) (*Item, bool) {
	if _, named := m.named[t.Place()]; named {
		return nil, false
	}
	item := &Item{Outcome: OnlyOnChain, Transaction: chain.Some(transactionOf(t))}
	m.result.setPaid(item, t)
	wei, known := item.Chain.Get()
	switch {
	case known && wei.IsZero():
		m.free++
		return nil, false
	case known:
		item.Difference = chain.Some(wei.Signed().Negated())
	}
	if row, maybe := m.maybe[t.Place()]; maybe {
		item.mayBeNamed = true
		item.note("%s may refer to it", row)
	}
	m.missing[t.Layer]++
	return item, true
}
