package ledger

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
)

// Status describes the state of a ledger.
type Status struct {
	Identity
	First    uint64                        // the first height
	Stored   chain.Optional[chain.Heights] // from the lowest height to the highest
	Blocks   uint64                        // stored
	NotFinal uint64                        // of the stored blocks
	Unsealed uint64                        // of the stored blocks: those above the last sealed one
	Below    chain.Optional[chain.Heights] // blocks below First that are not sealed yet, from lowest to highest
	Gaps     []chain.Heights               // missing heights below the highest, in order
	Sealed   chain.Optional[uint64]        // the height of the last sealed block
	Seal     chain.Optional[Seal]          // of the sealed blocks; see the package documentation
	Findings uint64                        // failed checks
	Unread   uint64                        // unrecognised balances events
	// Unanswered counts the questions that a source could not answer for the moment. Verifying against a
	// source asks them again.
	Unanswered      uint64
	FirstUnanswered chain.Optional[evidence.FailedRequest]
	LastTime        chain.Optional[chain.Time] // of the highest block
	Totals          Sums                       // of the sealed blocks
	AssetFees       fee.AssetTotals            // of the sealed blocks: the fees that were paid in assets, in no sum of Totals
	Evidence        evidence.Evidence          // for the stored blocks
}

// Status returns the state of the ledger.
func (b *Book) Status(ctx context.Context) (s Status, err error) {
	err = b.inSnapshot(ctx, func(q querier, c *bookRow) error {
		s, err = b.status(ctx, q, c)
		return err
	})
	return s, err
}

