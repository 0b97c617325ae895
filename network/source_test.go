package network_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/network"
)

// TestSource checks that rules name their row and table.
func TestSource(t *testing.T) {
	const file = `{"networks": [{"name": "mine", "symbol": "ME", "last_runtime": 20, "rows": [
		{"from_runtime": 1, "static_base_fee": "1", "source": "page 1"},
		{"from_runtime": 10, "static_base_fee": "2", "source": "page 2"}]}]}`
	tables, err := network.BuiltIn().With("mine.json", []byte(file))
	require.NoError(t, err)
	mine, _ := tables.Named("mine")
	for runtime, want := range map[uint32]string{
		9:  "table of mine in mine.json, row from runtime 1: page 1",
		10: "table of mine in mine.json, row from runtime 10: page 2",
		21: "table of mine in mine.json, row from runtime 10: page 2",
	} {
		rules, err := mine.Rules(runtime)
		require.NoError(t, err)
		require.Equal(t, want, rules.Source)
	}
	moonbeam, _ := tables.Named("moonbeam")
	rules, err := moonbeam.Rules(2100)
	require.NoError(t, err)
	require.Contains(t, rules.Source, "table of moonbeam, row from runtime 1902: runtime/moonbeam/src/lib.rs")
	rules, err = moonbeam.SpecificationRules()
	require.NoError(t, err)
	require.Contains(t, rules.Source, "specification, fee rule 6")
}
