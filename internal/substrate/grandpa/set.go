package grandpa

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// maxAuthorities is the limit that Polkadot's runtime sets, far above the number of validators of any chain.
const maxAuthorities = 100_000

// authorityBytes is the size of an entry of an authority list: a key and a weight.
const authorityBytes = 32 + 8

// Key is a validator's ed25519 public key.
type Key [32]byte

// Set is a set of validators, with the ID that their signatures cover.
type Set struct {
	ID    uint64
	First uint64     // lowest block that it can finalize; 0 if unknown
	Hash  chain.Hash // blake2b-256 of the authority list, which identifies the set
	List  []byte     // the encoded authority list

	weights map[Key]uint64
	total   uint64
}

// NewSet returns the set with an ID and an encoded authority list: keys with their weights. A key that is listed twice
// has the sum of its weights, and one without weight is not a member.
func NewSet(id uint64, authorities []byte) (*Set, error) {
	r := scale.NewReader(authorities)
	readAuthorities(r)
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("authority list: %w", err)
	}
	s := &Set{ID: id, Hash: blake2b.Sum256(authorities), List: authorities, weights: map[Key]uint64{}}
	r = scale.NewReader(authorities)
	for range r.Length(authorityBytes) {
		key, weight := readKey(r), r.U64()
		sum, carry := bits.Add64(s.total, weight, 0)
		if carry != 0 {
			return nil, errors.New("authority list: the weights exceed 64 bits")
		}
		if s.total = sum; weight > 0 {
			s.weights[key] += weight
		}
	}
	if s.total == 0 {
		return nil, errors.New("authority list: it has no weight")
	}
	return s, nil
}

// readAuthorities reads an authority list, and returns its bytes.
func readAuthorities(r *scale.Reader) []byte {
	at := r.At()
	n := r.Length(authorityBytes)
	if n > maxAuthorities {
		r.Fail("%d authorities, want at most %d", n, maxAuthorities)
	}
	r.Bytes(n * authorityBytes)
	return r.Since(at)
}

// Members returns the number of validators.
func (s *Set) Members() int { return len(s.weights) }

// Total returns the weight of all validators.
func (s *Set) Total() uint64 { return s.total }

// Threshold returns the weight that finalizes a block: more than two thirds.
//
//	threshold = total − ⌊(total − 1) / 3⌋
func (s *Set) Threshold() uint64 { return s.total - (s.total-1)/3 }

// next returns the set after s.
func (s *Set) next(authorities []byte, first uint64) (*Set, error) {
	if s.ID == math.MaxUint64 {
		return nil, errors.New("no ID can follow the last one")
	}
	next, err := NewSet(s.ID+1, authorities)
	if err == nil {
		next.First = first
	}
	return next, err
}
