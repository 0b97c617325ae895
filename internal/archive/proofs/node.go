package proofs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
)

// notKept reports data outside the archive.
func (a *Archive) notKept(what string) error {
	return fmt.Errorf("%s: %s: %w; the archive contains blocks %d to %d", a.name, what, chain.ErrNotKept, a.manifest.First, a.manifest.Last)
}

// FinalizedHead returns the hash of the last block.
func (a *Archive) FinalizedHead(context.Context) (chain.Hash, error) { return a.manifest.LastHash, nil }

// Hashes returns the hashes of blocks, unknown for blocks outside the archive. It returns [chain.ErrNotKept] if the archive
// contains none of them.
func (a *Archive) Hashes(ctx context.Context, heights []uint64) ([]chain.Optional[chain.Hash], error) {
	list := make([]chain.Optional[chain.Hash], len(heights))
	found := false
	for i, height := range heights {
		if height < a.manifest.base() || height > a.manifest.Last {
			continue
		}
		h, err := a.headed(height)
		if err != nil {
			return nil, err
		}
		list[i], found = chain.Some(h.hash), true
	}
	if !found && len(heights) > 0 {
		return nil, a.notKept(fmt.Sprintf("block %d", heights[0]))
	}
	return list, ctx.Err()
}

// find returns the block with a hash. Usually the caller got the hash from the archive.
func (a *Archive) find(hash chain.Hash) (headed, error) {
	if hash == a.manifest.LastHash {
		return a.headed(a.manifest.Last)
	}
	a.turn.Lock()
	height, known := a.heights.of(hash)
	a.turn.Unlock()
	if known {
		return a.headed(height)
	}
	for i := len(a.manifest.Segments) - 1; i >= 0; i-- {
		a.turn.Lock()
		list, err := a.chainOf(i)
		a.turn.Unlock()
		if err != nil {
			return headed{}, err
		}
		if at := slices.IndexFunc(list, func(h headed) bool { return h.hash == hash }); at >= 0 {
			return list[at], nil
		}
	}
	return headed{}, fmt.Errorf("block %v: %w", hash, chain.ErrNoBlock)
}

// findOrLast returns the block with a hash, or the last one.
func (a *Archive) findOrLast(block chain.Optional[chain.Hash]) (headed, error) {
	if hash, given := block.Get(); given {
		return a.find(hash)
	}
	return a.headed(a.manifest.Last)
}

// Header returns the header of the block with a hash, or of the last one.
func (a *Archive) Header(_ context.Context, block chain.Optional[chain.Hash]) (rpc.Header, error) {
	h, err := a.findOrLast(block)
	return asNode(&h), err
}

func asNode(h *headed) rpc.Header {
	return rpc.Header{Header: h.Header, Hash: chain.Some(h.hash)}
}

// Block returns the block with a hash, or the last one. Its extrinsics are proved.
func (a *Archive) Block(_ context.Context, block chain.Optional[chain.Hash]) (rpc.Block, error) {
	h, err := a.findOrLast(block)
	if err != nil {
		return rpc.Block{}, err
	}
	s, _, err := a.segmentOf(h.Number)
	if err != nil {
		return rpc.Block{}, err
	}
	extrinsics := s.at(h.Number).extrinsics
	if err := proveExtrinsics(&h, extrinsics); err != nil {
		return rpc.Block{}, a.damaged(blocksPath(s.Heights), err)
	}
	return rpc.Block{Header: asNode(&h), Extrinsics: extrinsics}, nil
}

func (s *segment) at(height uint64) *block { return &s.blocks[height-s.First] }

// Storage returns the proved state of a block at some keys. It returns [chain.ErrNotKept] for a key that was not
// recorded.
func (a *Archive) Storage(_ context.Context, block chain.Hash, places ...[]byte) ([][]byte, error) {
	found, err := a.find(block)
	if err != nil {
		return nil, err
	}
	h, s, r, err := a.at(found.Number)
	if err != nil {
		return nil, err
	}
	stored := make([][]byte, len(places))
	for i, place := range places {
		k, kept := r.key(place)
		if !kept {
			return nil, fmt.Errorf("%s: the state at 0x%x: %w", a.name, place, chain.ErrNotKept)
		}
		if stored[i], err = proveState(h, s.proof, k); err != nil {
			return nil, a.damaged(blocksPath(s.Heights), err)
		}
	}
	return stored, nil
}

