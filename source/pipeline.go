package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/sys/inorder"
	"github.com/feeledger/fees/network"
)

// ForkError means that two consecutive blocks are on different chains: one of them was replaced while they
// were read. It is a [chain.ErrWrongBlock].
type ForkError struct {
	Height uint64     // of the later block
	Parent chain.Hash // the parent hash in the later block
	Before chain.Hash // the hash of the earlier block
}

func (e *ForkError) Error() string {
	return fmt.Sprintf("block %d does not follow block %d: its parent is %v, but block %d is %v",
		e.Height, e.Height-1, e.Parent, e.Height-1, e.Before)
}

// Unwrap returns [chain.ErrWrongBlock].
func (e *ForkError) Unwrap() error { return chain.ErrWrongBlock }

// Range delivers the blocks of a range in order of height, each as Read would return it, and checks that each
// is the parent of the next. It keeps at most concurrency requests in flight and reads at most concurrency
// blocks ahead; a concurrency below 1 counts as 1. The total text read ahead is limited too: a larger block is
// read when it is its turn.
//
// A block takes two requests, for itself and its multiplier; the runtimes take one at each end of the range,
// and some at each upgrade in it. No request is repeated, except for a block that was too large to read ahead.
// A source that accepts batches gets batches of blocks, at least two at a time.
//
// An error is the last element, after all blocks before it. When the sequence ends, for whatever reason, all
// its work has stopped.
func (r *Reader) Range(ctx context.Context, blocks chain.Heights, concurrency int) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		r.deliver(ctx, blocks, concurrency, &trail{}, yield)
	}
}

// trail is the state after the delivered blocks, which the next blocks must continue.
type trail struct {
	hash    chain.Optional[chain.Hash] // of the last block
	runtime chain.Optional[runtimeAt]  // that executed the last block
	head    chain.Optional[chain.Head] // known to be final
}

// deliver delivers a range that continues from the trail.
func (r *Reader) deliver(ctx context.Context, blocks chain.Heights, concurrency int, t *trail, yield func(Item, error) bool) {
	if err := check(blocks); err != nil {
		yield(Item{}, fmt.Errorf("range %v: %w", blocks, err))
		return
	}
	size := max(concurrency, 1)
	fetch := func(ctx context.Context, q blockQuestion) *fetched {
		if q.height != blocks.First { // the consumer is already waiting for this one
			ctx = httpclient.WithMaxAnswer(ctx, maxAhead(size))
		}
		return r.fetch(ctx, q)
	}
	questions := r.prepared(ctx, r.blockQuestions(ctx, blocks, t.runtime), size)
	for got := range inorder.Map(ctx, questions, size, fetch) {
		if errors.Is(got.err, httpclient.ErrTooLarge) && got.height != blocks.First {
			got = r.fetch(ctx, got.blockQuestion) // too large to read ahead: read it now
		}
		if err := got.check(ctx, t); err != nil {
			yield(Item{}, err)
			return
		}
		t.hash, t.runtime = chain.Some(got.block.Hash), chain.Some(got.runtime.runtimeAt)
		if !yield(got.item, nil) {
			return
		}
	}
}

// blockQuestion is a block to read, and the runtime that executed it.
type blockQuestion struct {
	height     uint64
	runtime    runtimeAnswer
	rules      func() (network.Rules, error) // of that runtime
	unanswered error                         // error of the request for its batch
}

// blockQuestions returns the blocks of a range, in order. It requests a block's runtime when the block is due.
// After a failed one, no more blocks are delivered.
func (r *Reader) blockQuestions(ctx context.Context, blocks chain.Heights, before chain.Optional[runtimeAt]) iter.Seq[blockQuestion] {
	return func(yield func(blockQuestion) bool) {
		runtimes := r.runtimes(ctx, blocks, before)
		var q blockQuestion
		for q.height = blocks.First; q.height <= blocks.Last; q.height++ {
			runtime := runtimes.find(ctx, q.height)
			if q.rules == nil || !runtime.same(q.runtime) {
				q.rules = sync.OnceValues(func() (network.Rules, error) { return r.rules(runtime.runtimeAt) })
			}
			if q.runtime = runtime; !yield(q) || runtime.err != nil {
				return
			}
		}
	}
}

