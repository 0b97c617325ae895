package finality

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// headsKey is the key of the map Paras.Heads: twox128 of "Paras" and of "Heads".
var headsKey = []byte("\xcd\x71\x0b\x30\xbd\x2e\xab\x03\x52\xdd\xcc\x26\x41\x7a\xa1\x94\x1b\x3c\x25\x2f\xcb\x29\xd8\x8e\xff\x4f\x3d\xe5\xde\x44\x76\xc3")

// HeadKey returns the storage key of a parachain's head in its relay chain: Paras.Heads, with the hasher twox64Concat.
func HeadKey(id uint32) []byte {
	encoded := binary.LittleEndian.AppendUint32(nil, id)
	key := binary.LittleEndian.AppendUint64(bytes.Clone(headsKey), xxhash.Sum64(encoded))
	return append(key, encoded...)
}

// readHeadKey returns the parachain's ID in a key of [HeadKey].
func readHeadKey(key []byte) (id uint32, err error) {
	if len(key) == len(headsKey)+8+4 {
		id = binary.LittleEndian.Uint32(key[len(key)-4:])
	}
	if !bytes.Equal(key, HeadKey(id)) {
		return 0, fmt.Errorf("0x%x is not the key of a parachain's head (Paras.Heads)", key)
	}
	return id, nil
}
