package source

import (
	"context"
	"errors"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// runtimeAt is the runtime that the block at a height left behind. It executes the next
// one. (The runtime that a block itself shows is already the next one where it was
// upgraded.)
type runtimeAt struct {
	at      uint64 // the height at which it was asked for
	runtime chain.Optional[chain.AtBlock[chain.Runtime]]
	node    chain.NodeVersion // names the network where the runtime is not known
}

// runtimeAt asks for the runtime that the block at a height left behind. Where
// the source cannot tell, the node is asked for the network.
func (r *Reader) runtimeAt(ctx context.Context, at uint64) (runtimeAt, error) {
	runtime, err := r.Source.Runtime(ctx, at)
	if err == nil {
		return runtimeAt{at: at, runtime: chain.Some(runtime)}, nil
	}
	if !errors.Is(err, chain.ErrNotOffered) {
		return runtimeAt{}, err
	}
	node, err := r.Source.NodeVersion(ctx)
	if err != nil && !errors.Is(err, chain.ErrNotOffered) {
		return runtimeAt{}, err
	}
	return runtimeAt{at: at, node: node}, nil
}

// laterRuntimeAt is runtimeAt where the runtime of a block before is known. What once
// told its runtime has to tell it again; where the source never could, the node is not
// asked again.
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
	return network.Identity{SpecName: runtime.Value.SpecName, ClientImplName: a.node.ClientImplName, Chain: a.node.Chain}
}

// check refuses a runtime that was asked for at a block's parent and is of a
// block that was replaced.
func (a runtimeAt) check(b *chain.Block) error {
	runtime, _ := a.runtime.Get()
	have, ok := runtime.AtHash.Get()
	if ok && b.Number > 0 && a.at == parentOf(b.Number) && have != b.ParentHash {
		return wrongBlock("runtime", a.at, have, b.ParentHash)
	}
	return nil
}

// parentOf is the height of a block's parent. Block 0 has none and stands for it
// itself.
func parentOf(height uint64) uint64 { return max(height, 1) - 1 }

// runtimes finds the runtimes that executed the blocks of a range. It asks at few heights:
// versions only rise, so where two blocks left the same runtime behind, so did
// all blocks between them. It goes through the range from its beginning.
type runtimes struct {
	source  Source
	passed  runtimeAnswer   // at the last height passed that was asked at
	further []runtimeAnswer // at heights further on, the nearest last
}

// runtimeAnswer is a runtime at a height, or why it is not known.
type runtimeAnswer struct {
	runtimeAt
	err error
}

// runtimes asks at both ends of a range. Before is the runtime that executed the block
// before the range, if that was read.
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

// ask asks at a height before all those in further. What once told its runtime has
// to tell it again: a gateway that does not is an error, not a change of rules.
func (rs *runtimes) ask(ctx context.Context, at uint64) {
	runtime, err := rs.source.Runtime(ctx, at)
	rs.further = append(rs.further, runtimeAnswer{runtimeAt{at: at, runtime: chain.Some(runtime)}, err})
}

// thatExecuted is the runtime that executed the block at a height: of one block of the
// range after the other.
func (rs *runtimes) thatExecuted(ctx context.Context, height uint64) runtimeAnswer {
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
		default: // it changes, or the blocks end, between here and there
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

// absent tells whether there is no answer because the block is not there, which
// says nothing about those before it.
func absent(err error) bool {
	return errors.Is(err, chain.ErrNoBlock) || errors.Is(err, chain.ErrNotKept)
}
