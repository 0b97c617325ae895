package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source"
)

// Wanted are the blocks to fill a ledger with.
type Wanted struct {
	blocks   *chain.Heights // nil if from and to are set
	from, to *end
	zone     *time.Location
	name     string                        // of the days, for display; may be ""
	days     chain.Optional[ledger.Period] // from the first day to the last; unknown if an end is a height or open
	of       [2]Field                      // the fields of the beginning and the end
}

// end is one end of a range.
type end struct {
	height uint64
	day    time.Time // if not zero, instead of the height
}

// ParseWanted parses the blocks to fill a ledger with. Without To they extend to the newest block; without From they begin
// where the ledger ends. One end may be a day and the other a height. Errors are of type [InputError].
func (in PeriodInput) ParseWanted() (w Wanted, err error) {
	if w.zone, err = parseZone(in.Timezone); err != nil {
		return w, err
	}
	w.of = [2]Field{FieldFrom, FieldTo}
	ends := in.From != "" || in.To != ""
	if count(in.Blocks != "")+count(in.Month != "")+count(in.Year != "")+count(ends) > 1 {
		return w, notUnderstood("state the blocks in one way only: a range, %v, %v, or %v and %v", FieldMonth, FieldYear, FieldFrom, FieldTo)
	}
	switch {
	case in.Blocks != "":
		blocks, err := in.parseBlocks()
		w.blocks = &blocks
		return w, err
	case in.Month != "" || in.Year != "":
		first, last, err := parseMonth(in.Month)
		w.of = [2]Field{FieldMonth, FieldMonth}
		if in.Year != "" {
			first, last, err = parseYear(in.Year)
			w.of = [2]Field{FieldYear, FieldYear}
		}
		if err != nil {
			return w, err
		}
		w.from, w.to, w.name = &end{day: first}, &end{day: last}, in.Month+in.Year
	default:
		if w.from, err = parseEnd(FieldFrom, in.From); err != nil {
			return w, err
		}
		if w.to, err = parseEnd(FieldTo, in.To); err != nil {
			return w, err
		}
		if w.from != nil && w.to != nil && w.to.day.Before(w.from.day) && !w.to.day.IsZero() {
			return w, notUnderstood("%v %s %v %s: the range ends before it begins", FieldFrom, in.From, FieldTo, in.To)
		}
		switch from, to := w.from.byDay(), w.to.byDay(); {
		case from && to:
			w.name = in.From + " to " + in.To
		case from:
			w.name = "the days from " + in.From
		case to:
			w.name = "the days up to " + in.To
		}
	}
	if w.name != "" && w.zone != time.UTC {
		w.name += " in " + w.zone.String()
	}
	if w.from.byDay() && w.to.byDay() {
		if p := (Period{Zone: w.zone}); p.days(w.name, w.from.day, w.to.day) == nil { // a period cannot begin before 1970; a range can
			w.days = chain.Some(p.Asked)
		}
	}
	return w, nil
}

// byDay reports whether an end exists and is a day.
func (e *end) byDay() bool { return e != nil && !e.day.IsZero() }

// Name returns the days for display, with the margin around them; "" if only heights are stated.
func (w *Wanted) Name() string {
	if w.name == "" {
		return ""
	}
	return w.name + " with a margin for every time zone"
}

// parseEnd parses a height or a day; it returns nil for "".
func parseEnd(field Field, text string) (*end, error) {
	if text == "" {
		return nil, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		if day.IsZero() { // the zero time means no day
			return nil, notUnderstood("%v %s begins before 1970-01-01T00:00:00Z; choose a later day", field, text)
		}
		return &end{day: day}, nil
	}
	height, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return nil, notUnderstood("%v %q: want a height, or a day such as 2026-01-31", field, text)
	}
	return &end{height: height}, nil
}

// at adds a field to an error.
func at(field Field, err error) error {
	var input *InputError
	if errors.As(err, &input) {
		return &InputError{"%v: " + input.Format, append([]any{field}, input.Args...)}
	}
	return fmt.Errorf("%s: %w", field, err)
}

// resolve returns the heights, given the extent of the ledger.
func (w *Wanted) resolve(ctx context.Context, reader *source.Reader, extent Extent) (span chain.Heights, err error) {
	if w.blocks != nil {
		return chain.Heights{First: w.blocks.First, Last: w.blocks.Last}, nil
	}
	if w.from == nil && !extent.Known {
		return span, notUnderstood("a new ledger needs a beginning. State a range, %v, %v, or %v with a height or a day, such as %v 2026-01-01.", FieldMonth, FieldYear, FieldFrom, FieldFrom)
	}
	days, err := newCalendar(ctx, reader, w.zone)
	if err != nil {
		return span, err
	}
	span = chain.Heights{First: extent.Next, Last: days.head}
	if w.from != nil {
		if span.First, err = days.first(ctx, w.from); err != nil {
			return span, at(w.of[0], err)
		}
	}
	if w.to != nil {
		if span.Last, err = days.last(ctx, w.to); err != nil {
			return span, at(w.of[1], err)
		}
	}
	switch {
	case w.from == nil && w.to == nil && span.First > span.Last: // the ledger is up to date
		span.First = span.Last
	case span.First > span.Last:
		return span, notUnderstood("the range is empty: its first block would be %d and its last %d", span.First, span.Last)
	}
	if w.name != "" && extent.Known && extent.Next > extent.First { // leave no gap in the ledger
		span.First, span.Last = min(span.First, extent.Next), max(span.Last, extent.First-min(extent.First, 1))
	}
	return span, nil
}

