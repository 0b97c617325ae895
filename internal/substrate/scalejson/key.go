package scalejson

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// Key encodes a map key from a user: an integer in decimal digits, or for other types the key's SCALE in hex,
// which must be a value of the type.
func (c *Codec) Key(id metadata.TypeID, given string) ([]byte, error) {
	if bits := c.nodes[id].bits; bits > 0 {
		n, err := strconv.ParseUint(given, 10, min(bits, 64))
		if err != nil {
			return nil, fmt.Errorf("want an integer of %d bits in decimal digits", min(bits, 64))
		}
		bytes := make([]byte, bits/8)
		for i := 0; i < len(bytes) && n > 0; i++ {
			bytes[i] = byte(n)
			n >>= 8
		}
		return bytes, nil
	}
	digits, found := strings.CutPrefix(given, "0x")
	if !found {
		return nil, errors.New("want 0x and the key's SCALE in hex")
	}
	bytes, err := hex.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("want 0x and the key's SCALE in hex: %w", err)
	}
	w := Writer{Reader: scale.NewReader(bytes)}
	c.Value(&w, id)
	return bytes, w.End()
}