// prepared asks a source that offers [Batches] to prepare batches of blocks, and yields the blocks of a batch when it is
// ready. At least two batches are in flight, and more if more blocks are read ahead.
func (r *Reader) prepared(ctx context.Context, questions iter.Seq[blockQuestion], size int) iter.Seq[blockQuestion] {
	return func(yield func(blockQuestion) bool) {
		next, stop := iter.Pull(questions)
		defer stop()
		q, more := next() // requesting its runtime has determined the kind of source
		rest := func(yield func(blockQuestion) bool) {
			for ; more && yield(q); q, more = next() {
			}
		}
		source, err := As[Batches](r.Source)
		if err != nil {
			rest(yield)
			return
		}
		prepare := func(ctx context.Context, list []blockQuestion) []blockQuestion {
			heights := chain.Heights{First: list[0].height, Last: list[len(list)-1].height}
			if err := source.Prepare(ctx, heights); httpclient.TimedOut(err) {
				list[0].unanswered = err
			}
			return list
		}
		blocks, _ := source.BatchSize()
		batch := max(int(blocks), 1)
		for list := range inorder.Map(ctx, batches(rest, batch), 1+(size+batch-1)/batch, prepare) {
			for _, q := range list {
				if !yield(q) {
					return
				}
			}
		}
	}
}

// batches splits the blocks into batches of the given size.
func batches(questions iter.Seq[blockQuestion], size int) iter.Seq[[]blockQuestion] {
	return func(yield func([]blockQuestion) bool) {
		var list []blockQuestion
		for q := range questions {
			if list = append(list, q); len(list) == size {
				if !yield(list) {
					return
				}
				list = nil
			}
		}
		if len(list) > 0 {
			yield(list)
		}
	}
}

// All blocks read ahead have at most maxTextAhead bytes of text. So each has a limit, from minBlockAhead to
// maxBlockAhead. Few blocks exceed it: the largest recorded ones have some hundred kilobytes.
const (
	maxTextAhead  = 32 << 20
	maxBlockAhead = 4 << 20
	minBlockAhead = 512 << 10
)

// maxAhead returns the size limit of one block if size blocks are read ahead.
func maxAhead(size int) int { return max(min(maxTextAhead/size, maxBlockAhead), minBlockAhead) }

// fetched is a block that was read, or an error. With an error, the block may still be set.
type fetched struct {
	blockQuestion
	block *chain.Block
	item  Item
	err   error
}

// fetch reads one block of a range. As for a single block, an error for a missing or not final block takes
// precedence over an error of its runtime; but after a timeout nothing is retried. All rules of a range read
// the multiplier on the same side, at the block or at its parent, so no two blocks request the same one.
func (r *Reader) fetch(ctx context.Context, q blockQuestion) *fetched {
	got := &fetched{blockQuestion: q}
	if got.err = cmp.Or(q.unanswered, q.runtime.err); httpclient.TimedOut(got.err) {
		return got
	}
	b, err := r.block(ctx, Height(q.height))
	if err != nil {
		got.err = err
		return got
	}
	got.block = b
	if got.err == nil {
		got.item, got.err = r.item(ctx, b, q.runtime.runtimeAt, q.rules)
	}
	return got
}

// check returns why a block cannot be delivered after the previous one, if any, or why it is not the known
// head at its height. A fork takes precedence over other errors of the block.
func (f *fetched) check(ctx context.Context, t *trail) error {
	if err := ctx.Err(); err != nil { // which not every source checks
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
		return differentHead(f.block.Number, "hash", f.block.Hash, hash)
	}
	if hash, ok := head.ParentHash.Get(); ok && f.block.Number == head.Number && f.block.ParentHash != hash {
		return differentHead(f.block.Number, "parent", f.block.ParentHash, hash)
	}
	return f.err
}

func differentHead(height uint64, what string, have, want chain.Hash) error {
	return fmt.Errorf("block %d: %w: its %s is %v, but the final head's is %v", height, chain.ErrWrongBlock, what, have, want)
}
