package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/dataset"
	"github.com/feeledger/fees/internal/ledger"
)

// DatasetRequest requests months of the ledger as Parquet files, partitioned by network, year and month.
type DatasetRequest struct {
	Dir      string
	Period   Period // whole UTC months, or all
	Replace  bool   // overwrite existing files that differ
	Program  string // name and version of the writing program
	Progress Progress
	// Done, if not nil, is called when the files of a month are complete.
	Done func(dataset.Outcome, *dataset.Manifest)
}

// Dataset summarizes an export.
type Dataset struct {
	Months       map[dataset.Outcome]int
	Undetermined uint64   // unknown fees in these months
	Unclassified uint64   // events in these months whose effect on balances is unknown
	LeftOut      int      // incomplete months that were skipped
	Notes        []string // for the reader, such as skipped months
}

// Dataset writes the files of the months that do not exist yet. When exporting the whole ledger, it skips
// incomplete months unless the period may be partial.
func (d *Ledger) Dataset(ctx context.Context, q DatasetRequest) (*Dataset, error) {
	if err := q.Period.Months(); err != nil {
		return nil, err
	}
	c, err := d.chainOf(ctx, q.Program)
	if err != nil {
		return nil, err
	}
	if !q.Period.All {
		held, err := d.Held(ctx, q.Period)
		if err != nil {
			return nil, err
		}
		q.Period = held.Period
	}
	months, timeless, err := d.Book.Months(ctx)
	if err != nil {
		return nil, d.wrapErr(err)
	}
	wanted, x, err := d.monthsOf(ctx, &q, months)
	if err != nil {
		return nil, err
	}
	if timeless > 1 { // block 0 never has a time or a transaction
		x.Notes = append(x.Notes, fmt.Sprintf("Missing: %d blocks have no time and belong to no month", timeless))
	}
	if len(wanted) == 0 {
		x.Notes = append(x.Notes, "no month was exported")
		return x, nil
	}
	to, err := dataset.Open(q.Dir, c)
	if err != nil {
		return nil, ofDataset(err)
	}
	defer to.Close()
	defer q.Progress.end()
	for i := range wanted {
		m := &wanted[i]
		o := dataset.Options{Replace: q.Replace, Progress: func(blocks uint64) { q.Progress.show(blocks, m.Blocks) }}
		outcome, manifest, err := to.Export(ctx, d.Book, &m.SealedMonth, m.lacks, o)
		if err != nil {
			return nil, d.wrapDatasetErr(err)
		}
		x.Months[outcome]++
		x.Undetermined += manifest.Undetermined
		x.Unclassified += manifest.Unclassified
		if q.Done != nil {
			q.Progress.end()
			q.Done(outcome, manifest)
		}
	}
	return x, nil
}

// CheckDataset compares the files in a directory with their checksums and with the ledger's seals.
func (d *Ledger) CheckDataset(ctx context.Context, dir string, p *Progress) (*dataset.Checked, error) {
	c, err := d.chainOf(ctx, "")
	if err != nil {
		return nil, err
	}
	defer p.end()
	found, err := dataset.Check(ctx, dir, c, d.Book, p.show)
	return found, d.wrapDatasetErr(err)
}

func (d *Ledger) chainOf(ctx context.Context, program string) (c dataset.Chain, err error) {
	n, err := d.Network(ctx)
	if err != nil {
		return c, err
	}
	id, err := d.Book.Identity(ctx)
	return dataset.Chain{Network: n.Name, Genesis: id.Genesis, Token: console.Token(n.Token()), Program: program}, d.wrapErr(err)
}

// monthHeld is a month with the parts that the ledger lacks.
type monthHeld struct {
	ledger.SealedMonth
	lacks []string
}

// monthsOf returns the months of a period, and a dataset with notes on those that are skipped.
func (d *Ledger) monthsOf(ctx context.Context, q *DatasetRequest, months []ledger.SealedMonth) (wanted []monthHeld, x *Dataset, err error) {
	x = &Dataset{Months: map[dataset.Outcome]int{}}
	for _, m := range months {
		p, err := m.Period()
		if err != nil {
			return nil, nil, d.wrapErr(err)
		}
		if asked := q.Period.Asked; !q.Period.All && (p.From.Std().Before(asked.From.Std()) || p.To.Std().After(asked.To.Std())) {
			continue
		}
		cover, err := d.Book.Cover(ctx, p)
		if err != nil {
			return nil, nil, d.wrapErr(err)
		}
		if len(cover.Lacks) > 0 && !q.Period.Partial {
			x.Notes = append(x.Notes, fmt.Sprintf("%v is skipped: it lacks %s", &m, cover.Lacks[0]))
			x.LeftOut++
			continue
		}
		for _, lack := range cover.Lacks {
			x.Notes = append(x.Notes, fmt.Sprintf("Known part: %v is incomplete, missing %s", console.PeriodName(m.String()), lack))
		}
		wanted = append(wanted, monthHeld{m, cover.Lacks})
	}
	return wanted, x, nil
}

// Months checks that the period consists of whole UTC months, or is all. Errors are of type [InputError].
func (p *Period) Months() error {
	if p.Zone != time.UTC {
		return notUnderstood("%v %v: the files cover UTC months only", FieldTimezone, p.Zone)
	}
	if p.All {
		return nil
	}
	if p.Asked.Heights.Known() {
		return notUnderstood("%s: the files cover whole months. Use %v, or %v and %v with the first and last day of months.", p.Name, FieldMonth, FieldFrom, FieldTo)
	}
	from, to := p.Asked.From.Std().UTC(), p.Asked.To.Std().UTC()
	if startsMonth(from) && startsMonth(to) {
		return nil
	}
	first := ledger.MonthOf(from).Start()
	last := (ledger.MonthOf(to.Add(-time.Millisecond)) + 1).Start().AddDate(0, 0, -1)
	return notUnderstood("%s: the files cover whole months. Use %v %s %v %s.", p.Name,
		FieldFrom, first.Format(time.DateOnly), FieldTo, last.Format(time.DateOnly))
}

// startsMonth reports whether a month begins at a time.
func startsMonth(t time.Time) bool { return t.Equal(ledger.MonthOf(t).Start()) }

// wrapDatasetErr adds the ledger's location to errors that the ledger caused, and turns bad names into input errors.
func (d *Ledger) wrapDatasetErr(err error) error {
	var row *dataset.RowError
	if errors.As(err, &row) || is(ledger.ErrDamaged, ledger.ErrNone)(err) || ledger.IsTransient(err) {
		return d.wrapErr(err)
	}
	return ofDataset(err)
}

// ofDataset turns a network name that no path can contain into an [InputError].
func ofDataset(err error) error {
	if errors.Is(err, dataset.ErrName) {
		return notUnderstood("%v", err)
	}
	return err
}
