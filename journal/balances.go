package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// holdings reads what the accounts had before a span and after it, and proves that
// their movements lead from one to the other.
func holdings(ctx context.Context, balances Balances, accounts []chain.Address, names map[chain.Address]Account, span ledger.Span, moved []ledger.Movement) (list []holding, err error) {
	before := max(span.First, 1) - 1 // block 0 has the balances that the chain began with
	byAccount := map[chain.Address][]ledger.Movement{}
	for _, m := range moved {
		byAccount[m.Account] = append(byAccount[m.Account], m)
	}
	var wrong []error
	for _, account := range accounts {
		h := holding{asset: names[account], height: before}
		if h.opening, err = balances.Balance(ctx, account, before); err != nil {
			return nil, fmt.Errorf("the balance of %v at block %d: %w", account, before, err)
		}
		if h.closing, err = balances.Balance(ctx, account, span.Last); err != nil {
			return nil, fmt.Errorf("the balance of %v at block %d: %w", account, span.Last, err)
		}
		h.held = !h.opening.Reserved.IsZero() || !h.closing.Reserved.IsZero() || slices.ContainsFunc(byAccount[account], func(m ledger.Movement) bool {
			held, ok := m.Reserved.Get()
			return ok && held.Sign() != 0
		})
		p := prover{ctx, balances, account, h.opening, byAccount[account]}
		if err := p.prove(ledger.Span{First: before, Last: span.Last}, h.closing); err != nil {
			wrong = append(wrong, err)
		}
		list = append(list, h)
	}
	return list, errors.Join(wrong...)
}

// prover compares what movements make of an opening balance with what was had.
type prover struct {
	ctx      context.Context
	balances Balances
	account  chain.Address
	opening  chain.Balance
	moved    []ledger.Movement
}

// prove compares at the end of a span. Where it differs, it looks for the first block
// that does, by bisection.
func (p *prover) prove(span ledger.Span, closing chain.Balance) error {
	found, err := p.differs(span.Last, closing)
	if err != nil || found == nil {
		return err
	}
	low, high := span.First, span.Last // it is right at one, and not at the other
	for high-low > 1 {
		middle := low + (high-low)/2
		balance, err := p.balances.Balance(p.ctx, p.account, middle)
		if err != nil { // the archive may not have it; the span is what is known
			break
		}
		d, err := p.differs(middle, balance)
		if err != nil {
			return err
		}
		if d == nil {
			low = middle
		} else {
			high, found = middle, d
		}
	}
	return &DifferenceError{p.account, ledger.Span{First: low + 1, Last: high}, found.free, found.reserved}
}

// differs is by how much a balance at a height is another than the movements make it;
// nil where it is not.
func (p *prover) differs(height uint64, have chain.Balance) (*difference, error) {
	free, reserved := p.opening.Free.Signed(), p.opening.Reserved.Signed()
	for i := range p.moved {
		if p.moved[i].Height > height {
			break
		}
		f, _ := p.moved[i].Free.Get()
		r, _ := p.moved[i].Reserved.Get()
		var err, other error
		free, err = free.Add(f)
		reserved, other = reserved.Add(r)
		if err = errors.Join(err, other); err != nil {
			return nil, fmt.Errorf("block %d, %v, %s of %v: %w", p.moved[i].Height, p.moved[i].Where, p.moved[i].Event, p.account, err)
		}
	}
	var d difference
	var err, other error
	d.free, err = have.Free.Signed().Add(free.Negated())
	d.reserved, other = have.Reserved.Signed().Add(reserved.Negated())
	if err = errors.Join(err, other); err != nil || d == (difference{}) {
		return nil, err
	}
	return &d, nil
}
