package source

import (
	"context"
	"errors"

	"github.com/feeledger/fees/archive"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// executor is what executed a block: the runtime that its parent left behind.
// (The runtime that the block itself shows is already the next one where it was
// upgraded.)
type executor struct {
	at      uint64 // the height at which it was asked for
	runtime chain.Optional[chain.AtBlock[chain.Runtime]]
	node    chain.NodeVersion // names the network where the runtime is not known
}

// executor asks for the runtime that the block at a height left behind. Where
// the source cannot tell, the node is asked for the network.
func (r *Reader) executor(ctx context.Context, at uint64) (executor, error) {
	runtime, err := r.Source.Runtime(ctx, at)
	if err == nil {
		return executor{at: at, runtime: chain.Some(runtime)}, nil
	}
	if !errors.Is(err, chain.ErrNotOffered) {
		return executor{}, err
	}
	node, err := r.Source.NodeVersion(ctx)
	if err != nil && !errors.Is(err, chain.ErrNotOffered) {
		return executor{}, err
	}
	return executor{at: at, node: node}, nil
}

// executorAfter asks for the runtime that the block at a height left behind,
// where it is known what executed a block before. What once told its runtime has
// to tell it again; where the source never could, the node is not asked again.
func (r *Reader) executorAfter(ctx context.Context, at uint64, before executor) (executor, error) {
	runtime, err := r.Source.Runtime(ctx, at)
	switch {
	case err == nil:
		return executor{at: at, runtime: chain.Some(runtime)}, nil
	case errors.Is(err, chain.ErrNotOffered) && !before.runtime.Known():
		return executor{at: at, node: before.node}, nil
	}
	return executor{}, err
}

func (e executor) identity() network.Identity {
	runtime, _ := e.runtime.Get()
	return network.Identity{SpecName: runtime.Value.SpecName, ClientImplName: e.node.ClientImplName, Chain: e.node.Chain}
}

// check refuses a runtime that was asked for at a block's parent and is of a
// block that was replaced.
func (e executor) check(b *chain.Block) error {
	runtime, _ := e.runtime.Get()
	have, ok := runtime.AtHash.Get()
	if ok && b.Number > 0 && e.at == parentOf(b.Number) && have != b.ParentHash {
		return wrongBlock("runtime", e.at, have, b.ParentHash)
	}
	return nil
}

// parentOf is the height of a block's parent. Block 0 has none and stands for it
// itself.
func parentOf(height uint64) uint64 { return max(height, 1) - 1 }

// runtimes finds what executed the blocks of a range, asking at few heights:
// versions only rise, so where two blocks left the same runtime behind, so did
// all blocks between them. It goes through the range from its beginning.
type runtimes struct {
	source Source
	behind found   // at the last height passed that was asked at
	ahead  []found // at heights further on, the nearest last
}

// found is the answer at one height.
type found struct {
	executor
	err error
}

// runtimes asks at both ends of a range, which follows a block with the executor
// before, if any.
func (r *Reader) runtimes(ctx context.Context, blocks Range, before chain.Optional[executor]) *runtimes {
	first, last := parentOf(blocks.First), parentOf(blocks.Last)
	rs := &runtimes{source: r.Source}
	if e, ok := before.Get(); ok {
		rs.behind.executor, rs.behind.err = r.executorAfter(ctx, first, e)
	} else {
		rs.behind.executor, rs.behind.err = r.executor(ctx, first)
	}
	if rs.behind.runtime.Known() && first < last {
		rs.ask(ctx, last)
	}
	return rs
}

// ask asks at a height before all those in ahead. What once told its runtime has
// to tell it again: a gateway that does not is an error, not a change of rules.
func (rs *runtimes) ask(ctx context.Context, at uint64) {
	runtime, err := rs.source.Runtime(ctx, at)
	rs.ahead = append(rs.ahead, found{executor{at: at, runtime: chain.Some(runtime)}, err})
}

// executorOf is what executed the block at a height: one after the other, those
// of the range.
func (rs *runtimes) executorOf(ctx context.Context, height uint64) (executor, error) {
	parent := parentOf(height)
	for parent != rs.behind.at && len(rs.ahead) > 0 {
		next := rs.ahead[len(rs.ahead)-1]
		switch {
		case next.at == parent:
			rs.behind = next
			rs.ahead = rs.ahead[:len(rs.ahead)-1]
		case next.err == nil && next.same(rs.behind):
			return rs.behind.executor, nil
		case next.err != nil && !absent(next.err):
			return executor{}, next.err
		default: // it changes, or the blocks end, between here and there
			rs.ask(ctx, parent+(next.at-parent)/2)
		}
	}
	return rs.behind.executor, rs.behind.err
}

func (f found) same(other found) bool {
	a, _ := f.runtime.Get()
	b, _ := other.runtime.Get()
	return a.Value == b.Value
}

// absent tells whether there is no answer because the block is not there, which
// says nothing about those before it.
func absent(err error) bool {
	return errors.Is(err, chain.ErrNoBlock) || errors.Is(err, archive.ErrLacks)
}
