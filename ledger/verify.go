package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/feeledger/fees/chain"
)

// Damage is a place where a book is not what was written.
type Damage struct {
	Height  chain.Optional[uint64] `json:"block"` // null where it is no block's
	Table   string                 `json:"table"`
	Message string                 `json:"message"`
}

func (d Damage) String() string {
	if height, ok := d.Height.Get(); ok {
		return fmt.Sprintf("block %d, table %s: %s", height, d.Table, d.Message)
	}
	return fmt.Sprintf("table %s: %s", d.Table, d.Message)
}

// Verify proves the book by itself: each block's rows by their digest, the chain of
// digests by the seals, the blocks by their parents' hashes, that none is missing,
// and the totals by the rows. Found is told each damage, in the order of the
// heights, and Progress how many blocks of how many were checked. It sees the book
// as it is when it begins.
//
// Whoever changed rows, digests, seals and totals together is not found by this, but
// by a comparison with a source (Compare), or with a seal that was kept elsewhere.
func (b *Book) Verify(ctx context.Context, found func(Damage), progress func(done, total uint64)) error {
	q, end, err := b.engine.snapshot(ctx)
	if err != nil {
		return err
	}
	defer end()
	lowest, highest, total, err := extent(ctx, q)
	if err != nil {
		return err
	}
	c, err := b.cover(ctx, q)
	switch { // without it, what is to be there is not known
	case errors.Is(err, ErrDamaged):
		found(Damage{Table: "book", Message: err.Error()})
		return nil
	case errors.Is(err, ErrNone) && total > 0:
		found(Damage{Table: "book", Message: "its row is missing"})
		return nil
	case err != nil:
		return err
	}
	v := verification{q: q, cover: c, found: found, next: c.first, tally: newTally(), done: map[int64]bool{}}
	if highest == nil {
		lowest, highest = new(int64), new(int64)
		*lowest, *highest = int64(c.first), int64(c.first)-1
	}
	if err := v.strays(ctx, *lowest, *highest); err != nil {
		return err
	}
	done := uint64(0)
	for span, err := range portions(ctx, q) {
		if err != nil {
			return err
		}
		list, err := readRows(ctx, q, span)
		if err != nil {
			return err
		}
		for _, e := range list {
			v.block(e)
			done += uint64(len(e.rows[blocks]))
		}
		for _, w := range wholes { // they are compared with those by day
			clear(v.tally.sums[w.all])
		}
		if err := v.finishedDays(ctx); err != nil {
			return err
		}
		progress(done, total)
	}
	return v.totals(ctx)
}

// extent is from where to where the book has blocks, nil where it has none, and how
// many.
func extent(ctx context.Context, q querier) (lowest, highest *int64, blocks uint64, err error) {
	_, err = one(ctx, q, []any{&lowest, &highest, &blocks}, "SELECT min(height), max(height), count(*) FROM blocks")
	return lowest, highest, blocks, err
}

// verification is a book that is being verified, up to a height.
type verification struct {
	q     querier
	cover cover // as the book says
	found func(Damage)
	next  uint64         // height
	hash  []byte         // of the block before
	seal  Seal           // likewise
	tally *tally         // of the sealed blocks whose days are not compared yet
	done  map[int64]bool // days that are
}

func (v *verification) report(height uint64, table int, format string, arguments ...any) {
	v.found(Damage{chain.Some(height), tables[table].name, fmt.Sprintf(format, arguments...)})
}

// strays are rows of blocks that are not there.
func (v *verification) strays(ctx context.Context, lowest, highest int64) error {
	for t := range tables {
		if t == blocks {
			continue
		}
		var count int64
		var height *int64
		_, err := one(ctx, v.q, []any{&count, &height}, "SELECT count(*), min(height) FROM "+tables[t].name+" WHERE height < ? OR height > ?", lowest, highest)
		if err != nil {
			return err
		}
		if count > 0 {
			v.report(uint64(*height), t, "%d rows here and on belong to no block of the ledger", count)
		}
	}
	return nil
}

