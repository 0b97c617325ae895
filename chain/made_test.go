package chain_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Numbers that are made of bytes have the widths of those that gateways write.
func TestReadMadeNumbers(t *testing.T) {
	full := bytes.Repeat([]byte{255}, 33)
	w, err := chain.Read[chain.Wei](jsonscan.OfInteger(full[:16]))
	require.NoError(t, err)
	require.Equal(t, "340282366920938463463374607431768211455", w.String()) // 2^128 - 1
	w, err = chain.Read[chain.Wei](jsonscan.OfBytes(append(make([]byte, 40), 1, 0)))
	require.NoError(t, err)
	require.Equal(t, "256", w.String())
	n, err := chain.ReadUint64(jsonscan.OfInteger(full[:8]))
	require.NoError(t, err)
	require.Equal(t, uint64(1<<64-1), n)

	_, err = chain.Read[chain.Wei](jsonscan.OfInteger(full[:17]))
	require.ErrorIs(t, err, chain.ErrOverflow)
	_, err = chain.ReadUint64(jsonscan.OfInteger(full[:9]))
	require.ErrorIs(t, err, chain.ErrOverflow)
	_, err = chain.Read[chain.TokenAmount](jsonscan.OfInteger(full))
	require.Error(t, err, "33 bytes")
	_, err = chain.Read[chain.Wei](jsonscan.OfBytes(nil))
	require.Error(t, err, "no bytes are not zero")
	_, err = chain.ReadUint64(jsonscan.OfInteger(nil))
	require.Error(t, err)
}

// An address or a hash is as many bytes as it has, and no number is one.
func TestReadMadeBytes(t *testing.T) {
	twenty := bytes.Repeat([]byte{7}, 20)
	a, err := chain.Read[chain.Address](jsonscan.OfBytes(twenty))
	require.NoError(t, err)
	require.Equal(t, twenty, a[:])
	for _, v := range []jsonscan.Value{jsonscan.OfBytes(twenty[:19]), jsonscan.OfBytes(append(twenty, 7)), jsonscan.OfBytes(nil), jsonscan.OfInteger(twenty)} {
		a, err = chain.Read[chain.Address](v)
		require.ErrorContains(t, err, "is not an address")
		require.Equal(t, chain.Address{}, a)
	}
	_, err = chain.Read[chain.Hash](jsonscan.OfBytes(twenty))
	require.ErrorContains(t, err, "is not a hash")
}
