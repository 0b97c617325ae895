package proofs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/trie"
)

// met is a runtime that the recorder has encountered.
type met struct {
	*runtime
	entry     Runtime // for the manifest
	metadata  []byte
	listed    bool // in the manifest
	codeAsked bool
}

// leftItBehind returns the block whose state contains the runtime that executed h: its parent, or block 0 itself.
func leftItBehind(h *headed) chain.Anchor {
	if h.Number == 0 {
		return h.at()
	}
	return chain.Anchor{Height: h.Number - 1, Hash: h.ParentHash}
}

// executed returns the runtime that executed a block, according to its state.
func (r *recorder) executed(ctx context.Context, h *headed, proof *trie.Proof) (*met, error) {
	name, err := runtimeOf(h, proof)
	if err != nil {
		return nil, err
	}
	return r.runtime(ctx, name, leftItBehind(h))
}

const runtimeVersion = "state_getRuntimeVersion"

// maxWord limits the node's statements about itself and a runtime to what can be read again.
const maxWord = 64 << 10

// readVersion reads the runtime's name in an answer to state_getRuntimeVersion.
func readVersion(v jsonscan.Value) (name RuntimeName, err error) {
	specName, _ := v.Member("specName").Text()
	number, err := jsonread.Uint64(v.Member("specVersion"))
	name = RuntimeName{specName, uint32(number)}
	if err != nil || uint64(name.SpecVersion) != number || !fileName.MatchString(specName) || len(v.Raw()) > maxWord {
		return name, &rpc.DecodeError{What: "runtime version", Err: errors.New("want a lower-case specName and a 32-bit specVersion, within the size limit")}
	}
	return name, nil
}

// runtime returns the runtime after a block.
func (r *recorder) runtime(ctx context.Context, name RuntimeName, leftBy chain.Anchor) (*met, error) {
	if known := r.runtimes[name]; known != nil {
		return known, nil
	}
	m, err := r.meet(ctx, leftBy)
	if err == nil && m.RuntimeName != name {
		err = fmt.Errorf("block %d: %w: the node reports runtime %v after it, but the next block's state names %v",
			leftBy.Height, chain.ErrWrongBlock, m.RuntimeName, name)
	}
	return m, err
}

// meet requests the runtime after a block.
func (r *recorder) meet(ctx context.Context, leftBy chain.Anchor) (*met, error) {
	version, err := r.from.Version(ctx, leftBy)
	if err != nil {
		return nil, err
	}
	name, err := readVersion(version)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", leftBy.Height, err)
	}
	if known := r.runtimes[name]; known != nil {
		return known, nil
	}
	if len(r.runtimes) == maxRuntimes {
		return nil, fmt.Errorf("block %d: more than the limit of %d runtimes in an archive; record a shorter range", leftBy.Height, maxRuntimes)
	}
	bytes, err := r.from.Metadata(ctx, leftBy)
	if err == nil && len(bytes) > maxRuntime {
		err = fmt.Errorf("block %d: metadata of %d bytes, want at most %d", leftBy.Height, len(bytes), maxRuntime)
	}
	if err != nil {
		return nil, err
	}
	m := &met{entry: Runtime{RuntimeName: name, Version: json.RawMessage(version.Raw())}, metadata: bytes}
	if r.options.ParameterKey != nil {
		m.entry.ParameterKey = r.options.ParameterKey(name)
	}
	if r.options.BaseFeeItem != nil {
		m.entry.BaseFeeItem = r.options.BaseFeeItem(name)
	}
	if m.runtime, err = newRuntime(&m.entry, bytes, r.options.Accounts); err != nil {
		return nil, fmt.Errorf("block %d: %w", leftBy.Height, err)
	}
	r.runtimes[name] = m
	return m, nil
}

// list adds a runtime to the manifest once the highest block that it executed is proved.
func (r *recorder) list(m *met) (err error) {
	if m.listed {
		return nil
	}
	if m.entry.Metadata, err = archive.Store(r.disk, m.metadataPath(), pack(m.metadata)); err != nil {
		return err
	}
	r.manifest.Runtimes = append(r.manifest.Runtimes, m.entry)
	m.listed, m.metadata = true, nil
	return nil
}

// after adds the runtime after the last block to the manifest.
func (r *recorder) after(ctx context.Context, last *headed) error {
	m, err := r.meet(ctx, last.at())
	if err != nil {
		return err
	}
	after := m.entry
	after.Metadata, err = archive.Store(r.disk, m.metadataPath(), pack(m.metadata))
	r.manifest.After = &after
	return err
}

// code stores the proof of a runtime's code, from the state of the parent of the highest block that the runtime
// executed.
func (r *recorder) code(ctx context.Context, parent *headed, m *met) error {
	if m.codeAsked {
		return nil
	}
	m.codeAsked = true
	hash, needed, err := r.keptCode(parent, m)
	if err != nil {
		parts, err := r.from.Proof(ctx, parent.at(), codeKey)
		if errors.As(err, new(*rpc.RPCError)) || errors.Is(err, httpclient.ErrTooLarge) || errors.Is(err, chain.ErrNotKept) {
			return nil // it is large, and not every node supplies it
		}
		if err != nil {
			return err
		}
		if hash, needed, err = proveCode(parent, parts); err != nil {
			return err
		}
	}
	piece, err := archive.Store(r.disk, m.codePath(), pack(appendList(nil, needed)))
	r.manifest.runtime(m.RuntimeName).Code = &Code{parent.Number, hash, piece}
	return err
}

// keptCode reads the proof stored by an earlier recording.
func (r *recorder) keptCode(parent *headed, m *met) (hash chain.Hash, needed [][]byte, err error) {
	bytes, _, err := r.packed(m.codePath(), maxRuntime)
	if err != nil {
		return hash, nil, err
	}
	parts, err := readParts(bytes)
	if err != nil {
		return hash, nil, err
	}
	return proveCode(parent, parts)
}
