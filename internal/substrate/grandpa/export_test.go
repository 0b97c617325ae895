package grandpa

import (
	"fmt"

	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// Verifier returns Verify with a cache of checked signatures, for tests of many changes of one justification.
func Verifier() func(*Set, *Justification) (Tally, error) {
	type check struct {
		key                Key
		message, signature string
	}
	known := map[check]bool{}
	return func(s *Set, j *Justification) (Tally, error) {
		return s.verify(j, func(key Key, message, signature []byte) bool {
			c := check{key, string(message), string(signature)}
			good, has := known[c]
			if !has {
				good = verifySignature(key, message, signature)
				known[c] = good
			}
			return good
		})
	}
}

// Nodes send each other warp sync proofs and commits. Real ones test the rules of finality.

// WarpProof is the last blocks of consecutive sets, each with its justification, as nodes send it for warp sync.
type WarpProof struct {
	Fragments []Fragment
	Finished  bool // the last fragment is the newest block, which need not hand over
}

// Fragment is a block of a [WarpProof].
type Fragment struct {
	Header        header.Header
	Justification *Justification
}

// ReadWarpProof decodes a warp sync proof. It shares the bytes.
func ReadWarpProof(encoded []byte) (p WarpProof, err error) {
	r := scale.NewReader(encoded)
	for range r.Length(minHeaderBytes) {
		f := Fragment{Header: header.ReadFrom(r), Justification: readJustification(r)}
		if r.Err() != nil {
			break
		}
		p.Fragments = append(p.Fragments, f)
	}
	p.Finished = r.Bool()
	if err := r.End(); err != nil {
		return WarpProof{}, fmt.Errorf("warp sync proof: %w", err)
	}
	return p, nil
}

// FollowWarp proves the blocks of a warp sync proof final. As nodes require, each but the newest hands over at once.
func (c *Chain) FollowWarp(p WarpProof) error {
	for i := range p.Fragments {
		f := &p.Fragments[i]
		if _, _, err := c.Finalize(f.Justification, &f.Header); err != nil {
			return err
		}
		newest := p.Finished && i == len(p.Fragments)-1
		if handsOver := c.pending != nil && c.last == f.Header.Number; !newest && !handsOver {
			return fmt.Errorf("block %d announces no set", f.Header.Number)
		}
	}
	return nil
}

// ReadCommit decodes a commit as nodes send it to each other, which names the set's ID. It has no headers.
func ReadCommit(encoded []byte) (setID uint64, j *Justification, err error) {
	r := scale.NewReader(encoded)
	j = &Justification{Round: r.U64()}
	setID, j.Target = r.U64(), readTarget(r)
	for range r.Length(32 + 4) {
		j.Votes = append(j.Votes, Vote{Target: readTarget(r)})
	}
	if n := r.Length(64 + 32); n != len(j.Votes) {
		r.Fail("%d signatures for %d votes", n, len(j.Votes))
	}
	for i := range j.Votes {
		j.Votes[i].Signature, j.Votes[i].Key = r.Bytes(64), readKey(r)
	}
	if err := r.End(); err != nil {
		return 0, nil, fmt.Errorf("commit: %w", err)
	}
	return setID, j, nil
}
