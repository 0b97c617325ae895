package chain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// Quantities from EVM words have the chain's widths.
func TestOfWords(t *testing.T) {
	for _, tt := range []struct {
		word [32]byte
		want string // "" if it exceeds a balance
		full string
	}{
		{[32]byte{}, "0", "0"},
		{[32]byte{30: 1}, "256", "256"},
		{[32]byte{16: 0x80}, "170141183460469231731687303715884105728", "170141183460469231731687303715884105728"},
		{[32]byte{15: 1}, "", "340282366920938463463374607431768211456"}, // 2^128
		{[32]byte{0: 0x80}, "", "57896044618658097711785492504343953926634992332820282019728792003956564819968"},
	} {
		wei, err := chain.WeiOf(tt.word)
		if tt.want == "" {
			require.ErrorIs(t, err, chain.ErrOverflow)
			require.True(t, wei.IsZero())
		} else {
			require.NoError(t, err)
			require.Equal(t, tt.want, wei.String())
		}
		require.Equal(t, tt.full, chain.GasPriceOf(tt.word).String())
		require.Equal(t, tt.full, chain.AuthorizationNonceOf(tt.word).String())
	}
}
