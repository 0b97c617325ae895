package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/sys/inorder"
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
// twice, but for a block that turned out to be too large to be read ahead. A source that
// takes several questions at once is asked for portions of blocks: at least two are
// under way.
//
// An error is the last element, after all blocks before it. When the sequence
// has ended, for whatever reason, nothing of it is running any more.
func (r *Reader) Range(ctx context.Context, blocks chain.Heights, concurrency int) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		r.deliver(ctx, blocks, concurrency, &trail{}, yield)
	}
}

// trail is where the blocks delivered so far have come to, from where the next
// have to go on.
type trail struct {
	hash    chain.Optional[chain.Hash] // of the last block
	runtime chain.Optional[runtimeAt]  // that executed the last block
	head    chain.Optional[chain.Head] // known to be final
}

// deliver delivers a range that follows what was delivered before.
func (r *Reader) deliver(ctx context.Context, blocks chain.Heights, concurrency int, t *trail, yield func(Item, error) bool) {
	if err := check(blocks); err != nil {
		yield(Item{}, fmt.Errorf("range %v: %w", blocks, err))
		return
	}
	size := max(concurrency, 1)
	fetch := func(ctx context.Context, q blockQuestion) fetched {
		if q.height != blocks.First { // which is waited for already
			ctx = httpclient.WithMaxAnswer(ctx, maxAhead(size))
		}
		return r.fetch(ctx, q)
	}
	questions := r.prepared(ctx, r.blockQuestions(ctx, blocks, t.runtime), size)
	for got := range inorder.Map(ctx, questions, size, fetch) {
		if errors.Is(got.err, httpclient.ErrTooLarge) && got.height != blocks.First {
			got = r.fetch(ctx, got.blockQuestion) // too large to be read ahead: it is read in its turn
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

// blockQuestion is a block to be read, and the runtime that executed it.
type blockQuestion struct {
	height     uint64
	runtime    runtimeAnswer
	unanswered error // nobody answered when its portion was asked for
}

// blockQuestions are those of a range, in order. The questions for the runtimes are asked
// in the place of the block that they are for. After one that fails, no block will be
// delivered.
func (r *Reader) blockQuestions(ctx context.Context, blocks chain.Heights, before chain.Optional[runtimeAt]) iter.Seq[blockQuestion] {
	return func(yield func(blockQuestion) bool) {
		runtimes := r.runtimes(ctx, blocks, before)
		for height := blocks.First; height <= blocks.Last; height++ {
			runtime := runtimes.thatExecuted(ctx, height)
			if !yield(blockQuestion{height: height, runtime: runtime}) || runtime.err != nil {
				return
			}
		}
	}
}

// prepared has the source asked for portions of the blocks, and goes on to the blocks of one
// when it was. Two portions at least are under way, and more where more blocks are read ahead.
func (r *Reader) prepared(ctx context.Context, questions iter.Seq[blockQuestion], size int) iter.Seq[blockQuestion] {
	prepare := func(ctx context.Context, list []blockQuestion) []blockQuestion {
		heights := chain.Heights{First: list[0].height, Last: list[len(list)-1].height}
		if err := r.Source.Prepare(ctx, heights); httpclient.TimedOut(err) {
			list[0].unanswered = err
		}
		return list
	}
	return func(yield func(blockQuestion) bool) {
		next, stop := iter.Pull(questions)
		defer stop()
		q, more := next() // for its runtime a question was asked: the source knows now what it is
		rest := func(yield func(blockQuestion) bool) {
			for ; more && yield(q); q, more = next() {
			}
		}
		portion := int(r.Source.Portion().Blocks)
		if portion < 2 {
			rest(yield)
			return
		}
		for list := range inorder.Map(ctx, portions(rest, portion), 1+(size+portion-1)/portion, prepare) {
			for _, q := range list {
				if !yield(q) {
					return
				}
			}
		}
	}
}

// portions are so many questions each.
func portions(questions iter.Seq[blockQuestion], size int) iter.Seq[[]blockQuestion] {
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

// The text of all blocks that are read ahead has at most maxTextAhead bytes. So each of
// them has a limit, from minBlockAhead to maxBlockAhead, which is more than all but a few
// blocks have: the largest that were recorded have some hundred kilobytes.
const (
	maxTextAhead  = 32 << 20
	maxBlockAhead = 4 << 20
	minBlockAhead = 512 << 10
)

// maxAhead is the limit of one block where size of them are read ahead.
func maxAhead(size int) int { return max(min(maxTextAhead/size, maxBlockAhead), minBlockAhead) }

// fetched is a block that was read, or why it was not. The block may be there
// where the rest of its item is not.
type fetched struct {
	blockQuestion
	block *chain.Block
	item  Item
	err   error
}

// fetch reads one block of a range. That it is not there, or not final, is said
// before what is wrong with its runtime, as for a single block; but nobody is asked once
// more who took all the time that a question has. All rules of a
// range read the multiplier on the same side, at the block or at its parent, so
// that no two blocks ask for the same one.
func (r *Reader) fetch(ctx context.Context, q blockQuestion) fetched {
	got := fetched{blockQuestion: q}
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
		got.item, got.err = r.item(ctx, b, q.runtime.runtimeAt)
	}
	return got
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
