package network_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/network"
)

// Evidence of finality is of the table's parachain, and of no other chain that runs the same runtime.
func TestCheckParachain(t *testing.T) {
	tables := network.BuiltIn()
	for specName, id := range map[string]string{"moonbeam": "2004", "moonriver": "2023"} {
		require.NoError(t, tables.CheckParachain(specName, id))
	}
	for id, said := range map[string]string{"2023": "parachain 2023", "02004": "parachain 02004", "": "a chain that finalizes itself"} {
		err := tables.CheckParachain("moonbeam", id)
		require.ErrorIs(t, err, network.ErrOtherChain)
		require.EqualError(t, err, "the evidence of finality is of another chain: "+said+", but moonbeam is parachain 2004. Use evidence of moonbeam.")
	}
	for _, id := range []string{"", "5000"} { // a table without an ID, and no table
		require.NoError(t, tables.CheckParachain("datahaven-mainnet", id))
		require.NoError(t, tables.CheckParachain("unknown", id))
	}
	n, _ := tables.Named("datahaven")
	require.NoError(t, n.CheckParachain("5000"))
}
