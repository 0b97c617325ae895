package recovery_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx/recovery"
	"github.com/feeledger/fees/internal/test/tier"
)

// The same key, or none, as another implementation recovers, from signatures and from bytes that are none.
func TestPublicKeyMatchesAnotherImplementation(t *testing.T) {
	found, none := 0, 0
	same := func(digest chain.Hash, signature [65]byte) {
		t.Helper()
		want, _, failed := ecdsa.RecoverCompact(append([]byte{recovery.CompactMagic + signature[64]}, signature[:64]...), digest[:])
		have, err := recovery.PublicKey(digest, signature)
		if failed != nil {
			require.EqualError(t, err, "r and s are not a valid signature", "%x", signature)
			none++
			return
		}
		require.NoError(t, err, "%x", signature)
		require.Equal(t, want.SerializeCompressed(), have, "%x of %x", signature, digest)
		found++
	}
	chance := sha256.Sum256(nil)
	next := func() [32]byte { chance = sha256.Sum256(chance[:]); return chance }
	for range 2000 / tier.Step(4) {
		key, digest := next(), next()
		compact := ecdsa.SignCompact(secp256k1.PrivKeyFromBytes(key[:]), digest[:], false)
		signature := [65]byte(append(compact[1:], compact[0]-recovery.CompactMagic))
		same(digest, signature)
		signature[64] ^= 1
		same(digest, signature)
		s := next()
		copy(signature[32:], s[:])
		same(digest, signature)
		r := next() // every other r is not on the curve
		copy(signature[:], r[:])
		same(digest, signature)
	}
	edges := []chain.Hash{{}, {31: 1}, {31: 2}, {0: 0x80}}
	for _, text := range []string{
		"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140", // n − 1
		"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", // n
		"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364142",
		"7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", // n / 2
		"5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72", // λ
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", // x of G, so that multiples of G meet
		"c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5", // x of 2·G
	} {
		var h chain.Hash
		_, err := hex.Decode(h[:], []byte(text))
		require.NoError(t, err)
		edges = append(edges, h)
	}
	for _, digest := range edges {
		for _, r := range edges {
			for _, s := range edges {
				for parity := range byte(2) {
					same(digest, [65]byte(append(append(append([]byte{}, r[:]...), s[:]...), parity)))
				}
			}
		}
	}
	require.Greater(t, found, 6000/tier.Step(4))
	require.Greater(t, none, 1000)
}

// With R = G and s = digest, the key would be the point at infinity.
func TestNoKey(t *testing.T) {
	var signature [65]byte
	_, err := hex.Decode(signature[:], []byte("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"))
	require.NoError(t, err)
	signature[63] = 7
	_, err = recovery.PublicKey(chain.Hash{31: 7}, signature)
	require.EqualError(t, err, "r and s are not a valid signature")
	_, err = recovery.Signer(chain.Hash{31: 7}, signature)
	require.EqualError(t, err, "r and s are not a valid signature")
	signature[64] = 2
	_, err = recovery.Signer(chain.Hash{31: 7}, signature)
	require.EqualError(t, err, "the signature has an invalid recovery ID")
}
