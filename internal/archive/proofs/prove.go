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

// BlockError says what of a block does not fit. It is a [chain.ErrWrongBlock].
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

// proveHeader reads a header, and proves it by what is known of its block.
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

// readHead reads the header of the block at a height. Its hash is proved by nothing yet.
func readHead(encoded []byte, height uint64) (headed, error) {
	h, err := header.Read(encoded)
	if err == nil && h.Number != height {
		err = fmt.Errorf("it says that it is that of block %d", h.Number)
	}
	if err != nil {
		return headed{}, &BlockError{height, "header", err}
	}
	return headed{h.Hash(), h}, nil
}

// proveExtrinsics proves a block's extrinsics by its header. An archive keeps them one behind the other, so each must
// have the length that it begins with.
func proveExtrinsics(h *headed, extrinsics [][]byte) error {
	for i, x := range extrinsics {
		r := scale.NewReader(x)
		if readExtrinsic(r); r.End() != nil {
			return &BlockError{h.Number, "extrinsics", fmt.Errorf("extrinsic %d is not as long as it says: %w", i, r.Err())}
		}
	}
	if err := h.ProveExtrinsics(extrinsics); err != nil {
		return &BlockError{h.Number, "extrinsics", err}
	}
	return nil
}

// proveState proves what a state has at a key. It is nil where the state has nothing.
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

// runtimeOf is the runtime that executed a block, by its state.
func runtimeOf(h *headed, proof *trie.Proof) (RuntimeName, error) {
	const name = "System.LastRuntimeUpgrade"
	stored, err := proveState(h, proof, key{name, lastUpgradeKey})
	if err != nil {
		return RuntimeName{}, err
	}
	if stored == nil {
		return RuntimeName{}, &BlockError{h.Number, name, errors.New("the state does not say which runtime executed the block")}
	}
	n, err := readLastUpgrade(stored)
	if err != nil {
		return n, &BlockError{h.Number, name, err}
	}
	return n, nil
}

// upgrades tells whether a block left another runtime behind than it was executed by.
func (h *headed) upgrades() bool {
	for _, log := range h.Logs {
		if d, err := header.ReadDigest(log); err == nil && d.Kind == header.EnvironmentUpdated {
			return true
		}
	}
	return false
}

// way is the parts that prove what the keys have, in the order of the keys, each once: those
// that were not seen before. It notes them as seen.
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

// proveCode is the hash of the code that a block left behind, and the parts that prove it.
func proveCode(h *headed, parts [][]byte) (hash chain.Hash, needed [][]byte, err error) {
	proof := trie.NewProof(parts)
	hash, has, err := proof.ValueHash(h.StateRoot, codeKey)
	if err == nil && !has {
		err = errors.New("the state has none")
	}
	if err == nil {
		err = proof.Way(h.StateRoot, codeKey, false, func(part trie.Hash) { needed = append(needed, proof.Part(part)) })
	}
	if err != nil {
		return hash, nil, &BlockError{h.Number, ":code", err}
	}
	return hash, needed, nil
}

// proveBlock proves what is kept of a block: its extrinsics, and the parts of its state's trie,
// which are to be those that its keys need and none besides. The blocks of a segment are proved
// from the lowest up.
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

var errOtherNodes = errors.New("it has other nodes than its keys need, or in another order")
