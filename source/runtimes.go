package source

import (
	"context"
	"errors"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// runtimeAt is the runtime after the block at a height. It executes the next block. (For a block with an
// upgrade, this is already the new runtime.)
type runtimeAt struct {
	at      uint64 // the requested height
	runtime chain.Optional[chain.AtBlock[chain.Runtime]]
	node    chain.NodeVersion // identifies the network if the runtime is unknown
}

// runtimeAt requests the runtime after the block at a height. If the source cannot return it, it requests the
// node's version, to identify the network.
func (r *Reader) runtimeAt(ctx context.Context, at uint64) (runtimeAt, error) {
	runtime, err := r.Source.Runtime(ctx, at)
	if err == nil {
		return runtimeAt{at: at, runtime: chain.Some(runtime)}, nil
	}
	if !errors.Is(err, chain.ErrNotOffered) {
		return runtimeAt{}, err
	}
	var node chain.NodeVersion
	from, err := As[NodeVersions](r.Source)
	if err == nil {
		node, err = from.NodeVersion(ctx)
	}
	if err != nil && !errors.Is(err, chain.ErrNotOffered) {
		return runtimeAt{}, err
	}
	return runtimeAt{at: at, node: node}, nil
}

// laterRuntimeAt is like runtimeAt after the runtime of an earlier block is known. A source that returned a
// runtime before must do so again; for one that never could, the node's version is not requested again.
func (r *Reader) laterRuntimeAt(ctx context.Context, at uint64, before runtimeAt) (runtimeAt, error) {
	runtime, err := r.Source.Runtime(ctx, at)
	switch {
	case err == nil:
		return runtimeAt{at: at, runtime: chain.Some(runtime)}, nil
	case errors.Is(err, chain.ErrNotOffered) && !before.runtime.Known():
		return runtimeAt{at: at, node: before.node}, nil
	}
	return runtimeAt{}, err
}

func (a runtimeAt) identity() network.Identity {
	runtime, _ := a.runtime.Get()
	return network.Identity{SpecName: runtime.Value.SpecName, ClientImplName: a.node.ClientImplName, Chain: a.node.Chain, Token: runtime.Value.Token}
}

// check returns an error if the runtime was requested at a block's parent but belongs to a block that was
// replaced.
func (a runtimeAt) check(b *chain.Block) error {
	runtime, _ := a.runtime.Get()
	have, ok := runtime.AtHash.Get()
	if ok && b.Number > 0 && a.at == parentOf(b.Number) && have != b.ParentHash {
		return wrongBlock("runtime", a.at, have, b.ParentHash)
	}
	return nil
}

// parentOf returns the height of a block's parent. For block 0, which has none, it returns 0.
func parentOf(height uint64) uint64 { return max(height, 1) - 1 }

// runtimes finds the runtimes that executed the blocks of a range with few requests: versions only increase,
// so if two blocks have the same runtime, so do all blocks between them. It processes the range from its
// start.
type runtimes struct {
	source  Source
	passed  runtimeAnswer   // at the last requested height that was passed
	further []runtimeAnswer // at later heights, the nearest last
}

// runtimeAnswer is a runtime at a height, or why it is unknown.
type runtimeAnswer struct {
	runtimeAt
	err error
}

// runtimes requests both ends of a range. Before is the runtime that executed the block before the range, if
// known.
func (r *Reader) runtimes(ctx context.Context, blocks chain.Heights, before chain.Optional[runtimeAt]) *runtimes {
	first, last := parentOf(blocks.First), parentOf(blocks.Last)
	rs := &runtimes{source: r.Source}
	if a, ok := before.Get(); ok {
		rs.passed.runtimeAt, rs.passed.err = r.laterRuntimeAt(ctx, first, a)
	} else {
		rs.passed.runtimeAt, rs.passed.err = r.runtimeAt(ctx, first)
	}
	if rs.passed.runtime.Known() && first < last {
		rs.ask(ctx, last)
	}
	return rs
}

// ask requests a runtime at a height before all those in further. A gateway that returned a runtime before
// must do so again: otherwise it is an error, not a change of rules.
func (rs *runtimes) ask(ctx context.Context, at uint64) {
	runtime, err := rs.source.Runtime(ctx, at)
	rs.further = append(rs.further, runtimeAnswer{runtimeAt{at: at, runtime: chain.Some(runtime)}, err})
}

// find returns the runtime that executed the block at a height. It must be called with the heights of
// the range in order.
func (rs *runtimes) find(ctx context.Context, height uint64) runtimeAnswer {
	parent := parentOf(height)
	for parent != rs.passed.at && len(rs.further) > 0 {
		next := rs.further[len(rs.further)-1]
		switch {
		case next.at == parent:
			rs.passed = next
			rs.further = rs.further[:len(rs.further)-1]
		case next.err == nil && next.same(rs.passed):
			return rs.passed
		case next.err != nil && !absent(next.err):
			return runtimeAnswer{err: next.err}
		default: // it changes, or the blocks end, between these heights
			rs.ask(ctx, parent+(next.at-parent)/2)
		}
	}
	return rs.passed
}

func (a runtimeAnswer) same(other runtimeAnswer) bool {
	one, _ := a.runtime.Get()
	two, _ := other.runtime.Get()
	return one.Value == two.Value
}

// absent reports whether a request failed because the block does not exist, which says nothing about earlier
// blocks.
func absent(err error) bool {
	return errors.Is(err, chain.ErrNoBlock) || errors.Is(err, chain.ErrNotKept)
}
