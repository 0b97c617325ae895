package desk

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/source"
)

// WantedInput names the blocks that a ledger is to be filled with: a range, or its ends.
// Without To they go to the newest block; without From, on from where the ledger ends.
type WantedInput struct {
	Blocks   string // A..B, both included, or A:+N
	From, To string // heights, or days of UTC, both included
}

// Wanted are the blocks that a ledger is to be filled with.
type Wanted struct {
	blocks   *source.Range // nil where from and to name them
	from, to *end
}

// end is one end of a range.
type end struct {
	height uint64
	day    time.Time // if not zero, instead of the height
}

// Parse reads which blocks are wanted. The error is an [InputError].
func (in WantedInput) Parse() (w Wanted, err error) {
	if in.Blocks != "" {
		if in.From != "" || in.To != "" {
			return w, notUnderstood("name a range, or its ends by %v and %v, not both", FieldFrom, FieldTo)
		}
		blocks, err := source.ParseRange(in.Blocks)
		if err != nil {
			return w, notUnderstood("%v", err)
		}
		w.blocks = &blocks
		return w, nil
	}
	if w.from, err = parseEnd(FieldFrom, in.From); err != nil {
		return w, err
	}
	if w.to, err = parseEnd(FieldTo, in.To); err != nil {
		return w, err
	}
	if w.from != nil && w.to != nil && w.to.day.Before(w.from.day) && !w.to.day.IsZero() {
		return w, notUnderstood("%v %s %v %s: the range ends before it begins", FieldFrom, in.From, FieldTo, in.To)
	}
	return w, nil
}

// parseEnd reads a height or a day; "" is none.
func parseEnd(field Field, text string) (*end, error) {
	if text == "" {
		return nil, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return &end{day: day}, nil
	}
	height, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return nil, notUnderstood("%v %q: want a height, or a day such as 2026-01-31", field, text)
	}
	return &end{height: height}, nil
}

// at says of which field an error is.
func at(field Field, err error) error {
	var input *InputError
	if errors.As(err, &input) {
		return &InputError{"%v: " + input.Format, append([]any{field}, input.Args...)}
	}
	return fmt.Errorf("%s: %w", field, err)
}

// resolve finds the heights, for a ledger that has some already.
func (w *Wanted) resolve(ctx context.Context, reader *source.Reader, extent Extent) (span ledger.Span, err error) {
	if w.blocks != nil {
		return ledger.Span{First: w.blocks.First, Last: w.blocks.Last}, nil
	}
	if w.from == nil && !extent.Known {
		return span, notUnderstood("a new ledger needs a beginning: name a range, or %v with a height or a day, such as %v 2026-01-01", FieldFrom, FieldFrom)
	}
	head, err := reader.Source.Head(ctx, reader.Unfinalized)
	if err != nil {
		return span, err
	}
	days := calendar{reader: reader, head: head.Number}
	span = ledger.Span{First: extent.Next, Last: head.Number}
	if w.from != nil {
		if span.First, err = days.first(ctx, w.from); err != nil {
			return span, at(FieldFrom, err)
		}
	}
	if w.to != nil {
		if span.Last, err = days.last(ctx, w.to); err != nil {
			return span, at(FieldTo, err)
		}
	}
	switch {
	case w.from == nil && w.to == nil && span.First > span.Last: // the ledger has all there is
		span.First = span.Last
	case span.First > span.Last:
		return span, notUnderstood("the range is empty: its first block would be %d and its last %d", span.First, span.Last)
	}
	return span, nil
}

// calendar finds blocks by their day.
type calendar struct {
	reader *source.Reader
	head   uint64
}

// first is the last block before a day: it proves that the next is the day's first. Block
// 0, which has no time, proves nothing, and nothing is before block 1.
func (c *calendar) first(ctx context.Context, e *end) (uint64, error) {
	if e.day.IsZero() {
		return e.height, nil
	}
	height, err := c.search(ctx, e.day)
	if err == nil && height > c.head {
		err = notUnderstood("the newest final block, %d, is older than %s", c.head, e.day.Format(time.DateOnly))
	}
	if height > 1 {
		height--
	}
	return height, err
}

// last is the first block after a day, where it is there already: it proves that the one
// before is the day's last.
func (c *calendar) last(ctx context.Context, e *end) (uint64, error) {
	if e.day.IsZero() {
		return e.height, nil
	}
	height, err := c.search(ctx, e.day.AddDate(0, 0, 1))
	if err == nil && height == 0 {
		err = notUnderstood("no block is as old as %s", e.day.Format(time.DateOnly))
	}
	return min(height, c.head), err
}

// search is the lowest height whose block is not older than a time, by bisection.
// Block 0, which has no time, is older than all.
func (c *calendar) search(ctx context.Context, at time.Time) (uint64, error) {
	low, high := uint64(0), c.head+1
	for low < high {
		middle := low + (high-low)/2
		b, err := c.reader.Source.Block(ctx, middle)
		if err != nil {
			return 0, err
		}
		made, err := b.Time()
		if err != nil {
			return 0, fmt.Errorf("block %d: %w", middle, err)
		}
		if t, ok := made.Get(); ok && !t.Std().Before(at) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, nil
}
