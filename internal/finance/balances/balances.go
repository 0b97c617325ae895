package balances

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// Reader tells what an account had when the block at a height was done. Several
// questions are asked at once.
type Reader interface {
	Balance(ctx context.Context, account chain.Address, height uint64) (chain.Balance, error)
}

// ReadError says that a [Reader] did not tell a balance.
type ReadError struct {
	Account chain.Address
	Height  uint64
	Err     error
}

func (e *ReadError) Error() string {
	return fmt.Sprintf("the balance of %v at block %d: %v", e.Account, e.Height, e.Err)
}

// Unwrap is what the reader said.
func (e *ReadError) Unwrap() error { return e.Err }

// Change is by how much a balance changed, in wei.
type Change struct {
	Free     chain.SignedWei `json:"free"`
	Reserved chain.SignedWei `json:"reserved"`
}

// Of is a balance as the change from nothing.
func Of(b chain.Balance) Change { return Change{b.Free.Signed(), b.Reserved.Signed()} }

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

// Minus is c - x, or chain.ErrOverflow.
func (c Change) Minus(x Change) (Change, error) {
	return c.Plus(Change{x.Free.Negated(), x.Reserved.Negated()})
}

// Total is free and reserved together, or chain.ErrOverflow.
func (c Change) Total() (chain.SignedWei, error) { return c.Free.Add(c.Reserved) }