func (b *Book) status(ctx context.Context, q querier, c *bookRow) (s Status, err error) {
	s.Identity, s.First = c.Identity, c.first
	if c.sealed > 0 {
		s.Sealed = chain.Some(c.next() - 1)
	}
	if err := b.counts(ctx, q, c, &s); err != nil {
		return s, err
	}
	if s.Evidence, err = evidenceOf(ctx, q, chain.Heights{First: c.first, Last: everyBlock.Last}, s.Blocks); err != nil {
		return s, err
	}
	below, gaps, err := b.below(ctx, q, *c)
	if err != nil {
		return s, err
	}
	s.Below, s.Gaps = below, slices.Concat(gaps, s.Gaps)
	if stored, some := s.Stored.Get(); some {
		if s.LastTime, err = b.timeAt(ctx, q, stored.Last); err != nil {
			return s, err
		}
	}
	if c.sealed == 0 {
		return s, nil
	}
	months, err := b.months(ctx, q, c)
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

// counts counts blocks, findings and the like, and finds the range and gaps of the stored blocks. Unsealed
// blocks are scanned.
func (b *Book) counts(ctx context.Context, q querier, c *bookRow, s *Status) error {
	next := c.next()
	s.Blocks, s.Stored = c.sealed, c.sealedHeights()
	count := func(x *Content) {
		s.Findings += uint64(len(x.known.Findings))
		s.Unread += uint64(len(x.Unclassified))
		s.Unanswered += uint64(len(x.known.Unanswered))
		if !s.FirstUnanswered.Known() && len(x.known.Unanswered) > 0 {
			s.FirstUnanswered = chain.Some(x.known.Unanswered[0])
		}
	}
	if c.sealed > 0 {
		heights := map[uint64]bool{}
		for _, few := range fewFlags {
			found, err := b.flagged(ctx, q, c, chain.Heights{First: c.first, Last: next - 1}, few.flag, math.MaxInt)
			if err != nil {
				return err
			}
			for _, h := range found {
				heights[h] = true
			}
		}
		for x, err := range walkHeights(ctx, b, q, slices.Sorted(maps.Keys(heights)), contentOfRow(everything)) {
			if err != nil {
				return err
			}
			count(x)
			for i := range x.Transactions {
				if t := &x.Transactions[i]; t.InAsset() {
					if err := s.AssetFees.Add(&t.AssetFee); err != nil {
						return err
					}
				}
			}
		}
	}
	by := coders.Get().(*coder)
	defer coders.Put(by)
	for r, err := range walk(ctx, b, q, chain.Heights{First: next, Last: everyBlock.Last}, whole) {
		if err != nil {
			return err
		}
		if r.flags&^notFinal != 0 {
			x, err := r.content(by, everything)
			if err != nil {
				return err
			}
			count(x)
		}
		stored, some := s.Stored.Get()
		if !some {
			stored.First = r.height
		}
		if r.height > next {
			s.Gaps = append(s.Gaps, chain.Heights{First: next, Last: r.height - 1})
		}
		next = r.height + 1
		s.Stored = chain.Some(chain.Heights{First: stored.First, Last: r.height})
		s.Blocks++
		s.Unsealed++
		s.NotFinal += uint64(r.flags & notFinal)
	}
	return nil
}

// firstDamage returns the first damaged block's error, or err if none is found.
func (b *Book) firstDamage(ctx context.Context, q querier, err error) error {
	for _, found := range walk(ctx, b, q, everyBlock, whole) {
		if found != nil {
			return found
		}
	}
	return err
}

// Missing returns the heights of a span whose blocks are missing or not final.
func (b *Book) Missing(ctx context.Context, span chain.Heights) ([]chain.Heights, error) {
	c, err := readBookRow(ctx, b.engine)
	if err != nil {
		return nil, err
	}
	gaps, err := b.missing(ctx, b.engine, c, span, notFinal)
	return gaps, b.orDetached(ctx, c.sealedHeights(), err)
}

// below returns the unsealed blocks below the ledger's first one, and the gaps between them and it.
func (b *Book) below(ctx context.Context, q querier, c bookRow) (stored chain.Optional[chain.Heights], gaps []chain.Heights, err error) {
	if _, removing := c.removed(); removing || c.first == 0 {
		return stored, nil, nil
	}
	span := chain.Heights{Last: c.first - 1}
	if gaps, err = b.missing(ctx, q, c, span, 0); err != nil {
		return stored, nil, err
	}
	if len(gaps) > 0 && gaps[0].First == 0 { // below the lowest block
		span.First, gaps = gaps[0].Last+1, gaps[1:]
	}
	if end := len(gaps) - 1; end >= 0 && gaps[end].Last == span.Last {
		span.Last = gaps[end].First - 1
	}
	if span.First < c.first {
		stored = chain.Some(span)
	}
	return stored, gaps, nil
}

// storedFields are those of a row that tell whether a final block is stored.
var storedFields = []field[blockRow]{rowFields[0], rowFields[2]} // height, flags

// missing returns the heights of a span whose blocks are missing or have a flag. It searches only above and below the
// sealed blocks, which have no gaps.
func (b *Book) missing(ctx context.Context, q querier, c bookRow, span chain.Heights, flag flags) (gaps []chain.Heights, err error) {
	next := span.First
	switch {
	case span.First >= c.first:
		next = max(next, c.next())
	case c.sealed > 0 && span.Last >= c.first:
		if gaps, err = b.missing(ctx, q, c, chain.Heights{First: span.First, Last: c.first - 1}, flag); err != nil {
			return nil, err
		}
		next = c.next()
	}
	if next > span.Last {
		return gaps, nil
	}
	var absent []uint64
	expected := next
	err = scan(ctx, q, storedFields, func(r *blockRow) error {
		if r.height < expected || r.height > span.Last {
			return damagedBlock(r.height, "out of order")
		}
		if r.height > expected {
			absent = append(absent, expected)
		}
		if expected = r.height + 1; r.flags&flag != 0 {
			return nil
		}
		if r.height > next {
			gaps = append(gaps, chain.Heights{First: next, Last: r.height - 1})
		}
		next = r.height + 1
		return nil
	}, selectFrom("blocks", columnsOf(storedFields))+" WHERE height >= ? AND height <= ? ORDER BY height", bounds(chain.Heights{First: next, Last: span.Last})...)
	if expected <= span.Last {
		absent = append(absent, expected)
	}
	if next <= span.Last {
		gaps = append(gaps, chain.Heights{First: next, Last: span.Last})
	}
	if err == nil {
		err = checkAbsent(ctx, q, c.sealedHeights(), absent)
	}
	return gaps, err
}

// timeAt returns when the block at a height was made; unknown if it is not stored.
func (b *Book) timeAt(ctx context.Context, q querier, height uint64) (none chain.Optional[chain.Time], err error) {
	r, err := b.blockAt(ctx, q, height)
	if err != nil || r == nil {
		return none, err
	}
	return r.time, nil
}

// blockAt returns the block at a height, nil if it is not stored.
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

// Predecessor returns the block at a height for checks of the next one; unknown if it is not stored.
func (b *Book) Predecessor(ctx context.Context, height uint64) (none chain.Optional[evidence.Predecessor], err error) {
	r, err := b.blockAt(ctx, b.engine, height)
	if err != nil || r == nil {
		return none, err
	}
	return chain.Some(evidence.Predecessor{Number: height, Hash: r.hash(), Time: r.time}), nil
}

// Extent returns the ledger's first height, and the height after the highest final block. It returns ErrNone
// before the first Begin.
func (b *Book) Extent(ctx context.Context) (first, next uint64, err error) {
	c, err := readBookRow(ctx, b.engine)
	if err != nil {
		return 0, 0, err
	}
	next = c.next()
	for r, err := range walk(ctx, b, b.engine, chain.Heights{First: next, Last: everyBlock.Last}, whole) {
		if err != nil {
			return 0, 0, err
		}
		if r.flags&notFinal == 0 {
			next = r.height + 1
		}
	}
	return c.first, next, nil
}

// Gaps returns the heights between the sealed blocks and the highest final one whose blocks are missing or not final.
// Nothing above the first of them is sealed before it is filled.
func (b *Book) Gaps(ctx context.Context) ([]chain.Heights, error) {
	_, next, err := b.Extent(ctx)
	if err != nil {
		return nil, err
	}
	c, err := readBookRow(ctx, b.engine)
	if err != nil || next <= c.next() {
		return nil, err
	}
	return b.Missing(ctx, chain.Heights{First: c.next(), Last: next - 1})
}
