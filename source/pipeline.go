package source

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/inorder"
	"github.com/feeledger/fees/sidecar"
)

// ForkError says that two neighbouring blocks are not of one chain: one of them
// was replaced while they were read. It is a [chain.ErrWrongBlock].
type ForkError struct {
	Height uint64     // of the later block
	Parent chain.Hash // of the block before it, as the later block says
	Before chain.Hash // of the block before it
}

func (e *ForkError) Error() string {
	return fmt.Sprintf("block %d does not follow block %d: its parent is %v, and block %d is %v",
		e.Height, e.Height-1, e.Parent, e.Height-1, e.Before)
}

// Unwrap makes it one of the errors of a gateway.
func (e *ForkError) Unwrap() error { return chain.ErrWrongBlock }

// Range delivers the blocks of a range in the order of their heights, each as
// Read would, and checks that each is the parent of the next. It keeps at most
// concurrency questions under way and concurrency blocks ahead of the one that it
// delivers; a concurrency below 1 counts as 1. The texts of those ahead have a limit,
// too: a block that is larger is not read ahead, but in its turn.
//
// A block takes two questions, its own and its multiplier's; the runtimes take
// one at each end of the range, and some at each upgrade in it. Nothing is asked
// twice, but for a block that turned out to be too large to be read ahead.
//
// An error is the last element, after all blocks before it. When the sequence
// has ended, for whatever reason, nothing of it is running any more.
func (r *Reader) Range(ctx context.Context, blocks Range, concurrency int) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		r.deliver(ctx, blocks, concurrency, &trail{}, yield)
	}
}

// trail is where the blocks delivered so far have come to, from where the next
// have to go on.
type trail struct {
	hash     chain.Optional[chain.Hash] // of the last block
	executor chain.Optional[executor]   // of the last block
	head     chain.Optional[Head]       // known to be final
}

// deliver delivers a range that follows what was delivered before.
func (r *Reader) deliver(ctx context.Context, blocks Range, concurrency int, t *trail, yield func(Item, error) bool) {
	if err := blocks.check(); err != nil {
		yield(Item{}, fmt.Errorf("range %v: %w", blocks, err))
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	p := pipeline{
		reader:   r,
		runtimes: r.runtimes(ctx, blocks, t.executor),
		first:    blocks.First,
		next:     blocks.First,
		last:     blocks.Last,
		size:     max(concurrency, 1),
	}
	defer p.workers.Wait()
	defer cancel()
	for p.fill(ctx); len(p.window) > 0; {
		got := p.take(ctx)
		if err := got.check(ctx, t); err != nil {
			yield(Item{}, err)
			return
		}
		t.hash, t.executor = chain.Some(got.block.Hash), chain.Some(got.executor)
		p.fill(ctx) // so that something happens while the block is used
		if !yield(got.item, nil) {
			return
		}
	}
}

// pipeline reads a range's blocks ahead of the one that is wanted next.
type pipeline struct {
	reader   *Reader
	runtimes *runtimes
	first    uint64
	next     uint64 // the height that is not in the window yet
	last     uint64
	size     int     // of the window
	window   []ahead // the blocks that are being read, in order
	workers  inorder.Workers
}

// ahead is a block that is being read.
type ahead struct {
	height uint64
	by     found
	result <-chan fetched
}

// The text of a block that is read ahead is at most mostAhead over the blocks of the
// window, but mostOfOne at most and leastOfOne at least, which is more than all but a
// few blocks have: the largest that were recorded have some hundred kilobytes.
const (
	mostAhead  = 32 << 20
	mostOfOne  = 4 << 20
	leastOfOne = 512 << 10
)

func (p *pipeline) limit() int { return max(min(mostAhead/p.size, mostOfOne), leastOfOne) }

// fetched is a block that was read, or why it was not. The block may be there
// where the rest of its item is not.
type fetched struct {
	block    *chain.Block
	executor executor
	item     Item
	err      error
}

// fill starts as many blocks as the window has room for. Its own questions, for
// the runtimes, are asked in the place of the block that they are for.
func (p *pipeline) fill(ctx context.Context) {
	for len(p.window) < p.size && p.next <= p.last {
		height := p.next
		p.next++
		e, err := p.runtimes.executorOf(ctx, height)
		if err != nil {
			p.last = height // nothing after it will be delivered
		}
		result := make(chan fetched, 1)
		p.window = append(p.window, ahead{height, found{e, err}, result})
		reading := ctx
		if height != p.first { // which is waited for already
			reading = sidecar.WithMaxBody(ctx, p.limit())
		}
		p.workers.Go(func() { result <- p.reader.fetch(reading, height, found{e, err}) })
	}
}

// take waits for the first block of the window, and makes room. One that is too large to
// be read ahead is read now.
func (p *pipeline) take(ctx context.Context) fetched {
	first := p.window[0]
	p.window = p.window[1:]
	got := <-first.result
	if errors.Is(got.err, sidecar.ErrTooLarge) && first.height != p.first {
		return p.reader.fetch(ctx, first.height, first.by)
	}
	return got
}

// fetch reads one block of a range. That it is not there, or not final, is said
// before what is wrong with its runtime, as for a single block; but nobody is asked once
// more who took all the time that a question has. All rules of a
// range read the multiplier on the same side, at the block or at its parent, so
// that no two blocks ask for the same one.
func (r *Reader) fetch(ctx context.Context, height uint64, by found) fetched {
	if TimedOut(by.err) {
		return fetched{err: by.err}
	}
	b, err := r.block(ctx, Height(height))
	if err != nil {
		return fetched{err: err}
	}
	if by.err != nil {
		return fetched{block: b, err: by.err}
	}
	item, err := r.item(ctx, b, by.executor)
	return fetched{b, by.executor, item, err}
}

// check tells why a block cannot be delivered after the one before it, if there
// was one, or is not the head that its height is known to have. A fork goes
// before what else it makes of the block.
func (f fetched) check(ctx context.Context, t *trail) error {
	if err := ctx.Err(); err != nil { // which not every source minds
		return err
	}
	if f.block == nil {
		return f.err
	}
	if hash, ok := t.hash.Get(); ok && f.block.ParentHash != hash {
		return &ForkError{f.block.Number, f.block.ParentHash, hash}
	}
	head, _ := t.head.Get()
	if hash, ok := head.Hash.Get(); ok && f.block.Number == head.Number && f.block.Hash != hash {
		return fmt.Errorf("block %d: %w: it has hash %v, and the final head %v", f.block.Number, chain.ErrWrongBlock, f.block.Hash, hash)
	}
	return f.err
}
