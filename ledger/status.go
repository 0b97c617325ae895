package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
)

// Status is how far a book is.
type Status struct {
	Identity
	First    uint64                     // the height that it begins with
	Stored   chain.Optional[Span]       // from the lowest height to the highest
	Blocks   uint64                     // that are there
	NotFinal uint64                     // of them
	Gaps     []Span                     // heights below the highest that are missing
	Sealed   chain.Optional[uint64]     // the height of the last sealed block
	Seal     Seal                       // of that block
	Findings uint64                     // checks that did not hold
	Unread   uint64                     // balances events that are not understood
	LastTime chain.Optional[chain.Time] // of the highest block
	Lookups  bool                       // the look-ups by account and hash are there
	Totals   Sums                       // of the sealed blocks
}

// Status reads how far the book is.
func (b *Book) Status(ctx context.Context) (s Status, err error) {
	q, end, err := b.engine.snapshot(ctx)
	if err != nil {
		return s, err
	}
	defer end()
	c, err := b.cover(ctx, q)
	if err != nil {
		return s, err
	}
	s.Identity, s.First, s.Seal = c.Identity, c.first, c.seal
	if c.sealed > 0 {
		s.Sealed = chain.Some(c.next() - 1)
	}
	lowest, highest, blocks, err := extent(ctx, q)
	if err != nil {
		return s, err
	}
	s.Blocks = blocks
	if highest != nil {
		s.Stored = chain.Some(Span{uint64(*lowest), uint64(*highest)})
		if s.LastTime, err = timeOf(ctx, q, *highest); err != nil {
			return s, err
		}
		if s.Gaps, err = b.missing(ctx, q, c, Span{c.first, uint64(*highest)}, true); err != nil {
			return s, err
		}
	}
	for _, count := range []struct {
		of   string
		into *uint64
	}{
		{"blocks WHERE NOT final", &s.NotFinal},
		{"findings", &s.Findings},
		{"unclassified", &s.Unread},
	} {
		if _, err = one(ctx, q, []any{count.into}, "SELECT count(*) FROM "+count.of); err != nil {
			return s, err
		}
	}
	if s.Lookups, err = b.haveLookups(ctx, q); err != nil {
		return s, err
	}
	t := &totals[days]
	err = list(ctx, q, t.sums, func(r row) error {
		sums, err := sumsOf(t, r)
		if err != nil {
			return errors.Join(ErrDamaged, err)
		}
		return s.Totals.add(&sums)
	}, selectFrom(t.name, t.sums))
	return s, err
}

// Missing are the heights of a span that the book does not have, or has as blocks
// that are not final.
func (b *Book) Missing(ctx context.Context, span Span) ([]Span, error) {
	c, err := b.cover(ctx, b.engine)
	if err != nil {
		return nil, err
	}
	return b.missing(ctx, b.engine, c, span, false)
}

// missing looks only above the sealed blocks, among which nothing is.
func (b *Book) missing(ctx context.Context, q querier, c cover, span Span, notFinalToo bool) (gaps []Span, err error) {
	next := span.First
	if span.First >= c.first {
		next = max(next, c.next())
	}
	if next > span.Last {
		return nil, nil
	}
	columns := []column{{"height", integer, fact}}
	err = list(ctx, q, columns, func(r row) error {
		c := cells{row: r, columns: columns}
		height := c.number()
		if height > next {
			gaps = append(gaps, Span{next, height - 1})
		}
		next = height + 1
		return c.err
	}, "SELECT height FROM blocks WHERE height BETWEEN ? AND ? AND (final OR ?) ORDER BY height", int64(next), int64(span.Last), notFinalToo)
	if err != nil {
		return nil, err
	}
	if next <= span.Last {
		gaps = append(gaps, Span{next, span.Last})
	}
	return gaps, nil
}

// timeOf is when a block was made, as the book has it.
func timeOf(ctx context.Context, q querier, height int64) (none chain.Optional[chain.Time], err error) {
	var ms *int64
	if _, err := one(ctx, q, []any{&ms}, "SELECT time_ms FROM blocks WHERE height = ?", height); err != nil || ms == nil {
		return none, err
	}
	t, err := chain.TimeAt(uint64(*ms))
	if err != nil {
		return none, fmt.Errorf("%w: block %d: %w", ErrDamaged, height, err)
	}
	return chain.Some(t), nil
}

// Predecessor is the block at a height as the next one follows it; not known where
// the book lacks it.
func (b *Book) Predecessor(ctx context.Context, height uint64) (none chain.Optional[evidence.Predecessor], err error) {
	var hash []byte
	found, err := one(ctx, b.engine, []any{&hash}, "SELECT hash FROM blocks WHERE height = ?", int64(height))
	if err != nil || !found {
		return none, err
	}
	if len(hash) != len(chain.Hash{}) {
		return none, fmt.Errorf("%w: block %d: its hash is none", ErrDamaged, height)
	}
	time, err := timeOf(ctx, b.engine, int64(height))
	return chain.Some(evidence.Predecessor{Number: height, Hash: chain.Hash(hash), Time: time}), err
}

// SealAt is the seal of the block at a height; not known where that block is not sealed
// in the book.
func (b *Book) SealAt(ctx context.Context, height uint64) (none chain.Optional[Seal], err error) {
	var seal []byte
	found, err := one(ctx, b.engine, []any{&seal}, "SELECT seal FROM blocks WHERE height = ?", int64(height))
	if err != nil || !found || seal == nil {
		return none, err
	}
	if len(seal) != len(Seal{}) {
		return none, fmt.Errorf("%w: block %d: its seal is none", ErrDamaged, height)
	}
	return chain.Some(Seal(seal)), nil
}

// Coverage is what the book has of the heights from its first on: First, where it
// begins, and Next, the height after the highest final block. It is ErrNone before
// the first Begin.
func (b *Book) Coverage(ctx context.Context) (first, next uint64, err error) {
	c, err := b.cover(ctx, b.engine)
	if err != nil {
		return 0, 0, err
	}
	var highest *int64
	if _, err := one(ctx, b.engine, []any{&highest}, "SELECT max(height) FROM blocks WHERE final"); err != nil {
		return 0, 0, err
	}
	if highest == nil {
		return c.first, c.first, nil
	}
	return c.first, uint64(*highest) + 1, nil
}
