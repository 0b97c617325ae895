package app

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
)

// Filled is what came of filling a ledger.
type Filled struct {
	Place    string // the ledger's, as it may be shown
	Name     string // of the days that are wanted, for people; "" where heights are
	Blocks   chain.Heights
	Stored   uint64 // blocks that were not there before
	Status   ledger.Status
	Findings *Findings
}

// Sync fills the ledger at a place with the blocks that are wanted, and makes it where
// there is none. What is there already is not read again. What was stored stays, also
// where an error ends it.
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
	filled := &Filled{Place: d.Place, Name: w.Name(), Blocks: span, Stored: f.stored}
	if filled.Status, err = d.Book.Status(ctx); err != nil {
		return nil, d.of(err)
	}
	filled.Findings, err = d.Findings(ctx, span)
	return filled, err
}

// jobSize is how many blocks a job has: what a gateway of a few dozen blocks a
// second answers within the time that a job has.
const jobSize = 200

// Enqueued is what came of making jobs.
type Enqueued struct {
	Place   string // the ledger's, as it may be shown
	Name    string // of the days that are wanted, for people; "" where heights are
	Blocks  chain.Heights
	Missing uint64 // blocks
	Jobs    int    // that are new
}

// Enqueue makes jobs of the blocks that are wanted and missing, for any number of
// workers. The ledger is in PostgreSQL.
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
	jobs, err := queue.Enqueue(ctx, d.Book.Pool(), missing, jobSize)
	return &Enqueued{d.Place, w.Name(), span, total, jobs}, d.of(err)
}

// openFor opens a ledger for the blocks that are wanted.
func openFor(ctx context.Context, place string, w Wanted, o *FillOptions, open opener) (d *Desk, span chain.Heights, err error) {
	if span, err = w.find(ctx, place, o); err != nil {
		return nil, span, err
	}
	d, err = begin(ctx, place, o.Reader, span.First, span.First, open)
	return d, span, err
}

// find finds the blocks that are wanted of a source, for the ledger at a place.
func (w *Wanted) find(ctx context.Context, place string, o *FillOptions) (span chain.Heights, err error) {
	extent, err := ExtentOf(ctx, place)
	if err != nil {
		return span, err
	}
	return w.resolve(ctx, o.Reader, extent)
}

// missing are the parts of a span that the ledger has not, and how many blocks they have.
func (d *Desk) missing(ctx context.Context, span chain.Heights) (missing []chain.Heights, blocks uint64, err error) {
	if missing, err = d.Book.Missing(ctx, span); err != nil {
		return nil, 0, d.of(err)
	}
	for _, s := range missing {
		blocks += s.Blocks()
	}
	return missing, blocks, nil
}
