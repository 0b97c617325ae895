package deposits

import (
	"context"
	"errors"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// Book is a ledger whose movements include the deposits that passed between accounts: those that one account paid and
// another got back. No event states them, and they change no balance, but one account's receivable ended for the other.
type Book struct {
	*ledger.Book
	passed []ledger.Movement // of the accounts, in the order of the chain
}

// maxPassed limits the deposits that passed, which are held in memory.
const maxPassed = 1_000_000

// ErrTooMany reports that more deposits passed between accounts than can be listed.
var ErrTooMany = errors.New("more than 1000000 deposits passed between accounts. Name fewer accounts.")

// Read finds the deposits that passed from or to some accounts, from the ledger's first block to the last one named.
func Read(ctx context.Context, book *ledger.Book, accounts []chain.Address, last uint64) (*Book, error) {
	b, selected := &Book{Book: book}, map[chain.Address]bool{}
	for _, a := range accounts {
		selected[a] = true
	}
	all := Deposits{Each: func(c *Change) error {
		for _, m := range c.movements() {
			if !selected[m.Account] {
				continue
			}
			if len(b.passed) == maxPassed {
				return ErrTooMany
			}
			b.passed = append(b.passed, m)
		}
		return nil
	}}
	first, _, err := book.Extent(ctx)
	if err != nil {
		return nil, err
	}
	for c, err := range book.Holds(ctx, chain.Heights{First: first, Last: last}) {
		if err == nil {
			err = all.Add(c)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// movements returns the change as movements of who paid the deposit and of who got it back, if it passed. A deposit that was
// burned passes to the account that held it. Without a reason, the event itself names both accounts.
func (c *Change) movements() []ledger.Movement {
	payer, known := c.Payer.Get()
	to, given := c.To.Get()
	if !given {
		to = c.Holder
	}
	if c.Amount.Sign() > 0 || c.Reason == "" || !known || payer == to {
		return nil
	}
	of := func(kind movement.Kind, account, other chain.Address) ledger.Movement {
		zero := chain.Some(chain.SignedWei{})
		return ledger.Movement{Height: c.At.Height, Time: c.At.Time, Final: c.by.final, Position: c.by.position, Movement: movement.Movement{
			Where: c.At.Where, EventIndex: c.by.index, Event: c.by.name, Kind: kind, Account: account, Counterparty: chain.Some(other),
			Amount: c.Amount.Size(), Free: zero, Reserved: zero, Reason: chain.Some(c.Reason),
		}}
	}
	return []ledger.Movement{of(movement.KindDepositPassedOut, payer, to), of(movement.KindDepositPassedIn, to, payer)}
}

// passedIn returns the movements of accounts in a span.
func (b *Book) passedIn(accounts []chain.Address, span chain.Heights) (list []*ledger.Movement) {
	selected := map[chain.Address]bool{}
	for _, a := range accounts {
		selected[a] = true
	}
	for i := range b.passed {
		if m := &b.passed[i]; selected[m.Account] && span.First <= m.Height && m.Height <= span.Last {
			list = append(list, m)
		}
	}
	return list
}

// isBefore reports whether a movement is in an earlier extrinsic or hook.
func isBefore(m *ledger.Movement, height uint64, where movement.Where) bool {
	return m.Height < height || m.Height == height && m.Where < where
}

// Movements returns the movements of accounts with those that passed, which come last in their extrinsics.
func (b *Book) Movements(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Movement, error] {
	passed := b.passedIn(q.Accounts, q.Span)
	if len(passed) == 0 {
		return b.Book.Movements(ctx, q)
	}
	return func(yield func(*ledger.Movement, error) bool) {
		rest := passed
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

// Activity returns the blocks in which an account was active, or in which a deposit passed from or to it.
func (b *Book) Activity(ctx context.Context, account chain.Address, span chain.Heights, transfers bool) iter.Seq2[*ledger.Activity, error] {
	passed := b.passedIn([]chain.Address{account}, span)
	if len(passed) == 0 {
		return b.Book.Activity(ctx, account, span, transfers)
	}
	return func(yield func(*ledger.Activity, error) bool) {
		rest := passed
		next := func() *ledger.Activity { // a block with passed deposits only
			x := &ledger.Activity{Height: rest[0].Height, Time: rest[0].Time}
			for ; len(rest) > 0 && rest[0].Height == x.Height; rest = rest[1:] {
				x.Movements = append(x.Movements, rest[0])
			}
			return x
		}
		for block, err := range b.Book.Activity(ctx, account, span, transfers) {
			for err == nil && len(rest) > 0 && rest[0].Height < block.Height {
				if !yield(next(), nil) {
					return
				}
			}
			if err == nil && len(rest) > 0 && rest[0].Height == block.Height {
				block.Movements = merged(block.Movements, next().Movements)
			}
			if !yield(block, err) || err != nil {
				return
			}
		}
		for len(rest) > 0 {
			if !yield(next(), nil) {
				return
			}
		}
	}
}

// merged returns a block's movements with those that passed.
func merged(movements, passed []*ledger.Movement) (all []*ledger.Movement) {
	for _, m := range movements {
		for ; len(passed) > 0 && isBefore(passed[0], m.Height, m.Where); passed = passed[1:] {
			all = append(all, passed[0])
		}
		all = append(all, m)
	}
	return append(all, passed...)
}
