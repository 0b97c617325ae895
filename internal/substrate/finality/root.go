package finality

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/grandpa"
)

// Root is a trusted set of validators, and where it comes from.
type Root struct {
	Set    *grandpa.Set
	Source string
}

// Keys of the genesis state that have the first set: that of the pallet, and of earlier runtimes, whose value has a
// version byte first.
const (
	authoritiesKey      = "0x5f9cc45b7a00c5899361e1c6099678dc5e0621c4869aa60c02be9adcc98a0d1d"
	earlyAuthoritiesKey = "0x3a6772616e6470615f617574686f726974696573" // :grandpa_authorities
)

// ParseRoot parses a file with a trusted set: the root of evidence, evidence with a root, or a chain specification,
// whose checkpoint counts before its genesis.
func ParseRoot(text string) (Root, error) {
	v, err := jsonscan.Parse(text)
	if err != nil {
		return Root{}, err
	}
	return readRoot(v)
}

// readRoot reads the root in the first form that a value has.
func readRoot(v jsonscan.Value) (Root, error) {
	root, checkpoint, genesis := v.Member("root"), v.Member("lightSyncState"), v.Member("genesis")
	switch {
	case present(root):
		r, err := readSet(root)
		return r, named("root", err)
	case present(genesis) && !present(checkpoint):
		r, err := readGenesis(genesis)
		return r, named("genesis", err)
	}
	return readSet(v)
}

// readSet reads a set in one of the forms of a root.
func readSet(v jsonscan.Value) (r Root, err error) {
	if state := v.Member("lightSyncState"); present(state) {
		r, err = readSet(state)
		return r, named("lightSyncState", err)
	}
	checkpoint, list, announced := v.Member("grandpaAuthoritySet"), v.Member("authorities"), v.Member("authoritiesFromScheduledChangeOf")
	if present(checkpoint) {
		r, err = readCheckpoint(v, checkpoint)
		return r, named("grandpaAuthoritySet", err)
	}
	id, err := readNumber(v.Member("setId"), 64)
	if err != nil {
		return r, named("setId", err)
	}
	switch {
	case present(list) && present(announced):
		return r, errors.New("it has both authorities and authoritiesFromScheduledChangeOf; keep one of them")
	case present(list):
		encoded, err := readBytes(list)
		if err == nil {
			r.Set, err = grandpa.NewSet(id, encoded)
		}
		r.Source = "given as a list of authorities"
		return r, named("authorities", err)
	case present(announced):
		h, err := readHeader(announced)
		if err == nil {
			r.Set, err = grandpa.SetFromHeader(id, h)
			r.Source = fmt.Sprintf("announced by block %d (%v)", h.Number, h.Hash())
		}
		return r, named("authoritiesFromScheduledChangeOf", err)
	}
	return r, errors.New("no set of validators; want setId with authorities or authoritiesFromScheduledChangeOf, or a checkpoint")
}

func readCheckpoint(state, authorities jsonscan.Value) (r Root, err error) {
	encoded, err := readBytes(authorities)
	if err != nil {
		return r, err
	}
	if r.Set, _, err = grandpa.ReadAuthoritySet(encoded); err != nil {
		return r, err
	}
	r.Source = "checkpoint"
	if block := state.Member("finalizedBlockHeader"); present(block) {
		h, err := readHeader(block)
		if err != nil {
			return r, named("finalizedBlockHeader", err)
		}
		r.Source = fmt.Sprintf("checkpoint of block %d (%v)", h.Number, h.Hash())
	}
	return r, nil
}

// readGenesis reads the first set, whose ID is 0, from a raw genesis state.
func readGenesis(genesis jsonscan.Value) (r Root, err error) {
	var encoded []byte
	for key, value := range genesis.Member("raw").Member("top").Members() {
		switch key {
		case authoritiesKey:
			if encoded, err = readBytes(value); err != nil {
				return r, named(key, err)
			}
		case earlyAuthoritiesKey:
			early, err := readBytes(value)
			if err != nil || len(early) == 0 || early[0] != 1 {
				return r, fmt.Errorf("%s: want a list of version 1, have 0x%s", key, hex.EncodeToString(early[:min(1, len(early))]))
			}
			if encoded == nil {
				encoded = early[1:]
			}
		}
	}
	if encoded == nil {
		return r, errors.New("it has no raw state with authorities; use a specification in raw form")
	}
	r.Set, err = grandpa.NewSet(0, encoded)
	r.Source = "genesis of a chain specification"
	return r, err
}
