package extrinsic_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	blocks "github.com/feeledger/fees/internal/substrate/block"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// theAsset is the asset 1984 of the pallet 50, which the payers of blocks 37 to 39 named, as the recording's sent.json shows
// in AssetTxFeePaid: in Sidecar's form, and as an Option of a location in SCALE. The latter is: Some; no parents; X2 of
// PalletInstance(50) and of GeneralIndex(compact 1984).
const (
	theAsset   = `{"parents":"0","interior":{"x2":[{"palletInstance":"50"},{"generalIndex":"1984"}]}}`
	codedAsset = "01" + "00" + "02" + "0432" + "05011f"
)

// Transactions that paid in an asset. Only Sidecar recorded them, without the asset: with it, their bytes have the hash that
// Sidecar shows. They are decoded and encoded again, and their signatures cover the asset.
func TestFeePaidInAnAsset(t *testing.T) {
	r, m := runtimeOf32(t, "passet-1019002")
	renderer, err := render.NewRuntime(m)
	require.NoError(t, err)
	decoder, err := renderer.Decoder()
	require.NoError(t, err)
	genesis := heightsOf(t, "passet-1019002")[0].Hash
	for height := 37; height <= 39; height++ {
		text, err := os.ReadFile(pairs.Path(t, "passet-1019002", "gateway", "blocks", strconv.Itoa(height)+".json"))
		require.NoError(t, err)
		v := blocktest.JSON(t, string(text)).Member("extrinsics").Index(2)
		member := func(path ...string) string {
			at := v
			for _, key := range path {
				at = at.Member(key)
			}
			text, is := at.Text()
			require.True(t, is, path)
			return text
		}
		number := func(text string) []byte {
			n, err := strconv.ParseUint(text, 10, 64)
			require.NoError(t, err)
			return scale.AppendCompact(nil, n)
		}
		signer, err := chain.ParseAccount(member("signature", "signer", "id"))
		require.NoError(t, err)
		call, err := r.CallOf(v)
		require.NoError(t, err)
		encoded := scale.AppendBlob(nil, slices.Concat(
			[]byte{0x84, 0}, signer.Bytes(), []byte{byte(extrinsic.Sr25519)}, unhex(t, member("signature", "signature")),
			[]byte{0}, number(member("nonce")), number(member("tip")), unhex(t, codedAsset), []byte{0}, call))
		require.Equal(t, member("hash"), extrinsic.Hash(encoded).String(), height)

		x, err := r.Read(encoded)
		require.NoError(t, err)
		require.Equal(t, []string{member("nonce"), member("tip"), theAsset}, []string{x.Nonce.String(), x.Tip.String(), x.Asset})
		unmade, err := r.EncodeUnmade(x.Data, &x.Signing, x.Signer)
		require.NoError(t, err)
		require.Equal(t, encoded[2+2+32:][65:], unmade[2+2+32:][65:])

		version, known := m.RuntimeVersion()
		require.True(t, known)
		x.SpecVersion, x.TransactionVersion, x.Genesis, x.Birth = version.SpecVersion, version.TransactionVersion, genesis, genesis
		payload, err := r.Payload(x.Data, &x.Signing)
		require.NoError(t, err)
		by, err := x.SignedBy(payload)
		require.NoError(t, err)
		require.Equal(t, signer, by)
		x.Asset = ""
		payload, err = r.Payload(x.Data, &x.Signing)
		require.NoError(t, err)
		_, err = x.SignedBy(payload)
		require.Error(t, err, "the asset is signed")

		b, err := decoder.Decode(&blocks.Encoded{Extrinsics: [][]byte{encoded}})
		require.NoError(t, err)
		require.Equal(t, chain.Some(theAsset), b.Extrinsics[0].Signed.Asset)
		require.Equal(t, member("tip"), b.Extrinsics[0].Signed.Tip.String())
	}
}

// heightsOf returns the hashes of the blocks that a recorded node has.
func heightsOf(t *testing.T, name string) (list []struct{ Hash, Parent chain.Hash }) {
	var texts []struct{ Hash, Parent string }
	recordedFile(t, name, "heights", &texts)
	for _, h := range texts {
		list = append(list, struct{ Hash, Parent chain.Hash }{hash(t, h.Hash), hash(t, h.Parent)})
	}
	return list
}

