package scale

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// ErrShort says that the bytes end before the value does.
var ErrShort = errors.New("the bytes end too early")

// Error says where bytes are not what they should be.
type Error struct {
	At  int // byte
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("SCALE at byte %d: %v", e.At, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// Reader reads values one after the other. What it returns of bytes is a part of what it
// reads, and no copy.
type Reader struct {
	bytes []byte
	at    int
	err   error
}

// NewReader reads bytes from their beginning.
func NewReader(bytes []byte) *Reader { return &Reader{bytes: bytes} }

// Err is the first error, nil where there was none.
func (r *Reader) Err() error { return r.err }

// At is how many bytes were read.
func (r *Reader) At() int { return r.at }

// Left is how many bytes are left.
func (r *Reader) Left() int { return len(r.bytes) - r.at }

// Since are the bytes from a place that At told up to here.
func (r *Reader) Since(at int) []byte { return r.bytes[at:r.at] }

// Fail notes an error at the last value that was read, unless there is one already.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = &Error{r.at, fmt.Errorf(format, args...)}
	}
}

// End wants all bytes to be read. It returns the first error.
func (r *Reader) End() error {
	if r.Left() > 0 {
		r.Fail("%d bytes are left over", r.Left())
	}
	return r.err
}

// Bytes are the next n bytes.
func (r *Reader) Bytes(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n < 0 || n > r.Left() {
		r.err = &Error{r.at, fmt.Errorf("%w: want %d bytes, have %d", ErrShort, n, r.Left())}
		return nil
	}
	r.at += n
	return r.bytes[r.at-n : r.at : r.at]
}

// U8 is an integer of one byte.
func (r *Reader) U8() uint8 {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// U16 is an integer of two bytes.
func (r *Reader) U16() uint16 {
	if b := r.Bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// U32 is an integer of four bytes.
func (r *Reader) U32() uint32 {
	if b := r.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 is an integer of eight bytes.
func (r *Reader) U64() uint64 {
	if b := r.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Bool is a byte that is 0 or 1.
func (r *Reader) Bool() bool {
	b := r.U8()
	if b > 1 {
		r.Fail("a truth value is %d", b)
	}
	return b == 1
}

// Option tells whether an optional value follows.
func (r *Reader) Option() bool { return r.Bool() }

// Compact is a compact integer: its little-endian bytes, of which there are at most 67. The
// shortest form is wanted, as by the chain.
func (r *Reader) Compact() []byte {
	if r.err != nil || r.Left() == 0 || r.bytes[r.at]&3 != 3 {
		return binary.LittleEndian.AppendUint32(nil, uint32(r.small()))
	}
	n := int(r.U8()>>2) + 4
	b := r.Bytes(n)
	if len(b) == n && (b[n-1] == 0 || n == 4 && b[3] < 0x40) {
		r.Fail(longer)
	}
	return b
}

const longer = "a compact integer is longer than it need be"

// small is a compact integer of at most 30 bits.
func (r *Reader) small() (value uint32) {
	if r.Left() == 0 {
		return uint32(r.U8()) // too short
	}
	var least uint32
	switch r.bytes[r.at] & 3 {
	case 0:
		return uint32(r.U8() >> 2)
	case 1:
		value, least = uint32(r.U16()>>2), 1<<6
	case 2:
		value, least = r.U32()>>2, 1<<14
	}
	if r.err == nil && value < least {
		r.Fail(longer)
	}
	return value
}

// CompactUint is a compact integer of at most 64 bits.
func (r *Reader) CompactUint() uint64 {
	if r.err != nil || r.Left() == 0 || r.bytes[r.at]&3 != 3 {
		return uint64(r.small())
	}
	b := r.Compact()
	if len(b) > 8 {
		r.Fail("a compact integer has %d bytes, want at most 8", len(b))
		return 0
	}
	var wide [8]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint64(wide[:])
}

// Length is how many elements follow, of at least so many bytes each: no more than the
// bytes that are left can hold. Elements without bytes are taken for ones of a byte.
func (r *Reader) Length(least int) int {
	n := r.CompactUint()
	if r.err == nil && n > uint64(r.Left()/max(least, 1)) {
		r.Fail("%w: %d elements do not fit into %d bytes", ErrShort, n, r.Left())
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

// Blob are bytes behind their length.
func (r *Reader) Blob() []byte { return r.Bytes(r.Length(1)) }

// Text is UTF-8 behind its length.
func (r *Reader) Text() string {
	b := r.Blob()
	if !utf8.Valid(b) {
		r.Fail("a text is no UTF-8")
	}
	return string(b)
}
