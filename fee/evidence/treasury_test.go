package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
)

// told returns the event with which the treasury reports its balance before and now.
func told(t testing.TB, had, has string) chain.Event {
	return event(t, "treasury.UpdatedInactive", had, has)
}

// The treasury reports at the start of a block; its receipts and payments since the last report are in earlier
// blocks.
func TestTreasury(t *testing.T) {
	to := func(amount string) chain.Event { return credit(t, treasuryAccount, amount) }
	type blocks []struct {
		hook, extrinsic, end []chain.Event
		want                 string
	}
	const unknown = "not made: the treasury's earlier balance is unknown"
	const silent = "not made: the treasury does not report its balance"
	type events = []chain.Event
	for what, c := range map[string]blocks{
		"fees": {
			{hook: events{told(t, "0", "100")}, extrinsic: events{to("7")}, want: unknown},
			{hook: events{told(t, "100", "107")}, extrinsic: events{to("1"), credit(t, payer, "50"), to("2")}, want: "held"},
			{hook: events{told(t, "107", "110")}, want: "held"},
		},
		"a fee left out": {
			{hook: events{told(t, "0", "100")}, want: unknown},
			{hook: events{told(t, "100", "107")}, want: "the treasury's account changed by 7 wei since its last report, but by 0 according to the events"},
		},
		"a fee too many": {
			{hook: events{told(t, "0", "100")}, extrinsic: events{to("7"), to("7")}, want: unknown},
			{hook: events{told(t, "100", "107")}, want: "the treasury's account changed by 7 wei since its last report, but by 14 according to the events"},
		},
		"nothing to tell of": {
			{hook: events{told(t, "0", "100")}, want: unknown},
			{want: silent},
			{extrinsic: events{to("5")}, want: silent},
			{hook: events{told(t, "100", "105")}, want: "held"},
		},
		"it spends, in the hook and after the last extrinsic": {
			{hook: events{told(t, "0", "100"), event(t, "balances.Transfer", treasuryAccount, payer, "30")}, end: events{event(t, "balances.Withdraw", treasuryAccount, "8")}, want: unknown},
			{hook: events{told(t, "100", "62")}, want: "held"},
		},
		"before it tells, in the same hook": {
			{hook: events{told(t, "0", "100")}, want: unknown},
			{hook: events{to("3"), told(t, "100", "103"), to("4")}, want: "held"},
			{hook: events{told(t, "103", "107")}, want: "held"},
		},
		"in a hook in which it does not tell": {
			{hook: events{told(t, "0", "100")}, want: unknown},
			{hook: events{to("3")}, want: silent},
			{hook: events{told(t, "100", "103")}, extrinsic: events{to("1")}, want: unknown},
			{hook: events{told(t, "103", "104")}, want: "held"},
		},
		"an event that does not tell the change": {
			{hook: events{told(t, "0", "100")}, extrinsic: events{event(t, "balances.Slashed", treasuryAccount, "1")}, want: unknown},
			{hook: events{told(t, "100", "99")}, want: unknown},
		},
		"an event that nobody knows": {
			{hook: events{told(t, "0", "100")}, extrinsic: events{event(t, "balances.Odd", treasuryAccount, "1")}, want: unknown},
			{hook: events{told(t, "100", "99")}, want: unknown},
		},
		"numbers that are none": {
			{hook: events{told(t, "0", "100")}, want: unknown},
			{hook: events{told(t, "x", "100")}, want: silent},
			{hook: events{told(t, "100", "x")}, want: silent},
		},
	} {
		rules := rulesOf(t, "moonbeam", 2600)
		var sequence evidence.Sequence
		for i, x := range c {
			b := block(native(t, "0", append(x.extrinsic[:len(x.extrinsic):len(x.extrinsic)], paidNative(t, "Yes"))...))
			b.Number += uint64(i)
			b.OnInitialize, b.OnFinalize = x.hook, x.end
			r := evidence.Prove(b, fee.Price(b, &rules, one), rules, evidence.Options{})
			sequence.Add(b, r)
			require.Equal(t, x.want, outcome(t, r, "block.treasury"), "%s: block %d", what, i)
		}
	}
}

// Without the treasury's account in the table nothing is checked.
func TestTreasuryNotKnown(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 2600)
	rules.Treasury = chain.Optional[chain.Address]{}
	var sequence evidence.Sequence
	for i, has := range []string{"100", "107", "200"} {
		b := block()
		b.Number += uint64(i)
		b.OnInitialize = []chain.Event{told(t, "0", has)}
		r := evidence.Prove(b, fee.Price(b, &rules, one), rules, evidence.Options{})
		sequence.Add(b, r)
		require.Equal(t, "not made: the table does not contain the treasury's account", outcome(t, r, "block.treasury"))
	}
}
