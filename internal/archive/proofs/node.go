package proofs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
)

// notKept says that a block is not one of the archive's.
func (a *Archive) notKept(what string) error {
	return fmt.Errorf("%s: %s: %w: it has blocks %d to %d", a.name, what, chain.ErrNotKept, a.manifest.First, a.manifest.Last)
}

// FinalizedHead is the hash of the last block.
func (a *Archive) FinalizedHead(context.Context) (chain.Hash, error) { return a.manifest.LastHash, nil }

// Hashes are those of the blocks at some heights, not known where the archive has no block. It
// is [chain.ErrNotKept] where it has none of them.
func (a *Archive) Hashes(ctx context.Context, heights []uint64) ([]chain.Optional[chain.Hash], error) {
	list := make([]chain.Optional[chain.Hash], len(heights))
	any := false
	for i, height := range heights {
		if height < a.manifest.base() || height > a.manifest.Last {
			continue
		}
		h, err := a.headed(height)
		if err != nil {
			return nil, err
		}
		list[i], any = chain.Some(h.hash), true
	}
	if !any && len(heights) > 0 {
		return nil, a.notKept(fmt.Sprintf("block %d", heights[0]))
	}
	return list, ctx.Err()
}

// find is the block with a hash. Who asks by a hash has most often been told it by the archive.
func (a *Archive) find(hash chain.Hash) (headed, error) {
	a.turn.Lock()
	height, known := a.heights.of(hash)
	a.turn.Unlock()
	if known || hash == a.manifest.LastHash {
		if !known {
			height = a.manifest.Last
		}
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

// Header is the header of the block with a hash, or of the last one.
func (a *Archive) Header(_ context.Context, block chain.Optional[chain.Hash]) (rpc.Header, error) {
	hash, given := block.Get()
	if !given {
		hash = a.manifest.LastHash
	}
	h, err := a.find(hash)
	return asNode(&h), err
}

func asNode(h *headed) rpc.Header {
	return rpc.Header{Header: h.Header, Hash: chain.Some(h.hash)}
}

// Block is the block with a hash, or the last one. Its extrinsics are proved.
func (a *Archive) Block(_ context.Context, block chain.Optional[chain.Hash]) (rpc.Block, error) {
	hash, given := block.Get()
	if !given {
		hash = a.manifest.LastHash
	}
	h, err := a.find(hash)
	if err != nil {
		return rpc.Block{}, err
	}
	s, _, err := a.segmentOf(h.Number)
	if err != nil {
		return rpc.Block{}, err
	}
	extrinsics := s.at(h.Number).extrinsics
	if err := proveExtrinsics(&h, extrinsics); err != nil {
		return rpc.Block{}, a.damaged(s.blocksPath(), err)
	}
	return rpc.Block{Header: asNode(&h), Extrinsics: extrinsics}, nil
}

func (s *segment) at(height uint64) *block { return &s.blocks[height-s.first] }

// Storage is what the state of a block has at some keys, proved. It is [chain.ErrNotKept] where
// a key is not kept.
func (a *Archive) Storage(_ context.Context, block chain.Hash, places ...[]byte) ([][]byte, error) {
	h, err := a.find(block)
	if err != nil {
		return nil, err
	}
	s, _, err := a.segmentOf(h.Number)
	if err != nil {
		return nil, err
	}
	r, err := a.executed(&h, s)
	if err != nil {
		return nil, err
	}
	stored := make([][]byte, len(places))
	for i, place := range places {
		k, kept := r.key(place)
		if !kept {
			return nil, fmt.Errorf("%s: what the state has at 0x%x: %w", a.name, place, chain.ErrNotKept)
		}
		if stored[i], err = proveState(&h, s.proof, k); err != nil {
			return nil, a.damaged(s.blocksPath(), err)
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

// executed is the runtime that executed a block.
func (a *Archive) executed(h *headed, s *segment) (*runtime, error) {
	name, err := runtimeOf(h, s.proof)
	if err != nil {
		return nil, a.damaged(s.blocksPath(), err)
	}
	return a.runtime(name)
}

// left is the runtime that a block left behind: the one that executed the block after it,
// or, of the last one, itself, where it did not bring another.
func (a *Archive) left(h *headed) (*runtime, error) {
	of := *h
	switch {
	case h.Number < a.manifest.Last:
		var err error
		if of, err = a.headed(h.Number + 1); err != nil {
			return nil, err
		}
	case h.upgrades():
		return nil, a.notKept(fmt.Sprintf("the runtime that block %d left behind, which executes the block above", h.Number))
	}
	s, _, err := a.segmentOf(of.Number)
	if err != nil {
		return nil, err
	}
	return a.executed(&of, s)
}

// leftBy is the runtime that the block with a hash left behind. The parent of the lowest
// block, which is not kept, left behind the one that executed that.
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
	s, _, err := a.segmentOf(lowest.Number)
	if err != nil {
		return nil, err
	}
	return a.executed(&lowest, s)
}

// Metadata are those of the runtime that a block left behind.
func (a *Archive) Metadata(_ context.Context, block chain.Hash) ([]byte, error) {
	r, err := a.leftBy(block)
	if err != nil {
		return nil, err
	}
	return a.piece(a.manifest.runtime(r.RuntimeName).Metadata, maxRuntime)
}

// MetadataAt is [chain.ErrCannotTell]: metadata of one version are kept.
func (a *Archive) MetadataAt(context.Context, chain.Hash, uint32) ([]byte, error) {
	return nil, fmt.Errorf("%s: metadata of another version: %w", a.name, chain.ErrCannotTell)
}

// Call answers what the node said of itself and its chain, and state_getRuntimeVersion. Other
// methods are [rpc.ErrNoMethod].
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
		return v, a.damaged(manifestPath, err)
	}
	return v, nil
}

// Extrinsics are those of a block as they are encoded, proved.
func (a *Archive) Extrinsics(ctx context.Context, block chain.Hash) ([][]byte, error) {
	b, err := a.Block(ctx, chain.Some(block))
	return b.Extrinsics, err
}
