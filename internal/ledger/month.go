package ledger

import (
	"context"
	"iter"

	"github.com/feeledger/fees/chain"
)

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

// Record is the input of a block's digest.
type Record struct {
	Height uint64
	Time   chain.Optional[chain.Time] // of the block
	Digest Digest
	Bytes  []byte
}

// Records returns the records of a span's blocks, in order of height.
func (b *Book) Records(ctx context.Context, span chain.Heights) iter.Seq2[*Record, error] {
	return walk(ctx, b, nil, span, func(_ *coder, r *blockRow) (*Record, error) {
		return &Record{r.height, r.time, r.digest(), r.record}, nil
	})
}

// Contents returns the blocks of a span with everything that their seal covers, in order of height.
func (b *Book) Contents(ctx context.Context, span chain.Heights) iter.Seq2[*Content, error] {
	return b.contents(ctx, nil, span, everything)
}
