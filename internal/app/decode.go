package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// Runtime decodes the extrinsics and calls of a chain's runtime.
type Runtime = extrinsic.Runtime

// ReadRuntime returns the runtime of some metadata. An error names their file.
func ReadRuntime(file string, text []byte) (*Runtime, error) {
	m, err := metadata.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return extrinsic.NewRuntime(m, extrinsic.Token{})
}

// RuntimeOf returns a node's runtime at a height, by default of the newest final block.
func RuntimeOf(ctx context.Context, node *rpc.Client, height chain.Optional[uint64]) (*Runtime, error) {
	view, err := state.Open(ctx, node, height, extrinsic.Token{})
	if err != nil {
		return nil, err
	}
	return view.Runtime, nil
}

// HashTransaction returns layer, type and hash of the bytes of a transaction.
func HashTransaction(raw []byte) (jsontext.Record, error) {
	r, notEVM := decodeEVM(raw)
	switch {
	case notEVM == nil:
		return r[:3], nil
	case !isExtrinsic(raw):
		return nil, fmt.Errorf("neither an EVM transaction (%w) nor a native extrinsic with its length prefix; check the bytes", notEVM)
	}
	return jsontext.Record{{"layer", NativeLayer}, {"type", "extrinsic"}, {"hash", extrinsic.Hash(raw)}}, nil
}

// DecodeTransaction decodes the bytes of a transaction, or call data. runtime is called for what is not an EVM
// transaction.
func DecodeTransaction(raw []byte, runtime func() (*Runtime, error)) (jsontext.Record, error) {
	r, notEVM := decodeEVM(raw)
	if notEVM == nil {
		return r, nil
	}
	of, err := runtime()
	if err != nil {
		return nil, err
	}
	return decodeNative(of, raw)
}

// isExtrinsic reports whether bytes match their length prefix and start with a known version.
func isExtrinsic(raw []byte) bool {
	content, ok := extrinsic.Content(raw)
	return ok && len(content) > 0 && content[0]&0x3f <= 5 && content[0]&0x3f >= 4
}

// decodeNative decodes an extrinsic or call data.
func decodeNative(runtime *extrinsic.Runtime, raw []byte) (jsontext.Record, error) {
	if !isExtrinsic(raw) {
		call, err := runtime.ReadCall(raw)
		if err != nil {
			return nil, fmt.Errorf("not an EVM transaction, an extrinsic or call data of the runtime: %w", err)
		}
		return append(jsontext.Record{{"layer", NativeLayer}, {"type", "call data"}}, callFields(call)...), nil
	}
	x, err := runtime.Read(raw)
	if err != nil {
		return nil, err
	}
	r := jsontext.Record{{"layer", NativeLayer}, {"type", "extrinsic"}, {"hash", x.Hash}, {"signed", x.Signed}}
	if x.Signed {
		var nonce chain.Optional[chain.Nonce]
		if runtime.Contains(metadata.Nonce) {
			nonce = chain.Some(x.Nonce)
		}
		var tip chain.Optional[chain.Wei]
		if runtime.Contains(metadata.Tip) {
			tip = chain.Some(x.Tip)
		}
		r = append(r, jsontext.Record{{"signer", x.Signer}, {"nonce", nonce}, {"tip", tip}, {"era_period", x.Era.Period}, {"era_phase", x.Era.Phase}, {"signature", HexBytes(x.Signature[:])}}...)
	}
	return append(append(r, callFields(x.Call)...), jsontext.Field{Name: "call_data", Value: HexBytes(x.Data)}), nil
}

func callFields(call jsonscan.Value) jsontext.Record {
	pallet, name := extrinsic.CallName(call)
	return jsontext.Record{{"call", pallet + "." + name}, {"args", json.RawMessage(call.Member("args").Raw())}}
}

const highS = "s is in the upper half of the curve's order. Ethereum and newer runtimes refuse this (EIP-2). Where it is accepted, " +
	"a second signature with another hash is also valid, so look up the transaction by sender and nonce."

// decodeEVM decodes an EVM transaction.
func decodeEVM(raw []byte) (jsontext.Record, error) {
	t, err := ethtx.Parse(raw)
	if err != nil {
		return nil, err
	}
	hash, err := t.Hash()
	if err != nil {
		return nil, err
	}
	var sender chain.Optional[chain.Address]
	if a, err := t.Sender(); err == nil {
		sender = chain.Some(a)
	}
	var id chain.Optional[uint64]
	if t.ChainID > 0 {
		id = chain.Some(t.ChainID)
	}
	r := jsontext.Record{{"layer", EVMLayer}, {"type", t.Type}, {"hash", hash}, {"sender", sender}, {"chain_id", id}, {"nonce", t.Nonce}}
	if t.Type == chain.Legacy || t.Type == chain.EIP2930 {
		r = append(r, jsontext.Field{Name: "gas_price", Value: t.GasPrice})
	} else {
		r = append(r, jsontext.Record{{"max_fee_per_gas", t.MaxFeePerGas}, {"max_priority_fee_per_gas", t.MaxPriorityFeePerGas}}...)
	}
	s, _ := t.Signature.Get()
	r = append(r, jsontext.Record{{"gas_limit", t.GasLimit}, {"to", t.To}, {"value", t.Value}, {"input", HexBytes(t.Input)}}...)
	if t.Type != chain.Legacy {
		r = append(r, jsontext.Field{Name: "access_list", Value: t.AccessList})
	}
	r = append(r, jsontext.Record{{"v", s.V}, {"r", s.R}, {"s", s.S}, {"high_s", t.HighS()}}...)
	if t.HighS() {
		r = append(r, jsontext.Field{Name: "note", Value: highS})
	}
	return r, nil
}
