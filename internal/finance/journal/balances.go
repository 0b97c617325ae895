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

// DifferenceError says that an account's balance and its movements do not lead to its
// balance after them.
type DifferenceError struct {
	Account chain.Address
	Span    chain.Heights // in which a movement is missing or wrong: one block, where the balances tell
	// Change is what the balance at the end of Span has more than the movements make.
	balances.Change
}

// Kind is [failure.DoesNotHold].
func (*DifferenceError) Kind() failure.Kind { return failure.DoesNotHold }

// Error says what differs, and where.
func (e *DifferenceError) Error() string {
	where := "blocks " + e.Span.String()
	if e.Span.First == e.Span.Last {
		where = fmt.Sprintf("block %d", e.Span.First)
	}
	return fmt.Sprintf("%s: the balance of %v has %v wei free and %v wei reserved more than its movements tell", where, e.Account, e.Free, e.Reserved)
}

// sum is what the movements of an account make of its balance.
type sum struct {
	balances.Running
	held bool // something was reserved, or given back
}

// sums adds the movements of each account up, in the order of the accounts. It is
// [ErrUnknown] where a change is not known, or an event only says what a balance became.
func (p *Payments) sums(ctx context.Context, span chain.Heights) (list []sum, err error) {
	var unknown []error
	for _, account := range p.accounts {
		var s sum
		for m, err := range p.movementsOf(ctx, account, span) {
			switch {
			case err != nil:
				return nil, err
			case !p.period.Has(m.Height, m.Time):
				return nil, fmt.Errorf("block %d is not of the period by its own time, so that no balances open and close it", m.Height)
			case (!m.Known() || balances.IsSet(&m.Movement)) && len(unknown) < maxWrongLines:
				unknown = append(unknown, fmt.Errorf("%w: block %d, %v, %s of %v", ErrUnknown, m.Height, m.Where, m.Event, m.Account))
			}
			_, reserved, err := s.Add(&m.Movement)
			if err != nil {
				return nil, fmt.Errorf("block %d, %v, %s of %v: %w", m.Height, m.Where, m.Event, account, err)
			}
			by, _ := reserved.Get()
			s.held = s.held || by.Sign() != 0
		}
		list = append(list, s)
	}
	return list, errors.Join(unknown...)
}

// movementsOf are those of an account.
func (p *Payments) movementsOf(ctx context.Context, account chain.Address, span chain.Heights) iter.Seq2[*ledger.Movement, error] {
	return p.book.Movements(ctx, ledger.Query{Accounts: []chain.Address{account}, Span: span})
}

// holdings are what the accounts had before a span and after it. It is a
// [DifferenceError] where the movements do not lead from the one to the other.
func (p *Payments) holdings(ctx context.Context, reader balances.Reader, span chain.Heights, assets map[chain.Address]Account, sums []sum) (list []holding, err error) {
	span.First = max(span.First, 1) // block 0 has the balances that the chain began with
	var wrong []error
	for i, account := range p.accounts {
		c := &balances.Comparison{}
		b := balances.Prover{
			Comparison: c, Reader: reader, Account: account, Span: span, Options: balances.Options{FirstOnly: true},
			Movements: func(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Movement, error] {
				return p.movementsOf(ctx, account, span)
			},
		}
		if err := b.Ends(ctx); err != nil {
			return nil, err
		}
		h := holding{asset: assets[account], height: span.First - 1}
		h.opening, _ = c.Opening.Get()
		h.closing, _ = c.Closing.Get()
		h.held = !h.opening.Reserved.IsZero() || !h.closing.Reserved.IsZero() || sums[i].held
		if err := sums[i].prove(ctx, &b); err != nil {
			wrong = append(wrong, err)
		}
		list = append(list, h)
	}
	return list, errors.Join(wrong...)
}

// prove wants the sum to lead from the opening to the closing balance.
func (s sum) prove(ctx context.Context, b *balances.Prover) (err error) {
	opening, _ := b.Opening.Get()
	if s.Balance, err = s.Balance.Plus(balances.Of(opening)); err != nil {
		return err
	}
	if err := b.Close(s.Running); err != nil {
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
