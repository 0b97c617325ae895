package archive

import (
	"context"
	"fmt"
	"sync"

	"github.com/feeledger/fees/chain"
)

// blocks records the spans that are not there yet. Several heights are asked for
// at once, and they are kept in their order.
func (r *recorder) blocks(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	c := &coming{heights: r.askHeights(ctx, &asking), runtimes: r.askRuntimes(ctx, &asking)}
	for i, s := range r.spans {
		var err error
		if kept := r.segments[i]; kept != nil {
			err = r.pass(c, kept)
		} else if r.options.Segments {
			err = r.recordSegment(ctx, c, s)
		} else {
			err = r.recordSpan(ctx, c, s, r.keep)
		}
		if err != nil {
			return err
		}
	}
	hash, _ := c.before.Get()
	r.manifest.LastHash = hash.String()
	return nil
}

// coming is what was asked for, in the order of the heights, and how far it was
// taken.
type coming struct {
	heights  <-chan chan heightResult
	runtimes <-chan spanRuntimes
	before   chain.Optional[chain.Hash] // the hash of the last block that was passed
}

type heightResult struct {
	height height
	err    error
}

// askHeights asks for the heights of all spans that are not there, each some time
// before it is taken: twice as many as there may be questions, so that a slow
// answer, or a slow disk, does not hold up all others.
func (r *recorder) askHeights(ctx context.Context, asking *sync.WaitGroup) <-chan chan heightResult {
	heights := make(chan chan heightResult, 2*r.options.Concurrency-1)
	asking.Go(func() {
		defer close(heights)
		for i, s := range r.spans {
			if r.segments[i] != nil {
				continue
			}
			for number := s.first; number <= s.last; number++ {
				slot := make(chan heightResult, 1)
				select {
				case heights <- slot:
				case <-ctx.Done():
					return
				}
				asking.Go(func() {
					h, err := r.height(ctx, number)
					slot <- heightResult{h, err}
				})
			}
		}
	})
	return heights
}

// recordSpan keeps the heights of a span, then its runtimes, of which each must
// be that of its block.
func (r *recorder) recordSpan(ctx context.Context, c *coming, s span, keep func(answer) error) error {
	hashes := make(map[uint64]chain.Hash, s.last-s.first+1)
	for range s.last - s.first + 1 {
		h, err := c.next(ctx)
		if err != nil {
			return err
		}
		if err := r.follow(c, h.number, h.parent, h.hash); err != nil {
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
		r.progress(h.number)
	}
	found, ok := <-c.runtimes
	switch {
	case !ok:
		return ctx.Err()
	case found.err != nil:
		return found.err
	}
	for _, runtime := range found.seen {
		if err := checkRuntime(runtime.at, chain.Some(hashes[runtime.at]))(runtime.text); err != nil {
			return fmt.Errorf("/runtime/spec?at=%d: %w", runtime.at, err)
		}
	}
	for _, runtime := range found.changes {
		if err := keep(runtime.answer); err != nil {
			return err
		}
	}
	return nil
}

func (c *coming) next(ctx context.Context) (height, error) {
	slot, ok := <-c.heights
	if !ok {
		return height{}, ctx.Err()
	}
	result := <-slot
	return result.height, result.err
}

// follow goes on to the block at a height, which must follow the one before it.
func (r *recorder) follow(c *coming, number uint64, parent, hash chain.Hash) error {
	before, known := c.before.Get()
	if known && parent != before {
		return fmt.Errorf("block %d: %w: its parent is %v, and block %d is %v: if the gateway has another chain by now, record into an empty directory",
			number, chain.ErrWrongBlock, parent, number-1, before)
	}
	if !known {
		r.manifest.FirstHash = hash.String()
	}
	c.before = chain.Some(hash)
	return nil
}

func (r *recorder) progress(height uint64) {
	if o := r.options; o.Progress != nil {
		o.Progress(height-o.First+1, o.Last-o.First+1)
	}
}
