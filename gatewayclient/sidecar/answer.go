package sidecar

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// DecodeHeader decodes a block's header.
func DecodeHeader(text string) (chain.Header, error) {
	var h chain.Header
	err := decode("header", text, func(v chain.Value, fields *firstError) {
		var err error
		h.Number, err = chain.ReadUint64(v.Member("number"))
		fields.at("number", err)
		h.ParentHash, err = chain.Read[chain.Hash](v.Member("parentHash"))
		fields.at("parentHash", err)
		h.StateRoot, err = chain.Read[chain.Hash](v.Member("stateRoot"))
		fields.at("stateRoot", err)
		h.ExtrinsicsRoot, err = chain.Read[chain.Hash](v.Member("extrinsicsRoot"))
		fields.at("extrinsicsRoot", err)
	})
	return h, err
}

// DecodeMultiplier decodes the storage item transactionPayment.nextFeeMultiplier.
func DecodeMultiplier(text string) (m chain.AtBlock[chain.Multiplier], err error) {
	err = decode("multiplier", text, func(v chain.Value, fields *firstError) {
		var err error
		m.At, m.AtHash = readAt(v.Member("at"), fields)
		m.Value, err = chain.Read[chain.Multiplier](v.Member("value"))
		fields.at("value", err)
	})
	return m, err
}

// DecodeRuntime decodes a /runtime/spec: the runtime after a block, which executes the next block.
func DecodeRuntime(text string) (r chain.AtBlock[chain.Runtime], err error) {
	err = decode("runtime spec", text, func(v chain.Value, fields *firstError) {
		r.At, r.AtHash = readAt(v.Member("at"), fields)
		version, err := chain.ReadUint64(v.Member("specVersion"))
		if err == nil && version > 1<<32-1 {
			err = fmt.Errorf("%d is more than 32 bits", version)
		}
		fields.at("specVersion", err)
		r.Value.SpecVersion = uint32(version)
		name, ok := v.Member("specName").Text()
		r.Value.SpecName = name
		fields.need("specName", ok)
	})
	return r, err
}

// readAt decodes the block whose state a response describes. The hash may be missing.
func readAt(at chain.Value, fields *firstError) (height uint64, hash chain.Optional[chain.Hash]) {
	height, err := chain.ReadUint64(at.Member("height"))
	fields.at("at.height", err)
	if v := at.Member("hash"); v.Kind() != jsonscan.Absent {
		h, err := chain.Read[chain.Hash](v)
		fields.at("at.hash", err)
		hash = chain.Some(h)
	}
	return height, hash
}

// DecodeNodeVersion decodes a /node/version. Missing fields are empty; at least one must be present.
func DecodeNodeVersion(text string) (n chain.NodeVersion, err error) {
	err = decode("node version", text, func(v chain.Value, fields *firstError) {
		n.ClientVersion, _ = v.Member("clientVersion").Text()
		n.ClientImplName, _ = v.Member("clientImplName").Text()
		n.Chain, _ = v.Member("chain").Text()
		fields.need("clientImplName", n != chain.NodeVersion{})
	})
	return n, err
}

// DecodeBalance decodes a balance-info.
func DecodeBalance(text string) (b chain.AtBlock[chain.Account], err error) {
	err = decode("balance", text, func(v chain.Value, fields *firstError) {
		var err error
		b.At, b.AtHash = readAt(v.Member("at"), fields)
		b.Value.Nonce, err = chain.Read[chain.Nonce](v.Member("nonce"))
		fields.at("nonce", err)
		b.Value.Free, err = chain.Read[chain.Wei](v.Member("free"))
		fields.at("free", err)
		b.Value.Reserved, err = chain.Read[chain.Wei](v.Member("reserved"))
		fields.at("reserved", err)
		b.Value.Symbol, _ = v.Member("tokenSymbol").Text()
	})
	return b, err
}

// DecodeStorage decodes a storage item: null if it is not set.
func DecodeStorage(text string) (s chain.AtBlock[chain.Value], err error) {
	err = decode("storage", text, func(v chain.Value, fields *firstError) {
		s.At, s.AtHash = readAt(v.Member("at"), fields)
		s.Value = v.Member("value")
		fields.need("value", s.Value.Kind() != jsonscan.Absent)
	})
	return s, err
}
