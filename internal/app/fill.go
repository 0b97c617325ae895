package app

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// FillOptions state how a ledger is filled.
type FillOptions struct {
	Reader      *source.Reader
	Source      string // the reader's source without secrets, for the ledger to remember; may be ""
	Concurrency int    // parallel requests; 0 for the source's default
	Signatures  bool   // recompute every signer and the hash of every EVM transaction
	Progress    Progress
	// Judged, if not nil, is called for each block before it is stored.
	Judged func(*evidence.Report)
	// Opened, if not nil, is called with the open ledger. The callback may query it until the operation closes it.
	Opened func(*Ledger)
}

// Progress receives the progress of a long operation. The zero value ignores it.
type Progress struct {
	Show func(done, total uint64) // in blocks or another unit
	Say  func(step string)        // a step without a count
	End  func()                   // ends the display
}

func (p *Progress) show(done, total uint64) {
	if p.Show != nil {
		p.Show(done, total)
	}
}

func (p *Progress) say(step string) {
	if p.Say != nil {
		p.Say(step)
	}
}

func (p *Progress) end() {
	if p.End != nil {
		p.End()
	}
}

func (o *FillOptions) prover() prove.Prover {
	return prove.Prover{Reader: o.Reader, Concurrency: o.Concurrency, Options: evidence.Options{Signatures: o.Signatures}}
}

// filler stores proved blocks in a ledger.
type filler struct {
	*Ledger
	prover   prove.Prover
	progress Progress
	judged   func(*evidence.Report) // called before a block is stored; may be nil
	atOnce   bool                   // seal each change as it is written
	stored   uint64                 // blocks so far
	// sealsAll refuses a block if the source does not report whether it is final: it would never be sealed.
	sealsAll        bool
	finalityUnknown uint64 // such blocks so far
}

func (d *Ledger) filler(o *FillOptions) *filler {
	if o.Opened != nil {
		o.Opened(d)
	}
	return &filler{Ledger: d, prover: o.prover(), progress: o.Progress, judged: o.Judged}
}

const (
	// Limits of one change of the ledger.
	maxBlocksAtOnce = 250
	maxBytesAtOnce  = 16 << 20
	// maxBytesWaiting bounds the blocks that wait to be written. It exceeds one change, so that the next
	// change is ready when one is written.
	maxBytesWaiting = 2 * maxBytesAtOnce
	// idle is how long a batch waits for more blocks.
	idle = 200 * time.Millisecond
)

// fill stores the missing blocks of a range. On an error, what was stored remains.
func (f *filler) fill(ctx context.Context, span chain.Heights) error {
	_, total, err := f.missing(ctx, span)
	if err != nil {
		return err
	}
	if err := f.catchUp(ctx); err != nil {
		return err
	}
	first, _, err := f.Book.Extent(ctx)
	if err != nil {
		return f.wrapErr(err)
	}
	for _, part := range fromTop(span, first) {
		if err := f.part(ctx, part, total); err != nil {
			return f.interrupted(ctx, part, err)
		}
	}
	return nil
}

// interrupted adds the first missing height to an error that left blocks of the range missing.
func (f *filler) interrupted(ctx context.Context, span chain.Heights, err error) error {
	missing, _, failed := f.missing(ctx, span)
	if failed != nil || len(missing) == 0 {
		return err
	}
	return &httpclient.InterruptedError{Next: missing[0].First, Err: err}
}

// belowAtOnce is how many blocks below the ledger are stored before its start moves down: the number
// that a ledger seals at once.
const belowAtOnce = 5_000

// fromTop splits the part of a range below the ledger's first height, so that the start moves down step by
// step; the part above comes last.
func fromTop(span chain.Heights, first uint64) (parts []chain.Heights) {
	for end := min(first, span.Last+1); end > span.First; {
		from := max(span.First, end-min(end, belowAtOnce))
		parts = append(parts, chain.Heights{First: from, Last: end - 1})
		end = from
	}
	if span.Last >= first {
		parts = append(parts, chain.Heights{First: max(span.First, first), Last: span.Last})
	}
	return parts
}

// part stores the missing blocks of a part and seals them. Total is the number of missing blocks of the whole range.
func (f *filler) part(ctx context.Context, span chain.Heights, total uint64) error {
	missing, _, err := f.missing(ctx, span)
	if err != nil {
		return err
	}
	for _, s := range missing {
		judged := func(ctx context.Context) iter.Seq2[*ledger.Entry, error] { return f.judge(ctx, s) }
		if err = f.store(ctx, judged, func(uint64) { f.progress.show(f.stored, total) }); err != nil {
			break
		}
	}
	_, failed := f.Book.Seal(context.WithoutCancel(ctx)) // even after Ctrl-C
	return errors.Join(err, f.wrapErr(failed))
}

