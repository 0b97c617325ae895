package ledger

import (
	"context"
	"encoding/binary"
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
	s.Seal = chain.Some(sealOfMonths(months))
	s.Totals, err = b.sumOf(ctx, q, &c)
	return s, err
}

func (b *Book) firstUnanswered(ctx context.Context, q querier, first uint64) (none chain.Optional[evidence.Question], err error) {
	found := none
	err = scan(ctx, q, questionFields, func(q *openQuestion) error {
		found = chain.Some(q.Question)
		return nil
	}, selectFrom("unanswered", columnsOf(questionFields))+" WHERE height >= ? ORDER BY height, position LIMIT 1", int64(first))
	return found, err
}

// counts are how many blocks the book has, and how many rows some tables have of them. None
// is missing that a block's leaves tell of.
func (b *Book) counts(ctx context.Context, q querier, c *bookRow, s *Status) error {
	n, err := b.blocksWith(ctx, q, c, chain.Heights{First: c.first, Last: everyBlock.Last})
	if err != nil {
		return err
	}
	s.Blocks, s.NotFinal = n.blocks, n.notFinal
	for i, into := range [...]*uint64{&s.Findings, &s.Unread, &s.Unanswered} {
		t := fewTables[i]
		heights, err := heightsBy(ctx, q, math.MaxInt, "SELECT DISTINCT height FROM "+tables[t].name+" WHERE height >= ?", int64(c.first))
		if err != nil {
			return err
		}
		if uint64(len(heights)) != n.with[i] {
			return b.blamed(ctx, q, t, fmt.Errorf("%w: table %s: %d blocks have rows, and %d had", ErrDamaged, tables[t].name, len(heights), n.with[i]))
		}
		for r, err := range b.walkHeights(ctx, q, heights, []int{t}) {
			if err != nil {
				return err
			}
			*into += uint64(len(r.rows[t]))
		}
	}
	return nil
}

// blockCounts are how many blocks there are, and how many of them have rows of the tables of
// which few blocks have some.
type blockCounts struct {
	blocks, notFinal uint64
	with             [len(fewTables)]uint64
}

// add adds blocks that have the same leaves.
func (n *blockCounts) add(there uint16, blocks uint64) {
	n.blocks += blocks
	if there&finalBit == 0 {
		n.notFinal += blocks
	}
	for i, t := range fewTables {
		if there&(1<<leafOf(t)) != 0 {
			n.with[i] += blocks
		}
	}
}

// blocksWith counts a span's blocks. Of days and months that are in it as a whole, the table
// seals says how many have what; the leaves of the others' blocks say it, and of the blocks that
// are not sealed. No sealed block is missing.
func (b *Book) blocksWith(ctx context.Context, q querier, c *bookRow, span chain.Heights) (n blockCounts, err error) {
	if sealed := (chain.Heights{First: max(span.First, c.first), Last: min(span.Last, c.next()-1)}); c.sealed > 0 && sealed.First <= sealed.Last {
		list, err := b.piecesAt(ctx, q, c, Period{Heights: chain.Some(sealed)}, sealed, func(*stretch) bool { return true })
		if err != nil {
			return n, err
		}
		for i := range list {
			x := &list[i]
			if !x.whole {
				if err := leavesIn(ctx, q, x, &n); err != nil {
					return n, b.blamed(ctx, q, blocks, err)
				}
				continue
			}
			n.blocks += x.blocks
			for i, count := range x.noted.blocks {
				n.with[i] += count
			}
		}
		if n.blocks != sealed.Blocks() {
			err := fmt.Errorf("%w: table blocks: it has %d of the sealed blocks %v", ErrDamaged, n.blocks, sealed)
			return n, b.blamed(ctx, q, blocks, err)
		}
	}
	above := chain.Heights{First: max(span.First, c.next()), Last: span.Last}
	if above.First <= above.Last {
		err = leafHeads(ctx, q, above, n.add, "true")
	}
	return n, b.blamed(ctx, q, blocks, err)
}

// leavesIn counts the blocks of a piece, looking through them.
func leavesIn(ctx context.Context, q querier, x *piece, n *blockCounts) error {
	if x.number == noTime {
		return leafHeads(ctx, q, x.span, n.add, "time_ms IS NULL")
	}
	begin, end := x.unit.times(x.number)
	return leafHeads(ctx, q, x.span, n.add, "time_ms >= ? AND time_ms < ?", begin.UnixMilli(), end.UnixMilli())
}

// sumOf are the totals of all sealed blocks.
func (b *Book) sumOf(ctx context.Context, q querier, c *bookRow) (all Sums, err error) {
	sealed := chain.Heights{First: c.first, Last: c.next() - 1}
	p := Period{Heights: chain.Some(sealed)}
	list, err := b.piecesAt(ctx, q, c, p, sealed, func(s *stretch) bool { return s.totalled() })
	if err != nil {
		return all, err
	}
	_, err = b.totalsOfPieces(ctx, q, p, sealed, ByMonth, list, func(t *Total) error { return all.Add(&t.Sums) }, func(uint64) {})
	return all, err
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

// leafHeads counts the blocks of a span, of those that a condition takes, by which leaves they
// have.
func leafHeads(ctx context.Context, q querier, span chain.Heights, each func(there uint16, blocks uint64), condition string, arguments ...any) error {
	return scan(ctx, q, leafHeadFields, func(l *leafHead) error {
		if len(l.head) != leavesHead {
			return fmt.Errorf("%w: table blocks: leaves: %w", ErrDamaged, errCell)
		}
		each(binary.BigEndian.Uint16(l.head[1:]), l.blocks)
		return nil
	}, fmt.Sprintf("SELECT substr(leaves, 1, %d), count(*) FROM blocks WHERE height >= ? AND height <= ? AND %s GROUP BY 1", leavesHead, condition),
		append(bounds(span), arguments...)...)
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

// sealOfMonths is the seal of a book: that of its months' seals, as those are of their blocks'
// digests.
func sealOfMonths(all []*stretch) (seal Seal) {
	for _, month := range all {
		seal = seal.After(month.digestOfBlocks())
	}
	return seal
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
	if removed, err := removalOf(ctx, q, &c); err != nil || removed != nil {
		return stored, nil, err
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
	err = scan(ctx, q, heightFields, func(height *uint64) error {
		if *height > next {
			gaps = append(gaps, chain.Heights{First: next, Last: *height - 1})
		}
		next = *height + 1
		return nil
	}, "SELECT height FROM blocks WHERE height BETWEEN ? AND ? AND (final OR ?) ORDER BY height", int64(next), int64(span.Last), notFinalToo)
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
	if _, err := one(ctx, b.engine, []any{&highest}, "SELECT max(height) FROM blocks WHERE height >= ? AND final", int64(c.first)); err != nil {
		return 0, 0, err
	}
	if highest == nil {
		return c.first, c.first, nil
	}
	return c.first, uint64(*highest) + 1, nil
}
