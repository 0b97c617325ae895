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

// Statement contains the changes of an account's native balance in a range of blocks. Its lines are not
// kept in memory: [Statement.Each] reads them from the ledger each time, so a long statement needs no more
// memory than a short one, except for a few words for each movement whose event does not state the change.
type Statement struct {
	Account chain.Address
	Span    chain.Heights // starts after block 0, whose resulting balance is the opening balance
	balances.Comparison
	Totals
	// ChargedWorth is the worth of the fees if [Style.ValueBy] has valued them.
	ChargedWorth chain.Optional[money.Amount]
	// OpeningWorth and ClosingWorth are the worth of the balances, free and reserved, each at the price of its own day, and
	// MovedWorth that of the movements between them. [Style.ValueBy] sets them.
	OpeningWorth, MovedWorth, ClosingWorth chain.Optional[money.Amount]

	book Book
}

// Book provides a ledger's rows; [ledger.Book] implements it.
type Book interface {
	Activity(ctx context.Context, account chain.Address, span chain.Heights, with ledger.Addition) iter.Seq2[*ledger.Activity, error]
	Movements(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Movement, error]
	Transactions(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error]
	Transfers(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transfer, error]
	WithoutPayer(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error]
}

// LineOf names the line of a summary, such as received, that a statement's line belongs to. It gets them in their order.
type LineOf func(context.Context, *Line) (string, error)

// Options control how a statement is made.
type Options struct {
	balances.Options
	// Lines returns what names the lines of [Totals], once for each reading; nil for no such sums.
	Lines func() LineOf
}

// Make builds the statement of an account for a range of the ledger's blocks. If reader is nil, it contains
// only movements and proves nothing. Errors from the ledger are of type [LedgerError]; others come from the
// reader.
func Make(ctx context.Context, book Book, reader balances.Reader, account chain.Address, span chain.Heights, o Options) (*Statement, error) {
	if span.Last < span.First {
		return nil, fmt.Errorf("invalid block range %v: the end is before the start", span)
	}
	span.First = max(span.First, 1)
	s := &Statement{Account: account, Span: span, book: book}
	if reader == nil {
		return s, s.total(ctx, o.Lines)
	}
	p := balances.Prover{Comparison: &s.Comparison, Reader: reader, Account: account, Span: span, Movements: s.movements, Options: o.Options}
	if err := p.Ends(ctx); err != nil {
		return nil, ofProof(err)
	}
	if err := s.total(ctx, o.Lines); err != nil {
		return nil, err
	}
	if err := p.Prove(ctx, s.unknown); err != nil {
		return nil, ofProof(err)
	}
	if len(s.unknown) > 0 { // their sizes are known now
		if err := s.total(ctx, o.Lines); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// LedgerError is an error from the ledger or caused by its rows.
type LedgerError struct{ Err error }

func (e *LedgerError) Error() string { return e.Err.Error() }

// Unwrap returns the ledger's error.
func (e *LedgerError) Unwrap() error { return e.Err }

func ofLedger(err error) error {
	if err == nil {
		return nil
	}
	return &LedgerError{err}
}

// ofProof distinguishes errors of the reader of balances from those of the ledger.
func ofProof(err error) error {
	var unread *balances.ReadError
	if errors.As(err, &unread) {
		return unread.Err
	}
	return ofLedger(err)
}
