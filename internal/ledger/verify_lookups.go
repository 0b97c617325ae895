package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/feeledger/fees/chain"
)

// rowsSum is a sum over rows in whatever order: those of a look-up are in another one than
// the blocks that they follow from.
type rowsSum [4]uint64

func (s *rowsSum) add(r row) {
	digest := sha256.Sum256([]byte(keyOf(r)))
	for i := range s {
		s[i] += binary.BigEndian.Uint64(digest[8*i:])
	}
}

// eraSums are those of an era's look-ups, as the blocks make them.
type eraSums [len(lookupTables)]rowsSum

// lookUp adds the look-ups of a block to the sums of its era.
func (v *verification) lookUp(height uint64, costs []Cost, more *additions) {
	sums := v.eras[eraOf(height)]
	if sums == nil {
		sums = new(eraSums)
		v.eras[eraOf(height)] = sums
	}
	var l lookups
	l.add(height, costs, more)
	for t := range lookupTables {
		for r := range l.rows(t) {
			sums[t].add(r)
		}
	}
}

// lookedUp compares the look-ups of the sealed blocks with those, era by era.
func (v *verification) lookedUp(ctx context.Context) error {
	for t := range lookupTables {
		if err := v.strayLookups(ctx, t); err != nil {
			return err
		}
	}
	for _, era := range slices.Sorted(maps.Keys(v.eras)) {
		if err := v.renew(ctx); err != nil {
			return err
		}
		for t := range lookupTables {
			var have rowsSum
			l := &lookupTables[t]
			err := list(ctx, v.q, l.columns, func(r row) error {
				have.add(r)
				return nil
			}, selectFrom(l.name, l.columns)+" WHERE era = ? AND height < ?", int64(era), int64(v.end))
			if err != nil {
				return err
			}
			if have == v.eras[era][t] {
				continue
			}
			if err := v.compareEra(ctx, t, era); err != nil {
				return err
			}
		}
	}
	return nil
}

// strayLookups are rows of a look-up that no block can have.
func (v *verification) strayLookups(ctx context.Context, table int) error {
	lowest := v.row.first
	if removed, err := removalOf(ctx, v.q, &v.row); err != nil {
		return err
	} else if removed != nil { // what is below is no part of the book any more
		lowest = 0
	}
	var count int64
	var height *int64
	name := lookupTables[table].name
	_, err := one(ctx, v.q, []any{&count, &height}, fmt.Sprintf("SELECT count(*), min(height) FROM %s WHERE height < ? OR height >= ? OR era <> height / %d", name, eraHeights),
		int64(lowest), int64(v.row.next()))
	if err == nil && count > 0 {
		v.found(Damage{Table: name, Message: fmt.Sprintf("%d rows belong to no block that is looked up, the first of them at the height %d", count, *height)})
	}
	return err
}

// compareEra tells which rows of a look-up are missing in an era, and which are too many. What
// blocks have whose rows were altered is not known.
func (v *verification) compareEra(ctx context.Context, table int, era uint64) error {
	whole := chain.Heights{First: max(era*eraHeights, v.row.first), Last: min((era+1)*eraHeights, v.end) - 1}
	for span, err := range portions(ctx, v.q, whole) {
		if err != nil {
			return err
		}
		for list, err := range readSpan(ctx, v.q, lookedUpTables, span) {
			if err == nil {
				err = v.compareLookups(ctx, table, list)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *verification) compareLookups(ctx context.Context, table int, blocks []*rowsOf) error {
	if len(blocks) == 0 {
		return nil
	}
	var want lookups
	altered := map[uint64]bool{}
	for _, r := range blocks {
		if r.check(lookedUpTables) != nil {
			altered[r.height] = true
		} else if err := want.addRows(r); err != nil {
			return err
		}
	}
	missing := map[string]row{}
	for r := range want.rows(table) {
		missing[keyOf(r)] = r
	}
	l, span := &lookupTables[table], chain.Heights{First: blocks[0].height, Last: blocks[len(blocks)-1].height}
	tell := func(r row, what string) {
		height, _ := r[2].(int64)
		if altered[uint64(height)] {
			return
		}
		by := fmt.Sprintf("%#x", r[1])
		if hash, ok := r[1].(int64); ok {
			by = fmt.Sprintf("%#016x", uint64(hash))
		}
		v.found(Damage{chain.Some(uint64(height)), l.name, fmt.Sprintf("the look-up by %s %s %s", l.columns[1].name, by, what)})
	}
	err := list(ctx, v.q, l.columns, func(r row) error {
		if key := keyOf(r); missing[key] != nil {
			delete(missing, key)
		} else {
			tell(r, "names it, and it has no such rows")
		}
		return nil
	}, selectFrom(l.name, l.columns)+" WHERE era = ? AND height >= ? AND height <= ? ORDER BY "+columnList(l.columns[:l.key]), append([]any{int64(eraOf(span.First))}, bounds(span)...)...)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(missing)) {
		tell(missing[key], "does not name it, or not all of its rows")
	}
	return nil
}
