package ledger

import (
	"context"
	"iter"

	"github.com/feeledger/fees/chain"
)

// SealedMonth is what a book has sealed of a month of UTC.
type SealedMonth struct {
	Month
	Span   chain.Heights // from the lowest block to the highest; some in it may be of another month
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
			timeless = s.blocks
			continue
		}
		months = append(months, SealedMonth{Month(s.number), chain.Heights{First: s.first, Last: s.last}, s.blocks, s.seal})
	}
	return months, timeless, err
}

// Content is a block with its rows in the tables that its digest is over. The class of a
// transaction is in none of them, and not here.
type Content struct {
	*Block
	Transactions []*Transaction
	Movements    []*Movement
	Transfers    []*Transfer
	Unclassified []*Unclassified
	Digest       Digest
}

// Contents are the blocks of a span with all that their seal is over, in the order of their
// heights.
func (b *Book) Contents(ctx context.Context, span chain.Heights) iter.Seq2[*Content, error] {
	return sequence(func(yield func(*Content) bool) error {
		sealed, err := b.sealing(ctx)
		if err != nil {
			return err
		}
		for r, err := range b.walk(ctx, nil, span, sealedTables) {
			if err != nil {
				return err
			}
			c, err := sealed.content(r)
			if err != nil || !yield(c) {
				return err
			}
		}
		return nil
	})
}

// content reads a block's rows.
func (s sealedBelow) content(r *rowsOf) (*Content, error) {
	b, err := r.block()
	if err != nil {
		return nil, err
	}
	b.Sealed = b.Height < uint64(s)
	c := &Content{Block: &b.Block}
	l, err := provedLeaves(b.Height, b.leaves, b.costs)
	if err != nil {
		return nil, err
	}
	c.Digest = l.digest()
	if c.Transactions, err = rowsOfBlock(r, transactions, s.transaction); err != nil {
		return nil, err
	}
	c.Movements, err = rowsOfBlock(r, movements, func(of *rowsOf, x row) (*Movement, error) {
		m := &Movement{Time: b.Time, Final: b.Final}
		return m, readOf(of, movements, movementFields, x, m)
	})
	if err != nil {
		return nil, err
	}
	c.Transfers, err = rowsOfBlock(r, transfers, func(of *rowsOf, x row) (*Transfer, error) {
		t := &Transfer{Time: b.Time}
		return t, readOf(of, transfers, transferFields, x, t)
	})
	if err != nil {
		return nil, err
	}
	c.Unclassified, err = rowsOfBlock(r, unclassified, func(of *rowsOf, x row) (*Unclassified, error) {
		u := new(Unclassified)
		return u, readOf(of, unclassified, unclassifiedFields, x, u)
	})
	return c, err
}

// rowsOfBlock are a block's rows of a table as Go values.
func rowsOfBlock[T any](r *rowsOf, table int, read func(of *rowsOf, x row) (*T, error)) ([]*T, error) {
	list := make([]*T, len(r.rows[table]))
	for i, x := range r.rows[table] {
		var err error
		if list[i], err = read(r, x); err != nil {
			return nil, err
		}
	}
	return list, nil
}
