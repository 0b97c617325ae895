package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
)

// Status is how far a book is.
type Status struct {
	Identity
	First    uint64                        // the height that it begins with
	Stored   chain.Optional[chain.Heights] // from the lowest height to the highest
	Blocks   uint64                        // that are there
	NotFinal uint64                        // of them
	Below    chain.Optional[chain.Heights] // blocks below First that are not sealed yet, from the lowest to the highest
	Gaps     []chain.Heights               // heights below the highest that are missing, from the lowest on
	Sealed   chain.Optional[uint64]        // the height of the last sealed block
	Seal     chain.Optional[Seal]          // of the sealed blocks, day after day: see the package's documentation
	Findings uint64                        // checks that did not hold
	Unread   uint64                        // balances events that are not understood
	// Unanswered are the questions that a source did not answer for the moment, though it
	// might have. Compare asks them again.
	Unanswered      uint64
	FirstUnanswered chain.Optional[evidence.Question]
	LastTime        chain.Optional[chain.Time] // of the highest block
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
	var lowest, highest *int64
	if _, err := one(ctx, q, []any{&lowest, &highest}, "SELECT (SELECT min(height) FROM blocks WHERE height >= ?), (SELECT max(height) FROM blocks WHERE height >= ?)", int64(c.first), int64(c.first)); err != nil {
		return s, err
	}
	if err := b.counts(ctx, q, &c, &s); err != nil {
		return s, err
	}
	if s.Evidence, err = evidenceOf(ctx, q, chain.Heights{First: c.first, Last: everyBlock.Last}, s.Blocks); err != nil {
		return s, err
	}
	if s.Below, s.Gaps, err = b.below(ctx, q, c); err != nil {
		return s, err
	}
	if highest != nil {
		s.Stored = chain.Some(chain.Heights{First: uint64(*lowest), Last: uint64(*highest)})
		if s.LastTime, err = b.timeAt(ctx, q, uint64(*highest)); err != nil {
			return s, err
		}
		gaps, err := b.missing(ctx, q, c, chain.Heights{First: c.first, Last: uint64(*highest)}, true)
		if err != nil {
			return s, err
		}
		s.Gaps = append(s.Gaps, gaps...)
	}
	if s.FirstUnanswered, err = b.firstUnanswered(ctx, q, c.first); err != nil {
		return s, err
	}
	if c.sealed == 0 {
		return s, nil
	}
	months, err := b.months(ctx, q, &c)
	if err != nil {
		return s, err
	}
	days, err := readStretches(ctx, q, daily, "number >= ?", int64(noTime))
	if err == nil {
		err = inAll(days, c.sealed, "the ledger")
	}
	if err != nil {
		return s, err
	}
	s.Seal = chain.Some(sealOf(days))
	for _, month := range months {
		if err := s.Totals.Add(&month.sums); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (b *Book) firstUnanswered(ctx context.Context, q querier, first uint64) (none chain.Optional[evidence.Question], err error) {
	heights, err := heightsWith(ctx, q, chain.Heights{First: first, Last: everyBlock.Last}, hasUnanswered, 1)
	if err != nil || len(heights) == 0 {
		return none, err
	}
	for c, err := range b.contentsAt(ctx, q, heights) {
		if err != nil || len(c.known.Unanswered) == 0 {
			return none, err
		}
		return chain.Some(c.known.Unanswered[0]), nil
	}
	return none, nil
}

// counts are how many blocks the book has, and how many findings and the like they have. None
// is missing that the stretches tell of.
func (b *Book) counts(ctx context.Context, q querier, c *bookRow, s *Status) error {
	if _, err := one(ctx, q, []any{&s.Blocks, &s.NotFinal}, "SELECT (SELECT count(*) FROM blocks WHERE height >= ?), (SELECT count(*) FROM blocks WHERE flags <> 0 AND flags & 1 <> 0 AND height >= ?)",
		int64(c.next()), int64(c.first)); err != nil {
		return err
	}
	s.Blocks += c.sealed
	span := chain.Heights{First: c.first, Last: everyBlock.Last}
	want, err := b.countWith(ctx, q, c, span)
	if err != nil {
		return err
	}
	for i, into := range [...]*uint64{&s.Findings, &s.Unread, &s.Unanswered} {
		heights, err := heightsWith(ctx, q, span, fewFlags[i].flag, math.MaxInt)
		if err != nil {
			return err
		}
		if uint64(len(heights)) != want[i] {
			return b.blamed(ctx, q, damaged("table blocks: %d blocks have %s, and %d had", len(heights), fewFlags[i].name, want[i]))
		}
		for x, err := range b.contentsAt(ctx, q, heights) {
			if err != nil {
				return err
			}
			*into += uint64([...]int{len(x.known.Findings), len(x.Unclassified), len(x.known.Unanswered)}[i])
		}
	}
	return nil
}

// countWith counts the blocks of a span that have which flag. Of days and months that are in it as a
// whole, the stretches say it; the others' blocks, and those that are not sealed, are looked at.
func (b *Book) countWith(ctx context.Context, q querier, c *bookRow, span chain.Heights) (n [len(fewFlags)]uint64, err error) {
	look := func(where string, arguments []any) {
		for i, few := range fewFlags {
			var count uint64
			if err == nil {
				_, err = one(ctx, q, []any{&count}, fmt.Sprintf("SELECT count(*) FROM blocks WHERE flags <> 0 AND flags & %d <> 0 AND %s", few.flag, where), arguments...)
			}
			n[i] += count
		}
	}
	if sealed := (chain.Heights{First: max(span.First, c.first), Last: min(span.Last, c.next()-1)}); c.sealed > 0 && sealed.First <= sealed.Last {
		list, err := b.piecesAt(ctx, q, c, Period{Heights: chain.Some(sealed)}, sealed, anyStretch)
		if err != nil {
			return n, err
		}
		for i := range list {
			if x := &list[i]; !x.whole {
				within := *x.stretch
				within.first, within.last = x.span.First, x.span.Last
				look(within.condition())
			} else {
				for i, count := range x.flagged {
					n[i] += count
				}
			}
		}
	}
	if above := (chain.Heights{First: max(span.First, c.next()), Last: span.Last}); above.First <= above.Last {
		look("height >= ? AND height <= ?", bounds(above))
	}
	return n, err
}

// blamed is damage that names the first block that it comes from.
func (b *Book) blamed(ctx context.Context, q querier, err error) error {
	for _, found := range walk(ctx, b, q, everyBlock, whole) {
		if found != nil {
			return found
		}
	}
	return err
}

// Missing are the heights of a span that the book does not have, or has as blocks
// that are not final.
func (b *Book) Missing(ctx context.Context, span chain.Heights) ([]chain.Heights, error) {
	c, err := readBookRow(ctx, b.engine)
	if err != nil {
		return nil, err
	}
	return b.missing(ctx, b.engine, c, span, false)
}

// below are the blocks below the book's first one that are not sealed yet, and what is missing
// between them and it.
func (b *Book) below(ctx context.Context, q querier, c bookRow) (stored chain.Optional[chain.Heights], gaps []chain.Heights, err error) {
	var lowest, highest *int64
	if _, err := one(ctx, q, []any{&lowest, &highest}, "SELECT min(height), max(height) FROM blocks WHERE height >= 0 AND height < ?", int64(c.first)); err != nil || lowest == nil {
		return stored, nil, err
	}
	if _, removing := c.removed(); removing {
		return stored, nil, nil
	}
	gaps, err = b.missing(ctx, q, c, chain.Heights{First: uint64(*lowest), Last: c.first - 1}, true)
	return chain.Some(chain.Heights{First: uint64(*lowest), Last: uint64(*highest)}), gaps, err
}

// missing looks only above the sealed blocks and below them, among which nothing is.
func (b *Book) missing(ctx context.Context, q querier, c bookRow, span chain.Heights, notFinalToo bool) (gaps []chain.Heights, err error) {
	next := span.First
	switch {
	case span.First >= c.first:
		next = max(next, c.next())
	case c.sealed > 0 && span.Last >= c.first:
		if gaps, err = b.missing(ctx, q, c, chain.Heights{First: span.First, Last: c.first - 1}, notFinalToo); err != nil {
			return nil, err
		}
		next = c.next()
	}
	if next > span.Last {
		return gaps, nil
	}
	unwanted := notFinal
	if notFinalToo {
		unwanted = 0
	}
	err = scan(ctx, q, heightFields, func(height *uint64) error {
		if *height > next {
			gaps = append(gaps, chain.Heights{First: next, Last: *height - 1})
		}
		next = *height + 1
		return nil
	}, "SELECT height FROM blocks WHERE height >= ? AND height <= ? AND flags & ? = 0 ORDER BY height", int64(next), bounds(span)[1], int64(unwanted))
	if err != nil {
		return nil, err
	}
	if next <= span.Last {
		gaps = append(gaps, chain.Heights{First: next, Last: span.Last})
	}
	return gaps, nil
}

// timeAt is when the block at a height was made; not known where the book lacks it.
func (b *Book) timeAt(ctx context.Context, q querier, height uint64) (none chain.Optional[chain.Time], err error) {
	r, err := b.blockAt(ctx, q, height)
	if err != nil || r == nil {
		return none, err
	}
	return r.at()
}

// blockAt is the block at a height, nil where the book lacks it.
func (b *Book) blockAt(ctx context.Context, q querier, height uint64) (*blockRow, error) {
	rows, _, err := readChecked(ctx, q, "height = ?", int64(min(height, math.MaxInt64)))
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		return rows[0], nil
	}
	c, err := readBookRow(ctx, q)
	if err == nil && height >= c.first && height < c.next() {
		err = damagedBlock(height, "missing")
	}
	if errors.Is(err, ErrNone) {
		err = nil
	}
	return nil, err
}

// Predecessor is the block at a height as the next one follows it; not known where
// the book lacks it.
func (b *Book) Predecessor(ctx context.Context, height uint64) (none chain.Optional[evidence.Predecessor], err error) {
	r, err := b.blockAt(ctx, b.engine, height)
	if err != nil || r == nil {
		return none, err
	}
	at, err := r.at()
	return chain.Some(evidence.Predecessor{Number: height, Hash: r.hash(), Time: at}), err
}

// Extent is how far the book reaches: first is the height that it begins with, and next the
// height after the highest final block. It is ErrNone before the first Begin.
func (b *Book) Extent(ctx context.Context) (first, next uint64, err error) {
	c, err := readBookRow(ctx, b.engine)
	if err != nil {
		return 0, 0, err
	}
	var highest *int64
	if _, err := one(ctx, b.engine, []any{&highest}, "SELECT max(height) FROM blocks WHERE height >= ? AND flags & 1 = 0", int64(c.first)); err != nil {
		return 0, 0, err
	}
	if highest == nil {
		return c.first, c.first, nil
	}
	return c.first, uint64(*highest) + 1, nil
}
