package movement

import (
	"errors"

	"github.com/feeledger/fees/chain"
)

// FeeParts are the movements of a payer that make up the fee of its extrinsic.
type FeeParts struct {
	At                   map[int]bool // their indexes
	Withdrawn, GivenBack chain.Wei
	// Held is what they moved besides the fee, above 0 if it left the payer: an Ethereum transaction of pallet revive pays
	// deposits, and the existential deposits of new accounts, from what is withdrawn for its fee. What it releases is given
	// back with the rest.
	Held chain.SignedWei
}

// FeeAmong returns the movements that make up the charge of an extrinsic's payer. Revive reports that it is an Ethereum
// transaction of pallet revive: it withdraws in two parts, and the last deposit is what it gives back.
func FeeAmong(movements int, at func(int) *Movement, payer chain.Address, charged chain.Wei, revive bool) (FeeParts, error) {
	cash, err := CashAmong(movements, at, payer)
	if err != nil {
		return FeeParts{}, err
	}
	p := FeeParts{At: map[int]bool{cash.At: true}, Withdrawn: cash.Withdrawn}
	if !revive {
		refund, err := cash.Refund(charged)
		if err != nil {
			return FeeParts{}, err
		}
		if back, given := refund.Get(); given {
			p.At[back.At], p.GivenBack = true, back.Amount
		}
		return p, nil
	}
	if second := cash.At + 1; second < movements && at(second).Account == payer && at(second).Kind == KindWithdrawal {
		p.At[second] = true
		p.Withdrawn, err = p.Withdrawn.Add(at(second).Amount)
	}
	if last := len(cash.Deposits) - 1; last >= 0 {
		p.At[cash.Deposits[last].At], p.GivenBack = true, cash.Deposits[last].Amount
	}
	var noSum error
	p.Held, noSum = p.Withdrawn.Difference(p.GivenBack).Add(charged.Signed().Negated())
	return p, errors.Join(err, noSum)
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
