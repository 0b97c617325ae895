package answers

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// blocks records the missing ranges. It requests several heights concurrently and stores them in order.
func (r *recorder) blocks(ctx context.Context) error {
	heights, endHeights := iter.Pull(r.missingHeights(ctx))
	defer endHeights()
	w := &walk{heights: heights}
	for i, s := range r.spans {
		var err error
		if kept := r.segments[i]; kept != nil {
			err = r.pass(w, kept)
		} else if r.options.Segments {
			err = r.recordSegment(ctx, w, s)
		} else {
			err = r.recordSpan(ctx, w, s, r.keep)
		}
		if err != nil {
			if r.options.Segments { // only complete segments are stored
				w.next = s.First
			}
			return &httpclient.InterruptedError{Next: w.next, Err: err}
		}
	}
	hash, _ := w.lastHash.Get()
	r.manifest.LastHash = hash.String()
	return nil
}

// walk tracks the progress through the heights.
type walk struct {
	heights  func() (height, bool)
	lastHash chain.Optional[chain.Hash] // of the previous block
	next     uint64                     // the first height not stored yet
}

// missingHeights yields the heights of all missing ranges. Each is requested ahead of use, up to twice the number of
// concurrent requests, so that one slow answer, or a slow disk, does not hold up the others.
func (r *recorder) missingHeights(ctx context.Context) iter.Seq[height] {
	missing := func(yield func(uint64) bool) {
		for i, s := range r.spans {
			for number := s.First; r.segments[i] == nil && number <= s.Last; number++ {
				if !yield(number) {
					return
				}
			}
		}
	}
	return inorder.Map(ctx, missing, 2*r.options.Concurrency, r.height)
}

// recordSpan stores the heights of a range and then its runtimes, each of which must belong to its block.
func (r *recorder) recordSpan(ctx context.Context, w *walk, s chain.Heights, keep func(answer) error) error {
	hashes := make(map[uint64]chain.Hash, s.Blocks())
	w.next = s.First
	for range s.Blocks() {
		h, _ := w.heights()
		if err := cmp.Or(h.err, ctx.Err()); err != nil {
			return err
		}
		if err := r.follow(w, h.number, h.parent, h.hash); err != nil {
			return err
		}
		if h.number > 0 {
			hashes[h.number-1] = h.parent
		}
		hashes[h.number] = h.hash
		for _, a := range h.answers {
			if err := keep(a); err != nil {
				return err
			}
		}
		w.next = h.number + 1
		r.progress(h.number)
	}
	runtimes, err := r.spanRuntimes(ctx, s)
	if err != nil {
		return err
	}
	for _, runtime := range runtimes.seen {
		if err := checkRuntime(runtime.at, chain.Some(hashes[runtime.at]))(runtime.text); err != nil {
			return fmt.Errorf("/runtime/spec?at=%d: %w", runtime.at, err)
		}
	}
	for _, runtime := range runtimes.changes {
		if err := keep(runtime.answer); err != nil {
			return err
		}
	}
	return nil
}

// follow advances to the block at a height, which must be the child of the previous one.
func (r *recorder) follow(w *walk, number uint64, parent, hash chain.Hash) error {
	before, known := w.lastHash.Get()
	if known && parent != before {
		return fmt.Errorf("block %d: %w: its parent is %v, but block %d is %v. If the gateway now serves another chain, record into an empty directory.",
			number, chain.ErrWrongBlock, parent, number-1, before)
	}
	if !known {
		r.manifest.FirstHash = hash.String()
	}
	w.lastHash = chain.Some(hash)
	return nil
}

func (r *recorder) progress(height uint64) {
	if o := r.options; o.Progress != nil {
		o.Progress(height-o.First+1, o.Last-o.First+1)
	}
}
