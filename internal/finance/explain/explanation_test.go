package explain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/network/rule"
)

// TestExplainedRefund distinguishes the refund from the block author's amount, where the author is the
// payer: by what was charged.
func TestExplainedRefund(t *testing.T) {
	payer, other := chain.Address20([20]byte{1}), chain.Address20([20]byte{2})
	var v Explanation
	cash := chain.Cash{Payer: payer, Withdrawn: chain.NewWei(100), Deposits: []chain.Deposit{
		{Account: payer, Amount: chain.NewWei(30)}, {Account: other, Amount: chain.NewWei(14)}, {Account: payer, Amount: chain.NewWei(7)}}}
	for charged, want := range map[uint64]struct {
		credits int
		ok      bool
	}{70: {2, true}, 93: {0, true}, 80: {0, false}} {
		credits, ok := v.credits(cash, chain.NewWei(charged))
		require.Equal(t, want.ok, ok, charged)
		require.Len(t, credits, want.credits, charged)
	}
}

// TestExplainedDestinations shows the destinations in the report: of 1000 withdrawn, 300 were refunded and
// 140 + 7 credited, so 553 were burned.
func TestExplainedDestinations(t *testing.T) {
	payer, other := "0x"+strings.Repeat("11", 20), "0x"+strings.Repeat("22", 20)
	event := func(name, who string, amount int) chain.Event {
		return blocktest.Event(t, "balances."+name, fmt.Sprintf(`["%s", "%d"]`, who, amount))
	}
	some := func(n uint64) chain.Optional[chain.Wei] { return chain.Some(chain.NewWei(n)) }
	v := Explanation{Block: 7, Index: 3, extrinsic: &chain.Extrinsic{Events: []chain.Event{
		event("Withdraw", payer, 1000), event("Deposit", payer, 300), event("Deposit", other, 140), event("Deposit", payer, 7)}}}
	v.Transaction.Transaction = &fee.Transaction{Layer: fee.EVM}
	v.Transaction.Proof = evidence.Proof{Charged: some(700), Burned: some(553), Treasury: some(140), Author: some(7)}
	s := v.settle()
	require.Equal(t, []string{"withdrawn 1000", "given back 300", "credited 140", "credited 7", "treasury 140", "author 7"}, amounts(s.Inputs))
	require.Equal(t, "block 7, extrinsic 3: events[1] balances.Deposit data[1], to the payer", s.Inputs[1].From)
	require.Equal(t, "1000 − 300", s.Steps[0].Calculation())
	require.Equal(t, "700 − 140 − 7", s.Steps[1].Calculation())
	require.Equal(t, Digits("553"), s.Steps[1].Result)

	// Where the chain minted the author's part, it is not part of the charge.
	v.rules.Destinations = chain.Some(rule.Destinations{PriorityMinted: true})
	v.Transaction.Burned = some(560)
	s = v.settle()
	require.Equal(t, "700 − 140", s.Steps[1].Calculation())
	require.Equal(t, Digits("560"), s.Steps[1].Result)

	v.Transaction.Charged = some(1) // which the events do not come to
	require.Nil(t, v.settle())

	// A free call withdrew for itself.
	v.Transaction.Charged, v.Transaction.Verdict = some(0), chain.Some(evidence.CashOnly)
	s = v.settle()
	require.Empty(t, s.Inputs)
	require.Equal(t, "the call is exempt from fees; the withdrawal is part of the call itself", s.Steps[0].Note)
}

func amounts(inputs []Input) (list []string) {
	for _, in := range inputs {
		value, known := in.Value.Get()
		if !known {
			value = "not known"
		}
		list = append(list, in.Name+" "+value.String())
	}
	return list
}
