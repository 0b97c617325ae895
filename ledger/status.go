package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
)

// Status is how far a book is.
type Status struct {
	Identity
	First    uint64                 // the height that it begins with
	Stored   chain.Optional[Span]   // from the lowest height to the highest
	Blocks   uint64                 // that are there
	NotFinal uint64                 // of them
	Gaps     []Span                 // heights below the highest that are missing
	Sealed   chain.Optional[uint64] // the height of the last sealed block
	Seal     chain.Optional[Seal]   // of the sealed blocks, day after day: see the package's documentation
	Findings uint64                 // checks that did not hold
	Unread   uint64                 // balances events that are not understood
	// Unanswered are the questions that a source did not answer for the moment, though it
	// might have. Compare asks them again.
	Unanswered      uint64
	FirstUnanswered chain.Optional[evidence.Question]
	LastTime        chain.Optional[chain.Time] // of the highest block
	Lookups         bool                       // the look-ups by account and hash are there
	Totals          Sums                       // of the sealed blocks
	Evidence        evidence.Evidence          // how well the blocks that are there are known
}

// Status reads how far the book is.
func (b *Book) Status(ctx context.Context) (s Status, err error) {
	q, end, err := b.engine.snapshot(ctx)
	if err != nil {
		return s, err
	}
	defer end()
	c, err := readBookRow(ctx, q)
	if err != nil {
		return s, err
	}
	s.Identity, s.First = c.Identity, c.first
	if c.sealed > 0 {
		s.Sealed = chain.Some(c.next() - 1)
	}
	lowest, highest, _, err := storedHeights(ctx, q)
	if err != nil {
		return s, err
	}
	if err := b.counts(ctx, q, &c, &s); err != nil {
		return s, err
	}
	if s.Evidence, err = evidenceOf(ctx, q, everyBlock, s.Blocks); err != nil {
		return s, err
	}
	if highest != nil {
		s.Stored = chain.Some(Span{uint64(*lowest), uint64(*highest)})
		if s.LastTime, err = b.timeAt(ctx, q, uint64(*highest)); err != nil {
			return s, err
		}
		if s.Gaps, err = b.missing(ctx, q, c, Span{c.first, uint64(*highest)}, true); err != nil {
			return s, err
		}
	}
	if s.FirstUnanswered, err = b.firstUnanswered(ctx, q); err != nil {
		return s, err
	}
	if s.Lookups, err = b.haveLookups(ctx, q); err != nil {
		return s, err
	}
	all, err := b.stretches(ctx, q, &c, daily)
	if err != nil {
		return s, err
	}
	if c.sealed > 0 {
		s.Seal = chain.Some(sealOfDays(all))
	}
	for _, day := range all {
		if err := b.sumsOf(ctx, q, days, day, nil, func(_ row, x *Sums) error { return s.Totals.add(x) }); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (b *Book) firstUnanswered(ctx context.Context, q querier) (none chain.Optional[evidence.Question], err error) {
	found := none
	err = scan(ctx, q, questionFields, func(q *openQuestion) error {
		found = chain.Some(q.Question)
		return nil
	}, selectFrom("unanswered", columnsOf(questionFields))+" ORDER BY height, position LIMIT 1")
	return found, err
}

// counts are how many blocks the book has, and how many rows of some tables they have. No
// sealed block is missing, and of the tables none that a block's leaves tell of.
func (b *Book) counts(ctx context.Context, q querier, c *bookRow, s *Status) error {
	counted := []struct {
		table int
		into  *uint64
	}{{findings, &s.Findings}, {unclassified, &s.Unread}, {unanswered, &s.Unanswered}}
	with := [tableCount]uint64{} // how many blocks have rows of a table
	err := leafHeads(ctx, q, everyBlock, func(there uint16, count uint64) {
		s.Blocks += count
		if there&finalBit == 0 {
			s.NotFinal += count
		}
		for _, x := range counted {
			if there&(1<<leafOf(x.table)) != 0 {
				with[x.table] += count
			}
		}
	})
	var sealed uint64
	if err == nil && c.sealed > 0 {
		err = leafHeads(ctx, q, Span{c.first, c.next() - 1}, func(_ uint16, count uint64) { sealed += count })
	}
	if err == nil && sealed != c.sealed {
		err = fmt.Errorf("%w: table blocks: it has %d sealed blocks, and %d were sealed", ErrDamaged, sealed, c.sealed)
	}
	if err != nil {
		return b.blamed(ctx, q, blocks, err)
	}
	for _, x := range counted {
		heights, err := heightsBy(ctx, q, math.MaxInt, "SELECT DISTINCT height FROM "+tables[x.table].name)
		if err != nil {
			return err
		}
		if uint64(len(heights)) != with[x.table] {
			return b.blamed(ctx, q, x.table, fmt.Errorf("%w: table %s: %d blocks have rows, and %d had", ErrDamaged, tables[x.table].name, len(heights), with[x.table]))
		}
		for r, err := range b.walkHeights(ctx, q, heights, []int{x.table}) {
			if err != nil {
				return err
			}
			*x.into += uint64(len(r.rows[x.table]))
		}
	}
	return nil
}

// leafHead is which leaves some blocks have.
type leafHead struct {
	head   []byte
	blocks uint64
}

var leafHeadFields = []field[leafHead]{
	{name: "leaves", mark: state, at: func(l *leafHead) any { return &l.head }},
	{name: "blocks", mark: state, at: func(l *leafHead) any { return &l.blocks }},
}

// leafHeads counts the blocks of a span by which leaves they have.
func leafHeads(ctx context.Context, q querier, span Span, each func(there uint16, blocks uint64)) error {
	return scan(ctx, q, leafHeadFields, func(l *leafHead) error {
		if len(l.head) != leavesHead {
			return fmt.Errorf("%w: table blocks: leaves: %w", ErrDamaged, errCell)
		}
		each(binary.BigEndian.Uint16(l.head[1:]), l.blocks)
		return nil
	}, fmt.Sprintf("SELECT substr(leaves, 1, %d), count(*) FROM blocks WHERE height >= ? AND height <= ? GROUP BY 1", leavesHead), span.bounds()...)
}

// blamed is an error about a table that names the first block that it comes from.
func (b *Book) blamed(ctx context.Context, q querier, table int, err error) error {
	if !errors.Is(err, ErrDamaged) {
		return err
	}
	for _, found := range b.walk(ctx, q, everyBlock, []int{table}) {
		if found != nil {
			return found
		}
	}
	return err
}

// sealOfDays is the seal of a book: that of its days' seals, as those are of their blocks'
// digests.
func sealOfDays(all []*stretch) (seal Seal) {
	for _, day := range all {
		seal = seal.After(day.digestOfBlocks())
	}
	return seal
}

// Missing are the heights of a span that the book does not have, or has as blocks
// that are not final.
func (b *Book) Missing(ctx context.Context, span Span) ([]Span, error) {
	c, err := readBookRow(ctx, b.engine)
	if err != nil {
		return nil, err
	}
	return b.missing(ctx, b.engine, c, span, false)
}

// missing looks only above the sealed blocks, among which nothing is.
func (b *Book) missing(ctx context.Context, q querier, c bookRow, span Span, notFinalToo bool) (gaps []Span, err error) {
	next := span.First
	if span.First >= c.first {
		next = max(next, c.next())
	}
	if next > span.Last {
		return nil, nil
	}
	err = scan(ctx, q, heightFields, func(height *uint64) error {
		if *height > next {
			gaps = append(gaps, Span{next, *height - 1})
		}
		next = *height + 1
		return nil
	}, "SELECT height FROM blocks WHERE height BETWEEN ? AND ? AND (final OR ?) ORDER BY height", int64(next), int64(span.Last), notFinalToo)
	if err != nil {
		return nil, err
	}
	if next <= span.Last {
		gaps = append(gaps, Span{next, span.Last})
	}
	return gaps, nil
}

// timeAt is when the block at a height was made; not known where the book lacks it.
func (b *Book) timeAt(ctx context.Context, q querier, height uint64) (none chain.Optional[chain.Time], err error) {
	x, err := b.blockAt(ctx, q, height)
	if err != nil || x == nil {
		return none, err
	}
	return x.Time, nil
}

// blockAt is the block at a height, nil where the book lacks it.
func (b *Book) blockAt(ctx context.Context, q querier, height uint64) (*blockRow, error) {
	found, err := readRows(ctx, q, []int{blocks}, "height = ?", int64(height))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		c, err := readBookRow(ctx, q)
		if err == nil && height >= c.first && height < c.next() {
			err = damagedBlock(height, blocks, "missing")
		}
		if errors.Is(err, ErrNone) {
			err = nil
		}
		return nil, err
	}
	if err := found[0].checked([]int{blocks}); err != nil {
		return nil, err
	}
	return found[0].block()
}

// Predecessor is the block at a height as the next one follows it; not known where
// the book lacks it.
func (b *Book) Predecessor(ctx context.Context, height uint64) (none chain.Optional[evidence.Predecessor], err error) {
	x, err := b.blockAt(ctx, b.engine, height)
	if err != nil || x == nil {
		return none, err
	}
	return chain.Some(evidence.Predecessor{Number: height, Hash: x.Hash, Time: x.Time}), nil
}

// Extent is how far the book reaches: first is the height that it begins with, and next the
// height after the highest final block. It is ErrNone before the first Begin.
func (b *Book) Extent(ctx context.Context) (first, next uint64, err error) {
	c, err := readBookRow(ctx, b.engine)
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
