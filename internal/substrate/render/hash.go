package render

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/internal/substrate/metadata"
)

// hashed returns a map key in its form within the storage key.
//
// Source: paritytech/polkadot-sdk, frame/support/src/hash.rs.
func hashed(h metadata.Hasher, key []byte) []byte {
	switch h {
	case metadata.Blake2_128:
		return blake2(16, key)
	case metadata.Blake2_128Concat:
		return append(blake2(16, key), key...)
	case metadata.Blake2_256:
		return blake2(32, key)
	case metadata.Twox64Concat:
		return append(twox(64, key), key...)
	case metadata.Twox128:
		return twox(128, key)
	case metadata.Twox256:
		return twox(256, key)
	}
	return key // identity
}

// twox returns xxhash64 with the seeds 0, 1 and so on, one for each 64 bits.
func twox(bits int, bytes []byte) (sum []byte) {
	for seed := range uint64(bits / 64) {
		d := xxhash.NewWithSeed(seed)
		d.Write(bytes)
		sum = binary.LittleEndian.AppendUint64(sum, d.Sum64())
	}
	return sum
}

func blake2(size int, bytes []byte) []byte {
	h, err := blake2b.New(size, nil)
	if err != nil {
		panic(err) // all sizes used here are valid
	}
	h.Write(bytes)
	return h.Sum(nil)
}