func (r *runtime) key(place []byte) (key, bool) {
	for _, k := range r.keys {
		if bytes.Equal(k.place, place) {
			return k, true
		}
	}
	return key{}, false
}

// executed returns the runtime that executed a block.
func (a *Archive) executed(h *headed, s *segment) (*runtime, error) {
	name, err := runtimeOf(h, s.proof)
	if err != nil {
		return nil, a.damaged(blocksPath(s.Heights), err)
	}
	return a.runtime(name)
}

// at returns the header of a block, the segment that contains it, and the runtime that executed it.
func (a *Archive) at(height uint64) (h *headed, s *segment, executed *runtime, err error) {
	s, list, err := a.segmentOf(height)
	if err != nil {
		return nil, nil, nil, err
	}
	h = &list[height-s.First]
	executed, err = a.executed(h, s)
	return h, s, executed, err
}

// left returns the runtime after a block: the one that executed the next block or, for the last block, its own runtime or
// the one that it upgraded to.
func (a *Archive) left(h *headed) (*runtime, error) {
	height := h.Number
	switch {
	case height < a.manifest.Last:
		height++
	case h.upgrades() && a.manifest.After != nil:
		return a.runtime(a.manifest.After.RuntimeName)
	case h.upgrades():
		return nil, a.notKept(fmt.Sprintf("the runtime after block %d, which executes the next block", height))
	}
	_, _, r, err := a.at(height)
	return r, err
}

// leftBy returns the runtime after the block with a hash. For the parent of the lowest block, which is not recorded, it is
// the runtime that executed the lowest block.
func (a *Archive) leftBy(hash chain.Hash) (*runtime, error) {
	h, err := a.find(hash)
	if err == nil {
		return a.left(&h)
	}
	if !errors.Is(err, chain.ErrNoBlock) {
		return nil, err
	}
	lowest, failed := a.headed(a.manifest.base())
	if failed != nil || hash != lowest.ParentHash {
		return nil, cmp.Or(failed, err)
	}
	_, _, r, err := a.at(lowest.Number)
	return r, err
}

// Metadata returns the metadata of the runtime after a block.
func (a *Archive) Metadata(_ context.Context, block chain.Hash) ([]byte, error) {
	r, err := a.leftBy(block)
	if err != nil {
		return nil, err
	}
	return a.piece(a.manifest.runtime(r.RuntimeName).Metadata, maxRuntime)
}

// MetadataAt returns [chain.ErrUnsupported]: only one metadata version is recorded.
func (a *Archive) MetadataAt(context.Context, chain.Hash, uint32) ([]byte, error) {
	return nil, fmt.Errorf("%s: metadata of another version: %w", a.name, chain.ErrUnsupported)
}

// Call answers state_getRuntimeVersion and the methods with the node's statements about itself and its chain. Other methods
// return [rpc.ErrNoMethod].
func (a *Archive) Call(ctx context.Context, method string, params ...any) (jsonscan.Value, error) {
	words := &a.manifest.Node
	switch method {
	case "system_chain":
		return jsonscan.OfText(words.Chain), nil
	case "system_version":
		return jsonscan.OfText(words.Version), nil
	case "system_chainType":
		return a.word(words.ChainType)
	case "system_properties":
		return a.word(words.Properties)
	case runtimeVersion:
		hash := a.manifest.LastHash
		if len(params) > 0 {
			var ok bool
			if hash, ok = params[0].(chain.Hash); !ok {
				return jsonscan.Value{}, fmt.Errorf("%s: want the hash of a block", method)
			}
		}
		r, err := a.leftBy(hash)
		if err != nil {
			return jsonscan.Value{}, err
		}
		return a.word(a.manifest.runtime(r.RuntimeName).Version)
	}
	return jsonscan.Value{}, fmt.Errorf("%s: %w", method, rpc.ErrNoMethod)
}

func (a *Archive) word(text []byte) (jsonscan.Value, error) {
	v, err := jsonscan.Parse(string(text))
	if err != nil {
		return v, a.damaged(archive.ManifestPath, err)
	}
	return v, nil
}

// Extrinsics returns the encoded extrinsics of a block, proved.
func (a *Archive) Extrinsics(ctx context.Context, block chain.Hash) ([][]byte, error) {
	b, err := a.Block(ctx, chain.Some(block))
	return b.Extrinsics, err
}
