package scalejson

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
)

func primitiveCoding(p metadata.PrimitiveKind) coding {
	switch p {
	case metadata.Bool:
		return coding{write: func(c *coder, v jsonscan.Value) {
			b, ok := v.Bool()
			switch {
			case !ok:
				c.wrong("true or false", v)
			case b:
				c.add(1)
			default:
				c.add(0)
			}
		}}
	case metadata.Str:
		return coding{write: func(c *coder, v jsonscan.Value) {
			text, ok := v.Text()
			if !ok || !utf8.ValidString(text) {
				c.wrong("a text", v)
				return
			}
			c.length(len(text))
			c.bytes = append(c.bytes, text...)
		}}
	case metadata.Char:
		return unsignedCoding(32)
	case metadata.U8:
		n := unsignedCoding(8)
		n.kind = octet
		return n
	case metadata.U16, metadata.U32, metadata.U64, metadata.U128, metadata.U256:
		return unsignedCoding(8 << (p - metadata.U8))
	}
	size := 8 << (p - metadata.I8)
	return coding{write: func(c *coder, v jsonscan.Value) { c.signed(v, size) }}
}

func unsignedCoding(bits int) coding {
	return coding{bits: bits, write: func(c *coder, v jsonscan.Value) {
		n, _ := c.unsigned(v, bits)
		c.add(n[:bits/8]...)
	}}
}

func (e *Encoder) compact(t *metadata.Type) coding {
	bits := e.node(t.Element).bits
	if bits == 0 {
		return cannot(&e.metadata.Types[t.Element], "it is compact but not an unsigned integer")
	}
	return coding{write: func(c *coder, v jsonscan.Value) {
		if n, ok := c.unsigned(v, bits); ok {
			c.compact(n[:])
		}
	}}
}

// integer is an integer of at most 256 bits, little-endian.
type integer [32]byte

// digits returns the digits of an integer, from a string or a JSON number, and whether it is negative.
func digits(v jsonscan.Value) (text string, negative, ok bool) {
	text, ok = v.Text()
	if v.Kind() == jsonscan.Number {
		text, ok = v.Raw(), true
	}
	text, negative = strings.CutPrefix(text, "-")
	return text, negative, ok && text != "" && strings.Trim(text, "0123456789") == ""
}

// readMagnitude parses decimal digits. It fails above 256 bits.
func readMagnitude(text string) (n integer, fits bool) {
	var limbs [4]uint64
	for i := range len(text) {
		carry := uint64(text[i] - '0')
		for j := range limbs {
			high, low := bits.Mul64(limbs[j], 10)
			sum, over := bits.Add64(low, carry, 0)
			limbs[j], carry = sum, high+over
		}
		if carry > 0 {
			return n, false
		}
	}
	for i, limb := range limbs {
		binary.LittleEndian.PutUint64(n[8*i:], limb)
	}
	return n, true
}

// unsigned parses an unsigned integer.
func (c *coder) unsigned(v jsonscan.Value, bits int) (n integer, ok bool) {
	text, negative, ok := digits(v)
	if ok && !negative {
		n, ok = readMagnitude(text)
		for _, b := range n[bits/8:] {
			ok = ok && b == 0
		}
		if ok {
			return n, true
		}
	}
	c.wrong(fmt.Sprintf("an unsigned integer of %d bits in decimal digits", bits), v)
	return integer{}, false
}

// signed writes an integer in two's complement.
func (c *coder) signed(v jsonscan.Value, bits int) {
	size := bits / 8
	text, negative, ok := digits(v)
	var n integer
	if ok {
		n, ok = readMagnitude(text)
	}
	if negative {
		carry := uint16(1)
		for i := range n {
			carry += uint16(^n[i])
			n[i] = byte(carry)
			carry >>= 8
		}
	}
	// The bits above the size repeat the sign. Zero is never negative.
	sign := byte(int8(n[size-1]) >> 7)
	for _, b := range n[size:] {
		ok = ok && b == sign
	}
	if !ok || size == len(n) && negative != (sign != 0) && n != (integer{}) {
		c.wrong(fmt.Sprintf("an integer of %d bits in decimal digits", bits), v)
		return
	}
	c.add(n[:size]...)
}

// compact writes an unsigned integer in the shortest compact form.
func (c *coder) compact(n []byte) {
	for len(n) > 0 && n[len(n)-1] == 0 {
		n = n[:len(n)-1]
	}
	var wide [8]byte
	copy(wide[:], n)
	small := binary.LittleEndian.Uint64(wide[:])
	switch {
	case len(n) > 8 || small >= 1<<30:
		size := max(len(n), 4)
		c.add(byte(size-4)<<2 | 3)
		c.add(n...)
		c.add(make([]byte, size-len(n))...)
	case small < 1<<6:
		c.add(byte(small << 2))
	case small < 1<<14:
		c.bytes = binary.LittleEndian.AppendUint16(c.bytes, uint16(small<<2|1))
	default:
		c.bytes = binary.LittleEndian.AppendUint32(c.bytes, uint32(small<<2|2))
	}
}

// length writes the number of elements that follow.
func (c *coder) length(n int) { c.compact(binary.LittleEndian.AppendUint64(nil, uint64(n))) }

// hex parses bytes in 0x-hex, exactly size bytes unless size is negative.
func (c *coder) hex(v jsonscan.Value, size int) (bytes []byte, ok bool) {
	text, _ := v.Text()
	digits, prefixed := strings.CutPrefix(text, "0x")
	bytes, err := hex.DecodeString(digits)
	ok = prefixed && err == nil
	switch {
	case size < 0 && !ok:
		c.wrong("0x and pairs of hex digits", v)
	case size >= 0 && (!ok || len(bytes) != size):
		c.wrong(fmt.Sprintf("0x and the hex digits of %d bytes", size), v)
		return nil, false
	}
	return bytes, ok
}
