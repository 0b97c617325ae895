package app

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/source"
)

// Before is the period before: the month before a month, the year before a year, and as many
// days or blocks before a range as it has.
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
		r, err := source.ParseRange(in.Blocks)
		if err != nil {
			return before, notUnderstood("%v", err)
		}
		return before, before.heightsBefore(r.First, r.Last)
	}
	return before, notUnderstood("%v: name the period that is compared with the one before it: a range, %v, %v, or %v and %v", FieldCompare, FieldMonth, FieldYear, FieldFrom, FieldTo)
}

// namedPeriod is a month or a year.
var namedPeriod = regexp.MustCompile(`^[0-9]{4}(-[0-9]{2})?$`)

// IsNamed tells whether a text names a month or a year, such as 2025-02 or 2025.
func IsNamed(text string) bool { return namedPeriod.MatchString(text) }

// Named is the month or the year that a text names, of the same time zone.
func (in PeriodInput) Named(text string) PeriodInput {
	other := PeriodInput{Timezone: in.Timezone, Partial: in.Partial}
	if len(text) == len("2025") {
		other.Year = text
	} else {
		other.Month = text
	}
	return other
}

// PeriodBefore names the period before another one.
const PeriodBefore = "before"

// Beside is the period that a text names to be compared with this one: the one before, a month or
// a year. It is not known of "".
func (in PeriodInput) Beside(text string) (with chain.Optional[PeriodInput], err error) {
	switch {
	case text == "":
		return with, nil
	case text == PeriodBefore:
		before, err := in.Before()
		return chain.Some(before), err
	case IsNamed(text):
		return chain.Some(in.Named(text)), nil
	}
	return with, notUnderstood("%v %q: want %s, a month such as 2025-02, or a year such as 2025", FieldCompare, text, PeriodBefore)
}

// endBefore sets the ends to those of the period before one with two ends.
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

// heightsBefore sets the ends to as many blocks before a range as it has.
func (in *PeriodInput) heightsBefore(first, last uint64) error {
	count := last - first + 1
	if count > first {
		return notUnderstood("%v: there are not %d blocks before block %d", FieldCompare, count, first)
	}
	in.From, in.To = strconv.FormatUint(first-count, 10), strconv.FormatUint(first-1, 10)
	return nil
}

// Compare adds up the fees of a period beside those of another one. A [NotHeldError] says of
// which of them the ledger lacks a part.
func (d *Desk) Compare(ctx context.Context, q ReportQuestion, with PeriodInput) (*report.Comparison, error) {
	if err := q.check(); err != nil {
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
	if q.By == report.Block && !(held.Asked.Heights.Known() && before.Asked.Heights.Known()) {
		return nil, notUnderstood("%v by %s wants two ranges of heights, of which the first blocks stand beside each other: name one, or compare by %s", FieldCompare, report.Block, report.Day)
	}
	n, err := d.Network(ctx)
	if err != nil {
		return nil, err
	}
	now, err := d.report(ctx, &held, n, &q, true)
	if err != nil {
		return nil, err
	}
	then, err := d.report(ctx, &before, n, &q, true)
	if err != nil {
		return nil, err
	}
	c, err := report.Compare(now, then, q.Top)
	return c, d.of(err)
}

// With is a period of heights with another one, and what is between them: what is read of a
// gateway to compare them.
func (p Period) With(other PeriodInput) (both Period, err error) {
	q, err := other.Parse()
	if err != nil {
		return both, err
	}
	x, known := p.Asked.Heights.Get()
	y, too := q.Asked.Heights.Get()
	if !known || !too {
		return both, notUnderstood("%v: a gateway is asked for ranges of heights alone: fill a ledger by fees sync to compare months or years", FieldCompare)
	}
	return Heights(min(x.First, y.First), max(x.Last, y.Last)), nil
}
