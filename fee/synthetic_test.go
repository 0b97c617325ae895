package fee_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// Every row of every table, at its first and its last runtime, with several
// multipliers, against the oracle.
func TestBlocksOfEveryRuntime(t *testing.T) {
	for _, e := range eras {
		for _, runtime := range []uint32{e.from, (e.from + e.to) / 2, e.to} {
			rules := runtimeRules(t, e.network, runtime)
			for _, m := range e.multipliers() {
				name := fmt.Sprintf("%s-%d-multiplier-%v", e.network, runtime, m)
				t.Run(name, func(t *testing.T) {
					list := e.scenarios(runtime, m)
					report := priced(t, text(t, list), rules, m)
					version, _ := report.Runtime.Get()
					require.Equal(t, runtime, version)
					name := fmt.Sprintf("%s/%d", e.network, runtime)
					if name == "moonbeam/4304" { // two source trees carry it
						name += "?"
					}
					require.Equal(t, name, report.Rules)
					compare(t, list, e.baseFee(m), report)
					multiplier := shown(t, report)["multiplier"].(object)
					require.Equal(t, fmt.Sprint(blockNumber-1), fmt.Sprint(multiplier["at"]), "the multiplier is the parent's")
					require.Equal(t, m.String(), multiplier["value"])
				})
			}
		}
	}
}

// The oracle must have an era for each row of Moonbeam's kind, so that every one is checked. Rows with another EVM, a stored
// base fee or another weight of gas are compared with recorded chains.
func TestOracleHasEveryRow(t *testing.T) {
	starts := map[string]bool{}
	for _, e := range eras {
		starts[fmt.Sprintf("%s/%d", e.network, e.from)] = true
	}
	for _, n := range network.BuiltIn().All() {
		for _, row := range n.Rows {
			if row.EVM != rule.Frontier || row.BaseFeeStored != nil || row.WeightPerGas != 0 {
				continue
			}
			require.True(t, starts[fmt.Sprintf("%s/%d", n.Name, row.FromRuntime)], "no era begins with row %s/%d", n.Name, row.FromRuntime)
		}
	}
}

func TestBlocksByTheSpecification(t *testing.T) {
	for name, e := range specificationEras {
		rules := specificationRules(t, name)
		for _, m := range e.multipliers() {
			t.Run(fmt.Sprintf("%s-multiplier-%v", name, m), func(t *testing.T) {
				list := e.scenarios(0, m)
				report := priced(t, text(t, list), rules, m)
				require.False(t, report.Runtime.Known())
				require.Equal(t, map[string]string{"moonbeam": "spec/mainnet", "moonbase": "spec/testnet"}[name], report.Rules)
				compare(t, list, e.baseFee(m), report)
				require.Equal(t, fmt.Sprint(blockNumber), fmt.Sprint(shown(t, report)["multiplier"].(object)["at"]), "the multiplier is the block's own")
			})
		}
	}
}

// compare checks a report against the scenarios.
func compare(t *testing.T, list []scenario, baseFee *big.Int, report *fee.Report) {
	t.Helper()
	have := shown(t, report)
	require.Equal(t, baseFee.String(), have["base_fee_per_gas"])
	require.Equal(t, "2026-01-01T00:04:48Z", have["time"])
	require.Equal(t, fmt.Sprint(blockNumber), fmt.Sprint(have["number"]))
	require.Equal(t, hash('b', blockNumber), have["hash"])
	require.Equal(t, hash('b', blockNumber-1), have["parent_hash"])
	require.Equal(t, true, have["finalized"])
	transactions := have["transactions"].([]any)
	for _, s := range list {
		if s.want == nil {
			continue
		}
		require.NotEmpty(t, transactions, "%s is not in the report", s.name)
		transaction := transactions[0].(object)
		transactions = transactions[1:]
		for key, want := range s.want {
			require.Contains(t, transaction, key, s.name)
			require.Equal(t, want, transaction[key], "%s: %s", s.name, key)
		}
		require.IsType(t, []any{}, transaction["notes"], s.name)
	}
	require.Empty(t, transactions, "transactions that nobody sent")
	want := totals(list)
	for key := range want {
		require.Equal(t, want[key], have["totals"].(object)[key], "totals: %s", key)
	}
	require.Equal(t, want["complete"].(bool) && !strings.HasSuffix(report.Rules, "?"), report.Holds())
}

func TestInherents(t *testing.T) {
	e := eras[0]
	list := e.scenarios(e.from, number(unit))
	b := decoded(t, text(t, list))
	inherents := fee.Inherents(b, rule.Frontier)
	require.Len(t, inherents, 3)
	for i, want := range []string{"timestamp.set", "parachainSystem.setValidationData", "authorInherent.kickOffAuthorshipValidation"} {
		have := shown(t, inherents[i])
		require.Equal(t, "inherent", have["layer"])
		require.Equal(t, want, have["call"])
		require.Equal(t, "250000000", have["weight"])
		require.Equal(t, true, have["success"])
		for _, key := range []string{"fee", "method", "tip", "payer", "from", "gas", "error", "status"} {
			require.Contains(t, have, key)
			require.Nil(t, have[key], key)
		}
	}
	b.Extrinsics[0].Events = nil
	require.False(t, fee.Inherents(b, rule.Frontier)[0].Success.Known(), "an inherent without an outcome")
	b.Extrinsics = nil
	require.NotNil(t, fee.Inherents(b, rule.Frontier))
}
