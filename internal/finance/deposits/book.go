package deposits

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// Book is a ledger whose movements include the deposits that passed between accounts: those that one account paid and
// another got back; and those that were given back although their payer is not known. No event states them, and they change
// no balance, but one account's receivable ended for the other.
type Book struct {
	*ledger.Book
	// Receivables are by account, for those that have or had some; nil if they were not read.
	Receivables map[chain.Address]Receivable
	// First is the ledger's first block: deposits that were taken before it are not known.
	First uint64

	stated []ledger.Movement // of the accounts, in the order of the chain
}

// Receivable is the sum of the open deposits that an account paid and others hold, less those that others paid and the
// account holds, before and after a span of blocks.
type Receivable struct{ Opening, Closing chain.SignedWei }

// maxStated limits the movements of deposits, which are held in memory.
const maxStated = 1_000_000

// Read finds the deposits of some accounts from the ledger's first block to the last one of a span. It reads the blocks
// twice, the second time for places that concern the accounts.
func Read(ctx context.Context, book *ledger.Book, accounts []chain.Address, span chain.Heights) (*Book, error) {
	first, _, err := book.Extent(ctx)
	if err != nil {
		return nil, err
	}
	b, selected := &Book{Book: book, First: first, Receivables: map[chain.Address]Receivable{}}, setOf(accounts)
	blocks := book.Holds(ctx, chain.Heights{First: first, Last: span.Last})
	all, err := Of(blocks, accounts)
	if err != nil || len(all.only) == 0 {
		return b, err
	}
	all.Each = func(c *Change) error {
		for _, m := range c.movements() {
			if !selected[m.Account] {
				continue
			}
			if len(b.stated) == maxStated {
				return ErrTooMany
			}
			b.stated = append(b.stated, m)
		}
		payer, known := c.Payer.Get()
		if c.Reason == "" || !known {
			return nil
		}
		before := c.At.Height < span.First
		return errors.Join(b.owe(selected, payer, c.Amount, before), b.owe(selected, c.Holder, c.Amount.Negated(), before))
	}
	for c, err := range blocks {
		if err == nil {
			err = all.Add(c)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Unmatched are the deposits that were given back to accounts, and those that accounts held, although their payers are not
// known.
type Unmatched struct{ In, Out chain.Wei }

// Add adds a movement, if it is of such a deposit.
func (u *Unmatched) Add(m *movement.Movement) (err error) {
	switch m.Kind {
	case movement.KindDepositUnmatchedIn:
		u.In, err = u.In.Add(m.Amount)
	case movement.KindDepositUnmatchedOut:
		u.Out, err = u.Out.Add(m.Amount)
	}
	return err
}

// Notes describes them. whose is "this account" or "the accounts".
func (u *Unmatched) Notes(whose string, amount func(chain.Wei) string) (notes []string) {
	const unknown = ", and who paid them is not known: the ledger does not contain the transactions that took them"
	if !u.In.IsZero() {
		notes = append(notes, "deposits of "+amount(u.In)+" were given back to "+whose+unknown)
	}
	if !u.Out.IsZero() {
		notes = append(notes, "deposits of "+amount(u.Out)+" that "+whose+" held were given back"+unknown)
	}
	return notes
}

// Notes returns notes on what the ledger does not know of the accounts' deposits in a span, and before it.
func (b *Book) Notes(span chain.Heights, amount func(chain.Wei) string) (notes []string, err error) {
	var sum Unmatched
	for i := range b.stated {
		if m := &b.stated[i]; err == nil && span.First <= m.Height {
			err = sum.Add(&m.Movement)
		}
	}
	notes = sum.Notes("the accounts", amount)
	if b.First > 1 { // block 0 is the chain's first state
		notes = append(notes, fmt.Sprintf("the ledger begins at block %d: deposits that others hold, and that were taken before it, are not known and in no balance", b.First))
		if slices.ContainsFunc(b.stated, func(m ledger.Movement) bool {
			return m.Kind == movement.KindDepositPassedIn || m.Kind == movement.KindDepositPassedOut
		}) {
			notes = append(notes, "deposits passed between accounts: what was given back may be of older deposits, which are not known")
		}
	}
	return notes, err
}

// owe adds to the receivable of a selected account, before or in the span.
func (b *Book) owe(selected map[chain.Address]bool, account chain.Address, amount chain.SignedWei, before bool) (err error) {
	if !selected[account] {
		return nil
	}
	r := b.Receivables[account]
	if r.Closing, err = r.Closing.Add(amount); before {
		r.Opening = r.Closing
	}
	b.Receivables[account] = r
	return err
}

// movements returns the change as movements of who paid the deposit and of who got it back, if it passed. A deposit that was
// burned passes to the account that held it. If the payer is not known, they are of who got it back and of who held it.
// Without a reason, the event itself names both accounts.
func (c *Change) movements() []ledger.Movement {
	payer, known := c.Payer.Get()
	to, given := c.To.Get()
	if !given {
		to = c.Holder
	}
	of := func(kind movement.Kind, account, other chain.Address) ledger.Movement {
		zero := chain.Some(chain.SignedWei{})
		return ledger.Movement{Height: c.At.Height, Time: c.At.Time, Final: c.by.final, Position: c.by.position, Movement: movement.Movement{
			Where: c.At.Where, EventIndex: c.by.index, Event: c.by.name, Kind: kind, Account: account, Counterparty: chain.Some(other),
			Amount: c.Amount.Size(), Free: zero, Reserved: zero, Reason: chain.Some(c.Reason),
		}}
	}
	switch {
	case c.Amount.Sign() > 0 || c.Reason == "":
		return nil
	case known && payer != to:
		return []ledger.Movement{of(movement.KindDepositPassedOut, payer, to), of(movement.KindDepositPassedIn, to, payer)}
	case !known && c.Holder != to:
		return []ledger.Movement{of(movement.KindDepositUnmatchedOut, c.Holder, to), of(movement.KindDepositUnmatchedIn, to, c.Holder)}
	}
	return nil
}

// statedIn returns the movements of accounts in a span.
func (b *Book) statedIn(accounts []chain.Address, span chain.Heights) (list []*ledger.Movement) {
	selected := setOf(accounts)
	for i := range b.stated {
		if m := &b.stated[i]; selected[m.Account] && span.First <= m.Height && m.Height <= span.Last {
			list = append(list, m)
		}
	}
	return list
}

// isBefore reports whether a movement is in an earlier extrinsic or hook.
func isBefore(m *ledger.Movement, height uint64, where movement.Where) bool {
	return m.Height < height || m.Height == height && m.Where < where
}

// Movements returns the movements of accounts with those of deposits, which come last in their extrinsics.
func (b *Book) Movements(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Movement, error] {
	stated := b.statedIn(q.Accounts, q.Span)
	if len(stated) == 0 {
		return b.Book.Movements(ctx, q)
	}
	return func(yield func(*ledger.Movement, error) bool) {
		rest := stated
		for m, err := range b.Book.Movements(ctx, q) {
			for ; err == nil && len(rest) > 0 && isBefore(rest[0], m.Height, m.Where); rest = rest[1:] {
				if !yield(rest[0], nil) {
					return
				}
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
		for _, m := range rest {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// Activity returns the blocks in which an account was active, or in which a deposit passed from or to it, or was given back unmatched.
func (b *Book) Activity(ctx context.Context, account chain.Address, span chain.Heights, with ledger.Addition) iter.Seq2[*ledger.Activity, error] {
	stated := b.statedIn([]chain.Address{account}, span)
	if len(stated) == 0 {
		return b.Book.Activity(ctx, account, span, with)
	}
	return func(yield func(*ledger.Activity, error) bool) {
		rest := stated
		pass := func(x *ledger.Activity) bool { // with the movements that are stated in its block
			n := slices.IndexFunc(rest, func(m *ledger.Movement) bool { return m.Height != x.Height })
			if n < 0 {
				n = len(rest)
			}
			x.Movements = merged(x.Movements, rest[:n])
			var err error
			if with == ledger.WithCauses {
				err = b.addCauses(ctx, x, rest[:n])
			}
			rest = rest[n:]
			return yield(x, err) && err == nil
		}
		empty := func() *ledger.Activity { return &ledger.Activity{Height: rest[0].Height, Time: rest[0].Time} }
		for block, err := range b.Book.Activity(ctx, account, span, with) {
			for err == nil && len(rest) > 0 && rest[0].Height < block.Height {
				if !pass(empty()) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !pass(block) {
				return
			}
		}
		for len(rest) > 0 {
			if !pass(empty()) {
				return
			}
		}
	}
}

// addCauses adds the transactions of movements that a block's activity lacks.
func (b *Book) addCauses(ctx context.Context, x *ledger.Activity, movements []*ledger.Movement) error {
	known := map[int]bool{}
	for _, t := range slices.Concat(x.Transactions, x.Causes) {
		known[t.Index] = true
	}
	var missing []ledger.Place
	for _, m := range movements {
		if index, is := m.Where.Extrinsic(); is && !known[index] {
			known[index] = true
			missing = append(missing, ledger.Place{Height: x.Height, Row: index})
		}
	}
	if len(missing) == 0 {
		return nil
	}
	for t, err := range b.TransactionsAt(ctx, missing...) {
		if err != nil {
			return err
		}
		x.Causes = append(x.Causes, t)
	}
	slices.SortFunc(x.Causes, func(a, b *ledger.Transaction) int { return a.Index - b.Index })
	return nil
}

// merged returns a block's movements with those of deposits.
func merged(movements, stated []*ledger.Movement) (all []*ledger.Movement) {
	for _, m := range movements {
		for ; len(stated) > 0 && isBefore(stated[0], m.Height, m.Where); stated = stated[1:] {
			all = append(all, stated[0])
		}
		all = append(all, m)
	}
	return append(all, stated...)
}
