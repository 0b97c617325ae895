package journal

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
)

// Style is how the entries of a journal are made.
type Style struct {
	Names       *Names // nil: the addresses are the names
	Symbol      string // of the network's token, such as GLMR
	Title       string // for people, the first line
	Notes       []string
	Zone        *time.Location // whose days the dates are; nil: UTC
	Prices      *Prices        // nil: amounts are in the token alone
	NetworkSide bool           // of each fee, where it went too
	// Continues says that the journal before this one is there too: a journal of
	// movements then asserts its opening balances instead of entering them.
	Continues bool
}

func (s *Style) zone() *time.Location {
	if s.Zone == nil {
		return time.UTC
	}
	return s.Zone
}

func (s *Style) names() *Names {
	if s.Names == nil {
		return &Names{}
	}
	return s.Names
}

// Journal is entries by their dates, to be written for a program.
type Journal struct {
	Style
	entries  []entry
	holdings []holding // what was had before and after; none where only fees are entered
	begin    chain.Time
	end      chain.Time // of the last block
}

// entry is what one transaction of the books has. Its postings are balanced.
type entry struct {
	time        chain.Time
	height      uint64
	where       chain.Where
	code        string // "" where no transaction made it
	description string
	remarks     []string
	postings    []posting
}

// posting is what an entry adds to an account.
type posting struct {
	account Account
	amount  chain.SignedWei
}

// holding is what an asset account has before and after the entries.
type holding struct {
	asset            Account
	opening, closing chain.Balance
	height           uint64 // of the opening
	held             bool   // something is reserved, or was
}

// post adds an amount to an account.
func (e *entry) post(account Account, amount chain.SignedWei) error {
	for i := range e.postings {
		if p := &e.postings[i]; p.account == account {
			sum, err := p.amount.Add(amount)
			p.amount = sum
			return err
		}
	}
	e.postings = append(e.postings, posting{account, amount})
	return nil
}

// postAll adds amounts to accounts, until one fails.
func (e *entry) postAll(list ...posting) error {
	for _, p := range list {
		if err := e.post(p.account, p.amount); err != nil {
			return err
		}
	}
	return nil
}

// check wants what is added to be what is taken.
func (e *entry) check() error {
	var sum chain.SignedWei
	var err error
	for _, p := range e.postings {
		if sum, err = sum.Add(p.amount); err != nil {
			return e.of(err)
		}
	}
	if sum.Sign() != 0 {
		return e.of(fmt.Errorf("its postings add up to %v wei", sum))
	}
	return nil
}

// of says of an error in which entry it is.
func (e *entry) of(err error) error {
	return fmt.Errorf("block %d, %v: %w", e.height, e.where, err)
}

// day is the entry's date in the journal's zone.
func (j *Journal) day(t chain.Time) string { return t.Std().In(j.zone()).Format(time.DateOnly) }

// sort puts the entries into the order of their times, as programs want them: a block
// whose time goes backwards stands where its time is.
func (j *Journal) sort() {
	slices.SortStableFunc(j.entries, func(a, b entry) int {
		return cmp.Or(a.time.Std().Compare(b.time.Std()), cmp.Compare(a.height, b.height), cmp.Compare(a.where, b.where))
	})
}

// days are the dates of the entries, each once, in their order.
func (j *Journal) days() (days []string) {
	if len(j.holdings) > 0 {
		days = append(days, j.day(j.begin))
	}
	for i := range j.entries {
		days = append(days, j.day(j.entries[i].time))
	}
	slices.Sort(days)
	return slices.Compact(days)
}

// FeeJournal makes an entry of each payment whose amount is known: an expense by its
// layer, and the asset account of who paid. [Payments.Undetermined] has the others.
func FeeJournal(payments Payments, style Style) (*Journal, error) {
	j := &Journal{Style: style}
	var payers []chain.Address
	for _, p := range payments {
		if payer, ok := p.Payer.Get(); ok {
			payers = append(payers, payer)
		}
	}
	accounts, err := assets(j.names(), payers)
	if err != nil {
		return nil, err
	}
	for _, p := range payments {
		paid, isKnown := p.Paid.Get()
		payer, isPaid := p.Payer.Get()
		if !isKnown || !isPaid {
			continue
		}
		e, err := transactionEntry(p.Transaction)
		if err != nil {
			return nil, err
		}
		e.remarks = p.Remarks
		err = e.postAll(posting{feeAccount(p.Layer), paid.Signed()}, posting{accounts[payer], paid.Signed().Negated()})
		if err == nil && style.NetworkSide {
			err = e.network(&p)
		}
		if err != nil {
			return nil, e.of(err)
		}
		j.entries = append(j.entries, e)
	}
	return j, j.finish()
}

// finish puts the journal in order, and checks it.
func (j *Journal) finish() error {
	j.sort()
	if len(j.entries) > 0 && j.entries[0].time.Std().Before(j.begin.Std()) { // what was had is had before all of them
		j.begin = j.entries[0].time
	}
	for i := range j.entries {
		if err := j.entries[i].check(); err != nil {
			return err
		}
	}
	return j.Prices.check(j.days())
}

// transactionEntry is an entry of a transaction, without postings.
func transactionEntry(t *ledger.Transaction) (entry, error) {
	e := entry{height: t.Height, where: chain.Where(t.Index), code: code(t), description: fmt.Sprintf("block %d-%d %s", t.Height, t.Index, clean(t.Call))}
	at, ok := t.Time.Get()
	if !ok {
		return e, e.of(errNoTime)
	}
	e.time = at
	return e, nil
}

var errNoTime = fmt.Errorf("the block does not say when it was made: %w", chain.ErrMissing)

// network adds where the network put a fee. A remark says where that is not known.
func (e *entry) network(p *Payment) error {
	paid, _ := p.Paid.Get()
	parts, err := chain.Wei{}, error(nil)
	for _, part := range []struct {
		account Account
		amount  chain.Optional[chain.Wei]
	}{{networkBurned, p.Burned}, {networkTreasury, p.Treasury}, {networkAuthor, p.Author}} {
		amount, ok := part.amount.Get()
		if !ok {
			e.remarks = append(e.remarks, "where the fee went is not known")
			return nil
		}
		if amount.IsZero() {
			continue
		}
		if parts, err = parts.Add(amount); err != nil {
			return err
		}
		if err := e.post(part.account, amount.Signed()); err != nil {
			return err
		}
	}
	if parts != paid {
		return fmt.Errorf("burned, treasury and author got %v wei of the %v that were paid", parts, paid)
	}
	if paid.IsZero() {
		return nil
	}
	return e.post(networkFees, paid.Signed().Negated())
}
