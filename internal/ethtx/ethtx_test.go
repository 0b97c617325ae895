package ethtx_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/test/devkeys"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/internal/tx/keys"
)

func unhex(t testing.TB, text string) []byte {
	bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	require.NoError(t, err)
	return bytes
}

// EIP-155's own example.
func TestEIP155(t *testing.T) {
	const raw = "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
	value, err := chain.ParseWei("1000000000000000000")
	require.NoError(t, err)
	made := &ethtx.Transaction{
		Type: chain.Legacy, ChainID: 1, Nonce: chain.NewNonce(9), GasPrice: chain.NewGasPrice(20_000_000_000), GasLimit: chain.NewGas(21000),
		To: chain.Some(chain.Address20([20]byte(unhex(t, strings.Repeat("35", 20))))), Value: value,
	}
	_, err = made.Encode()
	require.ErrorIs(t, err, ethtx.ErrUnsigned)
	native := chain.Address32([32]byte{1})
	for _, unencodable := range []ethtx.Transaction{
		{Type: chain.Legacy, To: chain.Some(native)},
		{Type: chain.EIP1559, AccessList: []chain.AccessEntry{{Address: native}}},
		{Type: chain.EIP7702, Authorizations: []chain.Authorization{{Address: native}}},
	} {
		_, err = unencodable.Digest()
		require.ErrorContains(t, err, native.String()+": want an EVM address")
	}
	digest, err := made.Digest()
	require.NoError(t, err)
	require.Equal(t, "0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53", digest.String())
	key, err := keys.ParseHex([]byte(strings.Repeat("46", 32)))
	require.NoError(t, err)
	signature, err := key.Sign(digest)
	require.NoError(t, err)
	made.Sign(signature)
	encoded, err := made.Encode()
	require.NoError(t, err)
	require.Equal(t, raw, hex.EncodeToString(encoded))
	read, err := ethtx.Parse(encoded)
	require.NoError(t, err)
	require.Equal(t, uint64(1), read.ChainID)
	sender, err := read.Sender()
	require.NoError(t, err)
	require.Equal(t, "0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F", sender.String())
}

// TestRecordedTransactions parses every EVM transaction that was sent to the recorded chains, and rebuilds it:
// its fields, its digest, the signature with the key of the account that had signed it, and the whole, byte
// for byte.
func TestRecordedTransactions(t *testing.T) {
	files, err := filepath.Glob(repository.Path("testdata/recordings/*/sent.json"))
	require.NoError(t, err)
	for _, name := range []string{"moonbeam-1701", "moonbeam-2100", "moonbeam-2600", "vflow-2000", "bittensor-218", "creditcoin3-87"} {
		files = append(files, pairs.Path(t, name, "gateway/sent.json"))
	}
	developers := devkeys.All(t)
	count := map[chain.TransactionType]int{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var sent struct {
			Sent []struct{ Raw, EthHash, From string }
		}
		require.NoError(t, json.Unmarshal(text, &sent), path)
		for i, s := range sent.Sent {
			if s.Raw == "" {
				continue
			}
			raw := unhex(t, s.Raw)
			read, err := ethtx.Parse(raw)
			require.NoError(t, err, "%s, transaction %d", path, i)
			hash, err := read.Hash()
			require.NoError(t, err)
			require.Equal(t, s.EthHash, hash.String())
			sender, err := read.Sender()
			require.NoError(t, err)
			require.Equal(t, s.From, sender.String())
			require.Contains(t, developers, sender)

			again := *read
			again.Signature = chain.Optional[chain.Signature]{}
			digest, err := again.Digest()
			require.NoError(t, err)
			signature, err := developers[sender].Sign(digest)
			require.NoError(t, err)
			again.Sign(signature)
			encoded, err := again.Encode()
			require.NoError(t, err)
			require.Equal(t, s.Raw, "0x"+hex.EncodeToString(encoded), "%s, transaction %d", path, i)
			count[read.Type]++
		}
	}
	t.Logf("made again: %v of %d files", count, len(files))
}

