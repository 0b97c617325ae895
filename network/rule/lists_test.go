package rule_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// The rows of a table are returned list by list, each up to the runtime before the next row's.
func TestListedRows(t *testing.T) {
	text := proof(`{"from_runtime": 250, "unknown": true, "source": "h"}]`, `{"from_runtime": 250, "unknown": true, "source": "h"}],
		"existential_deposits": [{"from_runtime": 120, "deposit": "0", "source": "i"}, {"from_runtime": 121, "unknown": true, "source": "j"}]`)
	tables, err := network.BuiltIn().With("f.json", []byte(text))
	require.NoError(t, err)
	n, _ := tables.Named("local")
	to := func(last uint32) chain.Optional[uint32] { return chain.Some(last) }
	var on chain.Optional[uint32] // for all later runtimes
	rows := n.ListedRows()
	require.Equal(t, []rule.ListedRow{
		{List: "rows", From: 100, Last: on},
		{List: "destinations", From: 100, Last: to(199), Unknown: true},
		{List: "destinations", From: 200, Last: on},
		{List: "multiplier_updates", From: 100, Last: to(199)},
		{List: "multiplier_updates", From: 200, Last: to(299)},
		{List: "multiplier_updates", From: 300, Last: on},
		{List: "native_fees", From: 150, Last: to(249)},
		{List: "native_fees", From: 250, Last: on, Unknown: true},
		{List: "existential_deposits", From: 120, Last: to(120)},
		{List: "existential_deposits", From: 121, Last: on, Unknown: true},
	}, rows)
	for runtime, want := range map[uint32][2]bool{149: {false, false}, 150: {true, false}, 249: {true, false}, 250: {false, true}, 4_294_967_295: {false, true}} {
		require.Equal(t, want, [2]bool{rows[6].Has(runtime), rows[7].Has(runtime)}, "runtime %d", runtime)
	}

	// A row applies to exactly the runtimes that have its rules, in every built-in table.
	for _, n := range network.BuiltIn().All() {
		for _, row := range n.ListedRows() {
			runtimes := []uint32{row.From}
			if last, ends := row.Last.Get(); ends {
				require.LessOrEqual(t, row.From, last)
				require.True(t, row.Has(last))
				require.False(t, row.Has(last+1))
				runtimes = append(runtimes, last)
			}
			require.False(t, row.From > 0 && row.Has(row.From-1))
			for _, runtime := range runtimes {
				require.True(t, row.Has(runtime))
				rules, err := n.Rules(runtime)
				require.NoError(t, err)
				known, listed := map[string]bool{
					rule.PriceList: true, rule.DestinationList: rules.Destinations.Known(), rule.MultiplierUpdateList: rules.Update.Known(),
					rule.NativeFeeList: rules.NativeFee.Known(), rule.ExistentialDepositList: rules.ExistentialDeposit.Known(),
					rule.BaseFeeUpdateList: rules.BaseFeeUpdate.Known(),
				}[row.List]
				require.True(t, listed, row.List)
				require.Equal(t, !row.Unknown, known, "%s, %s from %d: runtime %d", n.Name, row.List, row.From, runtime)
			}
		}
	}
}

// A table without a list has no rows of it.
func TestListedRowsOfFewerLists(t *testing.T) {
	lists := rule.Lists{Rows: []rule.PriceRow{{FromRuntime: 1}}}
	require.Equal(t, []rule.ListedRow{{List: "rows", From: 1}}, lists.ListedRows())
}
