package sidecar

import (
	"encoding/json"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// DecodeHeader decodes a block's header.
func DecodeHeader(text string) (chain.Header, error) {
	var h chain.Header
	err := decode("header", text, func(v jsonscan.Value, fields *firstError) {
		var err error
		h.Number, err = jsonread.Uint64(v.Member("number"))
		fields.at("number", err)
		h.ParentHash, err = jsonread.Hash(v.Member("parentHash"))
		fields.at("parentHash", err)
		h.StateRoot, err = jsonread.Hash(v.Member("stateRoot"))
		fields.at("stateRoot", err)
		h.ExtrinsicsRoot, err = jsonread.Hash(v.Member("extrinsicsRoot"))
		fields.at("extrinsicsRoot", err)
	})
	return h, err
}

// DecodeMultiplier decodes the storage item transactionPayment.nextFeeMultiplier.
func DecodeMultiplier(text string) (chain.AtBlock[chain.Multiplier], error) {
	return decodeItem("multiplier", text, StorageItem{Pallet: "transactionPayment", Name: "nextFeeMultiplier"}, jsonread.Multiplier)
}

// DecodeRuntime decodes a /runtime/spec: the runtime after a block, which executes the next block, and the chain's token.
func DecodeRuntime(text string) (r chain.AtBlock[chain.Runtime], err error) {
	err = decode("runtime spec", text, func(v jsonscan.Value, fields *firstError) {
		r.At, r.AtHash = readAt(v.Member("at"), fields)
		version, err := jsonread.Uint64(v.Member("specVersion"))
		if err == nil && version > 1<<32-1 {
			err = fmt.Errorf("%d is more than 32 bits", version)
		}
		fields.at("specVersion", err)
		r.Value.SpecVersion = uint32(version)
		name, ok := v.Member("specName").Text()
		r.Value.SpecName = name
		fields.need("specName", ok)
		r.Value.Token = readToken(v.Member("properties"), fields)
	})
	return r, err
}

// readToken decodes the first token of a chain's properties, which is the native one.
func readToken(properties jsonscan.Value, fields *firstError) (t chain.Token) {
	first := func(name string) jsonscan.Value {
		v := properties.Member(name)
		if v.Kind() == jsonscan.Array {
			v = v.Index(0)
		}
		return v
	}
	t.Symbol, _ = first("tokenSymbol").Text()
	if v := first("tokenDecimals"); v.Kind() != jsonscan.Absent && v.Kind() != jsonscan.Null {
		decimals, err := jsonread.Uint64(v)
		fields.at("properties.tokenDecimals", err)
		t.Decimals = chain.Some(decimals)
	}
	return t
}

// readAt decodes the block whose state a response describes. The hash may be missing.
func readAt(at jsonscan.Value, fields *firstError) (height uint64, hash chain.Optional[chain.Hash]) {
	var number, text jsonscan.Value
	for key, v := range at.Members() {
		switch key {
		case "height":
			number = v
		case "hash":
			text = v
		}
	}
	height, err := jsonread.Uint64(number)
	fields.at("at.height", err)
	if text.Kind() != jsonscan.Absent {
		h, err := jsonread.Hash(text)
		fields.at("at.hash", err)
		hash = chain.Some(h)
	}
	return height, hash
}

// DecodeNodeVersion decodes a /node/version. Missing fields are empty; at least one must be present.
func DecodeNodeVersion(text string) (n chain.NodeVersion, err error) {
	err = decode("node version", text, func(v jsonscan.Value, fields *firstError) {
		n.ClientVersion, _ = v.Member("clientVersion").Text()
		n.ClientImplName, _ = v.Member("clientImplName").Text()
		n.Chain, _ = v.Member("chain").Text()
		fields.need("clientImplName", n != chain.NodeVersion{})
	})
	return n, err
}

// DecodeBalance decodes a balance-info.
func DecodeBalance(text string) (b chain.AtBlock[chain.Account], err error) {
	err = decode("balance", text, func(v jsonscan.Value, fields *firstError) {
		var err error
		b.At, b.AtHash = readAt(v.Member("at"), fields)
		b.Value.Nonce, err = jsonread.Nonce(v.Member("nonce"))
		fields.at("nonce", err)
		b.Value.Free, err = jsonread.Wei(v.Member("free"))
		fields.at("free", err)
		b.Value.Reserved, err = jsonread.Wei(v.Member("reserved"))
		fields.at("reserved", err)
		b.Value.Symbol, _ = v.Member("tokenSymbol").Text()
	})
	return b, err
}

// DecodeStorage decodes a storage item, whose value is JSON: null if it is not set. A response that names a different item is an error.
func DecodeStorage(text string, item StorageItem) (chain.AtBlock[json.RawMessage], error) {
	return decodeItem("storage", text, item, func(v jsonscan.Value) (json.RawMessage, error) {
		if v.Kind() == jsonscan.Absent {
			return nil, chain.ErrMissing
		}
		return json.RawMessage(v.Raw()), nil
	})
}
