package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"

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

// Verify proves the book by itself: each block's rows by their leaves, the blocks by their
// parents' hashes, that none is missing, the seals by the digests, the totals by the rows,
// and the look-ups by what they look up. Found is told each damage, and Progress how many
// blocks of how many were checked.
//
// The book may be written meanwhile, and no snapshot of it is held for long: a block and its
// rows are seen at one moment, and so are a day or a month and its totals. Blocks that are
// sealed meanwhile are proved too. What was changed by the book's own programs is no damage.
//
// Whoever changed rows, leaves, seals and totals together is not found by this, but by a
// comparison with a source (Compare), or with a seal that was kept elsewhere.
func (b *Book) Verify(ctx context.Context, found func(Damage), progress func(done, total uint64)) error {
	if err := b.engine.checkIndexes(ctx, func(message string) { found(Damage{Table: "indexes", Message: message}) }); err != nil {
		return b.unreadable(err, found)
	}
	return b.unreadable(b.verify(ctx, found, progress), found)
}

// unreadable makes what could not be read of a damaged book a damage.
func (b *Book) unreadable(err error, found func(Damage)) error {
	if errors.Is(err, ErrDamaged) {
		found(Damage{Table: "book", Message: "what is left could not be verified: " + err.Error()})
		return nil
	}
	return err
}

func (b *Book) verify(ctx context.Context, found func(Damage), progress func(done, total uint64)) error {
	m, err := b.moments(ctx)
	if err != nil {
		return err
	}
	defer m.close()
	highest, err := highestBlock(ctx, m.q)
	if err != nil {
		return err
	}
	m.row, err = readBookRow(ctx, m.q)
	switch { // without it, what is to be there is not known
	case errors.Is(err, ErrDamaged):
		found(Damage{Table: "book", Message: err.Error()})
		return nil
	case errors.Is(err, ErrNone) && highest != nil:
		found(Damage{Table: "book", Message: "its row is missing"})
		return nil
	case err != nil:
		return err
	}
	total, err := m.blocks(ctx)
	if err != nil {
		return err
	}
	if removed, err := removalOf(ctx, m.q, &m.row); err != nil {
		return err
	} else if removed != nil { // what is below is no part of the book any more
		m.at = m.row.first
	}
	v := verification{moments: m, found: found, next: m.row.first, tally: newTally(), eras: map[uint64]*eraSums{}}
	v.progress = func(blocks int) {
		v.done += uint64(blocks)
		progress(v.done, max(total, v.done))
	}
	for u := range unitCount {
		v.seals[u] = map[int64]*stretch{}
	}
	if err := v.strays(ctx, highest); err != nil {
		return err
	}
	err = v.sealedBlocks(ctx, func(ctx context.Context, last uint64) error {
		if err := v.verify(ctx, last); err != nil {
			return err
		}
		return v.finished(ctx)
	})
	if err == nil {
		err = v.ended(ctx)
	}
	if err == nil {
		err = v.lookedUp(ctx)
	}
	if err == nil {
		err = v.otherBlocks(ctx)
	}
	if err == nil {
		err = v.proved(ctx)
	}
	return err
}

// otherBlocks are those above the sealed ones that there are now; those below come before them. They are in no seal yet, and
// may be replaced, sealed or taken out meanwhile.
func (v *verification) otherBlocks(ctx context.Context) error {
	highest, err := highestBlock(ctx, v.q)
	if err != nil || highest == nil {
		return err
	}
	for v.at <= uint64(*highest) {
		if err := v.renew(ctx); err != nil {
			return err
		}
		if err := v.verify(ctx, uint64(*highest)); err != nil {
			return err
		}
	}
	return nil
}

// verify verifies the next blocks, up to a height.
func (v *verification) verify(ctx context.Context, last uint64) error {
	if v.moment != v.number { // the block that the next one is on may be another one now
		v.moment, v.hash = v.number, nil
		if v.at > 0 {
			v.before = v.at - 1
			if _, err := one(ctx, v.q, []any{&v.hash}, "SELECT hash FROM blocks WHERE height = ?", int64(v.at-1)); err != nil {
				return err
			}
		}
	}
	return v.portion(ctx, last, func(list []*rowsOf) error {
		verified := 0
		for _, r := range list {
			v.block(r)
			verified += len(r.rows[blocks])
		}
		v.progress(verified)
		return nil
	})
}

