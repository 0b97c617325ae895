// Package statement makes account statements: every movement of an account's native
// balance and every fee that it paid in a span of blocks, in the order of the chain,
// between the balance before and the balance after, and proves that the one and the
// movements make the other.
//
// The movements and the fees are a ledger's, the balances are those that a gateway or
// an archive tells. What does not fit is named with its block and its amount; it is
// never made to fit.
package statement

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
)

// Balances tells what an account had when the block at a height was done. Several
// questions are asked at once.
type Balances interface {
	Balance(ctx context.Context, account chain.Address, at uint64) (chain.Balance, error)
}

// Options say how a statement is proved.
type Options struct {
	// EveryBlock asks for the balance after each block of the span, where otherwise it
	// is asked for at the ends alone: then two wrongs that cancel out are seen too, and
	// what is wrong in each block.
	EveryBlock bool
	// Concurrency is how many balances are asked for at once; 0 is for
	// [DefaultConcurrency].
	Concurrency int
	// Progress is told how many balances were asked for, of how many.
	Progress func(done, total uint64)
}

// DefaultConcurrency is how many balances are asked for at once.
const DefaultConcurrency = 8

// Change is by how much a balance changed, in wei.
type Change struct {
	Free     chain.SignedWei `json:"free"`
	Reserved chain.SignedWei `json:"reserved"`
}

// IsZero tells whether nothing changed.
func (c Change) IsZero() bool { return c.Free.Sign() == 0 && c.Reserved.Sign() == 0 }

// Plus is c + x, or chain.ErrOverflow.
func (c Change) Plus(x Change) (sum Change, err error) {
	free, err := c.Free.Add(x.Free)
	if err != nil {
		return sum, err
	}
	reserved, err := c.Reserved.Add(x.Reserved)
	if err != nil {
		return sum, err
	}
	return Change{free, reserved}, nil
}

// Total is free and reserved together, or chain.ErrOverflow.
func (c Change) Total() (chain.SignedWei, error) { return c.Free.Add(c.Reserved) }

// Of is a balance as the change from nothing.
func Of(b chain.Balance) Change { return Change{b.Free.Signed(), b.Reserved.Signed()} }

func (c Change) negated() Change { return Change{c.Free.Negated(), c.Reserved.Negated()} }

// Difference is what a block changed and no movement of it tells.
type Difference struct {
	Height uint64 `json:"block"`
	Change
	// Untold says that the block has movements whose events do not tell the change:
	// this is what the balances have beside the others.
	Untold bool `json:"untold"`
}

// String is the difference for people.
func (d Difference) String() string {
	text := fmt.Sprintf("block %d: free %v wei, reserved %v wei", d.Height, d.Free, d.Reserved)
	if d.Untold {
		text += ", where an event does not tell its change"
	}
	return text
}

// MostDifferences is how many differences are listed; there may be more.
const MostDifferences = 1000

// Statement is what became of an account's native balance in a span of blocks. Its
// lines are not held: [Statement.Each] reads them from the ledger once more, so that a
// long statement takes no more memory than a short one, but for some words of each
// movement whose event does not tell the change.
type Statement struct {
	Account chain.Address
	Span    ledger.Span // it begins after block 0: what that left is the opening
	// Opening is the balance before the first block of the span, and Closing that after
	// the last. They are not known where no balances were asked for.
	Opening, Closing chain.Optional[chain.Balance]
	// Unexplained is Closing less what Opening and the movements make. It is zero where
	// the statement is proved, or where what is wrong cancels out.
	Unexplained chain.Optional[Change]
	// Differences are the blocks that do not fit, rising, MostDifferences of them at
	// most. Those that cancel out are only found with Options.EveryBlock.
	Differences []Difference
	More        bool // differences than are listed
	// Settled are blocks in which an event does not tell a change, and the balances do:
	// free and reserved together changed by as much as the events say, or not at all.
	Settled []Difference
	Proved  uint64 // heights at which the movements lead to the balance, beside the opening
	Totals

	book *ledger.Book
	rest map[uint64]untold // by height
}

// Make makes the statement of an account on a span of the ledger's blocks. Without
// balances, which is nil then, it has movements alone and proves nothing. An error that
// the ledger gave is a [LedgerError]; any other is one of the balances.
func Make(ctx context.Context, book *ledger.Book, balances Balances, account chain.Address, span ledger.Span, o Options) (*Statement, error) {
	if span.Last < span.First {
		return nil, fmt.Errorf("blocks %v: a span ends before it begins", span)
	}
	span.First = max(span.First, 1)
	s := &Statement{Account: account, Span: span, book: book}
	if balances == nil {
		return s, s.total(ctx)
	}
	p := prover{Statement: s, balances: balances, options: o}
	if err := p.ends(ctx); err != nil {
		return nil, err
	}
	if err := s.total(ctx); err != nil {
		return nil, err
	}
	if err := p.prove(ctx); err != nil {
		return nil, err
	}
	if len(s.untold) > 0 { // now it is known what they were
		if err := s.total(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Holds tells whether nothing is unexplained. It says so too of a statement that was
// made without balances; then Opening is not known.
func (s *Statement) Holds() bool {
	unexplained, _ := s.Unexplained.Get()
	return len(s.Differences) == 0 && unexplained.IsZero()
}

// untold is what the balances have of a block beside the changes that its events tell.
type untold struct {
	Change
	settled bool // the events say as much, of free and reserved together
}

// LedgerError is an error that the ledger gave, or that its rows lead to.
type LedgerError struct{ Err error }

func (e *LedgerError) Error() string { return e.Err.Error() }

// Unwrap is what the ledger said.
func (e *LedgerError) Unwrap() error { return e.Err }

func ofLedger(err error) error {
	if err == nil {
		return nil
	}
	return &LedgerError{err}
}

var errStop = errors.New("enough")

// sequence makes what hands over one thing after the other to be ranged over.
func sequence[T any](list func(each func(*T) error) error) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		err := list(func(x *T) error {
			if !yield(x, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}
