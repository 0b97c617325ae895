package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/source"
)

// wanted is the range that a command is to work on, as the user named it.
type wanted struct {
	blocks   *source.Range // nil where from and to name it
	from, to *end
}

// end is one end of a range.
type end struct {
	height uint64
	day    time.Time // if not zero, instead of the height
}

// parseWanted reads a range, or two ends of one.
func parseWanted(args []string, from, to string) (w wanted, err error) {
	if len(args) == 1 {
		if from != "" || to != "" {
			return w, errors.New("name a range, or its ends by --from and --to, not both")
		}
		blocks, err := source.ParseRange(args[0])
		w.blocks = &blocks
		return w, err
	}
	if w.from, err = parseEnd("--from", from); err != nil {
		return w, err
	}
	if w.to, err = parseEnd("--to", to); err != nil {
		return w, err
	}
	if w.from != nil && w.to != nil && w.to.day.Before(w.from.day) && !w.to.day.IsZero() {
		return w, fmt.Errorf("--from %s --to %s: the range ends before it begins", from, to)
	}
	return w, nil
}

// parseEnd reads a height or a day; "" is none.
func parseEnd(flag, text string) (*end, error) {
	if text == "" {
		return nil, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return &end{day: day}, nil
	}
	height, err := parseHeight(text)
	if err != nil {
		return nil, fmt.Errorf("%s %q: want a height, or a day such as 2026-01-31", flag, text)
	}
	return &end{height: height}, nil
}

// resolve finds the heights, for a ledger that covers some already.
func (w *wanted) resolve(ctx context.Context, reader *source.Reader, covered coverage) (span ledger.Span, err error) {
	if w.blocks != nil {
		return ledger.Span{First: w.blocks.First, Last: w.blocks.Last}, nil
	}
	if w.from == nil && !covered.known {
		return span, errors.New("a new ledger needs a beginning: name a range, or --from with a height or a day, such as --from 2026-01-01")
	}
	head, err := reader.Source.Head(ctx, reader.Unfinalized)
	if err != nil {
		return span, err
	}
	days := calendar{reader: reader, head: head.Number}
	span = ledger.Span{First: covered.next, Last: head.Number}
	if w.from != nil {
		if span.First, err = days.first(ctx, w.from); err != nil {
			return span, fmt.Errorf("--from: %w", err)
		}
	}
	if w.to != nil {
		if span.Last, err = days.last(ctx, w.to); err != nil {
			return span, fmt.Errorf("--to: %w", err)
		}
	}
	switch {
	case w.from == nil && w.to == nil && span.First > span.Last: // the ledger has all there is
		span.First = span.Last
	case span.First > span.Last:
		return span, fmt.Errorf("the range is empty: its first block would be %d and its last %d", span.First, span.Last)
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
		err = fmt.Errorf("the newest final block, %d, is older than %s", c.head, e.day.Format(time.DateOnly))
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
		err = fmt.Errorf("no block is as old as %s", e.day.Format(time.DateOnly))
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