// Days begin and end at different moments in each time zone. The range therefore starts 14 hours before its first day
// begins in UTC, when it begins in UTC+14, and ends 12 hours after its last day ends in UTC, when it ends in UTC-12.
const (
	marginBefore = 14 * time.Hour
	marginAfter  = 12 * time.Hour
)

// calendar finds blocks by day.
type calendar struct {
	reader    *source.Reader
	zone      *time.Location
	low, head uint64 // the lowest and the highest existing block
	lowKnown  bool
	newest    chain.Optional[chain.Time] // of the highest
}

func newCalendar(ctx context.Context, reader *source.Reader, zone *time.Location) (c calendar, err error) {
	c = calendar{reader: reader, zone: zone}
	head, err := reader.Source.Head(ctx, reader.Unfinalized)
	if err != nil {
		return c, err
	}
	kept, err := source.Kept(reader.Source)
	if err != nil {
		return c, err
	}
	heights, known := kept.Get()
	c.low, c.lowKnown, c.head = heights.First, known, head.Number
	c.newest, err = timeOf(head)
	return c, err
}

// findLow finds the lowest block of a source that does not state it. A gateway may contain only part of a chain, up to
// its head.
func (c *calendar) findLow(ctx context.Context) error {
	if c.lowKnown {
		return nil
	}
	low, high := uint64(0), c.head
	for height := uint64(0); low < high; height = low + (high-low)/2 { // try block 0 first, as nearly all sources have it
		_, err := c.reader.Source.Block(ctx, height)
		switch {
		case err == nil, height == 0 && source.IsUnsupported(err):
			high = height
		case errors.Is(err, chain.ErrNoBlock):
			low = height + 1
		default:
			return err
		}
	}
	c.low, c.lowKnown = low, true
	return nil
}

func timeOf(b *chain.Block) (chain.Optional[chain.Time], error) {
	at, err := b.Time()
	if err != nil {
		err = fmt.Errorf("block %d: %w", b.Number, err)
	}
	return at, err
}

// name formats a day for display.
func (c *calendar) name(day time.Time) string {
	if c.zone == time.UTC {
		return day.Format(time.DateOnly)
	}
	return day.Format(time.DateOnly) + " in " + c.zone.String()
}

// first returns the last block before a day begins in any zone: it proves that the next block is the first one wanted.
// Block 0, which has no time, proves nothing, and nothing precedes block 1.
func (c *calendar) first(ctx context.Context, e *end) (uint64, error) {
	if e.day.IsZero() {
		return e.height, nil
	}
	if t, ok := c.newest.Get(); ok && t.Std().Before(report.Midnight(e.day, c.zone)) {
		return 0, notUnderstood("the newest final block, %d of %v, is older than %s", c.head, t, c.name(e.day))
	}
	if err := c.findLow(ctx); err != nil {
		return 0, err
	}
	height, err := c.search(ctx, e.day.Add(-marginBefore))
	if height > max(c.low, 1) {
		height--
	}
	return height, err
}

// last returns the first block after a day has ended in every zone, if it exists already: it proves that the block
// before is the last one wanted.
func (c *calendar) last(ctx context.Context, e *end) (uint64, error) {
	if e.day.IsZero() {
		return e.height, nil
	}
	if err := c.findLow(ctx); err != nil {
		return 0, err
	}
	after := e.day.AddDate(0, 0, 1)
	oldest, at, err := c.oldest(ctx)
	if err != nil {
		return 0, err
	}
	newest, _ := c.newest.Get()
	if t, ok := at.Get(); ok && !t.Std().Before(report.Midnight(after, c.zone)) && !newest.Std().Before(report.Midnight(after, c.zone)) {
		return 0, notUnderstood("no block is as old as %s; the first one, %d, is from %v", c.name(e.day), oldest, t)
	}
	height, err := c.search(ctx, after.Add(marginAfter))
	return min(height, c.head), err
}

// oldest returns the first block with a time.
func (c *calendar) oldest(ctx context.Context) (height uint64, at chain.Optional[chain.Time], err error) {
	for height = max(c.low, 1); height <= c.head && height <= c.low+1; height++ {
		b, err := c.reader.Source.Block(ctx, height)
		if err != nil {
			return height, at, err
		}
		if at, err = timeOf(b); err != nil || at.Known() {
			return height, at, err
		}
	}
	return height, at, nil
}

// search returns the lowest height whose block is not older than a time, by bisection. Block 0 has no time and counts as
// older.
func (c *calendar) search(ctx context.Context, at time.Time) (uint64, error) {
	low, high := c.low, c.head+1
	for low < high {
		middle := low + (high-low)/2
		b, err := c.reader.Source.Block(ctx, middle)
		if err != nil {
			return 0, err
		}
		made, err := timeOf(b)
		if err != nil {
			return 0, err
		}
		if t, ok := made.Get(); ok && !t.Std().Before(at) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, nil
}
