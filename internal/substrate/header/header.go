package header

import (
	"fmt"
	"math"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// Header is a block's header.
type Header struct {
	chain.Header
	Logs [][]byte // the digest's items, SCALE
}

// Read decodes a header encoded by [Header.Encode]. It shares the bytes.
func Read(encoded []byte) (Header, error) {
	r := scale.NewReader(encoded)
	h := ReadFrom(r)
	if err := r.End(); err != nil {
		return Header{}, fmt.Errorf("header: %w", err)
	}
	return h, nil
}

// ReadFrom decodes a header that other values may follow. The reader has the error, if any.
func ReadFrom(r *scale.Reader) (h Header) {
	copy(h.ParentHash[:], r.Bytes(len(h.ParentHash)))
	h.Number = r.CompactUint()
	if h.Number > math.MaxUint32 { // as wide as the chain's heights are
		r.Fail("a height of %d exceeds 32 bits", h.Number)
	}
	copy(h.StateRoot[:], r.Bytes(len(h.StateRoot)))
	copy(h.ExtrinsicsRoot[:], r.Bytes(len(h.ExtrinsicsRoot)))
	for range r.Length(1) {
		at := r.At()
		if readDigest(r); r.Err() != nil {
			break
		}
		h.Logs = append(h.Logs, r.Since(at))
	}
	return h
}

// Encode returns the header in SCALE.
func (h *Header) Encode() []byte {
	encoded := append([]byte(nil), h.ParentHash[:]...)
	encoded = scale.AppendCompact(encoded, h.Number)
	encoded = append(encoded, h.StateRoot[:]...)
	encoded = append(encoded, h.ExtrinsicsRoot[:]...)
	encoded = scale.AppendCompact(encoded, uint64(len(h.Logs)))
	for _, log := range h.Logs {
		encoded = append(encoded, log...)
	}
	return encoded
}

// Hash returns the hash of the block.
func (h *Header) Hash() chain.Hash { return blake2b.Sum256(h.Encode()) }
