package grandpa

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// voteBytes is the size of a signed vote: block hash, number, signature and key.
const voteBytes = 32 + 4 + 64 + 32

// minHeaderBytes is the size of the shortest header: three hashes, a number and no digest.
const minHeaderBytes = 3*32 + 2

// Vote is a validator's signed vote (precommit) for a block.
type Vote struct {
	Target    chain.Anchor
	Signature []byte
	Key       Key
}

// Justification is a commit, the votes that finalize a block, with the headers that link the votes to it.
type Justification struct {
	Round  uint64
	Target chain.Anchor // no signature covers its height
	Votes  []Vote
	// Ancestries are the headers of the blocks above the target, up to those that votes are for.
	Ancestries []header.Header
}

// ReadJustification decodes a justification as nodes store and send it. It shares the bytes.
func ReadJustification(encoded []byte) (*Justification, error) {
	r := scale.NewReader(encoded)
	j := readJustification(r)
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("justification: %w", err)
	}
	return j, nil
}

func readJustification(r *scale.Reader) *Justification {
	j := &Justification{Round: r.U64(), Target: readTarget(r)}
	for range r.Length(voteBytes) {
		j.Votes = append(j.Votes, Vote{Target: readTarget(r), Signature: r.Bytes(64), Key: readKey(r)})
	}
	j.Ancestries = readHeaders(r)
	return j
}

func readTarget(r *scale.Reader) (a chain.Anchor) {
	copy(a.Hash[:], r.Bytes(len(a.Hash)))
	a.Height = uint64(r.U32())
	return a
}

func readKey(r *scale.Reader) (k Key) {
	copy(k[:], r.Bytes(len(k)))
	return k
}

func readHeaders(r *scale.Reader) (list []header.Header) {
	for range r.Length(minHeaderBytes) {
		h := header.ReadFrom(r)
		if r.Err() != nil {
			return nil
		}
		list = append(list, h)
	}
	return list
}
