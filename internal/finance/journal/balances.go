package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/ledger"
)

// DifferenceError reports that an account's opening balance plus its movements does not equal its
// closing balance.
type DifferenceError struct {
	Account chain.Address
	Span    chain.Heights // where a movement is missing or wrong; one block if the balances show it
	// Change is the excess of the balance at the end of Span over the movements.
	balances.Change
}

// Kind returns [failure.DoesNotHold].
func (*DifferenceError) Kind() failure.Kind { return failure.DoesNotHold }

// Error describes the difference and its blocks.
func (e *DifferenceError) Error() string {
	where := "blocks " + e.Span.String()
	if e.Span.First == e.Span.Last {
		where = fmt.Sprintf("block %d", e.Span.First)
	}
	return fmt.Sprintf("%s: the balance of %v exceeds its movements by %v wei free and %v wei reserved%s", where, e.Account, e.Free, e.Reserved, e.Cause())
}

// holding is the opening and closing balance of an asset account.
type holding struct {
	asset            Account
	opening, closing chain.Balance
	height           uint64 // of the opening
	held             bool   // some balance is or was reserved
}

// holdings returns the balances of the accounts before and after a span. It returns [ErrUnknown] if the change by a
// movement is not known or an event states only the new balance, and a [DifferenceError] if the movements do not explain
// the change.
func (p *Payments) holdings(ctx context.Context, reader balances.Reader, span chain.Heights, assets map[chain.Address]Account) (list []holding, err error) {
	span.First = max(span.First, 1) // block 0 contains the initial balances
	var unknown, wrong []error
	for _, account := range p.accounts {
		b := balances.Prover{
			Comparison: &balances.Comparison{}, Reader: reader, Account: account, Span: span, Options: balances.Options{FirstOnly: true},
			Movements: func(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Movement, error] {
				return p.book.Movements(ctx, ledger.Query{Accounts: []chain.Address{account}, Span: span})
			},
		}
		if err := b.Ends(ctx); err != nil {
			return nil, err
		}
		h := holding{asset: assets[account], height: span.First - 1}
		h.opening, _ = b.Opening.Get()
		h.closing, _ = b.Closing.Get()
		h.held = !h.opening.Reserved.IsZero() || !h.closing.Reserved.IsZero()
		sum := balances.From(b.Opening)
		for m, err := range b.Movements(ctx, span) {
			switch {
			case err != nil:
				return nil, &LedgerError{err}
			case !p.period.Has(m.Height, m.Time):
				return nil, fmt.Errorf("block %d is outside the period by its own time, so the period has no opening and closing balances", m.Height)
			case (!m.Known() || balances.IsSet(&m.Movement)) && len(unknown) < maxWrongLines:
				unknown = append(unknown, fmt.Errorf("%w: block %d, %v, %s of %v", ErrUnknown, m.Height, m.Where, m.Event, m.Account))
			}
			_, reserved, err := sum.Add(&m.Movement)
			if err != nil {
				return nil, fmt.Errorf("block %d, %v, %s of %v: %w", m.Height, m.Where, m.Event, account, err)
			}
			by, _ := reserved.Get()
			h.held = h.held || by.Sign() != 0 // also if it is released again
		}
		if len(unknown) == 0 {
			wrong = append(wrong, differs(ctx, &b, sum))
		}
		list = append(list, h)
	}
	if len(unknown) > 0 {
		wrong = unknown
	}
	return list, errors.Join(wrong...)
}

// differs verifies that the opening balance plus the movements equals the closing balance.
func differs(ctx context.Context, b *balances.Prover, sum balances.Running) error {
	if err := b.Close(sum); err != nil {
		return err
	}
	unexplained, _ := b.Unexplained.Get()
	if unexplained.IsZero() {
		return nil
	}
	if err := b.Prove(ctx, nil); err != nil {
		return err
	}
	differs := &DifferenceError{b.Account, b.Span, unexplained}
	if len(b.Differences) > 0 {
		d := b.Differences[0]
		differs.Span, differs.Change = chain.Heights{First: d.Height - d.Before, Last: d.Height}, d.Change
	}
	return differs
}
