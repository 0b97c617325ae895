package app

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source"
)

// FollowOptions state how a ledger follows a chain.
type FollowOptions struct {
	FillOptions
	Heads  source.Heads
	Follow source.FollowOptions // except for the height to begin at
	// From is the first block of a new ledger; the newest final block by default.
	From chain.Optional[uint64]
	// Heard, if not nil, is called with the height of each final head.
	Heard func(head uint64)
	// Lag is called after each change with the ledger's height and the newest height.
	Lag func(height, newest uint64)
	// Ended, if not nil, is called with the last block of a chain that has ended, once the ledger contains it.
	Ended func(last uint64)
}

// Follow appends and seals each block as it becomes final. It returns when its context ends, or when the
// source or the chain does not grow any more. If it loses the ledger's database, as when this process was frozen, it opens
// the ledger again; a database that is not responding then ends it.
func Follow(ctx context.Context, place string, o FollowOptions) error {
	waiting, lost := o.Follow.Trouble, error(nil)
	if waiting == nil {
		waiting = func(error) {}
	}
	return persist(ctx, waiting, func() (passes bool, err error) {
		err = follow(ctx, place, o, lost != nil)
		passes = ledger.IsTransient(err) || errors.Is(err, ledger.ErrLost)
		if lost != nil && !passes && errors.Is(err, ledger.ErrAway) {
			return false, lost
		}
		lost = err
		return passes, err
	})
}

// follow follows with one connection to the ledger's database, for the first time or again.
func follow(ctx context.Context, place string, o FollowOptions, again bool) error {
	head, err := o.Reader.Source.Head(ctx, false)
	if err != nil {
		return err
	}
	extent, err := ExtentOf(ctx, place)
	if err != nil {
		return err
	}
	from, given := o.From.Get()
	switch {
	case extent.Known && given && !again:
		return notUnderstood("%v is for new ledgers; this one continues at block %d", FieldFrom, extent.Next)
	case extent.Known:
		from = extent.Next
	case !given:
		from = head.Number
	}
	d, err := begin(ctx, place, &o.FillOptions, min(from, head.Number), from, OpenWriter)
	if err != nil {
		return err
	}
	defer d.Close()
	f := d.filler(&o.FillOptions)
	f.prover.Concurrency, f.atOnce, f.sealsAll = 0, true, true
	last, ends := d.lastBlock(ctx).Get()
	if err := f.catchUp(ctx); err != nil {
		return err
	}
	if extent.Known { // it may have been restored from a backup since it was read
		if from, err = f.fillGaps(ctx); err != nil {
			return err
		}
	}
	filled := f.stored
	if !ends || from <= max(last, head.Number) {
		if err := f.follow(ctx, &o, from, extent.Known && from > head.Number); err != nil {
			if extent.Known || f.stored > filled {
				return &httpclient.InterruptedError{Next: from + f.stored - filled, Err: err}
			}
			return err
		}
	}
	_, next, err := d.Book.Extent(ctx)
	if err == nil && ends && next > last && o.Ended != nil {
		o.Ended(last)
	}
	return d.wrapErr(err)
}

// fillGaps stores the blocks that the ledger lacks below its highest final one, and returns the height after that. Nothing
// above a gap would be sealed.
func (f *filler) fillGaps(ctx context.Context) (next uint64, err error) {
	gaps, err := f.Book.Gaps(ctx)
	if err != nil {
		return 0, f.wrapErr(err)
	}
	for _, gap := range gaps {
		if err := f.part(ctx, gap, gap.Blocks()); err != nil {
			return 0, fmt.Errorf("filling the ledger's gap, blocks %v, failed: %w", gap, err)
		}
	}
	_, next, err = f.Book.Extent(ctx)
	return next, f.wrapErr(err)
}

// follow appends the blocks from a height on. Done means that the ledger already contained all blocks of the source.
func (f *filler) follow(ctx context.Context, o *FollowOptions, from uint64, done bool) error {
	before, err := f.before(ctx, from)
	if err != nil {
		return err
	}
	o.Follow.From = chain.Some(from)
	var newest atomic.Uint64
	entries := func(ctx context.Context) iter.Seq2[*ledger.Entry, error] {
		return func(yield func(*ledger.Entry, error) bool) {
			for x, err := range f.prover.Follow(ctx, noting(o, &newest), o.Follow, before) {
				if done && errors.Is(err, chain.ErrNotKept) { // an archive does not grow
					return
				}
				if err == nil {
					err = ctx.Err() // after cancellation, checks may be incomplete
				}
				if !yield(f.entry(x, err)) || err != nil {
					return
				}
			}
		}
	}
	return f.store(ctx, entries, func(height uint64) { o.Lag(height, max(newest.Load(), height)) })
}

// noting passes heads on and records the newest.
func noting(o *FollowOptions, newest *atomic.Uint64) source.Heads {
	return func(ctx context.Context) iter.Seq2[chain.Head, error] {
		return func(yield func(chain.Head, error) bool) {
			for h, err := range o.Heads(ctx) {
				if err == nil {
					newest.Store(h.Number)
					if o.Heard != nil {
						o.Heard(h.Number)
					}
				}
				if !yield(h, err) {
					return
				}
			}
		}
	}
}
