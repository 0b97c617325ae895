package statement

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// Statement is what became of an account's native balance in a span of blocks. Its
// lines are not held: [Statement.Each] reads them from the ledger once more, so that a
// long statement takes no more memory than a short one, but for some words of each
// movement whose event does not tell the change.
type Statement struct {
	Account chain.Address
	Span    chain.Heights // it begins after block 0: what that left is the opening
	balances.Comparison
	Totals
	// ChargedWorth is what the fees were worth, where [Style.ValueBy] valued them.
	ChargedWorth chain.Optional[money.Amount]

	book *ledger.Book
}

// Make makes the statement of an account on a span of the ledger's blocks. Without a
// reader of balances, which is nil then, it has movements alone and proves nothing. An
// error that the ledger gave is a [LedgerError]; any other is the reader's.
func Make(ctx context.Context, book *ledger.Book, reader balances.Reader, account chain.Address, span chain.Heights, o balances.Options) (*Statement, error) {
	if span.Last < span.First {
		return nil, fmt.Errorf("blocks %v: a span ends before it begins", span)
	}
	span.First = max(span.First, 1)
	s := &Statement{Account: account, Span: span, book: book}
	if reader == nil {
		return s, s.total(ctx)
	}
	p := balances.Prover{Comparison: &s.Comparison, Reader: reader, Account: account, Span: span, Movements: s.movements, Options: o}
	if err := p.Ends(ctx); err != nil {
		return nil, ofProof(err)
	}
	if err := s.total(ctx); err != nil {
		return nil, err
	}
	if err := p.Prove(ctx, s.unknown); err != nil {
		return nil, ofProof(err)
	}
	if len(s.unknown) > 0 { // now it is known what they were
		if err := s.total(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
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

// ofProof tells an error of the reader of balances from one of the ledger.
func ofProof(err error) error {
	var unread *balances.ReadError
	if errors.As(err, &unread) {
		return unread.Err
	}
	return ofLedger(err)
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
