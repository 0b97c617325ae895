package ethtx_test

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx"
)

// splitsAlike requires an encoding to be split, or rejected, as by go-ethereum.
func splitsAlike(t *testing.T, encoded []byte) {
	for _, c := range []struct {
		ours, theirs func([]byte) (content, rest []byte, err error)
	}{
		{ethtx.SplitString, rlp.SplitString}, {ethtx.SplitList, rlp.SplitList},
	} {
		content, rest, err := c.ours(encoded)
		wantContent, wantRest, wantErr := c.theirs(encoded)
		require.Equal(t, wantErr == nil, err == nil, "%x: %v, and go-ethereum: %v", encoded, err, wantErr)
		if err == nil {
			require.True(t, bytes.Equal(wantContent, content) && bytes.Equal(wantRest, rest), "%x", encoded)
		}
	}
}

// FuzzRLP compares RLP decoding with go-ethereum's.
func FuzzRLP(f *testing.F) {
	for _, text := range []string{"", "00", "7f", "80", "8100", "817f", "8180", "82", "820000", "b7", "b800", "b837", "b838", "b90038", "bf", "bfffffffffffffffff", "c0", "c100", "f7", "f800", "f838", "f90038", "ff", "ffffffffffffffffff"} {
		encoded, err := hex.DecodeString(text)
		require.NoError(f, err)
		f.Add(encoded)
	}
	f.Fuzz(splitsAlike)
}

// TestRLPHeads compares every start of three bytes, followed by less, as much, and more than it announces.
func TestRLPHeads(t *testing.T) {
	for first := range 256 {
		for _, second := range []byte{0, 1, 2, 0x37, 0x38, 0x7f, 0x80, 0xff} {
			for _, third := range []byte{0, 1, 0x38, 0xff} {
				for _, more := range []int{0, 1, 2, 7, 8, 53, 54, 55, 56, 57, 58, 255, 256, 257, 258, 312, 313, 700} {
					encoded := append([]byte{byte(first), second, third}, bytes.Repeat([]byte{0x81}, more)...)
					splitsAlike(t, encoded)
				}
				splitsAlike(t, []byte{byte(first), second})
			}
		}
		splitsAlike(t, []byte{byte(first)})
	}
	// Sizes of up to 8 bytes, with leading zeros, and too large for any memory.
	for n := range 8 {
		for _, kind := range []byte{0xb8, 0xf8} {
			for _, size := range [][]byte{{0x38}, {0, 0x38}, {1, 0}, {0xff}, bytes.Repeat([]byte{0xff}, n+1), append([]byte{0x80}, make([]byte, n)...)} {
				splitsAlike(t, append(append([]byte{kind + byte(n)}, size...), make([]byte, 600)...))
			}
		}
	}
}

// TestRLPWritten compares the encoder with go-ethereum's, around each bound of a size.
func TestRLPWritten(t *testing.T) {
	for _, size := range []int{0, 1, 2, 54, 55, 56, 57, 255, 256, 257, 65535, 65536} {
		for _, fill := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			content := bytes.Repeat([]byte{fill}, size)
			want, err := rlp.EncodeToBytes(content)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, ethtx.Bytes(nil, content)), "%d of %x", size, fill)
			want, err = rlp.EncodeToBytes([]any{content, []any{}})
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, ethtx.List(append(ethtx.Bytes(nil, content), ethtx.List(nil)...))), "a list of %d of %x", size, fill)
			if size <= 32 {
				n := new(big.Int).SetBytes(content)
				want, err = rlp.EncodeToBytes(n)
				require.NoError(t, err)
				require.Equal(t, want, ethtx.Integer(nil, content))
			}
		}
	}
	for shift := range 64 {
		for _, n := range []uint64{1<<shift - 1, 1 << shift, 1<<shift + 1} {
			want, err := rlp.EncodeToBytes(n)
			require.NoError(t, err)
			require.Equal(t, want, ethtx.Uint64(nil, n))
		}
	}
}

// TestSenderAsGoEthereum compares senders, and rejected signatures, with go-ethereum's: r and s at and around
// 0, the order of the curve and its half, one that is no point's, and any other.
func TestSenderAsGoEthereum(t *testing.T) {
	random := rand.New(rand.NewPCG(20, 0))
	order := crypto.S256().Params().N
	half := new(big.Int).Rsh(order, 1)
	special := []*big.Int{new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)), crypto.S256().Params().P}
	for _, n := range []*big.Int{big.NewInt(2), order, half} {
		for d := int64(-2); d <= 2; d++ {
			if v := new(big.Int).Add(n, big.NewInt(d)); v.Sign() >= 0 {
				special = append(special, v)
			}
		}
	}
	word := func() (h chain.Hash) {
		if random.IntN(3) == 0 {
			special[random.IntN(len(special))].FillBytes(h[:])
			return h
		}
		for i := range h {
			h[i] = byte(random.Uint32())
		}
		return h
	}
	senders, refused := 0, 0
	for range 3000 {
		made := &ethtx.Transaction{Type: chain.EIP1559, ChainID: 1284, Nonce: chain.NewNonce(random.Uint64())}
		signature := chain.Signature{V: random.Uint64N(2), R: word(), S: word()}
		made.Signature = chain.Some(signature)
		digest, err := made.Digest()
		require.NoError(t, err)
		r, s := new(big.Int).SetBytes(signature.R[:]), new(big.Int).SetBytes(signature.S[:])
		require.Equal(t, s.Cmp(half) > 0, made.HighS(), "%x", signature.S)
		sender, err := made.Sender()
		if !crypto.ValidateSignatureValues(byte(signature.V), r, s, false) {
			require.ErrorContains(t, err, "not within the curve's order")
			refused++
			continue
		}
		key, wantErr := crypto.SigToPub(digest[:], append(append(bytes.Clone(signature.R[:]), signature.S[:]...), byte(signature.V)))
		require.Equal(t, wantErr == nil, err == nil, "%v, and go-ethereum: %v", err, wantErr)
		if err == nil {
			require.Equal(t, crypto.PubkeyToAddress(*key).Hex(), sender.String())
			senders++
		}
	}
	require.Greater(t, senders, 500)
	require.Greater(t, refused, 500)
}

func TestContractAsGoEthereum(t *testing.T) {
	sender := chain.Address20([20]byte(bytes.Repeat([]byte{0xab}, 20)))
	for shift := range 64 {
		for _, nonce := range []uint64{1<<shift - 1, 1 << shift} {
			require.Equal(t, crypto.CreateAddress(common.Address(sender.Bytes()), nonce).Hex(), ethtx.Contract(sender, chain.NewNonce(nonce)).String())
		}
	}
}

// readsAlike requires go-ethereum to accept the same transaction, with the same hash. It accepts more: v and
// chains that the runtimes reject; and less of EIP-7702: nonces of at most 64 bits.
func readsAlike(t *testing.T, raw []byte, read *ethtx.Transaction) {
	if read.Type == chain.EIP7702 {
		return
	}
	var theirs types.Transaction
	require.NoError(t, theirs.UnmarshalBinary(raw), "%x", raw)
	hash, err := read.Hash()
	require.NoError(t, err)
	require.Equal(t, theirs.Hash().Hex(), hash.String())
	if sender, err := read.Sender(); err == nil && !read.HighS() && read.ChainID > 0 {
		want, err := types.Sender(types.NewPragueSigner(new(big.Int).SetUint64(read.ChainID)), &theirs)
		require.NoError(t, err)
		require.Equal(t, want.Hex(), sender.String())
	}
}
