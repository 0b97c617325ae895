package ledger

import (
	"context"
	"iter"

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

// Record is what the digest of a block is over.
type Record struct {
	Height uint64
	Time   chain.Optional[chain.Time] // of the block
	Digest Digest
	Bytes  []byte
}

// Records are those of a span's blocks, in the order of their heights.
func (b *Book) Records(ctx context.Context, span chain.Heights) iter.Seq2[*Record, error] {
	return walk(ctx, b, nil, span, func(_ *coder, r *blockRow) (*Record, error) {
		at, err := r.at()
		return &Record{r.height, at, r.digest(), r.record}, err
	})
}

// Contents are the blocks of a span with all that their seal is over, in the order of their
// heights.
func (b *Book) Contents(ctx context.Context, span chain.Heights) iter.Seq2[*Content, error] {
	return b.contents(ctx, nil, span, everything)
}
