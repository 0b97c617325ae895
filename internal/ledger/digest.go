package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
)

// Seal is a sum over the digests of blocks, in the order of their heights: it begins
// with zeros, and each block makes it SHA-256(seal ‖ digest). So it says of which blocks
// it is, and of nothing else: two books that have them have the same seal of them.
type Seal [sha256.Size]byte

// String is 64 lower-case hex digits.
func (s Seal) String() string { return hex.EncodeToString(s[:]) }

// MarshalText writes the seal as Seal.String does.
func (s Seal) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// After is the seal when a block with this digest is added.
func (s Seal) After(d Digest) Seal {
	var both [2 * sha256.Size]byte
	copy(both[:], s[:])
	copy(both[sha256.Size:], d[:])
	return sha256.Sum256(both[:])
}

// The tags that begin a value in the encoding.
const (
	tagNull = iota
	tagInteger
	tagText // amounts too
	tagData
	tagFalse
	tagTrue
	tagOther = 0xff // what no column holds: nothing that was written has it
)

// encoder writes values in the canonical encoding.
type encoder struct {
	sum     hash.Hash
	buffer  []byte
	written uint64
}

func (e *encoder) value(v value) {
	switch v := v.(type) {
	case nil:
		e.buffer = append(e.buffer, tagNull)
	case int64:
		e.integer(v)
	case string:
		e.text(v)
	case []byte:
		e.head(tagData, len(v))
		e.buffer = append(e.buffer, v...)
	case bool:
		if v {
			e.buffer = append(e.buffer, tagTrue)
		} else {
			e.buffer = append(e.buffer, tagFalse)
		}
	default:
		e.buffer = append(e.buffer, tagOther)
		e.text(fmt.Sprintf("%T %v", v, v))
	}
}

// data writes what may be long, without a copy.
func (e *encoder) data(v []byte) {
	e.head(tagData, len(v))
	e.flush()
	e.sum.Write(v)
	e.written += uint64(len(v))
}

func (e *encoder) integer(v int64) {
	e.buffer = append(e.buffer, tagInteger)
	e.buffer = binary.BigEndian.AppendUint64(e.buffer, uint64(v))
}

func (e *encoder) text(v string) {
	e.head(tagText, len(v))
	e.buffer = append(e.buffer, v...)
}

// head begins what has a length.
func (e *encoder) head(tag byte, length int) {
	e.buffer = append(e.buffer, tag)
	e.buffer = binary.BigEndian.AppendUint32(e.buffer, uint32(length))
}

// end is the sum, and how many bytes it is of.
func (e *encoder) end() (Digest, uint64) {
	e.flush()
	return Digest(e.sum.Sum(nil)), e.written
}

func (e *encoder) flush() {
	e.sum.Write(e.buffer)
	e.written += uint64(len(e.buffer))
	e.buffer = e.buffer[:0]
}

// digestOf is the sum of a row's values.
func digestOf(r row) Digest {
	e := encoder{sum: sha256.New()}
	for _, v := range r {
		e.value(v)
	}
	sum, _ := e.end()
	return sum
}
