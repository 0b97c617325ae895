package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
)

// Balances tells what an account had when the block at a height was done.
type Balances interface {
	Balance(ctx context.Context, account chain.Address, height uint64) (chain.Balance, error)
}

// DifferenceError says that an account's balance and its movements do not lead to its
// balance after them.
type DifferenceError struct {
	Account chain.Address
	Span    ledger.Span // in which a movement is missing or wrong: one block, where the balances tell
	Free    chain.SignedWei
	// Free and Reserved are what the balance at the end of Span has more than the
	// movements make.
	Reserved chain.SignedWei
}

// Error says what differs, and where.
func (e *DifferenceError) Error() string {
	where := "blocks " + e.Span.String()
	if e.Span.First == e.Span.Last {
		where = fmt.Sprintf("block %d", e.Span.First)
	}
	return fmt.Sprintf("%s: the balance of %v has %v wei free and %v wei reserved more than its movements tell", where, e.Account, e.Free, e.Reserved)
}

// difference is what a balance has more, free and reserved.
type difference struct{ free, reserved chain.SignedWei }

// prover proves that the movements of accounts lead from the balances before a span to
// those after it. Of each account it holds the sum of the movements alone.
type prover struct {
	payments *Payments
	balances Balances
	names    map[chain.Address]Account
	span     ledger.Span
	sums     map[chain.Address]*change
}

// change is what movements make of a balance.
type change struct {
	free, reserved chain.SignedWei
	held           bool // something was reserved, or given back
}

// add adds the movements of each account up. It is [ErrUnknown] where a change is not known.
func (p *prover) add(ctx context.Context) error {
	p.sums = map[chain.Address]*change{}
	var unknown []error
	for _, account := range p.payments.accounts {
		sum, err := p.sum(ctx, account, p.span.Last, func(m *ledger.Movement) error {
			if !p.payments.period.Has(m.Height, m.Time) {
				return fmt.Errorf("block %d is not of the period by its own time, so that no balances open and close it", m.Height)
			}
			if !m.Known() && len(unknown) < maxWrongLines {
				unknown = append(unknown, fmt.Errorf("%w: block %d, %v, %s of %v", ErrUnknown, m.Height, m.Where, m.Event, m.Account))
			}
			return nil
		})
		if err != nil {
			return err
		}
		p.sums[account] = sum
	}
	return errors.Join(unknown...)
}

// sum adds the movements of an account up, to the block at a height.
func (p *prover) sum(ctx context.Context, account chain.Address, last uint64, check func(*ledger.Movement) error) (*change, error) {
	sum := &change{}
	err := p.payments.book.Movements(ctx, account, ledger.Span{First: p.span.First, Last: last}, func(m *ledger.Movement) error {
		if err := check(m); err != nil {
			return err
		}
		if err := sum.add(m); err != nil {
			return fmt.Errorf("block %d, %v, %s of %v: %w", m.Height, m.Where, m.Event, account, err)
		}
		return nil
	})
	return sum, err
}

func (c *change) add(m *ledger.Movement) (err error) {
	free, _ := m.Free.Get()
	reserved, _ := m.Reserved.Get()
	c.held = c.held || reserved.Sign() != 0
	if c.free, err = c.free.Add(free); err == nil {
		c.reserved, err = c.reserved.Add(reserved)
	}
	return err
}

// holdings reads what the accounts had before the span and after it.
func (p *prover) holdings(ctx context.Context) (list []holding, err error) {
	before := max(p.span.First, 1) - 1 // block 0 has the balances that the chain began with
	var wrong []error
	for _, account := range p.payments.accounts {
		h := holding{asset: p.names[account], height: before}
		if h.opening, err = p.balances.Balance(ctx, account, before); err != nil {
			return nil, fmt.Errorf("the balance of %v at block %d: %w", account, before, err)
		}
		if h.closing, err = p.balances.Balance(ctx, account, p.span.Last); err != nil {
			return nil, fmt.Errorf("the balance of %v at block %d: %w", account, p.span.Last, err)
		}
		sum := p.sums[account]
		h.held = !h.opening.Reserved.IsZero() || !h.closing.Reserved.IsZero() || sum.held
		found, err := sum.differs(h.opening, h.closing)
		if err == nil && found != nil {
			err = p.locate(ctx, account, &h, found)
		}
		if err != nil {
			wrong = append(wrong, err)
		}
		list = append(list, h)
	}
	return list, errors.Join(wrong...)
}

// locate looks for the first block after which an account's balance differs from what
// its movements make, by bisection. What was found is the difference at the end.
func (p *prover) locate(ctx context.Context, account chain.Address, h *holding, found *difference) error {
	low, high := h.height, p.span.Last // it is right at one, and not at the other
	for high-low > 1 {
		middle := low + (high-low)/2
		balance, err := p.balances.Balance(ctx, account, middle)
		if err != nil { // the archive may not have it; the span is what is known
			break
		}
		sum, err := p.sum(ctx, account, middle, func(*ledger.Movement) error { return nil })
		if err != nil {
			return err
		}
		d, err := sum.differs(h.opening, balance)
		if err != nil {
			return err
		}
		if d == nil {
			low = middle
		} else {
			high, found = middle, d
		}
	}
	return &DifferenceError{account, ledger.Span{First: low + 1, Last: high}, found.free, found.reserved}
}

// differs is by how much a balance is another than a change makes of the opening one;
// nil where it is not.
func (c *change) differs(opening, have chain.Balance) (*difference, error) {
	var d difference
	var err, other error
	d.free, err = have.Free.Difference(opening.Free).Add(c.free.Negated())
	d.reserved, other = have.Reserved.Difference(opening.Reserved).Add(c.reserved.Negated())
	if err = errors.Join(err, other); err != nil || d == (difference{}) {
		return nil, err
	}
	return &d, nil
}
