package balances

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// Reader returns an account's balance after the block at a height. It is called concurrently.
type Reader interface {
	Balance(ctx context.Context, account chain.Address, height uint64) (chain.Balance, error)
}

// ReadError reports that a [Reader] failed to return a balance.
type ReadError struct {
	Account chain.Address
	Height  uint64
	Err     error
}

func (e *ReadError) Error() string {
	return fmt.Sprintf("balance of %v at block %d: %v", e.Account, e.Height, e.Err)
}

// Unwrap returns the reader's error.
func (e *ReadError) Unwrap() error { return e.Err }

// Change is the change of a balance, in wei.
type Change struct {
	Free     chain.SignedWei `json:"free"`
	Reserved chain.SignedWei `json:"reserved"`
}

// Of returns a balance as the change from zero.
func Of(b chain.Balance) Change { return Change{b.Free.Signed(), b.Reserved.Signed()} }

// IsZero reports whether nothing changed.
func (c Change) IsZero() bool { return c.Free.Sign() == 0 && c.Reserved.Sign() == 0 }

// Plus returns c + x, or chain.ErrOverflow.
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

// Minus returns c - x, or chain.ErrOverflow.
func (c Change) Minus(x Change) (Change, error) {
	return c.Plus(Change{x.Free.Negated(), x.Reserved.Negated()})
}

// Cause returns the likely cause of an unexplained change: a runtime that has no events about holds moves an amount
// between free and reserved.
func (c Change) Cause() string {
	if total, err := c.Total(); err != nil || total.Sign() != 0 || c.IsZero() {
		return ""
	}
	if c.Free.Sign() > 0 {
		return ", as if released from a hold without an event"
	}
	return ", as if held without an event"
}

// Total returns free plus reserved, or chain.ErrOverflow.
func (c Change) Total() (chain.SignedWei, error) { return c.Free.Add(c.Reserved) }
