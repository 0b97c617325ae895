package variance_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/finance/variance"
	"github.com/feeledger/fees/internal/ledger"
)

// contracts are those that the tests call.
var contracts = func() (list []chain.Address) {
	for i := range byte(4) {
		list = append(list, chain.Address20([20]byte{19: i + 1}))
	}
	return list
}()

// evmAt returns a transaction that calls a contract and pays for gas by a base fee and a priority fee per gas.
func evmAt(contract chain.Address, gas, base, priority uint64) *ledger.Transaction {
	t := &ledger.Transaction{Cost: ledger.Cost{Kind: ledger.Kind{Layer: fee.EVM, Call: "ethereum.transact", Recipient: chain.Some(contract), Outcome: fee.Succeeded}}}
	t.Gas, t.Fee, t.PriorityFee = chain.Some(chain.NewGas(gas)), chain.Some(chain.NewWei(gas*(base+priority))), chain.Some(chain.NewWei(gas*priority))
	return t
}

// native returns a native transaction with a fee, of which a part is a tip.
func native(call string, paid, tip uint64) *ledger.Transaction {
	t := &ledger.Transaction{Cost: ledger.Cost{Kind: ledger.Kind{Layer: fee.Native, Call: call, Outcome: fee.Succeeded}}}
	t.Fee, t.Tip = chain.Some(chain.NewWei(paid)), chain.Some(chain.NewWei(tip))
	return t
}

// with changes a transaction.
func with(t *ledger.Transaction, change func(*ledger.Transaction)) *ledger.Transaction {
	change(t)
	return t
}

// unpriced leaves a transaction without a fee.
func unpriced(t *ledger.Transaction) { t.Fee = chain.Optional[chain.Wei]{} }

// times repeats a transaction.
func times(n int, t *ledger.Transaction) (list []*ledger.Transaction) {
	for range n {
		list = append(list, t)
	}
	return list
}

// period adds up transactions.
func period(t testing.TB, list []*ledger.Transaction) *variance.Period {
	p := new(variance.Period)
	for _, one := range list {
		require.NoError(t, p.Add(one))
	}
	return p
}

// compared returns the variance of two lists of transactions.
func compared(t testing.TB, now, before []*ledger.Transaction) *variance.Variance {
	v, err := variance.Compare(period(t, now), period(t, before))
	require.NoError(t, err)
	return v
}

// amountsOf returns the known amounts other than 0 by step.
func amountsOf(v *variance.Variance) map[variance.Step]string {
	amounts := map[variance.Step]string{}
	for _, l := range v.Steps {
		if amount, known := l.Amount.Get(); !known {
			amounts[l.Step] = "not known"
		} else if amount.Sign() != 0 {
			amounts[l.Step] = amount.String()
		}
	}
	return amounts
}
