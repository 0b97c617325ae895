package network_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

func TestAccountMapping(t *testing.T) {
	a := chain.Address20([20]byte{1})
	require.Equal(t, a, network.SameAccount.Of(a))
	require.Equal(t, 20, network.SameAccount.Size())
	require.Equal(t, a.Hashed(), network.HashedAccount.Of(a))
	require.Equal(t, a.Hashed(), network.HashedAccount.Of(a.Hashed()), "a native account is its own")
	require.Equal(t, 32, network.HashedAccount.Size())
	_, err := network.BuiltIn().With("x.json", []byte(`{"networks":[{"name":"x","symbol":"X","last_runtime":1,"account_mapping":"other","rows":[{"from_runtime":1,"static_base_fee":"1","source":"x"}]}]}`))
	require.ErrorContains(t, err, `account_mapping "other": want "hashed", or nothing if accounts have 20 bytes`)
}
