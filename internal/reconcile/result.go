package reconcile

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// Outcome is the result for a row, or for a transaction without one.
type Outcome string

const (
	Matched            Outcome = "matched"
	WithinRounding     Outcome = "within_rounding"         // the row equals the amount at a spreadsheet's precision
	WithinTolerance    Outcome = "within_tolerance"        // the amounts differ by at most the tolerance
	AmountDiffers      Outcome = "amount_differs"          // the amounts differ by more than the tolerance
	PayerDiffers       Outcome = "payer_differs"           // the amount agrees, but the row names another payer
	PaidByAnother      Outcome = "paid_by_another_account" // none of the accounts paid: the chain's side is 0
	OutsidePeriod      Outcome = "outside_period"          // the transaction is outside the period: the chain's side is 0
	DatedOutside       Outcome = "dated_outside_period"    // the amount agrees, but the row's date is outside the period
	Undetermined       Outcome = "undetermined"            // neither a rule nor a recorded charge gives the fee, or the payer is unknown
	Duplicate          Outcome = "duplicate"               // an earlier row names the same transaction
	Ambiguous          Outcome = "ambiguous"               // the row can mean several transactions, or contradicts itself
	OnlyInBooks        Outcome = "only_in_books"           // the ledger contains no such transaction
	WithoutTransaction Outcome = "without_transaction"     // the row has a fee, but neither a hash nor an ID
	TotalDiffers       Outcome = "total_differs"           // the record's own total is not the sum of the rows above it
	OnlyOnChain        Outcome = "only_on_chain"           // the accounts paid for it, but no row names it
	Repeated           Outcome = "repeated"                // a view lists something else of a transaction, and its fee again: the chain's side is 0
	SentByAnother      Outcome = "sent_by_another_account" // a view lists a transaction that others sent and paid for: the chain's side is 0
	LeftOut            Outcome = "left_out"                // the row has no fee, or one in another asset; it is not compared
)

// Agrees reports whether a row with this outcome needs no correction.
func (o Outcome) Agrees() bool {
	return o == Matched || o == WithinRounding || o == WithinTolerance || o.isListedOnly()
}

// isListedOnly reports whether a row with this outcome is not compared, because it is not a fee of the company.
func (o Outcome) isListedOnly() bool { return o == Repeated || o == SentByAnother || o == LeftOut }

// isListed reports whether an item with this outcome is among the details.
func (o Outcome) isListed(all bool) bool { return all || o != Matched && !o.isListedOnly() }

// Outcomes returns all outcomes in display order.
func Outcomes() []Outcome {
	return []Outcome{Matched, WithinRounding, WithinTolerance, AmountDiffers, PayerDiffers, PaidByAnother, OutsidePeriod, DatedOutside, Undetermined, Duplicate, Ambiguous, OnlyInBooks, WithoutTransaction, TotalDiffers, OnlyOnChain, Repeated, SentByAnother, LeftOut}
}

// Transaction contains the displayed fields of a transaction.
type Transaction struct {
	Place   ledger.Place
	Time    chain.Optional[chain.Time]
	Hash    chain.Hash
	EVMHash chain.Optional[chain.Hash]
	Payer   chain.Optional[chain.Address]
	Layer   fee.Layer
	Call    string // such as balances.transfer
}

func transactionOf(t *ledger.Transaction) Transaction {
	return Transaction{t.Place(), t.Time, t.Hash, t.EVMHash, t.Payer, t.Layer, t.Call}
}

// NameHash returns the hash by which people name the transaction: the EVM hash, otherwise that of the extrinsic.
func (t *Transaction) NameHash() chain.Hash { return or(t.EVMHash, t.Hash) }

// Item is the result for a row, or for a transaction without one.
type Item struct {
	Outcome     Outcome
	Row         *Row                        // nil for a transaction without a row
	Transaction chain.Optional[Transaction] // the transaction that the row names
	Books       chain.Optional[chain.Wei]   // the fee of the row
	Chain       chain.Optional[chain.Wei]   // what the accounts paid for the transaction in the period, see [ledger.Transaction.Paid]; for duplicates, only set in the first item
	Difference  chain.Optional[chain.SignedWei]
	Notes       []string

	mayBeNamed bool // an ambiguous row may name a transaction without a row
	cut        int  // decimals after which the row's amount is cut, if that is the difference; otherwise 0
}

