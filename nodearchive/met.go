package nodearchive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/feeledger/fees/ask"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/nodeclient"
	"github.com/feeledger/fees/trie"
)

// met is a runtime that a recorder has met.
type met struct {
	*runtime
	version      json.RawMessage
	parameterKey string
	listed       bool // in the manifest
	codeAsked    bool
}

// leftItBehind is the block that left the runtime behind which executed a block: its parent, or
// block 0 itself.
func leftItBehind(height uint64, parent, own chain.Hash) chain.Hash {
	if height == 0 {
		return own
	}
	return parent
}

// executed is the runtime that executed a block, by its state.
func (r *recorder) executed(ctx context.Context, h *headed, proof *trie.Proof) (*met, error) {
	name, err := runtimeOf(h, proof)
	if err != nil {
		return nil, err
	}
	return r.runtime(ctx, name, leftItBehind(h.Number, h.ParentHash, h.hash))
}

// version is what the node says of the runtime that a block left behind.
func (r *recorder) version(ctx context.Context, block chain.Hash) (name RuntimeName, text json.RawMessage, err error) {
	const method = "state_getRuntimeVersion"
	v, err := r.from.Call(ctx, method, block)
	if err != nil {
		return name, nil, err
	}
	specName, _ := v.Member("specName").Text()
	number, err := chain.ReadUint64(v.Member("specVersion"))
	name = RuntimeName{specName, uint32(number)}
	if err != nil || uint64(name.SpecVersion) != number || !fileName.MatchString(specName) {
		return name, nil, &nodeclient.DecodeError{What: "runtime version", Err: fmt.Errorf("%s of block %v has no specName of small letters, or no specVersion of 32 bits", method, block)}
	}
	return name, json.RawMessage(v.Raw()), nil
}

// runtime is a runtime that a block left behind.
func (r *recorder) runtime(ctx context.Context, name RuntimeName, leftBy chain.Hash) (*met, error) {
	if known := r.runtimes[name]; known != nil {
		return known, nil
	}
	said, version, err := r.version(ctx, leftBy)
	if err != nil {
		return nil, err
	}
	if said != name {
		return nil, fmt.Errorf("block %v: %w: the node says that it left the runtime %v behind, and the state of the next block that it was executed by %v",
			leftBy, chain.ErrWrongBlock, said, name)
	}
	bytes, err := r.from.Metadata(ctx, leftBy)
	if err != nil {
		return nil, err
	}
	m := &met{version: version}
	if r.options.ParameterKey != nil {
		m.parameterKey = r.options.ParameterKey(name)
	}
	if m.runtime, err = newRuntime(name, bytes, m.parameterKey, r.options.Accounts); err != nil {
		return nil, err
	}
	r.runtimes[name] = m
	return m, nil
}

// note keeps what is particular to a runtime, when its first block is proved. The proof of its
// code is by the highest block that it executed and that did not bring another.
func (r *recorder) note(ctx context.Context, h *headed, m *met) error {
	if !m.listed {
		piece, err := r.file(m.metadataPath(), pack(m.metadata))
		if err != nil {
			return err
		}
		r.manifest.Runtimes = append(r.manifest.Runtimes, Runtime{RuntimeName: m.RuntimeName, Version: m.version, ParameterKey: m.parameterKey, Metadata: piece})
		m.listed = true
	}
	if m.codeAsked || h.upgrades() {
		return nil
	}
	m.codeAsked = true
	code, err := r.code(ctx, h, m)
	r.manifest.runtime(m.RuntimeName).Code = code
	return err
}

// code is the code that a block left behind, nil where the node does not give it: it is large.
func (r *recorder) code(ctx context.Context, h *headed, m *met) (*Code, error) {
	parts, err := r.from.ReadProof(ctx, h.hash, codeKey)
	if errors.As(err, new(*nodeclient.RPCError)) || errors.Is(err, ask.ErrTooLarge) || errors.Is(err, chain.ErrNotKept) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	proof := trie.NewProof(parts)
	code := &Code{At: h.Number}
	if code.Hash, err = codeHash(h, proof); err != nil {
		return nil, err
	}
	var kept [][]byte
	if err := proof.Way(h.StateRoot, codeKey, false, func(part trie.Hash) { kept = append(kept, proof.Part(part)) }); err != nil {
		return nil, &BlockError{h.Number, ":code", err}
	}
	code.Proof, err = r.file(m.codePath(), pack(appendList(nil, kept)))
	return code, err
}
