package journal

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/movement"
)

// Style controls how a journal's entries are created.
type Style struct {
	Names         *Names // nil to use addresses as names
	console.Token        // the network's
	Title         string // the first line
	Notes         []string
	Zone          *time.Location // time zone of the dates; nil for UTC
	Prices        *money.List    // nil for amounts only in the token
	// PartialPrices leaves amounts without a price in the token only.
	PartialPrices bool
	NetworkSide   bool // also enter the destinations of each fee
	// Chart selects the accounts of a journal of fees; nil uses Names.
	Chart Chart
	// Continues states that the previous journal exists: a journal of movements then asserts its opening balances
	// instead of entering them, and one for Beancount opens no account that an earlier journal of the same ledger
	// has opened.
	Continues bool
	// Alone states that there is no other journal. A journal for Beancount then opens nothing for later ones and
	// depends only on the period.
	Alone bool
}

func (s *Style) zone() *time.Location {
	if s.Zone == nil {
		return time.UTC
	}
	return s.Zone
}

// names returns the names; accounts without one have the form of the network.
func (s *Style) names() *Names {
	var names Names
	if s.Names != nil {
		names = *s.Names
	}
	names.token = s.Token
	return &names
}

// Journal contains entries in chain order, to be written for a program. They are not held in memory, but created
// again on each pass.
type Journal struct {
	Style
	entries  iter.Seq2[*entry, error]
	before   func() (map[Account]bool, error) // accounts of the entries before the period
	holdings []holding                        // opening and closing balances; none if only fees are entered
	begin    chain.Time                       // the earliest
	end      chain.Time                       // the latest
	survey
}

// entry is a balanced transaction in the accounting books.
type entry struct {
	head
	remarks  []string
	more     [][2]string // the chart's tags
	postings []posting   // one per account
}

// head is an entry without its amounts.
type head struct {
	time        chain.Time
	height      uint64
	where       movement.Where
	code        string // "" if no transaction caused it
	description string
}

// posting is an amount added to an account.
type posting struct {
	account Account
	amount  chain.SignedWei
}

// holding is the opening and closing balance of an asset account.
type holding struct {
	asset            Account
	opening, closing chain.Balance
	height           uint64 // of the opening
	held             bool   // some balance is or was reserved
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

// postAll adds amounts to accounts until one fails.
func (e *entry) postAll(list ...posting) error {
	for _, p := range list {
		if err := e.post(p.account, p.amount); err != nil {
			return err
		}
	}
	return nil
}

// check verifies that the postings are balanced.
func (e *entry) check() error {
	var sum chain.SignedWei
	var err error
	for _, p := range e.postings {
		if sum, err = sum.Add(p.amount); err != nil {
			return e.of(err)
		}
	}
	if sum.Sign() != 0 {
		return e.of(fmt.Errorf("the postings do not balance: their sum is %v wei", sum))
	}
	return nil
}

// of adds the entry's position to an error.
func (e *head) of(err error) error {
	return fmt.Errorf("block %d, %v: %w", e.height, e.where, err)
}

// FeeJournal creates an entry for each payment with a known amount: an expense of its layer, paid from the payer's
// asset account. The other payments are in [Payments.Undetermined].
//
// It reads all payments, which are read again when the journal is written.
func FeeJournal(ctx context.Context, payments *Payments, style Style) (*Journal, error) {
	j := &Journal{Style: style}
	accounts, err := assets(j.names(), payments.payers)
	if err != nil {
		return nil, err
	}
	j.entries = func(yield func(*entry, error) bool) {
		for p, err := range payments.All(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !p.Paid.Known() || !p.Payer.Known() {
				continue
			}
			e, err := feeEntry(ctx, p, accounts, &style)
			if !yield(e, err) {
				return
			}
		}
	}
	j.before = func() (map[Account]bool, error) { return feesBefore(ctx, payments, style) }
	return j, j.look()
}

// feeEntry returns the entry of a payment with known payer and amount.
func feeEntry(ctx context.Context, p *Payment, accounts map[chain.Address]Account, style *Style) (*entry, error) {
	h, err := headOf(p.Transaction)
	if err != nil {
		return nil, err
	}
	expense, asset, tags, err := style.feeAccounts(ctx, p, accounts)
	if err != nil {
		return nil, err
	}
	e := &entry{head: h, remarks: p.Remarks, more: tags}
	paid, _ := p.Paid.Get()
	err = e.postAll(posting{expense, paid.Signed()}, posting{asset, paid.Signed().Negated()})
	if err == nil && style.NetworkSide {
		err = e.network(p)
	}
	if err != nil {
		return nil, e.of(err)
	}
	return e, nil
}

// headOf returns the head of a transaction's entry.
func headOf(t *ledger.Transaction) (head, error) {
	h := head{height: t.Height, where: movement.Where(t.Index), code: code(t), description: fmt.Sprintf("block %d-%d %s", t.Height, t.Index, clean(t.Call))}
	at, ok := t.Time.Get()
	if !ok {
		return h, h.of(errNoTime)
	}
	h.time = at
	return h, nil
}

var errNoTime = fmt.Errorf("the block has no timestamp: %w", chain.ErrMissing)

// network adds the destinations of a fee, or a remark if they are not known.
func (e *entry) network(p *Payment) error {
	paid, _ := p.Paid.Get()
	parts, err := chain.Wei{}, error(nil)
	for _, part := range []struct {
		account Account
		amount  chain.Optional[chain.Wei]
	}{{networkBurned, p.Burned}, {networkTreasury, p.Treasury}, {networkAuthor, p.Author}} {
		amount, ok := part.amount.Get()
		if !ok {
			e.remarks = append(e.remarks, "the destinations of the fee are not known")
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
	if beside, ok := mintedBeside(p, parts, paid); ok {
		e.remarks = append(e.remarks, "the author's amount was minted and is not part of the fee")
		parts = paid
		if err := e.post(networkMinted, beside.Signed().Negated()); err != nil {
			return err
		}
	}
	if parts != paid {
		return fmt.Errorf("burned, treasury and author add up to %v wei, but %v were paid", parts, paid)
	}
	if paid.IsZero() {
		return nil
	}
	return e.post(networkFees, paid.Signed().Negated())
}

// mintedBeside returns the author's amount if the fee went entirely to others: runtimes before 1600 distributed
// the whole fee and minted the author's part in addition.
func mintedBeside(p *Payment, parts, paid chain.Wei) (author chain.Wei, ok bool) {
	author, _ = p.Author.Get()
	others, err := parts.Sub(author)
	return author, err == nil && !author.IsZero() && others == paid
}
