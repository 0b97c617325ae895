package app

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
)

// Filled is the result of filling a ledger.
type Filled struct {
	Place  string // the ledger's location without credentials
	Name   string // of the days, for display; "" for a range of heights
	Blocks chain.Heights
	Stored uint64 // blocks added
	// FinalityUnknown counts the blocks that were stored but are not sealed, because the source does not report whether
	// they are final.
	FinalityUnknown uint64
	Gaps            []chain.Heights // blocks missing below others that are final; nothing above the first of them is sealed
	Lacks           []string        // what the ledger still lacks of the days, because the source has no final blocks of it
	Status          ledger.Status
	Findings        *Findings
}

// Sync fills a ledger with the wanted blocks, and creates it if it does not exist. It does not read existing blocks
// again. On an error, what was stored remains.
func Sync(ctx context.Context, place string, w Wanted, o FillOptions) (*Filled, error) {
	d, span, err := openFor(ctx, place, w, &o, OpenWriter)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	f := d.filler(&o)
	if err := f.fill(ctx, span); err != nil {
		return nil, err
	}
	o.Progress.end()
	filled := &Filled{Place: d.Place, Name: w.Name(), Blocks: span, Stored: f.stored, FinalityUnknown: f.finalityUnknown}
	if filled.Status, err = d.Book.Status(ctx); err != nil {
		return nil, d.wrapErr(err)
	}
	if filled.Gaps, err = d.Book.Gaps(ctx); err != nil {
		return nil, d.wrapErr(err)
	}
	if days, ok := w.days.Get(); ok {
		cover, err := d.Book.Cover(ctx, days)
		if err != nil {
			return nil, d.wrapErr(err)
		}
		filled.Lacks = cover.Lacks
	}
	filled.Findings, err = d.Findings(ctx, span)
	return filled, err
}

// jobSize is the number of blocks in a job: a gateway that answers a few dozen blocks a second finishes it
// within a job's time limit.
const jobSize = 200

// Enqueued is the result of creating jobs.
type Enqueued struct {
	Place   string // the ledger's location without credentials
	Name    string // of the days, for display; "" for a range of heights
	Blocks  chain.Heights
	Missing uint64 // number of missing blocks
	Jobs    int    // new jobs
}

// Enqueue creates jobs for the wanted blocks that are missing, for any number of workers. The ledger must be in
// PostgreSQL.
func Enqueue(ctx context.Context, place string, w Wanted, o FillOptions) (*Enqueued, error) {
	d, span, err := openFor(ctx, place, w, &o, OpenShared)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	missing, total, err := d.missing(ctx, span)
	if err != nil {
		return nil, err
	}
	jobs, err := queue.Enqueue(ctx, d.Book, missing, jobSize)
	return &Enqueued{d.Place, w.Name(), span, total, jobs}, d.wrapErr(err)
}

// openFor opens a ledger for the wanted blocks.
func openFor(ctx context.Context, place string, w Wanted, o *FillOptions, open opener) (d *Ledger, span chain.Heights, err error) {
	if span, err = w.find(ctx, place, o); err != nil {
		return nil, span, err
	}
	d, err = begin(ctx, place, o, span.First, span.First, open)
	return d, span, err
}

// find resolves the wanted blocks for a ledger.
func (w *Wanted) find(ctx context.Context, place string, o *FillOptions) (span chain.Heights, err error) {
	extent, err := ExtentOf(ctx, place)
	if err != nil {
		return span, err
	}
	return w.resolve(ctx, o.Reader, extent)
}

// missing returns the gaps of a range in the ledger, and their number of blocks.
func (d *Ledger) missing(ctx context.Context, span chain.Heights) (missing []chain.Heights, blocks uint64, err error) {
	if missing, err = d.Book.Missing(ctx, span); err != nil {
		return nil, 0, d.wrapErr(err)
	}
	for _, s := range missing {
		blocks += s.Blocks()
	}
	return missing, blocks, nil
}
