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
// the ledger again; a database that is not responding then ends it, and a ledger that lacks what this program stored.
func Follow(ctx context.Context, place string, o FollowOptions) error {
	waiting := o.Follow.Trouble
	if waiting == nil {
		waiting = func(error) {}
	}
	var left chain.Optional[ledger.Ending]
	var lost error
	return persist(ctx, waiting, func(failures int) (opened, passes bool, err error) {
		now, err := follow(ctx, place, o, left)
		if opened = now.Known(); opened {
			left = now
		}
		switch {
		case !left.Known() || !IsOfDatabase(err):
			return opened, false, err
		case !opened && (failures >= maxReopening || !ledger.IsTransient(err)):
			return opened, false, lost
		}
		if opened {
			lost = err
		}
		return opened, true, err
	})
}

// IsOfDatabase reports whether the ledger's database refused for now, did not respond, or lost the connection.
func IsOfDatabase(err error) bool {
	return ledger.IsTransient(err) || is(ledger.ErrLost, ledger.ErrAway)(err)
}

// maxReopening is how often a lost ledger is opened in vain: some five minutes.
const maxReopening = 24

// follow follows with one connection to the ledger's database. before is how the last connection left the ledger; unknown for
// the first one. It returns how this one left it; unknown if the ledger could not be opened.
func follow(ctx context.Context, place string, o FollowOptions, before chain.Optional[ledger.Ending]) (left chain.Optional[ledger.Ending], err error) {
	head, err := o.Reader.Source.Head(ctx, false)
	if err != nil {
		return left, err
	}
	extent, err := ExtentOf(ctx, place)
	if err != nil {
		return left, err
	}
	ending, again := before.Get()
	from, given := o.From.Get()
	switch {
	case extent.Known && given && !again:
		return left, notUnderstood("%v is for new ledgers; this one continues at block %d", FieldFrom, extent.Next)
	case extent.Known:
		from = extent.Next
	case again:
		return left, &LedgerError{ShownLedger(place), fmt.Errorf("%w: it is empty", ledger.ErrReplaced)}
	case !given:
		from = head.Number
	}
	d, err := begin(ctx, place, &o.FillOptions, min(from, head.Number), from, OpenWriter)
	if err != nil {
		return left, err
	}
	defer d.Close()
	if again {
		if err := d.Book.CheckContains(ctx, ending); err != nil {
			return left, d.wrapErr(err)
		}
	}
	err = d.filler(&o.FillOptions).followFrom(ctx, &o, extent, from, head.Number)
	return d.Book.Left(), err
}

// followFrom fills an open ledger up to the head, and follows. Extent is the ledger's before it was opened.
func (f *filler) followFrom(ctx context.Context, o *FollowOptions, extent Extent, from, head uint64) (err error) {
	f.prover.Concurrency, f.atOnce, f.sealsAll = 0, true, true
	last, ends := f.lastBlock(ctx).Get()
	if err := f.catchUp(ctx); err != nil {
		return err
	}
	if extent.Known { // it may have been restored from a backup since it was read
		if from, err = f.fillGaps(ctx); err != nil {
			return err
		}
	}
	filled := f.stored
	if !ends || from <= max(last, head) {
		if err := f.follow(ctx, o, from, extent.Known && from > head); err != nil {
			if extent.Known || f.stored > filled {
				return &httpclient.InterruptedError{Next: from + f.stored - filled, Err: err}
			}
			return err
		}
	}
	_, next, err := f.Book.Extent(ctx)
	if err == nil && ends && next > last && o.Ended != nil {
		o.Ended(last)
	}
	return f.wrapErr(err)
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
