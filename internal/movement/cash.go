package movement

import "github.com/feeledger/fees/chain"

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
