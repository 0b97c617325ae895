package proofs

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/trie"
)

// BlockError reports which part of a block is wrong. It wraps [chain.ErrWrongBlock].
type BlockError struct {
	Height uint64
	What   string // such as "extrinsics"
	Err    error
}

func (e *BlockError) Error() string { return fmt.Sprintf("block %d: %s: %v", e.Height, e.What, e.Err) }

func (e *BlockError) Unwrap() []error { return []error{chain.ErrWrongBlock, e.Err} }

// headed is a block's header, proved by its hash.
type headed struct {
	hash chain.Hash
	header.Header
}

func (h *headed) at() chain.Anchor { return chain.Anchor{Height: h.Number, Hash: h.hash} }

// proveHeader parses a header and proves it by its block's hash.
func proveHeader(encoded []byte, at chain.Anchor) (headed, chain.Optional[chain.Anchor], error) {
	h, err := header.Read(encoded)
	if err != nil {
		return headed{}, chain.Optional[chain.Anchor]{}, &BlockError{at.Height, "header", err}
	}
	parent, err := header.Prove(at, &h)
	if err != nil {
		return headed{}, parent, err
	}
	return headed{at.Hash, h}, parent, nil
}

// readHead parses the header of the block at a height. It does not prove the hash.
func readHead(encoded []byte, height uint64) (headed, error) {
	h, err := header.Read(encoded)
	if err == nil && h.Number != height {
		err = fmt.Errorf("it is the header of block %d", h.Number)
	}
	if err != nil {
		return headed{}, &BlockError{height, "header", err}
	}
	return headed{h.Hash(), h}, nil
}

// proveExtrinsics proves a block's extrinsics by its header. As an archive concatenates them, each must have the length in
// its prefix.
func proveExtrinsics(h *headed, extrinsics [][]byte) error {
	for i, x := range extrinsics {
		r := scale.NewReader(x)
		if readExtrinsic(r); r.End() != nil {
			return &BlockError{h.Number, "extrinsics", fmt.Errorf("extrinsic %d does not have its stated length: %w", i, r.Err())}
		}
	}
	if err := h.ProveExtrinsics(extrinsics); err != nil {
		return &BlockError{h.Number, "extrinsics", err}
	}
	return nil
}

// proveState returns the proved state at a key, nil if there is none.
func proveState(h *headed, proof *trie.Proof, k key) ([]byte, error) {
	value, has, err := proof.Value(h.StateRoot, k.place)
	switch {
	case err != nil:
		return nil, &BlockError{h.Number, k.name, err}
	case !has:
		return nil, nil
	case value == nil:
		value = []byte{}
	}
	return value, nil
}

// runtimeOf returns the runtime that executed a block, according to its state.
func runtimeOf(h *headed, proof *trie.Proof) (RuntimeName, error) {
	const name = "System.LastRuntimeUpgrade"
	stored, err := proveState(h, proof, key{name, lastUpgradeKey})
	if err != nil {
		return RuntimeName{}, err
	}
	if stored == nil {
		return RuntimeName{}, &BlockError{h.Number, name, errors.New("the state does not name the runtime that executed the block")}
	}
	n, err := readLastUpgrade(stored)
	if err != nil {
		return n, &BlockError{h.Number, name, err}
	}
	return n, nil
}

// upgrades reports whether a block upgraded to another runtime.
func (h *headed) upgrades() bool {
	for _, log := range h.Logs {
		if d, err := header.ReadDigest(log); err == nil && d.Kind == header.EnvironmentUpdated {
			return true
		}
	}
	return false
}

// way returns the parts that prove the keys, in the order of the keys, each once: those not seen before. It adds them to
// seen.
func way(h *headed, proof *trie.Proof, keys []key, seen map[trie.Hash]bool) (parts [][]byte, err error) {
	for _, k := range keys {
		err := proof.Way(h.StateRoot, k.place, true, func(part trie.Hash) {
			if !seen[part] {
				seen[part] = true
				parts = append(parts, proof.Part(part))
			}
		})
		if err != nil {
			return nil, &BlockError{h.Number, k.name, err}
		}
	}
	return parts, nil
}

// proveCode returns the hash of the code after a block, and the parts that prove it.
func proveCode(h *headed, parts [][]byte) (hash chain.Hash, needed [][]byte, err error) {
	proof := trie.NewProof(parts)
	hash, has, err := proof.ValueHash(h.StateRoot, codeKey)
	if err == nil && !has {
		err = errors.New("not in the state")
	}
	if err == nil {
		err = proof.Way(h.StateRoot, codeKey, false, func(part trie.Hash) { needed = append(needed, proof.Part(part)) })
	}
	if err != nil {
		return hash, nil, &BlockError{h.Number, ":code", err}
	}
	return hash, needed, nil
}

// proveBlock proves the recorded parts of a block: its extrinsics, and the parts of its state trie, which must be
// exactly those that its keys need. The blocks of a segment are proved from the lowest up.
func proveBlock(h *headed, b *block, proof *trie.Proof, executed *runtime, seen map[trie.Hash]bool) error {
	parts, err := way(h, proof, executed.keys, seen)
	if err != nil {
		return err
	}
	if err := proveExtrinsics(h, b.extrinsics); err != nil {
		return err
	}
	if !slices.EqualFunc(parts, b.parts, bytes.Equal) {
		return &BlockError{h.Number, "proof", errOtherNodes}
	}
	return nil
}

var errOtherNodes = errors.New("its nodes are not those that its keys need, in their order")
