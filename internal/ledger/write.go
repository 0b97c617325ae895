package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
)

// ForkError says that two neighbouring blocks are not of one chain.
type ForkError struct {
	Height uint64     // of the later block
	Parent chain.Hash // of the block before it, as the later block says
	Before chain.Hash // of the block before it
}

// Kind is [failure.Unanswered].
func (*ForkError) Kind() failure.Kind { return failure.Unanswered }

func (e *ForkError) Error() string {
	return fmt.Sprintf("block %d says that its parent is %v, but block %d is %v: one of them was replaced", e.Height, e.Parent, e.Height-1, e.Before)
}

// DiffersError says that a block is in the book with other content.
type DiffersError struct {
	Height          uint64
	Stored, Offered Digest
}

// Kind is [failure.DoesNotHold].
func (*DiffersError) Kind() failure.Kind { return failure.DoesNotHold }

func (e *DiffersError) Error() string {
	return fmt.Sprintf("block %d is in the ledger with other content (digest %v, not %v): it stays as it is", e.Height, e.Stored, e.Offered)
}

// Write stores blocks that follow each other, all or none of them. A block that is
// there already stays, and must be the same (DiffersError); one that was not final
// is replaced. A block that does not fit its neighbours is a ForkError. Blocks below the first
// one of the book are for Seal, which has it begin with them.
//
// The blocks that the seal comes to are sealed with many others at once, for most
// cost of the totals is by the portion: Seal seals what is left. A book whose
// writer ended without that is sealed by the next one. Where the sealing fails, the
// blocks are stored.
func (b *Book) Write(ctx context.Context, entries []*Entry) error {
	added := false
	if err := b.makeRoom(ctx, entries); err != nil {
		return err
	}
	err := b.change(ctx, func(tx transaction) error {
		c, err := readBookRow(ctx, tx)
		if err != nil {
			return err
		}
		list, err := b.store(ctx, tx, &c, entries)
		if err != nil {
			return err
		}
		if b.pending == nil {
			b.pending = newSealing(c)
		}
		if err := keepUnsealed(ctx, tx, below(list, c.first)); err != nil {
			return err
		}
		for _, e := range list {
			if e.Height() == b.pending.next() && e.Final() {
				added = true
				if err := b.pending.add(&e.block.Block, e.costs, additionsOf(&e.rows), &e.leaves); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		if added {
			b.pending = nil // it has blocks that were not stored; Seal reads those that were
		}
		return err
	}
	if !b.pending.full() {
		return nil
	}
	return b.sealPending(ctx)
}

// below are the entries below a height, which follow each other.
func below(entries []*Entry, height uint64) []*Entry {
	n, _ := slices.BinarySearchFunc(entries, height, func(e *Entry, height uint64) int { return cmp.Compare(e.Height(), height) })
	return entries[:n]
}

// makeRoom has the database ready for entries.
func (b *Book) makeRoom(ctx context.Context, entries []*Entry) error {
	for _, run := range runs(entries) {
		if err := b.engine.makePartitions(ctx, spanOf(run)); err != nil {
			return err
		}
	}
	return nil
}

// Blocks wait for their seal while many are written: so many of them, or as many as there
// are totals that they add to, which are held meanwhile.
var sealedAtOnce = 5_000

const maxTallied = 100_000

// sealPending seals the blocks that wait for it.
func (b *Book) sealPending(ctx context.Context) error {
	p := b.pending
	b.pending = nil
	if p == nil || p.blocks() == 0 {
		return nil
	}
	return b.change(ctx, func(tx transaction) error { return b.save(ctx, tx, p) })
}

// stored is what the book has of a block.
type stored struct {
	*blockRow
	leaves leaves
}

// store adds the entries that are not there, and returns them.
func (b *Book) store(ctx context.Context, tx transaction, c *bookRow, entries []*Entry) ([]*Entry, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	if err := c.room(ctx, tx, entries[0].Height()); err != nil {
		return nil, err
	}
	for i, e := range entries[1:] {
		if e.Height() != entries[i].Height()+1 {
			return nil, fmt.Errorf("block %d does not follow block %d", e.Height(), entries[i].Height())
		}
		if e.ParentHash() != entries[i].Hash() {
			return nil, &ForkError{e.Height(), e.ParentHash(), entries[i].Hash()}
		}
	}
	span := spanOf(entries)
	have, err := b.around(ctx, tx, span)
	if err != nil {
		return nil, err
	}
	if before, ok := have[span.First-1]; ok && span.First > 0 && before.Hash != entries[0].ParentHash() {
		return nil, &ForkError{span.First, entries[0].ParentHash(), before.Hash}
	}
	added := make([]*Entry, 0, len(entries))
	for _, e := range entries {
		old, there := have[e.Height()]
		switch {
		case !there:
		case !old.Final:
			if err := b.remove(ctx, tx, chain.Heights{First: e.Height(), Last: e.Height()}); err != nil {
				return nil, err
			}
		case old.leaves.digest() != e.digest:
			return nil, &DiffersError{e.Height(), old.leaves.digest(), e.digest}
		default:
			continue
		}
		added = append(added, e)
	}
	if after, ok := have[span.Last+1]; ok && after.ParentHash != entries[len(entries)-1].Hash() {
		if after.Final {
			return nil, &ForkError{span.Last + 1, after.ParentHash, entries[len(entries)-1].Hash()}
		}
		if err := b.removeFrom(ctx, tx, span.Last+1); err != nil { // they were built on a block that was replaced
			return nil, err
		}
	}
	var rows [tableCount][]row
	for _, e := range added {
		for t := range rows {
			rows[t] = append(rows[t], e.rows[t]...)
		}
	}
	for t := range rows {
		if err := tx.insert(ctx, &tables[t], rows[t]); err != nil {
			return nil, fmt.Errorf("table %s: %w", tables[t].name, err)
		}
	}
	return added, noteProved(ctx, tx, entries, added)
}

// around is what the book has of a span and of the blocks beside it.
func (b *Book) around(ctx context.Context, q querier, span chain.Heights) (map[uint64]stored, error) {
	from := span.First
	if from > 0 {
		from--
	}
	list, err := readRows(ctx, q, []int{blocks}, "height BETWEEN ? AND ?", int64(from), int64(span.Last+1))
	if err != nil {
		return nil, err
	}
	found := map[uint64]stored{}
	for _, r := range list {
		s := stored{}
		if s.blockRow, err = r.block(); err == nil {
			s.leaves, err = readLeaves(s.blockRow.leaves)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		found[r.height] = s
	}
	return found, nil
}

// remove takes blocks that are not final out of the book.
func (b *Book) remove(ctx context.Context, tx transaction, span chain.Heights) error {
	for t := range tables {
		err := tx.exec(ctx, "DELETE FROM "+tables[t].name+" WHERE height BETWEEN ? AND ?", int64(span.First), int64(span.Last))
		if err != nil {
			return err
		}
	}
	if err := dropUnsealed(ctx, tx, span); err != nil {
		return err
	}
	return unprove(ctx, tx, span)
}

// removeFrom takes out all blocks that are not final from a height on, up to the
// first that is.
func (b *Book) removeFrom(ctx context.Context, tx transaction, height uint64) error {
	var last *int64
	if _, err := one(ctx, tx, []any{&last}, "SELECT max(height) FROM blocks WHERE height >= ? AND height < coalesce((SELECT min(height) FROM blocks WHERE height >= ? AND final), 9223372036854775807)",
		int64(height), int64(height)); err != nil || last == nil {
		return err
	}
	return b.remove(ctx, tx, chain.Heights{First: height, Last: uint64(*last)})
}

// Rollback takes out the blocks of the book that are not final, because the chain
// replaced one of them, and says how many there were.
func (b *Book) Rollback(ctx context.Context) (removed uint64, err error) {
	err = b.change(ctx, func(tx transaction) error {
		c, err := readBookRow(ctx, tx)
		if errors.Is(err, ErrNone) {
			return nil
		}
		if err != nil {
			return err
		}
		const above, below = "FROM blocks WHERE height >= ? AND NOT final", "FROM blocks WHERE height < ? AND NOT final" // what is sealed is final
		first, next := int64(c.first), int64(c.next())
		if _, err := one(ctx, tx, []any{&removed}, "SELECT (SELECT count(*) "+above+") + (SELECT count(*) "+below+")", next, first); err != nil {
			return err
		}
		for {
			var lowest *int64
			if _, err := one(ctx, tx, []any{&lowest}, "SELECT min(height) FROM (SELECT min(height) AS height "+above+" UNION ALL SELECT min(height) "+below+") AS others", next, first); err != nil || lowest == nil {
				return err
			}
			if err := b.removeFrom(ctx, tx, uint64(*lowest)); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}
