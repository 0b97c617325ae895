package network_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// A pot receives the whole part, under its own name.
func TestPot(t *testing.T) {
	parts, err := rule.Pot.Split(chain.NewWei(7), chain.Optional[chain.Perbill]{})
	require.NoError(t, err)
	require.Equal(t, rule.Parts{Treasury: chain.NewWei(7)}, parts)
	require.True(t, rule.Destinations{EVMBase: rule.Pot, EVMPriority: rule.Author, NativeBase: rule.Burned, NativeTip: rule.Burned}.ToTreasury())

	const table = `{"networks": [{"name": "n", "symbol": "N", "last_runtime": 1, %POT% "rows": [{"from_runtime": 1, "static_base_fee": "1", "source": "s"}]}]}`
	for pot, c := range map[string]struct{ label, want string }{
		``: {"treasury", ""},
		`"treasury": "0x6d6f646c506f745374616b650000000000000000",`:                                 {"treasury", ""},
		`"treasury": "0x6d6f646c506f745374616b650000000000000000", "treasury_name": "staking pot",`: {"staking pot", ""},
		`"treasury_name": "staking pot",`:                                                           {"", `treasury_name "staking pot": want`},
		`"treasury": "0x6d6f646c506f745374616b650000000000000000", "treasury_name": "Pot",`:         {"", `treasury_name "Pot": want`},
		`"decimals": 19,`:                  {"", "decimals 19: want at most 18"},
		`"evm_unit": 1000000000000000001,`: {"", "evm_unit 1000000000000000001: want at most 1000000000000000000"},
	} {
		tables, err := network.BuiltIn().With("n.json", []byte(strings.Replace(table, "%POT%", pot, 1)))
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		n, _ := tables.Named("n")
		rules, err := n.Rules(1)
		require.NoError(t, err)
		require.Equal(t, c.label, rules.TreasuryLabel())
	}
	_, err = network.BuiltIn().With("n.json", []byte(`{"networks": [{"name": "n", "symbol": "N", "last_runtime": 1,
		"rows": [{"from_runtime": 1, "static_base_fee": "1", "charged_gas": "all", "source": "s"}]}]}`))
	require.ErrorContains(t, err, `charged_gas "all": want used or limit`)
}

// Totals of fees name the pot that receives them, unless it depends on the runtime.
func TestPots(t *testing.T) {
	for name, pot := range map[string]string{"moonbeam": "", "passet-hub": "staking pot", "kusama-hub": "staking pot", "polkadot-hub": "pots"} {
		n, known := network.BuiltIn().Named(name)
		require.True(t, known)
		require.Equal(t, pot, n.Token().Pot, name)
	}
}