func (i *Item) note(format string, arguments ...any) {
	i.Notes = append(i.Notes, fmt.Sprintf(format, arguments...))
}

// Sum is the total of the items with an outcome.
type Sum struct {
	Outcome Outcome
	Count   int
	Books   chain.Wei
	// Chain and Difference (books minus chain) are unknown if the amount of any transaction is unknown.
	Chain      chain.Optional[chain.Wei]
	Difference chain.Optional[chain.SignedWei]
	Worth      Worth // of the three amounts; unknown without prices
}

// Result compares a company's record with the ledger.
type Result struct {
	Files    []NamedFile // those that were compared; may be empty
	Notes    []string    // limits of the result
	Network  string
	Genesis  chain.Optional[chain.Hash]
	Sealed   chain.Optional[uint64]        // the height of the last sealed block
	Seal     string                        // of the ledger, or of a package's period; "" if nothing is sealed
	Period   chain.Optional[ledger.Period] // as requested
	Span     chain.Optional[chain.Heights] // compared blocks
	Options  Options
	Sums     []Sum // one per outcome
	Total    Sum
	Groups   []Group      // the differences by what to do about them, in display order
	Unfit    []Acceptance // those that fit no difference
	Fixed    Changes      // in the copy that WriteFixed wrote last
	Try      []Way        // settings under which more may agree
	cut      int          // fees that are only cut, see onlyCut
	items    items
	accepted accepted
	prices   *money.Valuer // nil without prices
	valuer   *money.Valuer // of the amounts; nil without prices, and if values are compared
	partial  bool          // the ledger lacks part of the period

	// UnreadSheets lists the quoted names of sheets with fees that were not read, while the user has named no sheet.
	UnreadSheets []string
	OtherAssets  int // rows left out because their fee is in another asset
	InAssets     int // fees that the accounts paid in assets and that no row names: they are not compared
}

// NamedFile is a file with the name by which a result calls it.
type NamedFile struct {
	Name string
	*File
}

