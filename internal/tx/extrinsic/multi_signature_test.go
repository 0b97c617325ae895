package extrinsic_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/oasisprotocol/curve25519-voi/primitives/sr25519"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx/recovery"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/internal/tx/keys"
)

// runtimeOf32 returns a real runtime with accounts of 32 bytes, and its metadata.
func runtimeOf32(t *testing.T, name string) (*extrinsic.Runtime, *metadata.Metadata) {
	t.Helper()
	text, err := os.ReadFile(pairs.Path(t, name, "node", "metadata.hex"))
	require.NoError(t, err)
	raw, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(string(text)), "0x"))
	require.NoError(t, err)
	m, err := metadata.Parse(raw)
	require.NoError(t, err)
	r, err := extrinsic.NewReader(m, extrinsic.Token{})
	require.NoError(t, err)
	return r, m
}

// Signatures of the three schemes are checked against the signer, of short payloads and of those that are hashed first.
func TestMultiSignatures(t *testing.T) {
	public, private, err := ed25519.GenerateKey(bytes.NewReader(bytes.Repeat([]byte{9}, 32)))
	require.NoError(t, err)
	pair, err := sr25519.GenerateKeyPair(nil)
	require.NoError(t, err)
	pairPublic, err := pair.PublicKey().MarshalBinary()
	require.NoError(t, err)
	key, err := keys.Of(bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	for _, length := range []int{1, 256, 257, 300} {
		payload := bytes.Repeat([]byte{byte(length)}, length)
		message := payload
		if length > 256 {
			short := blake2b.Sum256(payload)
			message = short[:]
		}
		ecdsa, err := key.Sign(blake2b.Sum256(message))
		require.NoError(t, err)
		point, err := recovery.PublicKey(blake2b.Sum256(message), ecdsa)
		require.NoError(t, err)
		require.Len(t, point, 33)
		made, err := pair.Sign(nil, sr25519.NewSigningContext([]byte("substrate")).NewTranscriptBytes(message))
		require.NoError(t, err)
		schnorr, err := made.MarshalBinary()
		require.NoError(t, err)
		eth, err := key.Sign(extrinsic.Digest(payload))
		require.NoError(t, err)
		padded := [32]byte(append(key.Address().Bytes(), bytes.Repeat([]byte{0xee}, 12)...))
		for _, c := range []struct {
			scheme    extrinsic.Scheme
			signer    [32]byte
			signature []byte
		}{
			{extrinsic.Ed25519, [32]byte(public), ed25519.Sign(private, message)},
			{extrinsic.Sr25519, [32]byte(pairPublic), schnorr},
			{extrinsic.ECDSA, blake2b.Sum256(point), ecdsa[:]},
			{extrinsic.Eth, padded, eth[:]},
		} {
			x := extrinsic.Extrinsic{Signer: chain.Address32(c.signer), Multi: extrinsic.MultiSignature{Scheme: c.scheme}}
			copy(x.Multi.Bytes[:], c.signature)
			signer, err := x.SignedBy(payload)
			require.NoError(t, err, "%d", c.scheme)
			require.Equal(t, x.Signer, signer)

			other, err := x.SignedBy(append(bytes.Clone(payload), 1))
			require.True(t, err != nil || other != x.Signer, "another payload, %d", c.scheme)
			for i := range c.signature {
				damaged := x
				damaged.Multi.Bytes[i] ^= 1 << (i % 8)
				other, err := damaged.SignedBy(payload)
				require.True(t, err != nil || other != x.Signer, "byte %d of scheme %d", i, c.scheme)
			}
			stranger := x
			stranger.Signer = chain.Address32(blake2b.Sum256(c.signer[:]))
			signer, err = stranger.SignedBy(payload)
			require.True(t, err != nil || signer != stranger.Signer, "another account, %d", c.scheme)
		}
	}
	x := extrinsic.Extrinsic{Signer: chain.Address32([32]byte{}), Multi: extrinsic.MultiSignature{Scheme: extrinsic.ECDSA, Bytes: [65]byte{64: 9}}}
	_, err = x.SignedBy([]byte{1})
	require.ErrorContains(t, err, "invalid recovery ID")
}

// An extrinsic of each form is decoded, and any other form is an error. No byte sequence panics.
func TestFormsOfMultiAddress(t *testing.T) {
	r, m := runtimeOf32(t, "creditcoin3-87")
	_, err := extrinsic.NewRuntime(m, extrinsic.Token{})
	require.ErrorContains(t, err, "accounts of this runtime are not of 20 bytes")

	require.ErrorContains(t, r.CanSign(), "signing for accounts of 32 bytes is not supported")

	account := bytes.Repeat([]byte{0xab}, 32)
	remark := []byte{0, 0, 4, 1} // system.remark 0x01: era, nonce and tip precede it
	encode := func(address byte, scheme byte, size int) []byte {
		body := append([]byte{0x84, address}, account...)
		body = append(body, scheme)
		body = append(body, bytes.Repeat([]byte{5}, size)...)
		return scale.AppendBlob(nil, append(append(body, 0, 8, 12), remark...))
	}
	for scheme, size := range map[byte]int{0: 64, 1: 64, 2: 65, 3: 65} {
		for _, address := range []byte{0, 3} {
			x, err := r.Read(encode(address, scheme, size))
			require.NoError(t, err)
			require.Equal(t, account, x.Signer.Bytes())
			require.Equal(t, extrinsic.Scheme(scheme), x.Multi.Scheme)
			require.Equal(t, "2 3", x.Nonce.String()+" "+x.Tip.String())
			_, err = r.Encode(x.Data, &x.Signing, x.Signer, extrinsic.Signature{})
			require.ErrorContains(t, err, "signing for accounts of 32 bytes is not supported")
			_, err = r.Encode(x.Data, &x.Signing, chain.Address20([20]byte{1}), extrinsic.Signature{})
			require.ErrorContains(t, err, "signing for accounts of 32 bytes is not supported")
		}
	}
	for _, wrong := range [][]byte{encode(1, 1, 64), encode(2, 1, 64), encode(4, 1, 64), encode(0, 3, 64), encode(0, 4, 65), encode(0, 1, 63), encode(0, 2, 64)} {
		_, err := r.Read(wrong)
		require.Error(t, err)
	}
	whole := encode(0, 1, 64)
	for length := range whole {
		_, err := r.Read(whole[:length])
		require.Error(t, err)
	}
}

// The extrinsic of an estimate differs from the one that was sent in nothing but the signature.
func TestEncodeUnmade(t *testing.T) {
	for _, name := range []string{"creditcoin3-87", "bittensor-218", "passet-1019002", "stack-template-3"} {
		r, _ := runtimeOf32(t, name)
		text, err := os.ReadFile(pairs.Path(t, name, "node", "chain_getBlock.json"))
		require.NoError(t, err)
		var blocks map[string]struct {
			Result struct{ Block struct{ Extrinsics []string } }
		}
		require.NoError(t, json.Unmarshal(text, &blocks))
		compared := 0
		for _, b := range blocks {
			for _, encoded := range b.Result.Block.Extrinsics {
				sent, err := hex.DecodeString(encoded[2:])
				require.NoError(t, err)
				x, err := r.Read(sent)
				require.NoError(t, err)
				if !x.Signed || x.Multi.Scheme != extrinsic.Sr25519 {
					continue
				}
				unmade, err := r.EncodeUnmade(x.Data, &x.Signing, x.Signer)
				require.NoError(t, err)
				_, err = r.EncodeUnmade(x.Data, &x.Signing, chain.Address{})
				require.ErrorContains(t, err, "has 20 bytes, and accounts of this runtime have 32")
				at := bytes.Index(sent, x.Multi.Bytes[:64])
				require.Positive(t, at)
				require.Equal(t, bytes.Repeat([]byte{1}, 64), unmade[at:at+64])
				copy(unmade[at:], x.Multi.Bytes[:64])
				require.Equal(t, encoded[2:], hex.EncodeToString(unmade))
				compared++
			}
		}
		require.Greater(t, compared, 20, name)
	}
}
