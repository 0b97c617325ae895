package scale

import (
	"encoding/binary"
	"errors"
	"fmt"
	mathbits "math/bits"
	"unicode/utf8"
)

// ErrShort means that the bytes end before the value does.
var ErrShort = errors.New("the bytes end too early")

// Error gives the position of invalid bytes.
type Error struct {
	At  int // offset in bytes
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("SCALE at byte %d: %v", e.At, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// Reader reads values in sequence. Byte slices that it returns share its input.
type Reader struct {
	bytes []byte
	at    int
	err   error
}

// NewReader returns a Reader at the start of bytes.
func NewReader(bytes []byte) *Reader { return &Reader{bytes: bytes} }

// Err returns the first error, or nil.
func (r *Reader) Err() error { return r.err }

// At returns the number of bytes read.
func (r *Reader) At() int { return r.at }

// Left returns the number of bytes left.
func (r *Reader) Left() int { return len(r.bytes) - r.at }

// Since returns the bytes from an earlier result of At up to the current position.
func (r *Reader) Since(at int) []byte { return r.bytes[at:r.at] }

// Fail records an error at the last value read, unless there is one already.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = &Error{r.at, fmt.Errorf(format, args...)}
	}
}

// End returns the first error, which includes unread bytes.
func (r *Reader) End() error {
	if r.Left() > 0 {
		r.Fail("%d bytes left over", r.Left())
	}
	return r.err
}

// Bytes reads n bytes.
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

// U8 reads an integer of one byte.
func (r *Reader) U8() uint8 {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// U16 reads an integer of two bytes.
func (r *Reader) U16() uint16 {
	if b := r.Bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// U32 reads an integer of four bytes.
func (r *Reader) U32() uint32 {
	if b := r.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 reads an integer of eight bytes.
func (r *Reader) U64() uint64 {
	if b := r.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Bool reads a byte that is 0 or 1.
func (r *Reader) Bool() bool {
	b := r.U8()
	if b > 1 {
		r.Fail("a bool is %d, want 0 or 1", b)
	}
	return b == 1
}

// Option reports whether an optional value follows.
func (r *Reader) Option() bool { return r.Bool() }

// Compact reads a compact integer: its little-endian bytes, at most 67. The shortest form is required, as on
// the chain.
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

const longer = "a compact integer is not in its shortest form"

// small reads a compact integer of at most 30 bits.
func (r *Reader) small() (value uint32) {
	if r.Left() == 0 {
		return uint32(r.U8()) // too short
	}
	var minimum uint32
	switch r.bytes[r.at] & 3 {
	case 0:
		return uint32(r.U8() >> 2)
	case 1:
		value, minimum = uint32(r.U16()>>2), 1<<6
	case 2:
		value, minimum = r.U32()>>2, 1<<14
	}
	if r.err == nil && value < minimum {
		r.Fail(longer)
	}
	return value
}

// CompactUint reads a compact integer of at most 64 bits.
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

// Length reads the number of elements that follow, of at minSize minSize bytes each; it must fit the remaining
// bytes. Elements without bytes are counted as one byte each.
func (r *Reader) Length(minSize int) int {
	n := r.CompactUint()
	if r.err == nil && n > uint64(r.Left()/max(minSize, 1)) {
		r.Fail("%w: %d elements do not fit into %d bytes", ErrShort, n, r.Left())
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

// Blob reads bytes with a length prefix.
func (r *Reader) Blob() []byte { return r.Bytes(r.Length(1)) }

// Text reads UTF-8 with a length prefix.
func (r *Reader) Text() string {
	b := r.Blob()
	if !utf8.Valid(b) {
		r.Fail("a text is not valid UTF-8")
	}
	return string(b)
}

// CompactWord reads a compact integer of a type of bits bits, as a word with the most significant byte first.
func (r *Reader) CompactWord(bits int) (word [32]byte) {
	width := 0
	if r.err != nil || r.Left() == 0 || r.bytes[r.at]&3 != 3 {
		n := r.small()
		binary.BigEndian.PutUint32(word[len(word)-4:], n)
		width = mathbits.Len32(n)
	} else {
		for i, b := range r.Compact() {
			if b != 0 {
				width = 8*i + mathbits.Len8(b)
			}
			if i < len(word) {
				word[len(word)-1-i] = b
			}
		}
	}
	if width > bits {
		r.Fail("a compact integer has more than %d bits", bits)
	}
	return word
}
