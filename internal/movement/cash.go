package movement

import (
	"github.com/feeledger/fees/chain"
)

// FeeParts are the movements of a payer that make up the fee of its extrinsic.
type FeeParts struct {
	At                   map[int]bool // their indexes
	Withdrawn, GivenBack chain.Wei
}

// FeeAmong returns the movements that make up the charge of an extrinsic's payer.
func FeeAmong(movements int, at func(int) *Movement, payer chain.Address, charged chain.Wei) (FeeParts, error) {
	cash, err := CashAmong(movements, at, payer)
	if err != nil {
		return FeeParts{}, err
	}
	p := FeeParts{At: map[int]bool{cash.At: true}, Withdrawn: cash.Withdrawn}
	refund, err := cash.Refund(charged)
	if err != nil {
		return FeeParts{}, err
	}
	if back, given := refund.Get(); given {
		p.At[back.At], p.GivenBack = true, back.Amount
	}
	return p, nil
}

// CashAmong returns the cash flow of an extrinsic's payer, as far as the movements show it: the first withdrawal and
// all deposits after it. Deposits made by the extrinsic itself can be among them; see [chain.Cash.Refund].
func CashAmong(movements int, at func(int) *Movement, payer chain.Address) (c chain.Cash, err error) {
	err = chain.ErrNoWithdraw
	for i := range movements {
		switch m := at(i); {
		case m.Account != payer:
		case err != nil && m.Kind == KindWithdrawal:
			c, err = chain.Cash{Payer: payer, Withdrawn: m.Amount, At: i}, nil
		case err == nil && m.Kind == KindDeposit:
			c.Deposits = append(c.Deposits, chain.Deposit{Account: m.Account, Amount: m.Amount, At: i})
		}
	}
	return c, err
}
