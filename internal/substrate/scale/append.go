package scale

import (
	"encoding/binary"
	"math/bits"
)

// AppendCompact appends a compact integer in its shortest form, the only one that the chain accepts.
func AppendCompact(to []byte, n uint64) []byte {
	switch {
	case n < 1<<6:
		return append(to, byte(n<<2))
	case n < 1<<14:
		return binary.LittleEndian.AppendUint16(to, uint16(n<<2|1))
	case n < 1<<30:
		return binary.LittleEndian.AppendUint32(to, uint32(n<<2|2))
	}
	size := (bits.Len64(n) + 7) / 8 // at least 4
	to = append(to, byte(size-4)<<2|3)
	return append(to, binary.LittleEndian.AppendUint64(nil, n)[:size]...)
}

// AppendBlob appends bytes with a length prefix.
func AppendBlob(to, bytes []byte) []byte {
	return append(AppendCompact(to, uint64(len(bytes))), bytes...)
}
