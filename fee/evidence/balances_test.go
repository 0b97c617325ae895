package evidence_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
)

func balance(free uint64) chain.Balance { return chain.Balance{Free: chain.NewWei(free)} }

func TestAccountBalance(t *testing.T) {
	who, err := chain.ParseAddress(payer)
	require.NoError(t, err)
	paid := block(native(t, "0", withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, treasuryAccount, "200"), feePaid(t, "1000", "0"), paidNative(t, "Yes")))
	slashed := block(native(t, "0", event(t, "balances.Slashed", payer, "1"), paidNative(t, "Yes")))
	for what, c := range map[string]struct {
		runtime uint32
		block   *chain.Block
		after   uint64
		want    evidence.Tally
	}{
		"what the events say":                      {2100, paid, 9000, evidence.Tally{Held: 1}},
		"1 wei less":                               {2100, paid, 8999, evidence.Tally{Broken: 1}},
		"a change that is not told":                {2100, slashed, 9999, evidence.Tally{NotApplicable: 1, Why: "an event does not report by how much the balance changed"}},
		"a runtime that told of nothing withdrawn": {1102, block(native(t, "0", paidNative(t, "Yes"))), 9000, evidence.Tally{NotApplicable: 1, Why: "the runtime recorded no withdrawals and deposits"}},
		"more withdrawn than there was":            {2100, block(native(t, "0", withdraw(t, payer, "10001"), paidNative(t, "Yes"))), 0, evidence.Tally{Broken: 1}},
	} {
		r := proved(c.block, rulesOf(t, "moonbeam", c.runtime), evidence.Options{})
		r.AccountBalance(c.block, who, balance(10_000), balance(c.after))
		require.Equal(t, c.want, tally(t, r, "account.balance"), what)
	}
}

// The finding names only a few of the events that cannot be classified.
func TestAccountBalanceBesideManyUnknownEvents(t *testing.T) {
	who, err := chain.ParseAddress(payer)
	require.NoError(t, err)
	b := block()
	for range 60_000 {
		b.OnInitialize = append(b.OnInitialize, event(t, "balances."+strings.Repeat("Odd", 100)))
	}
	r := proved(b, rulesOf(t, "moonbeam", 2100), evidence.Options{})
	r.AccountBalance(b, who, balance(1), balance(2))
	message := r.Findings[len(r.Findings)-1].Message
	require.Less(t, len(message), 2000)
	require.Equal(t, 5, strings.Count(message, "cannot be classified"))
	require.True(t, strings.HasSuffix(message, "; and 59995 more"))
}

// An amount that moves between free and reserved without an event is what a hold changes where runtimes have no event for it.
func TestAccountBalanceAfterASilentHold(t *testing.T) {
	who, err := chain.ParseAccount(eve)
	require.NoError(t, err)
	h := loadHub(t, stack)
	for text, after := range map[string]chain.Balance{
		"a hold":    {Free: chain.NewWei(900), Reserved: chain.NewWei(100)},
		"a release": {Free: chain.NewWei(1100)},
		"neither":   {Free: chain.NewWei(899), Reserved: chain.NewWei(100)},
	} {
		before := chain.Balance{Free: chain.NewWei(1000)}
		if text == "a release" {
			before.Reserved = chain.NewWei(100)
		}
		r := evidence.Prove(h.blocks[1], fee.Price(h.blocks[1], &h.rules, h.multipliers[0]), h.rules, evidence.Options{})
		r.AccountBalance(h.blocks[1], who, before, after)
		require.Equal(t, 1, tally(t, r, "account.balance").Broken)
		require.Equal(t, text != "neither", strings.HasSuffix(messageOf(r, "account.balance"), ". That is what a hold or its release changes: older runtimes have no event for it"), text)
	}
}
