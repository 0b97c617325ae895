package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Digest is a SHA-256: of a block's record, of a part's bytes, or of what a row has.
type Digest [sha256.Size]byte

// String is 64 lower-case hex digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the digest as Digest.String does.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Seal is a sum over digests in their order: it begins with 32 zeros, and each digest makes it
// SHA-256(seal ‖ digest). That of a day, and of any blocks, is over the digests of the blocks; that
// of a month over those of its days, and that of a book over those of its months ([stretch.line]).
// So it says what it is of, and nothing else: two books that have the same blocks have the same
// seal of them.
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

// line is what the seal of a month has of a day, and that of a book of a month: the SHA-256 of its
// number and its count of blocks, of 8 bytes each, most significant first, and its seal.
func (s *stretch) line() Digest {
	text := binary.BigEndian.AppendUint64(nil, uint64(s.number))
	text = binary.BigEndian.AppendUint64(text, s.sums.Blocks)
	return sha256.Sum256(append(text, s.seal[:]...))
}
