package ledger

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/feeledger/fees/chain"
)

// SealedMonth is what a book has sealed of a month of UTC.
type SealedMonth struct {
	Month
	Span   chain.Heights // from the lowest block to the highest
	Blocks uint64        // of the month, by their own time
	Seal   Seal
}

// Period is all of the month.
func (m *SealedMonth) Period() (p Period, err error) {
	if p.From, err = chain.TimeAt(uint64(m.Start().UnixMilli())); err == nil {
		p.To, err = chain.TimeAt(uint64((m.Month + 1).Start().UnixMilli()))
	}
	return p, err
}

// MonthSeal makes the seal of a month of its blocks.
type MonthSeal struct{ days map[int64]*stretch }

// Add adds the next block of the month.
func (m *MonthSeal) Add(at chain.Optional[chain.Time], d Digest) {
	if m.days == nil {
		m.days = map[int64]*stretch{}
	}
	number := daily.numberOf(at)
	day := m.days[number]
	if day == nil {
		day = &stretch{number: number}
		m.days[number] = day
	}
	day.seal = day.seal.After(d)
	day.sums.Blocks++
}

// Seal is that of the blocks that were added.
func (m *MonthSeal) Seal() Seal {
	var days []*stretch
	for _, number := range slices.Sorted(maps.Keys(m.days)) {
		days = append(days, m.days[number])
	}
	return sealOf(days)
}

// SealUpTo is the seal that the month had when nothing above a height was sealed.
func (b *Book) SealUpTo(ctx context.Context, m *SealedMonth, last uint64) (Seal, error) {
	var seal MonthSeal
	p, err := m.Period()
	if err == nil {
		err = b.eachSealed(ctx, p, chain.Heights{First: m.Span.First, Last: last}, seal.Add)
	}
	return seal.Seal(), err
}

// Months are those of which a book has sealed a block, in their order, and how many sealed
// blocks have no time, as block 0, and are in no month.
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

// Contents are the blocks of a span with all that their seal is over, in the order of their
// heights.
func (b *Book) Contents(ctx context.Context, span chain.Heights) iter.Seq2[*Content, error] {
	return b.contents(ctx, nil, span)
}
