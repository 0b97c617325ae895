package evidence_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network/rule"
)

// DataHaven's testnet had an existential deposit of 10^9 wei in runtime 100, and none from runtime 200 on.
// Moonbeam never had one.
func TestDust(t *testing.T) {
	lost := func(amount any) chain.Event { return event(t, "balances.DustLost", payer, amount) }
	const least = "an account lost 1000000000 wei as dust, but the existential deposit is 1000000000"
	for what, c := range map[string]struct {
		network string
		runtime uint32
		lost    any
		want    string
	}{
		"less than the deposit":    {"datahaven-testnet", 100, "999999999", ""},
		"the deposit itself":       {"datahaven-testnet", 100, "1000000000", least},
		"none without a deposit":   {"datahaven-testnet", 200, "1", "an account lost 1 wei as dust, but the existential deposit is 0"},
		"none on Moonbeam":         {"moonbeam", 4401, "1", "an account lost 1 wei as dust, but the existential deposit is 0"},
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
	require.Equal(t, evidence.Tally{NotApplicable: 1, Why: "the table does not contain the existential deposit"}, tally(t, r, "block.dust"))
}

// A block has one author, who receives the priority fees and tips of all its transactions.
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
	require.Contains(t, messages(r), stranger+" was credited as the block's author, but "+author+" earlier in the block")
}

// A chain may give its author the whole fee, and have no treasury: in one credit, or in one for each part. Of
// a fee of 1000 with a tip of 100, nothing is left to burn.
func TestAllToTheAuthor(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 3702)
	rules.Treasury = chain.Optional[chain.Address]{}
	rules.Destinations = chain.Some(rule.Destinations{EVMBase: rule.Author, EVMPriority: rule.Author, NativeBase: rule.Author, NativeTip: rule.Author})
	paid := func(tip string, credits ...chain.Event) chain.Extrinsic {
		events := append([]chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "500")}, credits...)
		return native(t, tip, append(events, feePaid(t, "1000", tip), paidNative(t, "Yes"))...)
	}
	for name, c := range map[string]struct {
		paid chain.Extrinsic
		want string // the finding
	}{
		"one credit":             {paid("100", credit(t, author, "1000")), ""},
		"two credits":            {paid("100", credit(t, author, "900"), credit(t, author, "100")), ""},
		"without a tip":          {paid("0", credit(t, author, "1000")), ""},
		"the author pays":        {paid("100", credit(t, payer, "1000")), ""},
		"less than all":          {paid("100", credit(t, author, "999")), "credited 0 and 999 wei, but the rules give them 0 and 1000"},
		"not twice without tip":  {paid("0", credit(t, author, "900"), credit(t, author, "100")), author + " was credited 900 wei but is neither the treasury nor the author"},
		"somebody else in front": {paid("100", credit(t, stranger, "900"), credit(t, author, "100")), stranger + " was credited 900 wei but is neither the treasury nor the author"},
	} {
		t.Run(name, func(t *testing.T) {
			r := proved(block(c.paid), rules, evidence.Options{})
			for _, note := range r.Notes {
				require.NotContains(t, note, "was not checked", "nothing is missing")
			}
			if c.want == "" {
				require.Equal(t, evidence.Tally{Held: 1}, tally(t, r, "native.split"))
				x := &r.Transactions[0]
				require.Equal(t, []string{"1000", "1000", "0", "0"}, []string{shown(x.Charged), shown(x.Author), shown(x.Treasury), shown(x.Burned)})
				return
			}
			require.Equal(t, evidence.Tally{Broken: 1}, tally(t, r, "native.split"))
			require.Contains(t, strings.Join(messages(r), "; "), c.want)
		})
	}
	// If some share goes to the treasury, its account must be known.
	rules.Destinations = chain.Some(rule.Destinations{EVMBase: rule.Author, EVMPriority: rule.Author, NativeBase: "treasury_1", NativeTip: rule.Author})
	r := proved(block(paid("100", credit(t, author, "1000"))), rules, evidence.Options{})
	require.Equal(t, evidence.Tally{NotApplicable: 1, Why: "the table does not contain the treasury's account"}, tally(t, r, "native.split"))
}

func messages(r *evidence.Report) (list []string) {
	for _, f := range r.Findings {
		list = append(list, f.Message)
	}
	return list
}
