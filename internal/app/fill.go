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

// FillOptions say how a ledger is filled.
type FillOptions struct {
	Reader      *source.Reader
	Concurrency int  // questions at once; the source's default where it is 0
	Signatures  bool // every signer, and the hash of every EVM transaction, is recomputed
	Progress    Progress
	// Judged is told of each block, where it is not nil, before it is stored.
	Judged func(*evidence.Report)
	// Opened is told the ledger, where it is not nil, once it is open. Who is told may ask it,
	// and finds it closed in the end.
	Opened func(*Desk)
}

// Progress is told how far something is that takes long. The zero Progress is told
// nothing.
type Progress struct {
	Show func(done, total uint64) // blocks, or whatever it is that takes long
	Say  func(step string)        // a step that has no measure
	End  func()                   // of what was shown so far
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

// filler stores what is proved.
type filler struct {
	*Desk
	prover   prove.Prover
	progress Progress
	judged   func(*evidence.Report) // nil, or told of each block before it is stored
	atOnce   bool                   // blocks are sealed as they are written
	stored   uint64                 // blocks, by now
}

func (d *Desk) filler(o *FillOptions) *filler {
	if o.Opened != nil {
		o.Opened(d)
	}
	return &filler{Desk: d, prover: o.prover(), progress: o.Progress, judged: o.Judged}
}

const (
	// A change of the ledger has at most so many blocks and bytes.
	maxBlocksAtOnce = 250
	maxBytesAtOnce  = 16 << 20
	// While blocks of more bytes wait to be written no more are made: that is more than a
	// change, so that the next is there when one is written.
	maxBytesWaiting = 2 * maxBytesAtOnce
	// idle is how long blocks are kept back for others to come.
	idle = 200 * time.Millisecond
)

// fill stores the blocks of a span that are missing. What is stored stays, also
// where an error ends it.
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
		return f.of(err)
	}
	for _, part := range fromTop(span, first) {
		if err := f.part(ctx, part, total); err != nil {
			return f.interrupted(ctx, part, err)
		}
	}
	return nil
}

// interrupted adds to an error where the blocks of a span are missing that it ended.
func (f *filler) interrupted(ctx context.Context, span chain.Heights, err error) error {
	missing, _, failed := f.missing(ctx, span)
	if failed != nil || len(missing) == 0 {
		return err
	}
	return &httpclient.InterruptedError{Next: missing[0].First, Err: err}
}

// belowAtOnce is how many blocks below a ledger are stored before it begins with them: as many
// as a ledger seals at once.
const belowAtOnce = 5_000

// fromTop cuts the part of a span that is below a ledger's first height, so that the ledger
// begins lower and lower; the part above it comes last.
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

// part stores what is missing of a part of a span, of which so many blocks are missing, and seals
// it.
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
	_, failed := f.Book.Seal(context.WithoutCancel(ctx)) // what was stored, also after Ctrl-C
	return errors.Join(err, f.of(failed))
}

// catchUp seals what a writer left that was killed.
func (f *filler) catchUp(ctx context.Context) error {
	_, err := f.Book.Seal(ctx)
	return f.of(err)
}

// judge delivers the blocks of a span as the ledger has them.
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
	return entry(x, err)
}

func entry(x prove.Proved, err error) (*ledger.Entry, error) {
	if err != nil {
		return nil, err
	}
	return ledger.NewEntry(x.Block, x.Report)
}

// before is the block below a height, from the ledger or else from the source.
func (f *filler) before(ctx context.Context, height uint64) (none chain.Optional[evidence.Predecessor], err error) {
	if height == 0 {
		return none, nil
	}
	before, err := f.Book.Predecessor(ctx, height-1)
	if err != nil || before.Known() {
		return before, f.of(err)
	}
	return prove.Before(ctx, f.prover.Reader, height)
}

// store writes entries as they come, several at once, while others are judged. Their context
// ends when a change fails: nobody waits for a block then that cannot be written. Shown is told
// the height after each change.
func (f *filler) store(ctx context.Context, entries func(context.Context) iter.Seq2[*ledger.Entry, error], shown func(height uint64)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	arriving := make(chan *ledger.Entry, maxBlocksAtOnce)
	waiting := newLoad(maxBytesWaiting)
	written := make(chan error, 1)
	go func() {
		err := f.write(arriving, waiting, shown)
		cancel(err) // nothing more is judged
		written <- err
		waiting.lift() // so that who sends is not held
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
	ctx := context.Background() // what was judged is written, also after Ctrl-C
	var batch []*ledger.Entry
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := f.Book.Write(ctx, batch); err != nil {
			return f.of(err)
		}
		if f.atOnce {
			if _, err := f.Book.Seal(ctx); err != nil {
				return f.of(err)
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

// explain takes out what was not final where the chain turned out to be another one.
func (f *filler) explain(err error) error {
	var within *source.ForkError
	var beside *ledger.ForkError
	if !errors.As(err, &within) && !errors.As(err, &beside) {
		return err
	}
	n, failed := f.Book.Rollback(context.Background())
	if failed != nil {
		return errors.Join(err, f.of(failed))
	}
	if n > 0 {
		return fmt.Errorf("%w; the %d blocks of the ledger that were not final were taken out", err, n)
	}
	return err
}