// TestAsGoEthereum compares generated transactions with go-ethereum's own types.
func TestAsGoEthereum(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 0))
	bytes := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	key, err := keys.Of(bytes(32))
	require.NoError(t, err)
	for range 2000 {
		made := &ethtx.Transaction{
			Type:    []chain.TransactionType{chain.Legacy, chain.EIP2930, chain.EIP1559}[r.IntN(3)],
			ChainID: r.Uint64N(1 << r.IntN(30)), Nonce: chain.NewNonce(r.Uint64() >> r.IntN(64)), GasLimit: chain.NewGas(r.Uint64() >> r.IntN(64)),
			Value: chain.NewWei(r.Uint64() >> r.IntN(64)), Input: bytes(r.IntN(100)),
		}
		price, tip := chain.NewGasPrice(r.Uint64()>>r.IntN(64)), chain.NewGasPrice(r.Uint64()>>r.IntN(64))
		var to *common.Address
		if r.IntN(4) > 0 {
			a := common.Address(bytes(20))
			made.To, to = chain.Some(chain.Address20(a)), &a
		}
		access := types.AccessList{}
		if made.Type != chain.Legacy {
			made.ChainID++
			for range r.IntN(3) {
				e := chain.AccessEntry{Address: chain.Address20([20]byte(bytes(20)))}
				tuple := types.AccessTuple{Address: common.Address(e.Address.Bytes()), StorageKeys: []common.Hash{}}
				for range r.IntN(3) {
					e.StorageKeys = append(e.StorageKeys, chain.Hash(bytes(32)))
					tuple.StorageKeys = append(tuple.StorageKeys, common.Hash(e.StorageKeys[len(e.StorageKeys)-1]))
				}
				made.AccessList, access = append(made.AccessList, e), append(access, tuple)
			}
		}
		id := uint256.NewInt(made.ChainID).ToBig()
		var data types.TxData
		var signer types.Signer = types.HomesteadSigner{}
		if made.ChainID > 0 {
			signer = types.NewPragueSigner(id)
		}
		switch made.Type {
		case chain.Legacy:
			made.GasPrice = price
			data = &types.LegacyTx{Nonce: made.Nonce.Uint64(), GasPrice: price.Big(), Gas: made.GasLimit.Uint64(), To: to, Value: made.Value.Big(), Data: made.Input}
		case chain.EIP2930:
			made.GasPrice = price
			data = &types.AccessListTx{ChainID: id, Nonce: made.Nonce.Uint64(), GasPrice: price.Big(), Gas: made.GasLimit.Uint64(), To: to, Value: made.Value.Big(), Data: made.Input, AccessList: access}
		default:
			made.MaxFeePerGas, made.MaxPriorityFeePerGas = price, tip
			data = &types.DynamicFeeTx{ChainID: id, Nonce: made.Nonce.Uint64(), GasTipCap: tip.Big(), GasFeeCap: price.Big(), Gas: made.GasLimit.Uint64(), To: to, Value: made.Value.Big(), Data: made.Input, AccessList: access}
		}
		digest, err := made.Digest()
		require.NoError(t, err)
		unsigned := types.NewTx(data)
		require.Equal(t, signer.Hash(unsigned).Hex(), digest.String())
		signature, err := key.Sign(digest)
		require.NoError(t, err)
		made.Sign(signature)
		signed, err := unsigned.WithSignature(signer, signature[:])
		require.NoError(t, err)
		want, err := signed.MarshalBinary()
		require.NoError(t, err)
		encoded, err := made.Encode()
		require.NoError(t, err)
		require.Equal(t, hex.EncodeToString(want), hex.EncodeToString(encoded))
		read, err := ethtx.Parse(encoded)
		require.NoError(t, err)
		sender, err := read.Sender()
		require.NoError(t, err)
		require.Equal(t, key.Address(), sender)
		hash, err := read.Hash()
		require.NoError(t, err)
		require.Equal(t, signed.Hash().Hex(), hash.String())
	}
}

// The twin of EIP-155's example has n − s as s, and the other parity: the same sender, a different hash. The
// bound is half of the curve's order, 0x7fff…20a0, as in EIP-2.
func TestHighS(t *testing.T) {
	raw := unhex(t, "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83")
	order, _ := new(big.Int).SetString("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)
	low, err := ethtx.Parse(raw)
	require.NoError(t, err)
	require.False(t, low.HighS())
	twin := bytes.Clone(raw)
	s := twin[len(twin)-32:]
	new(big.Int).Sub(order, new(big.Int).SetBytes(s)).FillBytes(s)
	twin[len(twin)-67] ^= 3 // v: 37 is 38 with the other parity
	high, err := ethtx.Parse(twin)
	require.NoError(t, err)
	require.True(t, high.HighS())
	for _, read := range []*ethtx.Transaction{low, high} {
		sender, err := read.Sender()
		require.NoError(t, err)
		require.Equal(t, "0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F", sender.String())
	}
	bound := unhex(t, "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0")
	copy(s, bound)
	at, err := ethtx.Parse(twin)
	require.NoError(t, err)
	require.False(t, at.HighS())
	s[31]++
	above, err := ethtx.Parse(twin)
	require.NoError(t, err)
	require.True(t, above.HighS())
}

// An accepted transaction encodes to the same bytes and is parsed alike by go-ethereum, and nothing panics.
func FuzzParse(f *testing.F) {
	for _, raw := range []string{
		"f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83",
		"02f86d050180808252089400000000000000000000000000000000000000018080f838f7940000000000000000000000000000000000000001e1a0000000000000000000000000000000000000000000000000000000000000000180010203",
	} {
		bytes, err := hex.DecodeString(raw)
		require.NoError(f, err)
		f.Add(bytes)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		read, err := ethtx.Parse(raw)
		if err != nil {
			return
		}
		encoded, err := read.Encode()
		require.NoError(t, err)
		require.Equal(t, raw, encoded)
		readsAlike(t, raw, read)
	})
}

// Damaged input is an error or a different transaction, and nothing panics.
func TestDamaged(t *testing.T) {
	raw := unhex(t, "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83")
	for at := range raw {
		for _, change := range []byte{1, 0x80, 0xff} {
			damaged := append([]byte(nil), raw...)
			damaged[at] ^= change
			if read, err := ethtx.Parse(damaged); err == nil {
				encoded, err := read.Encode()
				require.NoError(t, err)
				require.Equal(t, damaged, encoded)
				readsAlike(t, damaged, read)
			}
		}
		_, err := ethtx.Parse(raw[:at])
		require.Error(t, err)
	}
	_, err := ethtx.Parse(append(append([]byte(nil), raw...), 0))
	require.ErrorContains(t, err, "left over")
}
