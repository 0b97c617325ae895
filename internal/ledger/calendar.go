package ledger

import (
	"context"
	"time"

	"github.com/feeledger/fees/chain"
)

// piece is a part of a period's sealed blocks: a day or a month, whole or not. Where it is
// whole, what the book has of the stretch answers for its blocks; where it is not, those are
// looked through that are of the stretch and of the period.
type piece struct {
	*stretch
	whole bool
	span  chain.Heights // in which its blocks are
}

// wholeStretch says which stretches a question can take as a whole, of those that a period has as a
// whole: it needs something of them that they may lack.
type wholeStretch func(*stretch) bool

// anyStretch is for questions that need of a stretch where its blocks are, and how many.
func anyStretch(*stretch) bool { return true }

// pieces cut a span's sealed blocks that are of a period into months, and into days where a month
// is not in both as a whole or cannot be taken so: each block is in one piece. So it takes the
// months of the book, the days of a few months, and two days of blocks to find what a period has,
// however long the chain is. The blocks without a time, which no period of times has, come first.
func (b *Book) pieces(ctx context.Context, p Period, span chain.Heights, take wholeStretch) ([]piece, error) {
	q, end, err := b.engine.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	c, err := readBookRow(ctx, q)
	if err != nil {
		return nil, err
	}
	return b.piecesAt(ctx, q, &c, p, span, take)
}

// piecesAt are those at one moment.
func (b *Book) piecesAt(ctx context.Context, q querier, c *bookRow, p Period, span chain.Heights, take wholeStretch) ([]piece, error) {
	months, err := b.months(ctx, q, c)
	if err != nil {
		return nil, err
	}
	var list []piece
	of := func(s *stretch) (x piece, some bool) {
		some, whole := p.cut(s)
		common := chain.Heights{First: max(s.first, span.First), Last: min(s.last, span.Last)}
		return piece{s, whole && s.inside(span) && take(s), common}, some && common.First <= common.Last
	}
	for _, month := range months {
		x, some := of(month)
		if !some {
			continue
		}
		if x.whole || month.number == noTime {
			list = append(list, x)
			continue
		}
		days, err := b.daysOf(ctx, q, month)
		if err != nil {
			return nil, err
		}
		for _, day := range days {
			if x, some := of(day); some {
				list = append(list, x)
			}
		}
	}
	return list, nil
}

// inside tells whether all blocks of the stretch are of a span.
func (s *stretch) inside(span chain.Heights) bool {
	return s.first >= span.First && s.last <= span.Last
}

// cut tells whether the period can have blocks of a stretch, and whether it has all of them.
func (p Period) cut(s *stretch) (some, whole bool) {
	if span, ok := p.Heights.Get(); ok {
		return s.first <= span.Last && s.last >= span.First, s.inside(span)
	}
	if s.number == noTime {
		return false, false
	}
	begin, end := s.unit.times(s.number)
	from, to := p.From.Std(), p.To.Std()
	return end.After(from) && begin.Before(to), !begin.Before(from) && !end.After(to)
}

// times are when a stretch begins, and when the one after it does.
func (u unit) times(number int64) (begin, end time.Time) {
	if u == daily {
		return Day(number).Start(), Day(number + 1).Start()
	}
	month := func(number int64) time.Time {
		return time.Date(1970, time.Month(1+number), 1, 0, 0, 0, 0, time.UTC)
	}
	return month(number), month(number + 1)
}

// has tells whether a block is in the piece.
func (x *piece) has(p Period, height uint64, at chain.Optional[chain.Time]) bool {
	return x.unit.numberOf(at) == x.number && p.Has(height, at)
}

// months are all of a book. They have all sealed blocks.
func (b *Book) months(ctx context.Context, q querier, c *bookRow) ([]*stretch, error) {
	found, err := readStretches(ctx, q, monthly, "number >= ?", int64(noTime))
	if err == nil {
		err = inAll(found, c.sealed, "the ledger")
	}
	return found, err
}

// sealedMonths are how far the book is, and the months that have sealed blocks, at one moment.
func (b *Book) sealedMonths(ctx context.Context) (c bookRow, all []*stretch, err error) {
	q, end, err := b.engine.snapshot(ctx)
	if err != nil {
		return c, nil, err
	}
	defer end()
	if c, err = readBookRow(ctx, q); err == nil {
		all, err = b.months(ctx, q, &c)
	}
	return c, all, err
}

// daysOf are those of a month. They have all its blocks.
func (b *Book) daysOf(ctx context.Context, q querier, month *stretch) ([]*stretch, error) {
	found, err := daysAt(ctx, q, month.number)
	if err == nil {
		err = inAll(found, month.sums.Blocks, month.name())
	}
	return found, err
}

// inAll wants stretches to have so many blocks.
func inAll(list []*stretch, blocks uint64, of string) error {
	var have uint64
	for _, s := range list {
		have += s.sums.Blocks
	}
	if have != blocks {
		return damaged("table stretches: the %d days or months of %s have %d blocks, and it has %d", len(list), of, have, blocks)
	}
	return nil
}