// verification is a book that is being verified, up to a height.
type verification struct {
	*moments
	found    func(Damage)
	progress func(blocks int)
	done     uint64                        // how many blocks
	moment   int                           // at which the last ones were read
	next     uint64                        // the height that follows the last block, or is the book's first
	hash     []byte                        // of the block before
	before   uint64                        // its height
	tally    *tally                        // of the sealed blocks whose stretches are not compared yet
	seals    [unitCount]map[int64]*stretch // as the digests make them

	eras map[uint64]*eraSums // of the look-ups
}

func (v *verification) report(height uint64, table int, format string, arguments ...any) {
	v.found(Damage{chain.Some(height), tables[table].name, fmt.Sprintf(format, arguments...)})
}

// strays are rows above the highest block, or below block 0. Others are met where they
// are.
func (v *verification) strays(ctx context.Context, highest *int64) error {
	top := int64(-1)
	if highest != nil {
		top = *highest
	}
	for t := range tables {
		var count int64
		var height *int64
		_, err := one(ctx, v.q, []any{&count, &height}, "SELECT count(*), min(height) FROM "+tables[t].name+" WHERE height < 0 OR height > ?", top)
		if err != nil {
			return err
		}
		if count > 0 {
			v.found(Damage{Table: tables[t].name, Message: fmt.Sprintf("%d rows belong to no block of the ledger, the first of them at the height %d", count, *height)})
		}
	}
	return nil
}

func (v *verification) block(r *rowsOf) {
	height := r.height
	if len(r.rows[blocks]) == 0 {
		for t := range tables {
			if len(r.rows[t]) > 0 {
				v.report(height, t, "%d rows belong to no block of the ledger", len(r.rows[t]))
			}
		}
		return
	}
	sealed := height >= v.row.first && height < v.end
	if height > v.next && v.next < v.row.next() {
		v.report(v.next, blocks, "missing, up to block %d", min(height, v.row.next())-1)
	}
	row := r.rows[blocks][0]
	wrong := r.check(allTables)
	b, err := r.block()
	if err != nil && len(wrong) == 0 {
		wrong = append(wrong, altered{blocks, err.Error()})
	}
	if have, _ := row[parentColumn].([]byte); v.hash != nil && height == v.before+1 && !bytes.Equal(have, v.hash) {
		v.report(height, blocks, "its parent is %#x, but the block before is %#x", have, v.hash)
	}
	v.hash, _ = row[hashColumn].([]byte)
	v.before = height
	v.next = max(height+1, v.row.first)
	for _, a := range wrong {
		v.report(height, a.table, "%s", a.message)
	}
	leaves, err := readLeaves(row[leavesColumn])
	if err != nil {
		return // told already
	}
	costs, err := costsOfRows(r.rows[transactions])
	switch {
	case leaves.checkCosts(height, b.costs) != nil:
		v.report(height, blocks, alteredCosts)
	case len(wrong) == 0 && err == nil && !bytes.Equal(b.costs, pack(row, r.rows[transactions])):
		v.report(height, blocks, "costs are not those of its transactions: fees report would add up others")
	}
	if !sealed {
		return
	}
	if row[finalColumn] != true {
		v.report(height, blocks, "sealed, and not final")
	}
	v.grow(&b.Block, &leaves, len(wrong) > 0)
	if len(wrong) > 0 {
		return
	}
	if err == nil {
		more := additionsOf(&r.rows)
		v.lookUp(height, costs, more)
		err = v.tally.block(&b.Block, costs, more)
	}
	if err != nil {
		v.report(height, transactions, "an amount: %v", err)
	}
}

// grow adds a block to the seals of its stretches. Where its rows were altered, the totals
// of those are not compared with rows: that would name each once more.
func (v *verification) grow(b *Block, l *leaves, altered bool) {
	var s stretching
	s.add(b, l)
	height := b.Height
	for k, g := range s.grown {
		x := v.seals[k.unit][k.number]
		if x == nil {
			x = &stretch{unit: k.unit, number: k.number, first: height}
			v.seals[k.unit][k.number] = x
		}
		x.first, x.last, x.blocks, x.seal = min(x.first, height), max(x.last, height), x.blocks+1, x.seal.After(g.digests[0])
		x.noted.merge(&g.noted)
		x.altered = x.altered || altered
	}
}

// ended compares the seals, and what is left of the totals.
func (v *verification) ended(ctx context.Context) error {
	if v.next < v.end {
		v.report(v.next, blocks, "missing, up to block %d", v.end-1)
		v.next = v.end
	}
	for u := range unitCount {
		if err := v.sealsOf(ctx, u); err != nil {
			return err
		}
	}
	for t := range totals {
		if err := v.left(ctx, t); err != nil {
			return err
		}
	}
	return nil
}
