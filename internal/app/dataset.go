package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/dataset"
)

// DatasetQuestion asks for months of the ledger as Parquet files by network, year and month.
type DatasetQuestion struct {
	Dir      string
	Period   Period // whole months of UTC, or all
	Replace  bool   // files that are there and differ
	Program  string // that writes
	Progress Progress
	// Done is told of each month when its files are there, where it is not nil.
	Done func(dataset.Outcome, *dataset.Manifest)
}

// Dataset is what was exported.
type Dataset struct {
	Months       map[dataset.Outcome]int
	Undetermined uint64   // fees of these months that are not known
	Unclassified uint64   // events of these months of which it is not known what they moved
	LeftOut      int      // months that are there in part
	Notes        []string // what a reader must know, such as the months that are left out
}

// Dataset writes the files of the months that are not there. Of a ledger as a whole, a month
// that is not whole is left out, unless the period may be partial.
func (d *Desk) Dataset(ctx context.Context, q DatasetQuestion) (*Dataset, error) {
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
		return nil, d.of(err)
	}
	wanted, x, err := d.monthsOf(ctx, &q, months)
	if err != nil {
		return nil, err
	}
	if timeless > 1 { // block 0 never has one, nor a transaction
		x.Notes = append(x.Notes, fmt.Sprintf("MISSING: %d blocks have no time, and are in no month", timeless))
	}
	if len(wanted) == 0 {
		x.Notes = append(x.Notes, "no month is exported")
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
			return nil, d.whose(err)
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

// CheckDataset compares the files of a directory with their sums, and with the ledger's seals.
func (d *Desk) CheckDataset(ctx context.Context, dir string, p *Progress) (*dataset.Checked, error) {
	c, err := d.chainOf(ctx, "")
	if err != nil {
		return nil, err
	}
	defer p.end()
	found, err := dataset.Check(ctx, dir, c, d.Book, p.show)
	return found, d.whose(err)
}

func (d *Desk) chainOf(ctx context.Context, program string) (c dataset.Chain, err error) {
	n, err := d.Network(ctx)
	if err != nil {
		return c, err
	}
	id, err := d.Book.Identity(ctx)
	return dataset.Chain{Network: n.Name, Genesis: id.Genesis, Symbol: n.Symbol, Program: program}, d.of(err)
}

// monthHeld is a month with what the ledger lacks of it.
type monthHeld struct {
	ledger.SealedMonth
	lacks []string
}

// monthsOf are those of a period, and what is said of those that are left out.
func (d *Desk) monthsOf(ctx context.Context, q *DatasetQuestion, months []ledger.SealedMonth) (wanted []monthHeld, x *Dataset, err error) {
	x = &Dataset{Months: map[dataset.Outcome]int{}}
	for _, m := range months {
		p, err := m.Period()
		if err != nil {
			return nil, nil, d.of(err)
		}
		if asked := q.Period.Asked; !q.Period.All && (p.From.Std().Before(asked.From.Std()) || p.To.Std().After(asked.To.Std())) {
			continue
		}
		cover, err := d.Book.Cover(ctx, p)
		if err != nil {
			return nil, nil, d.of(err)
		}
		if len(cover.Lacks) > 0 && !q.Period.Partial {
			x.Notes = append(x.Notes, fmt.Sprintf("%v is left out: it lacks %s", &m, cover.Lacks[0]))
			x.LeftOut++
			continue
		}
		for _, lack := range cover.Lacks {
			x.Notes = append(x.Notes, fmt.Sprintf("PARTIAL: this is not all of %v: it lacks %s", &m, lack))
		}
		wanted = append(wanted, monthHeld{m, cover.Lacks})
	}
	return wanted, x, nil
}

// Months wants whole months of UTC, or all. The error is an [InputError].
func (p *Period) Months() error {
	if p.Zone != time.UTC {
		return notUnderstood("%v %v: the files are of months of UTC", FieldTimezone, p.Zone)
	}
	if p.All {
		return nil
	}
	if p.Asked.Heights.Known() {
		return notUnderstood("%s: the files are of whole months: name %v, or the first and the last day of months by %v and %v", p.Name, FieldMonth, FieldFrom, FieldTo)
	}
	from, to := p.Asked.From.Std().UTC(), p.Asked.To.Std().UTC()
	if begins(from) && begins(to) {
		return nil
	}
	first := ledger.MonthOf(from).Start()
	last := (ledger.MonthOf(to.Add(-time.Millisecond)) + 1).Start().AddDate(0, 0, -1)
	return notUnderstood("%s: the files are of whole months: %v %s %v %s takes them all", p.Name,
		FieldFrom, first.Format(time.DateOnly), FieldTo, last.Format(time.DateOnly))
}

// begins tells whether a month begins at a time.
func begins(t time.Time) bool { return t.Equal(ledger.MonthOf(t).Start()) }

// whose says of an error of a dataset whether it is the ledger's.
func (d *Desk) whose(err error) error {
	var row *dataset.RowError
	if errors.As(err, &row) || is(ledger.ErrDamaged, ledger.ErrNone)(err) || ledger.Passes(err) {
		return d.of(err)
	}
	return ofDataset(err)
}

// ofDataset says of a name that no path can have that it is not understood.
func ofDataset(err error) error {
	if errors.Is(err, dataset.ErrName) {
		return notUnderstood("%v", err)
	}
	return err
}