func (v *verification) block(e *rowsOf) {
	height := e.height
	if e.rows[blocks] == nil {
		for t := range tables {
			if len(e.rows[t]) > 0 {
				v.report(height, t, "%d rows belong to no block of the ledger", len(e.rows[t]))
			}
		}
		return
	}
	sealed := height >= v.cover.first && height < v.cover.next()
	if height > v.next && v.next < v.cover.next() {
		v.report(v.next, blocks, "missing, up to block %d", min(height, v.cover.next())-1)
	}
	if height < v.cover.first {
		v.report(height, blocks, "below block %d, with which the ledger begins", v.cover.first)
	}
	b := e.rows[blocks][0]
	digest, _ := digestOf(&e.rows)
	if have, _ := b[digestColumn].([]byte); !bytes.Equal(have, digest[:]) {
		v.report(height, blocks, "rows of this block were altered: their digest is %v, not %x", digest, have)
	} else if have, _ := b[costsColumn].([]byte); !bytes.Equal(have, pack(e.rows[transactions])) {
		v.report(height, blocks, "costs are not those of its transactions: fees report would add up others")
	}
	if have, _ := b[parentColumn].([]byte); v.hash != nil && height == v.next && !bytes.Equal(have, v.hash) {
		v.report(height, blocks, "its parent is %#x, but the block before is %#x", have, v.hash)
	}
	if have, _ := b[sealColumn].([]byte); sealed {
		v.seal = v.seal.After(digest)
		if !bytes.Equal(have, v.seal[:]) {
			v.report(height, blocks, "the seal is %x, and %v follows from the digests up to here", have, v.seal)
			copy(v.seal[:], have) // so that only the first one is named
		}
		if b[tables[blocks].of("final")] != true {
			v.report(height, blocks, "sealed, and not final")
		}
		sums, err := sumsOfAll(e.rows[transactions])
		if err == nil {
			err = v.tally.block(b, e.rows[transactions], sums)
		}
		if err != nil {
			v.report(height, transactions, "an amount: %v", err)
		}
	} else if have != nil {
		v.report(height, blocks, "has a seal, and is above the sealed blocks")
	}
	v.hash, _ = b[hashColumn].([]byte)
	v.next = max(height+1, v.cover.first)
}

var sealColumn = tables[blocks].of("seal")

// totals compares the seal and what is left of the totals.
func (v *verification) totals(ctx context.Context) error {
	if v.next < v.cover.next() {
		v.report(v.next, blocks, "missing, up to block %d", v.cover.next()-1)
	}
	if v.cover.sealed > 0 && v.next >= v.cover.next() && v.seal != v.cover.seal {
		v.found(Damage{Table: "book", Message: fmt.Sprintf("the seal is %v, and %v follows from the digests", v.cover.seal, v.seal)})
	}
	for _, t := range []int{days, quarterHours, accountDays, contractDays} {
		if err := v.compare(ctx, t, v.tally.sums[t], ""); err != nil {
			return err
		}
	}
	for _, w := range wholes {
		if err := v.whole(ctx, w.all, w.byDay); err != nil {
			return err
		}
	}
	return nil
}

// portions are spans of a few blocks each, in which are all blocks of the book, wherever
// they are, in the order of their heights.
func portions(ctx context.Context, q querier) iter.Seq2[Span, error] {
	return func(yield func(Span, error) bool) {
		for from := int64(0); ; {
			var last *int64
			_, err := one(ctx, q, []any{&last}, "SELECT max(height) FROM (SELECT height FROM blocks WHERE height >= ? ORDER BY height LIMIT ?) AS next", from, portion)
			if err != nil {
				yield(Span{}, err)
				return
			}
			if last == nil || !yield(Span{uint64(from), uint64(*last)}, nil) {
				return
			}
			from = *last + 1
		}
	}
}

// rowsOf are the rows that a book has of a block.
type rowsOf struct {
	height uint64
	rows   [tableCount][]row
}

// readRows reads a span, in the order of the heights.
func readRows(ctx context.Context, q querier, span Span) ([]*rowsOf, error) {
	found := map[int64]*rowsOf{}
	for t := range tables {
		columns := tables[t].columns
		err := list(ctx, q, columns, func(r row) error {
			height := r[0].(int64)
			if found[height] == nil {
				found[height] = &rowsOf{height: uint64(height)}
			}
			found[height].rows[t] = append(found[height].rows[t], r)
			return nil
		}, selectFrom(tables[t].name, columns)+" WHERE height BETWEEN ? AND ? ORDER BY "+columnList(columns[:tables[t].key]), int64(span.First), int64(span.Last))
		if err != nil {
			return nil, err
		}
	}
	all := make([]*rowsOf, 0, len(found))
	for _, height := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[height])
	}
	return all, nil
}
