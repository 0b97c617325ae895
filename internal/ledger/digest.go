package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/feeledger/fees/chain"
)

// Digest is a SHA-256: of a block's record, of a part's bytes, or of what a row has.
type Digest [sha256.Size]byte

// String is 64 lower-case hex digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the digest as Digest.String does.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Seal is a sum over digests in their order: it begins with 32 zeros, and each digest makes it
// SHA-256(seal ‖ digest). That of a day is over the digests of its blocks. That of a month, of a
// period and of a book is over the lines of the days that its blocks are of ([stretch.line]). So it
// says what it is of, and nothing else: two books that have the same blocks have the same seal of them.
type Seal [sha256.Size]byte

// String is 64 lower-case hex digits.
func (s Seal) String() string { return hex.EncodeToString(s[:]) }

// MarshalText writes the seal as Seal.String does.
func (s Seal) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// After is the seal when something with this digest is added.
func (s Seal) After(d Digest) Seal {
	var both [2 * sha256.Size]byte
	copy(both[:], s[:])
	copy(both[sha256.Size:], d[:])
	return sha256.Sum256(both[:])
}

// Seals makes the seal of blocks that are added in the order of their heights.
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

// Seal is that of all blocks that were added.
func (s *Seals) Seal() Seal { return sealOf(s.days) }

// sealOf is the seal of the blocks of some days.
func sealOf(days []*stretch) (seal Seal) {
	for _, day := range days {
		seal = seal.After(day.line())
	}
	return seal
}

// line is what a seal has of a day: the SHA-256 of its number and its count of blocks, of 8 bytes
// each, most significant first, and its seal.
func (s *stretch) line() Digest {
	text := binary.BigEndian.AppendUint64(nil, uint64(s.number))
	text = binary.BigEndian.AppendUint64(text, s.sums.Blocks)
	return sha256.Sum256(append(text, s.seal[:]...))
}
