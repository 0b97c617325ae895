package app

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/report"
)

// Before returns the previous period: the month before a month, the year before a year, or the
// same number of days or blocks before a range.
func (in PeriodInput) Before() (before PeriodInput, err error) {
	before = PeriodInput{Timezone: in.Timezone, Partial: in.Partial}
	switch {
	case in.Month != "":
		first, _, err := parseMonth(in.Month)
		before.Month = first.AddDate(0, -1, 0).Format("2006-01")
		return before, err
	case in.Year != "":
		first, _, err := parseYear(in.Year)
		before.Year = first.AddDate(-1, 0, 0).Format("2006")
		return before, err
	case in.From != "" && in.To != "":
		return before, before.endBefore(in)
	case in.Blocks != "":
		r, err := in.parseBlocks()
		if err != nil {
			return before, err
		}
		return before, before.heightsBefore(r.First, r.Last)
	}
	return before, notUnderstood("%v: state the period to compare with the previous one: a range, %v, %v, or %v and %v", FieldCompare, FieldMonth, FieldYear, FieldFrom, FieldTo)
}

// PeriodBefore is the text for the previous period.
const PeriodBefore = "before"

// Beside returns the period that text names for comparison with this one: the previous period, a month
// or a year. It returns no period for "".
func (in PeriodInput) Beside(text string) (with chain.Optional[PeriodInput], err error) {
	switch {
	case text == "":
		return with, nil
	case text == PeriodBefore:
		before, err := in.Before()
		return chain.Some(before), err
	case IsNamed(text):
		other := PeriodInput{Timezone: in.Timezone, Partial: in.Partial}
		other.Set(text)
		return chain.Some(other), nil
	}
	return with, notUnderstood("%v %q: want %s, a month such as 2025-02, or a year such as 2025", FieldCompare, text, PeriodBefore)
}

// endBefore sets both ends to the previous period of the same length.
func (in *PeriodInput) endBefore(of PeriodInput) error {
	first, err := parseEnd(FieldFrom, of.From)
	if err != nil {
		return err
	}
	last, err := parseEnd(FieldTo, of.To)
	if err != nil {
		return err
	}
	if first.day.IsZero() || last.day.IsZero() {
		return in.heightsBefore(first.height, last.height)
	}
	days := int((last.day.Unix()-first.day.Unix())/(24*60*60)) + 1 // a time.Duration holds no more than 292 years
	in.From, in.To = first.day.AddDate(0, 0, -days).Format(time.DateOnly), first.day.AddDate(0, 0, -1).Format(time.DateOnly)
	return nil
}

// heightsBefore sets both ends to the same number of blocks before a range.
func (in *PeriodInput) heightsBefore(first, last uint64) error {
	count := last - first + 1
	if count > first {
		return notUnderstood("%v: fewer than %d blocks precede block %d", FieldCompare, count, first)
	}
	in.From, in.To = strconv.FormatUint(first-count, 10), strconv.FormatUint(first-1, 10)
	return nil
}

// Compare reports the fees of a period beside those of another. It returns a [NotHeldError] for the
// period that the ledger does not fully contain.
func (d *Ledger) Compare(ctx context.Context, q Request, choice report.Choice, with PeriodInput) (*report.Comparison, error) {
	if err := checkChoice(&q, &choice); err != nil {
		return nil, err
	}
	other, err := with.Parse()
	if err != nil {
		return nil, err
	}
	held, err := d.Held(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	before, err := d.Held(ctx, other)
	if err != nil {
		var missing *NotHeldError
		if errors.As(err, &missing) {
			missing.Compared = chain.Some(with)
		}
		return nil, err
	}
	if choice.By == report.Block && !(held.Asked.Heights.Known() && before.Asked.Heights.Known()) {
		return nil, notUnderstood("%v by %s needs two ranges of heights, compared from their first blocks on. Name a range, or compare by %s.", FieldCompare, report.Block, report.Day)
	}
	n, err := d.Network(ctx)
	if err != nil {
		return nil, err
	}
	now, err := d.report(ctx, &held, n, &q, choice, true)
	if err != nil {
		return nil, err
	}
	then, err := d.report(ctx, &before, n, &q, choice, true)
	if err != nil {
		return nil, err
	}
	same, err := d.same(ctx, &held, &before, func(h *Held) (*report.Report, error) { return d.report(ctx, h, n, &q, choice, true) })
	if err != nil {
		return nil, err
	}
	c, err := report.Compare(now, then, same, choice.Top)
	return c, d.wrapErr(err)
}

// same reports the part that the ledger contains of both periods; nil if it contains all of both.
func (d *Ledger) same(ctx context.Context, now, before *Held, reportOf func(*Held) (*report.Report, error)) (*report.Same, error) {
	c, err := d.commonOf(ctx, now, before)
	if c == nil || err != nil {
		return nil, err
	}
	s := &report.Same{Part: NotCompared}
	if !c.some {
		return s, nil
	}
	s.Part, s.Sides = c.part(), c.names
	if s.Now, err = reportOf(&c.now); err != nil {
		return nil, err
	}
	s.Before, err = reportOf(&c.before)
	return s, err
}

// With returns the range from the first to the last block of two periods of heights: the blocks that a
// gateway must supply for a comparison.
func (p Period) With(other PeriodInput) (both Period, err error) {
	q, err := other.Parse()
	if err != nil {
		return both, err
	}
	x, known := p.Asked.Heights.Get()
	y, too := q.Asked.Heights.Get()
	if !known || !too {
		return both, notUnderstood("%v: without a ledger, only ranges of heights can be compared. To compare months or years, fill a ledger with \"fees sync\".", FieldCompare)
	}
	return Heights(min(x.First, y.First), max(x.Last, y.Last)), nil
}
