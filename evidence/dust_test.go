package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
)

// The testnet of DataHaven had an existential deposit of 10^9 wei in runtime 100, and has
// none from runtime 200 on. Moonbeam never had one.
func TestDust(t *testing.T) {
	lost := func(amount any) chain.Event { return event(t, "balances.DustLost", payer, amount) }
	const least = "an account lost 1000000000 wei as dust, and the existential deposit is 1000000000"
	for what, c := range map[string]struct {
		network string
		runtime uint32
		lost    any
		want    string
	}{
		"less than the deposit":    {"datahaven-testnet", 100, "999999999", ""},
		"the deposit itself":       {"datahaven-testnet", 100, "1000000000", least},
		"none without a deposit":   {"datahaven-testnet", 200, "1", "an account lost 1 wei as dust, and the existential deposit is 0"},
		"none on Moonbeam":         {"moonbeam", 4401, "1", "an account lost 1 wei as dust, and the existential deposit is 0"},
		"an amount that is no one": {"datahaven-testnet", 100, "a little", `event balances.DustLost: data[1]: "a little" is not a non-negative integer`},
	} {
		t.Run(what, func(t *testing.T) {
			for where, b := range map[string]*chain.Block{
				"onInitialize": {OnInitialize: []chain.Event{lost(c.lost)}},
				"onFinalize":   {OnFinalize: []chain.Event{lost(c.lost)}},
				"extrinsic":    {Extrinsics: []chain.Extrinsic{{Pallet: "timestamp", Call: "set", Events: []chain.Event{lost(c.lost)}}}},
			} {
				r := proved(b, rulesOf(t, c.network, c.runtime), evidence.Options{})
				if c.want == "" {
					require.Equal(t, evidence.Tally{Held: 1}, tally(t, r, "block.dust"), where)
					continue
				}
				require.Equal(t, evidence.Tally{Broken: 1}, tally(t, r, "block.dust"), where)
				require.Contains(t, messages(r), c.want, where)
			}
		})
	}
	nothing := rulesOf(t, "moonbeam", 4401)
	nothing.ExistentialDeposit = chain.Optional[chain.Wei]{}
	r := proved(&chain.Block{}, nothing, evidence.Options{})
	require.Equal(t, evidence.Tally{NotApplicable: 1, Why: "the table does not say what an account has at least"}, tally(t, r, "block.dust"))
}

// A block has one author, who gets the priority fees and tips of all its transactions.
func TestOneAuthor(t *testing.T) {
	paid := func(who string) chain.Extrinsic {
		return native(t, "100", withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, treasuryAccount, "225"), credit(t, who, "100"),
			feePaid(t, "1000", "100"), paidNative(t, "Yes"))
	}
	rules, options := rulesOf(t, "moonbeam", 3702), proportion(t, 250_000_000)
	r := proved(block(paid(author), paid(author)), rules, options)
	require.Equal(t, evidence.Tally{Held: 2}, tally(t, r, "native.split"))
	r = proved(block(paid(author), paid(stranger)), rules, options)
	require.Equal(t, evidence.Tally{Held: 1, Broken: 1}, tally(t, r, "native.split"))
	require.Contains(t, messages(r), stranger+" was credited as the block's author, and "+author+" before")
}

func messages(r *evidence.Report) (list []string) {
	for _, f := range r.Findings {
		list = append(list, f.Message)
	}
	return list
}
