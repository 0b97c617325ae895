package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// recordFields returns the fields of a record, as text.
func recordFields(t *testing.T, r jsontext.Record) map[string]string {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &members))
	fields := map[string]string{}
	for name, value := range members {
		fields[name] = strings.Trim(string(value), `"`)
	}
	return fields
}

func requireFields(t *testing.T, r jsontext.Record, want map[string]string) {
	t.Helper()
	have := recordFields(t, r)
	for name, value := range want {
		require.Equal(t, value, have[name], name)
	}
}

// The transaction of EIP-155, also with the other s of its signature, and one of type 2.
func TestDecodeEVMTransactions(t *testing.T) {
	const before, r = "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080", "a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276"
	legacy := rawBytes(t, before+"25"+r+"a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83")
	decoded, err := app.DecodeTransaction(legacy, nil)
	require.NoError(t, err)
	want := map[string]string{"layer": "evm", "type": "legacy", "sender": "0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F", "chain_id": "1", "nonce": "9", "gas_price": "20000000000",
		"gas_limit": "21000", "to": "0x3535353535353535353535353535353535353535", "value": "1000000000000000000", "input": "0x", "high_s": "false"}
	requireFields(t, decoded, want)
	hashed, err := app.HashTransaction(legacy)
	require.NoError(t, err)
	require.Equal(t, decoded[:3], hashed)

	// The curve's order less s, and the other parity, are the same sender's signature.
	want["high_s"] = "true"
	decoded, err = app.DecodeTransaction(rawBytes(t, before+"26"+r+"a098341627668089e51348fccfb4c7ff31c55912f2d2e47ef09652acf665fad3be"), nil)
	require.NoError(t, err)
	requireFields(t, decoded, want)
	require.Contains(t, recordFields(t, decoded)["note"], "EIP-2")

	decoded, err = app.DecodeTransaction(rawBytes(t, "02f870820504078085e8d4a51000825208943cd0a705a2dc65e5b1e1205896baa2be8a07c6e087038d7ea4c6800080"+
		"c001a0707d17a5a74ba921e174ecffe55f971e58cbd3718ea81ca0881159b570095ba0a04b103811b95f143ca947aa70220755c38bd9102e966096b61e49d74177513558"), nil)
	require.NoError(t, err)
	requireFields(t, decoded, map[string]string{"type": "eip1559", "chain_id": "1284", "nonce": "7", "max_priority_fee_per_gas": "0", "max_fee_per_gas": "1000000000000", "value": "1000000000000000"})
}