// catchUp seals what a killed writer left unsealed.
func (f *filler) catchUp(ctx context.Context) error {
	_, err := f.Book.Seal(ctx)
	return f.wrapErr(err)
}

// judge yields the judged blocks of a range as ledger entries.
func (f *filler) judge(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Entry, error] {
	return func(yield func(*ledger.Entry, error) bool) {
		before, err := f.before(ctx, span.First)
		if err != nil {
			yield(nil, err)
			return
		}
		for x, err := range f.prover.Range(ctx, span, before) {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(f.entry(x, err)) || err != nil {
				return
			}
		}
	}
}

func (f *filler) entry(x prove.Proved, err error) (*ledger.Entry, error) {
	if err == nil && f.judged != nil {
		f.judged(x.Report)
	}
	switch {
	case err != nil || x.Report.Finalized.Known():
	case f.sealsAll:
		err = fmt.Errorf("block %d: %w", x.Block.Number, source.ErrFinalityUnknown)
	case !f.prover.Reader.Unfinalized: // otherwise the user takes blocks that are not sealed
		f.finalityUnknown++
	}
	return entry(x, err)
}

func entry(x prove.Proved, err error) (*ledger.Entry, error) {
	if err != nil {
		return nil, err
	}
	return ledger.NewEntry(x.Block, x.Report)
}

// before returns the block below a height, from the ledger or else from the source.
func (f *filler) before(ctx context.Context, height uint64) (none chain.Optional[evidence.Predecessor], err error) {
	if height == 0 {
		return none, nil
	}
	before, err := f.Book.Predecessor(ctx, height-1)
	if err != nil || before.Known() {
		return before, f.wrapErr(err)
	}
	return prove.Before(ctx, f.prover.Reader, height)
}

// store writes entries in batches while others are judged. If a write fails, it cancels the context of entries,
// so that the judges stop. It calls shown with the height after each change.
func (f *filler) store(ctx context.Context, entries func(context.Context) iter.Seq2[*ledger.Entry, error], shown func(height uint64)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	arriving := make(chan *ledger.Entry, maxBlocksAtOnce)
	waiting := newLoad(maxBytesWaiting)
	written := make(chan error, 1)
	go func() {
		err := f.write(arriving, waiting, shown)
		cancel(err) // stops the judges
		written <- err
		waiting.lift() // unblocks the sender
		for range arriving {
		}
	}()
	var failed error
	for e, err := range entries(ctx) {
		if err != nil {
			failed = err
			break
		}
		arriving <- e
		waiting.add(e.Size())
		if ctx.Err() != nil {
			failed = context.Cause(ctx)
			break
		}
	}
	close(arriving)
	if err := <-written; err != nil {
		return f.explain(err)
	}
	return f.explain(failed)
}

// write collects entries and writes them.
func (f *filler) write(arriving <-chan *ledger.Entry, waiting *load, shown func(height uint64)) error {
	ctx := context.Background() // judged blocks are written even after Ctrl-C
	var batch []*ledger.Entry
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := f.Book.Write(ctx, batch); err != nil {
			return f.wrapErr(err)
		}
		if f.atOnce {
			if _, err := f.Book.Seal(ctx); err != nil {
				return f.wrapErr(err)
			}
		}
		waiting.take(size)
		f.stored += uint64(len(batch))
		shown(batch[len(batch)-1].Height())
		batch, size = nil, 0
		return nil
	}
	for {
		var quiet <-chan time.Time
		if len(batch) > 0 {
			quiet = time.After(idle)
		}
		select {
		case e, more := <-arriving:
			if !more {
				return flush()
			}
			batch = append(batch, e)
			size += e.Size()
			if len(batch) < maxBlocksAtOnce && size < maxBytesAtOnce {
				continue
			}
		case <-quiet:
		}
		if err := flush(); err != nil {
			return err
		}
	}
}

// explain removes the blocks that are not final if the error shows a fork.
func (f *filler) explain(err error) error {
	var within *source.ForkError
	var beside *ledger.ForkError
	if !errors.As(err, &within) && !errors.As(err, &beside) {
		return err
	}
	n, failed := f.Book.Rollback(context.Background())
	if failed != nil {
		return errors.Join(err, f.wrapErr(failed))
	}
	if n > 0 {
		return fmt.Errorf("%w; removed %d blocks that were not final from the ledger", err, n)
	}
	return err
}
