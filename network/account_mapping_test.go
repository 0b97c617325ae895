package network_test

import (
	"strings"
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

// An account of the wrong size is named with what to write instead.
func TestCheckSize(t *testing.T) {
	short, long := chain.Address20([20]byte{}), chain.Address32([32]byte{})
	require.NoError(t, network.SameAccount.CheckSize(short, "a"))
	require.NoError(t, network.HashedAccount.CheckSize(long, "a"))
	require.EqualError(t, network.SameAccount.CheckSize(long, "a"), long.String()+" has 32 bytes, and accounts of a have 20. Name an EVM address: 0x and 40 hex digits")
	require.EqualError(t, network.HashedAccount.CheckSize(short, "a"), "0x0000000000000000000000000000000000000000 has 20 bytes, and accounts of a have 32. Name the account in SS58")
}

// The prefix is the chain's own form. The texts are the vectors of docs.substrate.io's Alice, with the prefixes 0 (Polkadot) and 42.
func TestOwnForm(t *testing.T) {
	const table = `{"networks":[{"name":"x","symbol":"X","last_runtime":1,%FIELDS%"rows":[{"from_runtime":1,"static_base_fee":"1","source":"x"}]}]}`
	read := func(fields string) (*network.Network, error) {
		tables, err := network.BuiltIn().With("x.json", []byte(strings.Replace(table, "%FIELDS%", fields, 1)))
		n, _ := tables.Named("x")
		return n, err
	}
	alice, err := chain.ParseAccount("5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY")
	require.NoError(t, err)
	for fields, want := range map[string]chain.Optional[string]{
		`"account_mapping":"hashed","ss58_prefix":0,`:  chain.Some("15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5"),
		`"account_mapping":"hashed","ss58_prefix":42,`: {},
		`"account_mapping":"hashed",`:                  {},
	} {
		n, err := read(fields)
		require.NoError(t, err)
		require.Equal(t, want, n.OwnForm(alice), fields)
		require.False(t, n.OwnForm(chain.Address20([20]byte{1})).Known())
	}
	n, err := read(`"account_mapping":"hashed","ss58_prefix":5,`)
	require.NoError(t, err)
	own, known := n.OwnForm(alice).Get()
	require.True(t, known)
	again, err := chain.ParseAccount(own)
	require.NoError(t, err)
	require.Equal(t, alice, again)
	for _, fields := range []string{`"ss58_prefix":5,`, `"account_mapping":"hashed","ss58_prefix":16384,`} {
		_, err := read(fields)
		require.ErrorContains(t, err, "want at most 16383, on a chain whose native accounts have 32 bytes", fields)
	}
}