// Each extrinsic of recorded blocks has the hash, call and arguments that the real Sidecar reports.
func TestDecodeExtrinsics(t *testing.T) {
	text, err := os.ReadFile(pairs.Path(t, "moonbeam-2100", "node/metadata.hex"))
	require.NoError(t, err)
	_, err = app.ReadRuntime("metadata", []byte("x"))
	require.ErrorContains(t, err, "metadata: ")
	runtime, err := app.ReadRuntime("metadata", rawBytes(t, string(text)))
	require.NoError(t, err)
	known := func() (*app.Runtime, error) { return runtime, nil }

	text, err = os.ReadFile(pairs.Path(t, "moonbeam-2100", "node/chain_getBlock.json"))
	require.NoError(t, err)
	var responses map[string]struct {
		Result struct {
			Block struct {
				Header     struct{ Number string }
				Extrinsics []string
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &responses))
	signed := 0
	for _, response := range responses {
		height, err := chain.ParseGasPrice(response.Result.Block.Header.Number)
		require.NoError(t, err)
		text, err := os.ReadFile(pairs.Path(t, "moonbeam-2100", fmt.Sprintf("gateway/blocks/%v.json", height)))
		require.NoError(t, err)
		var reported struct {
			Extrinsics []struct {
				Method    struct{ Pallet, Method string }
				Hash      string
				Nonce     *string
				Signature *struct{ Signer json.RawMessage }
				Args      json.RawMessage
			}
		}
		require.NoError(t, json.Unmarshal(text, &reported))
		for i, x := range reported.Extrinsics {
			raw := rawBytes(t, response.Result.Block.Extrinsics[i])
			hashed, err := app.HashTransaction(raw)
			require.NoError(t, err)
			requireFields(t, hashed, map[string]string{"layer": "native", "type": "extrinsic", "hash": x.Hash})
			decoded, err := app.DecodeTransaction(raw, known)
			require.NoError(t, err)
			have := recordFields(t, decoded)
			require.Equal(t, x.Method.Pallet+"."+x.Method.Method, have["call"])
			require.JSONEq(t, string(x.Args), have["args"])
			require.Equal(t, fmt.Sprint(x.Signature != nil), have["signed"])
			if x.Signature != nil {
				signed++
				require.Equal(t, *x.Nonce, have["nonce"])
			}
			call, err := app.DecodeTransaction(rawBytes(t, have["call_data"]), known)
			require.NoError(t, err)
			requireFields(t, call, map[string]string{"type": "call data", "call": have["call"]})
		}
	}
	require.Greater(t, signed, 5)
}

// A nonce or a tip that no known extension contains is null, not 0.
func TestDecodeHiddenNonceAndTip(t *testing.T) {
	text, err := os.ReadFile(pairs.Path(t, "moonbeam-2100", "node/metadata.hex"))
	require.NoError(t, err)
	m, err := metadata.Parse(rawBytes(t, string(text)))
	require.NoError(t, err)
	compact := func(p metadata.PrimitiveKind) metadata.TypeID {
		return metadata.TypeID(slices.IndexFunc(m.Types, func(t metadata.Type) bool {
			return t.Kind == metadata.Compact && m.Types[t.Element].Primitive == p && m.Types[t.Element].Kind == metadata.Primitive
		}))
	}
	decoded := func() map[string]string {
		r, err := extrinsic.NewReader(m, extrinsic.Token{})
		require.NoError(t, err)
		// A signature by 07…, the era, nonce and tip 00 08 0c, and system.remark 0x01.
		raw := slices.Concat([]byte{0x84}, bytes.Repeat([]byte{7}, 20+65), []byte{0, 8, 12, 0, 1, 4, 1})
		record, err := app.DecodeTransaction(scale.AppendBlob(nil, raw), func() (*app.Runtime, error) { return r, nil })
		require.NoError(t, err)
		return recordFields(t, record)
	}
	have := decoded()
	require.Equal(t, []string{"2", "3", "system.remark"}, []string{have["nonce"], have["tip"], have["call"]})
	for i, e := range m.Extrinsic.Extensions {
		switch e.Name {
		case "CheckNonce":
			m.Extrinsic.Extensions[i] = metadata.Extension{Name: "Own", Type: compact(metadata.U32), Signed: e.Signed}
		case "ChargeTransactionPayment":
			m.Extrinsic.Extensions[i] = metadata.Extension{Name: "Other", Type: compact(metadata.U128), Signed: e.Signed}
		}
	}
	have = decoded()
	require.Equal(t, []string{"null", "null", "system.remark"}, []string{have["nonce"], have["tip"], have["call"]})
}

// Bytes that are not a transaction are refused with the reason.
func TestDecodeOtherBytes(t *testing.T) {
	_, err := app.HashTransaction([]byte{1, 2, 3})
	require.ErrorContains(t, err, "neither an EVM transaction")
	_, err = app.DecodeTransaction([]byte{1, 2, 3}, func() (*app.Runtime, error) { return nil, os.ErrNotExist })
	require.ErrorIs(t, err, os.ErrNotExist)
	text, err := os.ReadFile(pairs.Path(t, "moonbeam-2100", "node/metadata.hex"))
	require.NoError(t, err)
	runtime, err := app.ReadRuntime("metadata", rawBytes(t, string(text)))
	require.NoError(t, err)
	_, err = app.DecodeTransaction([]byte{255, 255, 3}, func() (*app.Runtime, error) { return runtime, nil })
	require.ErrorContains(t, err, "call data of the runtime")
}
