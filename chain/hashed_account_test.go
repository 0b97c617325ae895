package chain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// The payer of a recorded transaction of Creditcoin (runtime 87, block 4), by its event Withdraw, and the sender by its
// event Executed.
func TestHashed(t *testing.T) {
	a, err := chain.ParseAddress("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
	require.NoError(t, err)
	require.Equal(t, "5Fghzk1AJt88PeFEzuRfXzbPchiBbsVGTTXcdx599VdZzkTA", a.Hashed().String())
	_, err = chain.ParseAddress(a.Hashed().String())
	require.EqualError(t, err, `"5Fghzk1AJt88PeFEzuRfXzbPchiBbsVGTTXcdx599VdZzkTA" has 32 bytes. Name an EVM address: 0x and 40 hex digits`)
	again, err := chain.ParseAccount(a.Hashed().String())
	require.NoError(t, err)
	require.Equal(t, a.Hashed(), again)
}

// An address and the account it stands for are the same account; no others are.
func TestSameAccount(t *testing.T) {
	a, b := chain.Address20([20]byte{1}), chain.Address20([20]byte{2})
	padded := chain.Address32([32]byte{1})
	require.True(t, a.Is(a))
	require.True(t, a.Is(a.Hashed()))
	require.True(t, a.Hashed().Is(a))
	require.True(t, padded.Is(padded))
	for _, other := range []chain.Address{b, b.Hashed(), padded} {
		require.False(t, a.Is(other))
		require.False(t, other.Is(a))
		require.False(t, a.Hashed().Is(other))
	}
}
