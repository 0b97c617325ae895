package answer

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/scale"
	"github.com/feeledger/fees/scalejson"
)

// Header is a block's header as the node has it.
type Header struct {
	chain.Header
	Logs [][]byte // the digest's items, SCALE
}

// Answer is the answer of /blocks/N/header.
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
		to = append(scalejson.AppendString(append(to, '{'), scalejson.CamelCase(d.kind.name())), ':')
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

// digestKind is a kind of a digest's item, by its number in the encoding.
type digestKind uint8

const (
	otherDigest        digestKind = 0
	consensus          digestKind = 4
	seal               digestKind = 5
	preRuntime         digestKind = 6
	environmentUpdated digestKind = 8
)

func (k digestKind) name() string {
	switch k {
	case consensus:
		return "Consensus"
	case seal:
		return "Seal"
	case preRuntime:
		return "PreRuntime"
	case environmentUpdated:
		return "RuntimeEnvironmentUpdated"
	}
	return "Other"
}

// digest is an item of a header's digest.
type digest struct {
	kind   digestKind
	engine []byte // whose it is: 4 bytes, none where the kind has no engine
	data   []byte
}

func readDigest(log []byte) (d digest, err error) {
	r := scale.NewReader(log)
	switch d.kind = digestKind(r.U8()); d.kind {
	case consensus, seal, preRuntime:
		d.engine = r.Bytes(4)
		d.data = r.Blob()
	case otherDigest:
		d.data = r.Blob()
	case environmentUpdated:
	default:
		r.Fail("no kind of digest is %d", d.kind)
	}
	return d, r.End()
}

func (d *digest) value(to []byte) []byte {
	switch {
	case d.engine != nil:
		to = appendHex(append(to, '['), d.engine)
		return append(appendHex(append(to, ','), d.data), ']')
	case d.kind == otherDigest:
		return appendHex(to, d.data)
	}
	return append(to, "null"...)
}
