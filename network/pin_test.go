package network_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// A hash is pinned, contradicts the pin, or belongs to a runtime or a metadata version without one. The hash
// is that of Moonbeam 1701, which is in two independent collections.
func TestPinOf(t *testing.T) {
	hash, err := chain.ParseHash("0xae25af16e17b3b0648b7e2e31f1d258518eb46f199fecb525f56982a6fda4304")
	require.NoError(t, err)
	require.Equal(t, network.Pinned, network.PinOf("moonbeam", 1701, 14, hash))
	require.Equal(t, network.PinMismatch, network.PinOf("moonbeam", 1700, 14, hash))
	require.Equal(t, network.PinMismatch, network.PinOf("moonriver", 1701, 14, hash))
	require.Equal(t, network.NotPinned, network.PinOf("moonbeam", 1701, 15, hash))
	require.Equal(t, network.NotPinned, network.PinOf("vflow", 1701, 14, hash))
}

// A chain is identified by its genesis and by its EVM chain ID.
func TestChainsByIdentity(t *testing.T) {
	tables := network.BuiltIn()
	for _, n := range tables.All() {
		require.Equal(t, n.Name, tables.OfEVMChain(n.EVMChainID).Name)
		if n.Genesis != nil {
			require.Equal(t, n.Name, tables.OfGenesis(*n.Genesis).Name)
		}
	}
	require.Nil(t, tables.OfGenesis(chain.Hash{}))
	require.Nil(t, tables.OfEVMChain(0))
	require.Nil(t, tables.OfEVMChain(1))
}
