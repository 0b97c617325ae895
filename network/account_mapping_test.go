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
	require.Equal(t, a, network.ClaimedAccount.Of(a), "only events tell whose it is")
	require.Equal(t, 32, network.ClaimedAccount.Size())
	require.True(t, network.ClaimedAccount.MayBeClaimed(a))
	require.False(t, network.ClaimedAccount.MayBeClaimed(a.Hashed()), "it is not an address of the EVM")
	require.False(t, network.HashedAccount.MayBeClaimed(a))
	for _, m := range []network.AccountMapping{network.SameAccount, network.HashedAccount} {
		require.Equal(t, m, network.MappingOf(m.Size()))
	}
	_, err := network.BuiltIn().With("x.json", []byte(`{"networks":[{"name":"x","symbol":"X","last_runtime":1,"account_mapping":"other","rows":[{"from_runtime":1,"static_base_fee":"1","source":"x"}]}]}`))
	require.ErrorContains(t, err, `account_mapping "other": want "hashed", "claimed" or "padded", or nothing if accounts have 20 bytes`)
}

// An account of the wrong size is named with what to write instead.
func TestCheckSize(t *testing.T) {
	short, long := chain.Address20([20]byte{}), chain.Address32([32]byte{})
	require.NoError(t, network.SameAccount.CheckSize(short, "a"))
	require.NoError(t, network.HashedAccount.CheckSize(long, "a"))
	require.EqualError(t, network.SameAccount.CheckSize(long, "a"), long.String()+" has 32 bytes, and accounts of a have 20. Name an EVM address: 0x and 40 hex digits")
	require.EqualError(t, network.HashedAccount.CheckSize(short, "a"), "0x0000000000000000000000000000000000000000 has 20 bytes, and accounts of a have 32. Name the account in SS58")
}

// A prefix needs accounts of 32 bytes, and rules have the network's own.
func TestSS58Prefix(t *testing.T) {
	const table = `{"networks":[{"name":"x","symbol":"X","last_runtime":1,%FIELDS%"rows":[{"from_runtime":1,"static_base_fee":"1","source":"x"}]}]}`
	read := func(fields string) (rules network.Rules, err error) {
		tables, err := network.BuiltIn().With("x.json", []byte(strings.Replace(table, "%FIELDS%", fields, 1)))
		if err != nil {
			return rules, err
		}
		n, _ := tables.Named("x")
		return n.Rules(1)
	}
	for fields, want := range map[string]chain.Optional[uint16]{
		`"account_mapping":"hashed","ss58_prefix":0,`: chain.Some(uint16(0)),
		`"account_mapping":"hashed",`:                 {},
	} {
		rules, err := read(fields)
		require.NoError(t, err)
		require.Equal(t, want, rules.SS58Prefix, fields)
	}
	for _, fields := range []string{`"ss58_prefix":5,`, `"account_mapping":"hashed","ss58_prefix":16384,`} {
		_, err := read(fields)
		require.ErrorContains(t, err, "want at most 16383, on a chain whose native accounts have 32 bytes", fields)
	}
}

// The account of an address on chains with pallet revive is that of the recording pairs/passet-1019002.
func TestPaddedMapping(t *testing.T) {
	alith, err := chain.ParseAddress("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
	require.NoError(t, err)
	account := network.PaddedAccount.Of(alith)
	require.Equal(t, "5HYRCKHYJN9z5xUtfFkyMj4JUhsAwWyvuU8vKB1FcnYTf9ZQ", account.String())
	require.Equal(t, account, network.PaddedAccount.Of(account))
	require.Equal(t, alith, network.ClaimedAccount.Of(alith))
	require.Equal(t, chain.LongAddressSize, network.PaddedAccount.Size())
	require.False(t, network.PaddedAccount.MayBeClaimed(alith))
}

func TestBaseFeeOfAMultiplier(t *testing.T) {
	b := network.BaseFee{Constant: chain.NewGasPrice(1_000_000), Scale: 50_000}
	price, err := b.Of(chain.NewMultiplier(999981250175781250)) // of block 2 of the recording pairs/stack-template-3
	require.NoError(t, err)
	require.Equal(t, "49999050000", price.String())
	b.Constant = chain.GasPriceOf([32]byte{0: 0xff})
	_, err = b.Of(chain.NewMultiplier(999981250175781250))
	require.ErrorIs(t, err, chain.ErrOverflow)
}
