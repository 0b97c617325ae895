package extrinsic_test

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/internal/tx/keys"
)

// The chain accepts a signature in four forms: the recovery ID as 0 or 1, or as 27 or 28, and s in either half
// of the order.
func TestFormsOfASignature(t *testing.T) {
	key, err := keys.Of(bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	order, _ := new(big.Int).SetString("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)
	for length := 250; length < 262; length++ { // from 257 on, the payload is hashed first
		payload := bytes.Repeat([]byte{byte(length)}, length)
		s, err := key.Sign(extrinsic.Digest(payload))
		require.NoError(t, err)
		twin := s
		new(big.Int).Sub(order, new(big.Int).SetBytes(s[32:64])).FillBytes(twin[32:64])
		twin[64] ^= 1
		for _, form := range [][65]byte{s, twin} {
			for _, more := range []byte{0, 27} {
				form[64] += more
				signer, err := extrinsic.Signature(form).Signer(payload)
				require.NoError(t, err)
				require.Equal(t, key.Address(), signer)
				other, err := extrinsic.Signature(form).Signer(payload[1:])
				require.True(t, err != nil || other != signer)
			}
		}
		_, err = extrinsic.Signature{}.Signer(payload)
		require.Error(t, err)
	}
	require.False(t, extrinsic.IsSigned(nil))
	require.False(t, extrinsic.IsSigned([]byte{0}))
	require.False(t, extrinsic.IsSigned([]byte{8, 0x84}))
	require.True(t, extrinsic.IsSigned([]byte{4, 0x84}))
	require.False(t, extrinsic.IsSigned(extrinsic.EncodeUnsigned([]byte{1})))
}
