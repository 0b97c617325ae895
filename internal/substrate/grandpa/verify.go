package grandpa

import (
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
)

// ErrNotFinal means that a justification does not prove its target final.
var ErrNotFinal = errors.New("not proved final")

// maxVotesEach limits the votes per validator, on average. A validator that follows the rules votes once.
const maxVotesEach = 4

// Tally is the result of counting the votes of a valid justification.
type Tally struct {
	Signers       int // validators that voted
	Equivocations int // of these, the number with different votes
	Weight        uint64
}

// Verify checks that a justification proves its target final, by the rule in the package's documentation. The error
// is [ErrNotFinal].
func (s *Set) Verify(j *Justification) (Tally, error) { return s.verify(j, verifySignature) }

func verifySignature(key Key, message, signature []byte) bool {
	return ed25519.Verify(key[:], message, signature)
}

// verify checks signatures last: they take nearly all of the time.
func (s *Set) verify(j *Justification, signed func(key Key, message, signature []byte) bool) (Tally, error) {
	t, err := s.count(j.Votes)
	if err == nil {
		err = j.checkTargets()
	}
	if err == nil && t.Weight < s.Threshold() {
		err = fmt.Errorf("the votes weigh %d of %d, want at least %d", t.Weight, s.total, s.Threshold())
	}
	for i := 0; err == nil && i < len(j.Votes); i++ {
		if v := &j.Votes[i]; !signed(v.Key, payload(v.Target, j.Round, s.ID), v.Signature) {
			err = fmt.Errorf("the signature by 0x%x is not for round %d of set %d", v.Key, j.Round, s.ID)
		}
	}
	if err != nil {
		return Tally{}, fmt.Errorf("block %d: %w by set %d: %w", j.Target.Height, ErrNotFinal, s.ID, err)
	}
	return t, nil
}

// payload returns the bytes that a vote's signature covers (finality-grandpa, localized_payload): a message of kind 1,
// precommit, then round and set ID.
func payload(target chain.Anchor, round, setID uint64) []byte {
	b := append([]byte{1}, target.Hash[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(target.Height))
	b = binary.LittleEndian.AppendUint64(b, round)
	return binary.LittleEndian.AppendUint64(b, setID)
}

// count adds up the weight of the voters, each counted once. Its total cannot overflow: it is part of the set's.
func (s *Set) count(votes []Vote) (t Tally, err error) {
	if len(votes) > maxVotesEach*len(s.weights) {
		return t, fmt.Errorf("%d votes by %d validators", len(votes), len(s.weights))
	}
	type vote struct {
		key    Key
		target chain.Anchor
	}
	seen, voted := map[vote]bool{}, map[Key]int{}
	for _, v := range votes {
		weight, member := s.weights[v.Key]
		switch {
		case !member:
			return t, fmt.Errorf("the voter 0x%x is not in the set", v.Key)
		case seen[vote{v.Key, v.Target}]:
			return t, fmt.Errorf("the vote by 0x%x is repeated", v.Key)
		}
		seen[vote{v.Key, v.Target}] = true
		switch voted[v.Key]++; voted[v.Key] {
		case 1:
			t.Signers++
			t.Weight += weight
		case 2:
			t.Equivocations++
		}
	}
	return t, nil
}

// checkTargets checks that each vote is for the commit's target or a descendant of it, and that all headers are used.
func (j *Justification) checkTargets() error {
	headers := make(map[chain.Hash]*header.Header, len(j.Ancestries))
	for i := range j.Ancestries {
		headers[j.Ancestries[i].Hash()] = &j.Ancestries[i]
	}
	if len(headers) < len(j.Ancestries) {
		return errors.New("a header is repeated")
	}
	above := map[chain.Anchor]bool{j.Target: true} // proved to be the target or a descendant
	for _, v := range j.Votes {
		var way []chain.Anchor
		for at := v.Target; !above[at]; {
			h := headers[at.Hash]
			if h == nil || h.Number != at.Height || at.Height <= j.Target.Height {
				return fmt.Errorf("the vote by 0x%x is for block %v, which is not shown to descend from the target %v", v.Key, v.Target, j.Target)
			}
			way = append(way, at)
			at = chain.Anchor{Height: at.Height - 1, Hash: h.ParentHash}
		}
		for _, block := range way {
			above[block] = true
		}
	}
	if used := len(above) - 1; used < len(headers) {
		return fmt.Errorf("%d headers are unused", len(headers)-used)
	}
	return nil
}
