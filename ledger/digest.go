package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// Digest is the SHA-256 of a block's rows in the encoding that the package's
// documentation gives.
type Digest [sha256.Size]byte

// String is 64 lower-case hex digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the digest as Digest.String does.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Seal is a sum over all digests of a book up to a height, in their order: the
// seal of a block is SHA-256(seal before ‖ digest), the one before the first is all
// zeros. Two books with the same seal have the same rows up to there.
type Seal [sha256.Size]byte

// String is 64 lower-case hex digits.
func (s Seal) String() string { return hex.EncodeToString(s[:]) }

// MarshalText writes the seal as Seal.String does.
func (s Seal) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// After is the seal when a block with this digest is added.
func (s Seal) After(d Digest) Seal {
	return sha256.Sum256(append(s[:], d[:]...))
}

// The tags that begin a value in the encoding.
const (
	tagNull = iota
	tagInteger
	tagText // amounts too
	tagData
	tagFalse
	tagTrue
)

// digestOf sums up the rows of a block, and counts the bytes of their encoding.
func digestOf(rows *[tableCount][]row) (Digest, uint64) {
	e := encoder{sum: sha256.New(), buffer: make([]byte, 0, 1024)}
	for t := range rows {
		e.text(tables[t].name)
		e.integer(int64(len(rows[t])))
		for _, r := range rows[t] {
			for i, c := range tables[t].columns {
				if c.mark != state {
					e.value(r[i])
				}
			}
			e.flush()
		}
	}
	return e.end()
}

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
		e.buffer = append(e.buffer, tagData)
		e.buffer = binary.BigEndian.AppendUint32(e.buffer, uint32(len(v)))
		e.buffer = append(e.buffer, v...)
	case bool:
		if v {
			e.buffer = append(e.buffer, tagTrue)
		} else {
			e.buffer = append(e.buffer, tagFalse)
		}
	default:
		panic("ledger: a value of no kind")
	}
}

func (e *encoder) integer(v int64) {
	e.buffer = append(e.buffer, tagInteger)
	e.buffer = binary.BigEndian.AppendUint64(e.buffer, uint64(v))
}

func (e *encoder) text(v string) {
	e.buffer = append(e.buffer, tagText)
	e.buffer = binary.BigEndian.AppendUint32(e.buffer, uint32(len(v)))
	e.buffer = append(e.buffer, v...)
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
