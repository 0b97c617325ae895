package pairs

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
)

// HubTables returns the built-in tables with that of stack-template-3.
func HubTables(t testing.TB) network.Tables {
	t.Helper()
	path := repository.Path("testdata", "networks", "stack-template-3.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	tables, err := network.BuiltIn().With(path, text)
	require.NoError(t, err)
	return tables
}

// HubRules returns the rules of a chain with pallet revive: passet-1019002 or stack-template-3.
func HubRules(t testing.TB, name string) network.Rules {
	t.Helper()
	of, runtime := "stack-template", uint32(3)
	if name == "passet-1019002" {
		of, runtime = "passet-hub", 1019002
	}
	n, known := HubTables(t).Named(of)
	require.True(t, known)
	rules, err := n.Rules(runtime)
	require.NoError(t, err)
	return rules
}
