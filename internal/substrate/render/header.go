package render

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Header is a block's header as served by a node.
type Header header.Header

// Answer returns the response of /blocks/N/header.
func (h *Header) Answer() ([]byte, error) {
	to := append([]byte(nil), `{"parentHash":`...)
	to = appendHash(to, h.ParentHash)
	to = appendNumber(append(to, `,"number":`...), h.Number)
	to = h.roots(to)
	to = append(to, `,"digest":{"logs":[`...)
	for i, log := range h.Logs {
		d, err := readDigest(log)
		if err != nil {
			return nil, fmt.Errorf("header of block %d: digest %d: %w", h.Number, i, err)
		}
		if i > 0 {
			to = append(to, ',')
		}
		to = append(scalejson.AppendString(append(to, '{'), scalejson.CamelCase(d.Kind.String())), ':')
		to = append(d.value(to), '}')
	}
	return append(to, "]}}"...), nil
}

func (h *Header) roots(to []byte) []byte {
	to = appendHash(append(to, `,"stateRoot":`...), h.StateRoot)
	return appendHash(append(to, `,"extrinsicsRoot":`...), h.ExtrinsicsRoot)
}

func appendHash(to []byte, h chain.Hash) []byte { return appendHex(to, h[:]) }

func appendHex(to, bytes []byte) []byte {
	return append(hex.AppendEncode(append(to, `"0x`...), bytes), '"')
}

func appendNumber(to []byte, n uint64) []byte {
	return append(strconv.AppendUint(append(to, '"'), n, 10), '"')
}

// digest is an item of a header's digest.
type digest header.Digest

func readDigest(log []byte) (digest, error) {
	d, err := header.ReadDigest(log)
	return digest(d), err
}

func (d *digest) value(to []byte) []byte {
	switch {
	case d.Engine != nil:
		to = appendHex(append(to, '['), d.Engine)
		return append(appendHex(append(to, ','), d.Data), ']')
	case d.Kind == header.Other:
		return appendHex(to, d.Data)
	}
	return append(to, "null"...)
}
