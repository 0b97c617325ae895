package journal

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/movement"
)

// Style is how the entries of a journal are made.
type Style struct {
	Names  *Names // nil: the addresses are the names
	Symbol string // of the network's token, such as GLMR
	Title  string // for people, the first line
	Notes  []string
	Zone   *time.Location // whose days the dates are; nil: UTC
	Prices *money.List    // nil: amounts are in the token alone
	// PartialPrices says that what has no price stays in the token alone.
	PartialPrices bool
	NetworkSide   bool // of each fee, where it went too
	// Continues says that the journal before this one is there too: a journal of
	// movements then asserts its opening balances instead of entering them, and one for
	// Beancount opens no account that an earlier one of the same book has opened.
	Continues bool
	// Alone says that no other journal is there, so that one for Beancount opens nothing
	// for those that come after it, and depends on the period alone.
	Alone bool
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

// Journal is entries in the order of the chain, to be written for a program. They are not
// held, but made anew each time they are read.
type Journal struct {
	Style
	entries  iter.Seq2[*entry, error]
	before   func() (map[Account]bool, error) // the accounts of the entries before the period
	holdings []holding                        // what was had before and after; none where only fees are entered
	begin    chain.Time                       // the first of all
	end      chain.Time                       // the last of all
	survey
}

// entry is what one transaction of the books has. Its postings are balanced.
type entry struct {
	head
	remarks  []string
	postings []posting // one for an account
}

// head is what an entry has beside its amounts.
type head struct {
	time        chain.Time
	height      uint64
	where       movement.Where
	code        string // "" where no transaction made it
	description string
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
func (e *head) of(err error) error {
	return fmt.Errorf("block %d, %v: %w", e.height, e.where, err)
}

// FeeJournal makes an entry of each payment whose amount is known: an expense by its
// layer, and the asset account of who paid. [Payments.Undetermined] has the others.
//
// All payments are read, and again when the journal is written.
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
			e, err := feeEntry(p, accounts, style.NetworkSide)
			if !yield(e, err) {
				return
			}
		}
	}
	j.before = func() (map[Account]bool, error) { return feesBefore(ctx, payments, style) }
	return j, j.look()
}

// feeEntry is the entry of a payment whose payer and amount are known.
func feeEntry(p *Payment, accounts map[chain.Address]Account, networkSide bool) (*entry, error) {
	h, err := headOf(p.Transaction)
	if err != nil {
		return nil, err
	}
	e := &entry{head: h, remarks: p.Remarks}
	paid, _ := p.Paid.Get()
	payer, _ := p.Payer.Get()
	err = e.postAll(posting{feeAccount(p.Layer), paid.Signed()}, posting{accounts[payer], paid.Signed().Negated()})
	if err == nil && networkSide {
		err = e.network(p)
	}
	if err != nil {
		return nil, e.of(err)
	}
	return e, nil
}

// headOf is the head of a transaction's entry.
func headOf(t *ledger.Transaction) (head, error) {
	h := head{height: t.Height, where: movement.Where(t.Index), code: code(t), description: fmt.Sprintf("block %d-%d %s", t.Height, t.Index, clean(t.Call))}
	at, ok := t.Time.Get()
	if !ok {
		return h, h.of(errNoTime)
	}
	h.time = at
	return h, nil
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
	if beside, ok := mintedBeside(p, parts, paid); ok {
		e.remarks = append(e.remarks, "what the author got was minted, and is no part of the fee")
		parts = paid
		if err := e.post(networkMinted, beside.Signed().Negated()); err != nil {
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

// mintedBeside is what the author got where all of the fee went to others: runtimes before
// 1600 divided the fee as a whole, and minted the author's part anew.
func mintedBeside(p *Payment, parts, paid chain.Wei) (author chain.Wei, ok bool) {
	author, _ = p.Author.Get()
	others, err := parts.Sub(author)
	return author, err == nil && !author.IsZero() && others == paid
}
