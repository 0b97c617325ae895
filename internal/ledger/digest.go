package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/feeledger/fees/chain"
)

// Digest is a SHA-256 of a block's record, a part's bytes or a row.
type Digest [sha256.Size]byte

// String returns 64 lower-case hex digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText returns the digest as Digest.String does.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses 64 lower-case hex digits.
func (d *Digest) UnmarshalText(text []byte) error {
	parsed, err := hex.DecodeString(string(text))
	if err != nil || len(parsed) != len(d) || hex.EncodeToString(parsed) != string(text) {
		return errors.New("a SHA-256 must be 64 lower-case hex digits")
	}
	copy(d[:], parsed)
	return nil
}

// Seal is a sum over digests in their order: it starts with 32 zeros, and each digest turns it into
// SHA-256(seal ‖ digest). A day's seal covers the digests of its blocks; the seal of a month, a period or a
// ledger covers the lines of its days ([stretch.line]). It depends only on the blocks: two ledgers with the
// same blocks have the same seal.
type Seal [sha256.Size]byte

// String returns 64 lower-case hex digits.
func (s Seal) String() string { return hex.EncodeToString(s[:]) }

// MarshalText returns the seal as Seal.String does.
func (s Seal) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// After returns the seal extended by a digest.
func (s Seal) After(d Digest) Seal {
	var both [2 * sha256.Size]byte
	copy(both[:], s[:])
	copy(both[sha256.Size:], d[:])
	return sha256.Sum256(both[:])
}

// Seals computes the seal of blocks that are added in order of height.
type Seals struct{ days []*stretch }

// Add adds the next block.
func (s *Seals) Add(at chain.Optional[chain.Time], d Digest) {
	number := daily.numberOf(at)
	place, there := slices.BinarySearchFunc(s.days, number, func(day *stretch, number int64) int { return cmp.Compare(day.number, number) })
	if !there {
		s.days = slices.Insert(s.days, place, &stretch{unit: daily, number: number})
	}
	day := s.days[place]
	day.seal = day.seal.After(d)
	day.sums.Blocks++
}

// Seal returns the seal of all added blocks.
func (s *Seals) Seal() Seal { return sealOf(s.days) }

// sealOf returns the seal of the blocks of some days.
func sealOf(days []*stretch) (seal Seal) {
	for _, day := range days {
		seal = seal.After(day.line())
	}
	return seal
}

// line returns a day's contribution to a seal: the SHA-256 of its number and its count of blocks, 8 bytes
// each, big-endian, and its seal.
func (s *stretch) line() Digest {
	text := binary.BigEndian.AppendUint64(nil, uint64(s.number))
	text = binary.BigEndian.AppendUint64(text, s.sums.Blocks)
	return sha256.Sum256(append(text, s.seal[:]...))
}
