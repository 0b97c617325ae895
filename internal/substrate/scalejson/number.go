package scalejson

import (
	"encoding/binary"
	"math/bits"
	"strconv"
)

// chunk is the largest power of ten in 64 bits.
const (
	chunk       = 1e19
	chunkDigits = 19
)

// appendDecimal writes an unsigned little-endian integer of at most 67 bytes.
func appendDecimal(to, bytes []byte) []byte {
	for len(bytes) > 8 && bytes[len(bytes)-1] == 0 {
		bytes = bytes[:len(bytes)-1]
	}
	if len(bytes) <= 8 {
		var n uint64
		for i, b := range bytes {
			n |= uint64(b) << (8 * i)
		}
		return strconv.AppendUint(to, n, 10)
	}
	var limbs [9]uint64
	for i := range limbs {
		if i*8 < len(bytes) {
			var wide [8]byte
			copy(wide[:], bytes[i*8:])
			limbs[i] = binary.LittleEndian.Uint64(wide[:])
		}
	}
	var chunks [9]uint64 // the last digits first
	n := 0
	for used := len(limbs); ; n++ {
		for used > 0 && limbs[used-1] == 0 {
			used--
		}
		if used < 2 {
			if limbs[0] >= chunk {
				chunks[n] = limbs[0] % chunk
				n++
				limbs[0] /= chunk
			}
			break
		}
		var rest uint64
		for i := used - 1; i >= 0; i-- {
			limbs[i], rest = bits.Div64(rest, limbs[i], chunk)
		}
		chunks[n] = rest
	}
	to = strconv.AppendUint(to, limbs[0], 10)
	for n--; n >= 0; n-- {
		var digits [chunkDigits]byte
		for i, rest := chunkDigits-1, chunks[n]; i >= 0; i-- {
			digits[i] = '0' + byte(rest%10)
			rest /= 10
		}
		to = append(to, digits[:]...)
	}
	return to
}

// appendSigned writes a little-endian integer in two's complement.
func appendSigned(to, bytes []byte) []byte {
	if negative(bytes) {
		to = append(to, '-')
	}
	return appendDecimal(to, magnitude(bytes))
}

func negative(bytes []byte) bool { return len(bytes) > 0 && bytes[len(bytes)-1] >= 0x80 }

// magnitude returns the absolute value of an integer in two's complement.
func magnitude(bytes []byte) []byte {
	if !negative(bytes) {
		return bytes
	}
	distance := make([]byte, len(bytes))
	carry := uint16(1)
	for i, b := range bytes {
		carry += uint16(^b)
		distance[i] = byte(carry)
		carry >>= 8
	}
	return distance
}