// Name returns the names of the files.
func (r *Result) Name() string {
	var names []string
	for _, f := range r.Files {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// recordSummary returns what kinds of rows the only file has, as its profile knows; "" for several files.
func (r *Result) recordSummary() string {
	if len(r.Files) != 1 {
		return ""
	}
	return r.Files[0].Summary(r.count(SentByAnother), r.OtherAssets)
}

// Items iterates over the rows in order, then over the transactions without one in chain order, and can be called
// repeatedly. The items are kept in a temporary file until the result is closed.
func (r *Result) Items() iter.Seq2[*Item, error] { return r.items.all() }

// Close deletes the items.
func (r *Result) Close() error { return r.items.records.Close() }

func newResult(o *Options, s *ledger.Status, c *covered) *Result {
	r := &Result{
		Notes: c.notes(), Network: s.Network, Genesis: s.Genesis, Sealed: s.Sealed,
		Period: o.Period, Span: c.Span, Options: *o, partial: len(c.Lacks) > 0, accepted: newAccepted(o.Accepted),
		UnreadSheets: o.unread,
	}
	if seal, ok := s.Seal.Get(); ok {
		r.Seal = seal.String()
	}
	if o.Prices != nil {
		r.prices = o.Prices.Valuer()
	}
	if !o.Values {
		r.valuer = r.prices
	}
	for _, o := range Outcomes() {
		r.Sums = append(r.Sums, r.noSum(o))
	}
	r.Total = r.noSum("total")
	return r
}

// Reconciled reports whether the record is complete and everything agrees. It is unknown if everything compared agrees, but
// not all was compared.
func (r *Result) Reconciled() (o chain.Optional[bool]) {
	if !r.Agrees() || r.Complete() && r.InAssets == 0 {
		o = chain.Some(r.Agrees())
	}
	return o
}

// Agrees reports whether every compared row and transaction agrees, or its difference is accepted, and no sheet with fees
// is left to read.
func (r *Result) Agrees() bool { return r.Open() == 0 && len(r.UnreadSheets) == 0 }

// Open returns the number of differences that are not accepted.
func (r *Result) Open() int { return r.Apart() - r.Accepted() }

// Complete reports whether missing fees were searched for in the whole period, which requires accounts.
func (r *Result) Complete() bool {
	return len(r.Options.Accounts) > 0 && !r.Options.RowsOnly && !r.partial
}

// Apart returns the number of rows and transactions that do not agree.
func (r *Result) Apart() (count int) {
	for i := range r.Sums {
		if s := &r.Sums[i]; !s.Outcome.Agrees() {
			count += s.Count
		}
	}
	return count
}

// Compared returns the number of compared rows and transactions.
func (r *Result) Compared() (count int) {
	for i := range r.Sums {
		if s := &r.Sums[i]; !s.Outcome.isListedOnly() {
			count += s.Count
		}
	}
	return count
}

// NotCompared says which fees were not compared; "" if all were.
func (r *Result) NotCompared() string {
	if r.InAssets == 0 {
		return ""
	}
	return console.Counted(r.InAssets, "fee") + " in assets " + console.Verb(r.InAssets, "was", "were") + " not compared"
}

// Headline returns the result in one line.
func (r *Result) Headline() string {
	apart, count := r.Apart(), r.Compared()
	var text string
	switch {
	case r.Accepted() > 0:
		text = fmt.Sprintf("%d match, %d accepted, %d open", count-apart, r.Accepted(), r.Open())
	case apart > 0:
		text = r.apartText(apart, count)
	case count == 0 && r.Complete():
		text = "nothing to compare: the file contains no fees and the accounts paid none"
		if r.InAssets > 0 {
			text += " in " + r.Options.Symbol
		}
	case count == 0:
		text = "nothing to compare: the file contains no fees"
	case r.Complete() && r.InAssets > 0:
		text = fmt.Sprintf("%d match", count)
	case r.Complete():
		text = fmt.Sprintf("all %d match", count)
	default:
		text = console.Counted(count, "row") + " " + console.Verb(count, "matches", "match")
	}
	if !r.Complete() {
		text += "; completeness not checked"
	}
	if r.InAssets > 0 {
		text += "; " + r.NotCompared()
	}
	if r.partial {
		text += "; the ledger lacks part of the period"
	}
	return r.open(text)
}

// add adds an item and its amounts.
func (r *Result) add(item *Item) error {
	of := slices.IndexFunc(r.Sums, func(s Sum) bool { return s.Outcome == item.Outcome })
	for _, s := range []*Sum{&r.Sums[of], &r.Total} {
		if err := s.add(item); err != nil {
			return fmt.Errorf("the sum of the fees: %w", err)
		}
	}
	if r.valuer != nil && item.Outcome != LeftOut {
		worth := item.worth(r.valuer, r.Options.Zone)
		for _, s := range []*Sum{&r.Sums[of], &r.Total} {
			s.addWorth(item, worth, r.valuer.Currency)
		}
	}
	if item.isOnlyCut(&r.Options) {
		r.cut++
	}
	if !item.Outcome.Agrees() {
		if err := r.addToGroup(item); err != nil {
			return fmt.Errorf("the sum of the fees: %w", err)
		}
		r.accepted.find(item)
	}
	_, err := r.items.add(item)
	return err
}

// noSum returns the sum of no items.
func (r *Result) noSum(o Outcome) Sum {
	s := Sum{Outcome: o, Chain: chain.Some(chain.Wei{}), Difference: chain.Some(chain.SignedWei{})}
	if r.valuer != nil {
		s.Worth = nothingIn(r.valuer.Currency)
	}
	return s
}

// isUnknown reports whether the item's transaction has an unknown amount.
func (i *Item) isUnknown() bool {
	return !i.Chain.Known() && (i.Outcome == Undetermined || i.Outcome == OnlyOnChain)
}

// add adds an item. Without a transaction, the chain's side is 0; a transaction with an unknown amount makes the sum
// unknown.
func (s *Sum) add(i *Item) (err error) {
	s.Count++
	if s.Books, err = s.Books.Add(or(i.Books, chain.Wei{})); err != nil {
		return err
	}
	sum, known := s.Chain.Get()
	if !known || i.isUnknown() {
		s.Chain, s.Difference = chain.Optional[chain.Wei]{}, chain.Optional[chain.SignedWei]{}
		return nil
	}
	if sum, err = sum.Add(or(i.Chain, chain.Wei{})); err != nil {
		return err
	}
	s.Chain, s.Difference = chain.Some(sum), chain.Some(s.Books.Difference(sum))
	return nil
}
