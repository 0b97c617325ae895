package ledger

import (
	"context"
	"time"

	"github.com/feeledger/fees/chain"
)

// piece is a day or a month of a period's sealed blocks, whole or partial. The totals of a whole one are
// read from the stretch; a partial one is scanned for the blocks that are also in the period.
type piece struct {
	*stretch
	whole bool
	span  chain.Heights // that contains its blocks
}

// anyStretch is for queries that need only a stretch's heights and its number of blocks.
func anyStretch(*stretch) bool { return true }

// pieces cuts the sealed blocks of a period within a span into months, and into days where a month is only partly in both
// or cannot be used as a whole: take reports whether it has all that the query needs. Each block is in one piece. However
// long the chain is, this reads the months of the ledger, the days of a few months, and at most two days of blocks. The
// blocks without a time, which are in no period of times, come first.
func (b *Book) pieces(ctx context.Context, p Period, span chain.Heights, take func(*stretch) bool) (list []piece, err error) {
	err = b.inSnapshot(ctx, func(q querier, c *bookRow) error {
		list, err = b.piecesAt(ctx, q, c, p, span, take)
		return err
	})
	return list, err
}

// piecesAt is pieces within one snapshot.
func (b *Book) piecesAt(ctx context.Context, q querier, c *bookRow, p Period, span chain.Heights, take func(*stretch) bool) ([]piece, error) {
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

// inside reports whether all blocks of the stretch are within a span.
func (s *stretch) inside(span chain.Heights) bool {
	return s.first >= span.First && s.last <= span.Last
}

// cut reports whether the period can include blocks of a stretch, and whether it includes all of them.
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

// times returns when a stretch begins, and when the next one does.
func (u unit) times(number int64) (begin, end time.Time) {
	begin = time.UnixMilli(number * dayMS).UTC()
	if u == daily {
		return begin, begin.AddDate(0, 0, 1)
	}
	begin = time.Date(1970, time.Month(1+number), 1, 0, 0, 0, 0, time.UTC)
	return begin, begin.AddDate(0, 1, 0)
}

// has reports whether a block is in the piece.
func (x *piece) has(p Period, height uint64, at chain.Optional[chain.Time]) bool {
	return x.unit.numberOf(at) == x.number && p.Has(height, at)
}

// months returns all months of the ledger. Together they contain all sealed blocks.
func (b *Book) months(ctx context.Context, q querier, c *bookRow) ([]*stretch, error) {
	found, err := readStretches(ctx, q, monthly, "number >= ?", int64(noTime))
	if err == nil {
		err = inAll(found, c.sealed, "the ledger")
	}
	return found, err
}

// sealedMonths returns the state of the ledger and its months, from one snapshot.
func (b *Book) sealedMonths(ctx context.Context) (c bookRow, all []*stretch, err error) {
	err = b.inSnapshot(ctx, func(q querier, now *bookRow) error {
		c = *now
		all, err = b.months(ctx, q, now)
		return err
	})
	return c, all, err
}

// daysOf returns the days of a month. Together they contain all its blocks.
func (b *Book) daysOf(ctx context.Context, q querier, month *stretch) ([]*stretch, error) {
	found, err := daysAt(ctx, q, month.number)
	if err == nil {
		err = inAll(found, month.sums.Blocks, month.name())
	}
	return found, err
}

// inAll checks that stretches contain the expected number of blocks in total.
func inAll(list []*stretch, blocks uint64, of string) error {
	var have uint64
	for _, s := range list {
		have += s.sums.Blocks
	}
	if have != blocks {
		return damaged("table stretches: the %d days or months of %s contain %d blocks in total, not %d", len(list), of, have, blocks)
	}
	return nil
}

// SealedMonth is the sealed part of a UTC month.
type SealedMonth struct {
	Month
	Span   chain.Heights // from the lowest block to the highest
	Blocks uint64        // of the month, by block time
	Seal   Seal
}

// Period returns the whole month as a period.
func (m *SealedMonth) Period() (p Period, err error) {
	if p.From, err = chain.TimeAt(uint64(m.Start().UnixMilli())); err == nil {
		p.To, err = chain.TimeAt(uint64((m.Month + 1).Start().UnixMilli()))
	}
	return p, err
}

// Months returns the months that contain sealed blocks, in order, and the number of sealed blocks without
// a time, such as block 0, which are in no month.
func (b *Book) Months(ctx context.Context) (months []SealedMonth, timeless uint64, err error) {
	_, all, err := b.sealedMonths(ctx)
	for _, s := range all {
		if s.number == noTime {
			timeless = s.sums.Blocks
			continue
		}
		months = append(months, SealedMonth{Month(s.number), s.heights(), s.sums.Blocks, s.seal})
	}
	return months, timeless, err
}