func recordedFile(t *testing.T, name, file string, to any) {
	text, err := os.ReadFile(pairs.Path(t, name, "node", file+".json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, to))
}

// The signatures of all recorded native transactions of chains with pallet revive are their signers'.
func TestSignersOfRecordedExtrinsics(t *testing.T) {
	for name, want := range map[string]int{"passet-1019002": 22, "stack-template-3": 61} {
		r, m := runtimeOf32(t, name)
		version, known := m.RuntimeVersion()
		require.True(t, known)
		heights, found := heightsOf(t, name), map[string]bool{}
		genesis := heights[0].Parent // as the simulated node had it while they were made
		var recorded map[string]struct {
			Result struct {
				Block struct {
					Header     struct{ Number string }
					Extrinsics []string
				}
			}
		}
		recordedFile(t, name, "chain_getBlock", &recorded)
		for _, b := range recorded {
			for _, text := range b.Result.Block.Extrinsics {
				x, err := r.Read(unhex(t, text))
				require.NoError(t, err)
				if !x.Signed {
					continue
				}
				number, err := strconv.ParseUint(b.Result.Block.Header.Number, 0, 64)
				require.NoError(t, err)
				x.SpecVersion, x.TransactionVersion, x.Genesis, x.Birth = version.SpecVersion, version.TransactionVersion, genesis, genesis
				if !x.Era.Immortal() {
					x.Birth = heights[x.Era.Birth(number)].Hash
				}
				payload, err := r.Payload(x.Data, &x.Signing)
				require.NoError(t, err)
				signer, err := x.SignedBy(payload)
				require.NoError(t, err)
				require.Equal(t, x.Signer, signer)
				found[text] = true
			}
		}
		require.Len(t, found, want, name)
	}
}

// General extrinsics are decoded with the extensions of their version.
func TestGeneralExtrinsic(t *testing.T) {
	_, m := runtimeOf32(t, "creditcoin3-87")
	var tip metadata.Extension
	for _, e := range m.Extrinsic.Extensions {
		if e.Name == "ChargeTransactionPayment" {
			tip = e
		}
	}
	m.Extrinsic.Later = map[uint8][]metadata.Extension{7: {tip}}
	r, err := extrinsic.NewReader(m, extrinsic.Token{})
	require.NoError(t, err)
	remark := "00000401" // system.remark 0x01
	for _, c := range []struct{ text, nonce, tip, fails string }{
		{"4500" + "15000" + "80c" + remark, "2", "3", ""}, // era, nonce, tip
		{"4507" + "0c" + remark, "0", "3", ""},
		{"05" + remark, "0", "0", ""},
		{"4501" + "0c" + remark, "", "", "the runtime's metadata do not list extensions of version 1"},
		{"4507" + "0c", "", "", "the bytes end too early"},
		{"4507", "", "", "the bytes end too early"},
	} {
		raw, err := hex.DecodeString(c.text)
		require.NoError(t, err)
		x, err := r.Read(scale.AppendBlob(nil, raw))
		if c.fails != "" {
			require.ErrorContains(t, err, c.fails)
			continue
		}
		require.NoError(t, err)
		require.False(t, x.Signed)
		require.Equal(t, []string{c.nonce, c.tip, remark}, []string{x.Nonce.String(), x.Tip.String(), hex.EncodeToString(x.Data)})
	}
}

// A tip cannot be signed if no extension contains it.
func TestTipWithoutExtension(t *testing.T) {
	_, m := runtimeOf32(t, "creditcoin3-87")
	m.Extrinsic.Extensions = slices.DeleteFunc(m.Extrinsic.Extensions, func(e metadata.Extension) bool { return e.Name == "ChargeTransactionPayment" })
	r, err := extrinsic.NewReader(m, extrinsic.Token{})
	require.NoError(t, err)
	require.False(t, r.Contains(metadata.Tip))
	require.True(t, r.Contains(metadata.Nonce))
	_, err = r.Payload([]byte{0, 0}, &extrinsic.Signing{Tip: chain.NewWei(1)})
	require.EqualError(t, err, "no known extension of the runtime contains a tip. Leave it out")
	_, err = r.Payload([]byte{0, 0}, &extrinsic.Signing{})
	require.NoError(t, err)
}
