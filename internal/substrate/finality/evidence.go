package finality

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/grandpa"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/trie"
)

// MaxBytes limits files of evidence and of trusted sets. It fits the hand-offs of a year, 200 KB each as hex, with the
// headers of a day; and a chain specification with its genesis state.
const MaxBytes = 128 << 20

// Evidence is a chain of evidence, decoded but not checked.
type Evidence struct {
	Root  chain.Optional[Root]
	Steps []Step // the lowest first; the relay block last
	Para  *Para
	State *State
}

// Step is a final block.
type Step struct {
	Name          string                 // "steps[0]" or "relay"
	Header        *header.Header         // nil if only the block is proved
	Justification *grandpa.Justification // nil if the block is only trusted
	Ancestors     []*header.Header
}

// Para is the proof of a parachain's head in the relay chain's state.
type Para struct {
	ID        uint32
	Key       []byte
	At        chain.Optional[chain.Hash] // relay block
	Proof     *trie.Proof
	Ancestors []*header.Header
}

// State is the proof of a value in a block's state.
type State struct {
	At    chain.Optional[chain.Hash]
	Key   []byte
	Proof *trie.Proof
}

// Parse parses evidence.
func Parse(text string) (e Evidence, err error) {
	v, err := jsonscan.Parse(text)
	switch {
	case err != nil:
		return e, err
	case v.Kind() != jsonscan.Object:
		return e, fmt.Errorf("want an object with root, have %v", v.Kind())
	}
	if root := v.Member("root"); present(root) {
		r, err := readRoot(root)
		if err != nil {
			return Evidence{}, named("root", err)
		}
		e.Root = chain.Some(r)
	}
	if steps := v.Member("steps"); present(steps) {
		if steps.Kind() != jsonscan.Array {
			return Evidence{}, fmt.Errorf("steps: want an array, have %v", steps.Kind())
		}
		for step := range steps.Elements() {
			if err = e.addStep(fmt.Sprintf("steps[%d]", len(e.Steps)), step); err != nil {
				return Evidence{}, err
			}
		}
	}
	if relay := v.Member("relay"); present(relay) {
		err = e.addStep("relay", relay)
	}
	if para := v.Member("para"); err == nil && present(para) {
		e.Para, err = readPara(para)
		err = named("para", err)
	}
	if state := v.Member("state"); err == nil && present(state) {
		e.State, err = readState(state)
		err = named("state", err)
	}
	if err != nil {
		return Evidence{}, err
	}
	return e, nil
}

func (e *Evidence) addStep(name string, v jsonscan.Value) (err error) {
	s := Step{Name: name}
	if v.Kind() != jsonscan.Object {
		return fmt.Errorf("%s: want an object, have %v", name, v.Kind())
	}
	if member := v.Member("header"); present(member) {
		s.Header, err = readHeader(member)
		err = named("header", err)
	}
	if member := v.Member("justification"); err == nil && present(member) {
		s.Justification, err = readJustification(member)
		err = named("justification", err)
	}
	if err == nil {
		s.Ancestors, err = readHeaders(v.Member("ancestors"))
		err = named("ancestors", err)
	}
	if err == nil && s.Header == nil && s.Justification == nil {
		err = errors.New("it has neither a header nor a justification")
	}
	e.Steps = append(e.Steps, s)
	return named(name, err)
}

func readPara(v jsonscan.Value) (p *Para, err error) {
	p = &Para{}
	id, key := v.Member("id"), v.Member("key")
	if present(key) {
		if p.Key, err = readBytes(key); err == nil {
			p.ID, err = readHeadKey(p.Key)
		}
		if err != nil {
			return nil, named("key", err)
		}
	}
	if present(id) || p.Key == nil {
		n, err := readNumber(id, 32)
		switch {
		case err != nil:
			return nil, named("id", err)
		case p.Key != nil && uint32(n) != p.ID:
			return nil, fmt.Errorf("the key is of parachain %d, the ID is %d", p.ID, n)
		}
		p.ID = uint32(n)
		p.Key = HeadKey(p.ID)
	}
	if p.Proof, p.At, err = readProof(v.Member("readProof")); err != nil {
		return nil, named("readProof", err)
	}
	p.Ancestors, err = readHeaders(v.Member("ancestors"))
	return p, named("ancestors", err)
}

func readState(v jsonscan.Value) (s *State, err error) {
	s = &State{}
	if s.Key, err = readBytes(v.Member("key")); err != nil {
		return nil, named("key", err)
	}
	if s.Proof, s.At, err = readProof(v.Member("readProof")); err != nil {
		return nil, named("readProof", err)
	}
	if at := v.Member("at"); present(at) {
		hash, err := readHash(at)
		if err != nil {
			return nil, named("at", err)
		}
		if of, known := s.At.Get(); known && of != hash {
			return nil, fmt.Errorf("at is block %v, the read proof is of block %v", hash, of)
		}
		s.At = chain.Some(hash)
	}
	return s, nil
}
