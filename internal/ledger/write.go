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

// ForkError reports that two adjacent blocks do not belong to one chain.
type ForkError struct {
	Height uint64     // of the later block
	Parent chain.Hash // the parent hash in the later block
	Before chain.Hash // the hash of the block before it
}

// Kind is [failure.Unanswered].
func (*ForkError) Kind() failure.Kind { return failure.Unanswered }

func (e *ForkError) Error() string {
	return fmt.Sprintf("the parent of block %d is %v, but block %d is %v; one of them was replaced", e.Height, e.Parent, e.Height-1, e.Before)
}

// DiffersError reports that a block is stored with other content.
type DiffersError struct {
	Height          uint64
	Stored, Offered Digest
}

// Kind is [failure.DoesNotHold].
func (*DiffersError) Kind() failure.Kind { return failure.DoesNotHold }

func (e *DiffersError) Error() string {
	return fmt.Sprintf("block %d is in the ledger with other content (digest %v, not %v); the ledger was not changed", e.Height, e.Stored, e.Offered)
}

// Write stores consecutive blocks, all or none, and seals those that directly follow the sealed ones. A stored
// block stays and must be identical (otherwise DiffersError); one that was not final is replaced. A block that
// does not fit its neighbours is a ForkError. Blocks below the ledger's first one are sealed by Seal.
//
// The parts of an ended day or month are written in a separate change. If that fails, the blocks are stored and
// sealed, and the next sealing retries it.
func (b *Book) Write(ctx context.Context, entries []*Entry) error {
	if err := b.prepare(ctx, entries); err != nil {
		return err
	}
	ended := false
	err := b.changeBook(ctx, func(tx transaction, c *bookRow) error {
		list, err := b.store(ctx, tx, c, entries)
		if err != nil || len(list) == 0 {
			return err
		}
		ended, err = b.sealStored(ctx, tx, *c, list)
		return err
	})
	if err != nil {
		b.tallies = nil // they may include blocks that were not stored
		return err
	}
	if ended {
		if err = b.endNext(ctx); err != nil {
			err = fmt.Errorf("the blocks are stored, but writing the totals of an ended day or month failed: %w", err)
		}
	}
	return err
}

// sealStored seals those of the entries just stored that directly follow the sealed ones, and reports whether a
// day has ended.
func (b *Book) sealStored(ctx context.Context, tx transaction, c bookRow, stored []*Entry) (ended bool, err error) {
	i := slices.IndexFunc(stored, func(e *Entry) bool { return e.Height() == c.next() })
	if i < 0 || !stored[i].Final() {
		return false, nil
	}
	if mine, err := tx.tryLock(ctx, lockSeal); err != nil || !mine {
		return false, err
	}
	before := c.next()
	if c, err = readBookRow(ctx, tx); err != nil || c.next() != before { // another program sealed some
		return false, err
	}
	s, err := b.beginSealing(ctx, tx, c)
	if err != nil {
		return false, err
	}
	for _, e := range stored[i:] {
		if e.Height() != s.next() || !e.Final() {
			break
		}
		if err := s.add(ctx, tx, e.content, e.row.flags); err != nil {
			return false, err
		}
	}
	last, err := b.timeAt(ctx, tx, c.next()-min(c.sealed, 1))
	return len(s.grown) > int(unitCount) || daily.numberOf(last) != s.last[daily], errors.Join(err, s.keep(ctx, tx))
}

// prepare checks the accounts of entries and creates the partitions for them.
func (b *Book) prepare(ctx context.Context, entries []*Entry) error {
	if err := b.checkAccounts(ctx, entries); err != nil {
		return err
	}
	for _, run := range runs(entries, nil) {
		if err := b.engine.makePartitions(ctx, spanOf(run)); err != nil {
			return err
		}
	}
	return nil
}

// store adds the entries that are not stored yet, and returns them.
func (b *Book) store(ctx context.Context, tx transaction, c *bookRow, entries []*Entry) ([]*Entry, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	if err := c.checkRemoved(entries[0].Height()); err != nil {
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
	have, err := b.around(ctx, tx, span, readChecked)
	if err != nil {
		return nil, err
	}
	if before, ok := have[span.First-1]; ok && span.First > 0 && before.hash() != entries[0].ParentHash() {
		return nil, &ForkError{span.First, entries[0].ParentHash(), before.hash()}
	}
	added := make([]*Entry, 0, len(entries))
	for _, e := range entries {
		old, there := have[e.Height()]
		switch {
		case !there:
		case old.flags&notFinal != 0:
			if err := b.remove(ctx, tx, chain.Heights{First: e.Height(), Last: e.Height()}); err != nil {
				return nil, err
			}
		case old.digest() != e.Digest():
			return nil, &DiffersError{e.Height(), old.digest(), e.Digest()}
		default:
			continue
		}
		added = append(added, e)
	}
	if after, ok := have[span.Last+1]; ok && after.parentHash() != entries[len(entries)-1].Hash() {
		if after.flags&notFinal == 0 {
			return nil, &ForkError{span.Last + 1, after.parentHash(), entries[len(entries)-1].Hash()}
		}
		if err := b.removeFrom(ctx, tx, span.Last+1); err != nil { // their parent was replaced
			return nil, err
		}
	}
	rows, shown := make([]row, len(added)), []row(nil)
	for i, e := range added {
		rows[i], shown = rowOf(rowFields, &e.row), append(shown, e.content.shown()...)
	}
	if err := insertBlocks(ctx, tx, rows, shown); err != nil {
		return nil, err
	}
	return added, noteProved(ctx, tx, entries, added)
}

// shown returns the rows of the table transactions.
func (c *Content) shown() (rows []row) {
	for i := range c.Transactions {
		rows = append(rows, shownRow(&c.Transactions[i]))
	}
	return rows
}

func insertBlocks(ctx context.Context, tx transaction, rows, shown []row) error {
	if err := tx.insert(ctx, "blocks", rowColumns, rows); err != nil {
		return fmt.Errorf("table blocks: %w", err)
	}
	if err := tx.insert(ctx, "transactions", shownColumns, shown); err != nil {
		return fmt.Errorf("table transactions: %w", err)
	}
	return nil
}

// around returns the stored blocks of a span and its neighbours.
func (b *Book) around(ctx context.Context, q querier, span chain.Heights, read func(context.Context, querier, string, ...any) ([]*blockRow, bool, error)) (map[uint64]*blockRow, error) {
	found := map[uint64]*blockRow{}
	from := span.First - min(span.First, 1)
	for more := true; more; {
		rows, left, err := read(ctx, q, "height >= ? AND height <= ?", int64(from), int64(span.Last+1))
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			found[r.height], from = r, r.height+1
		}
		more = left
	}
	return found, nil
}

// remove removes blocks that are not final, and what later programs made of them.
func (b *Book) remove(ctx context.Context, tx transaction, span chain.Heights) error {
	if err := removeRows(ctx, tx, span); err != nil {
		return err
	}
	if err := tx.exec(ctx, "DELETE FROM rejudgements WHERE height >= ? AND height <= ?", bounds(span)...); err != nil {
		return err
	}
	return unprove(ctx, tx, span)
}

// removeRows deletes the rows of a span's blocks.
func removeRows(ctx context.Context, tx transaction, span chain.Heights) error {
	if err := tx.exec(ctx, "DELETE FROM blocks WHERE height >= ? AND height <= ?", bounds(span)...); err != nil {
		return err
	}
	first, end := idsOf(span)
	return tx.exec(ctx, "DELETE FROM transactions WHERE id >= ? AND id < ?", first, end)
}

// removeFrom removes the blocks from a height up to the first final one.
func (b *Book) removeFrom(ctx context.Context, tx transaction, height uint64) error {
	var last *int64
	if _, err := one(ctx, tx, []any{&last}, "SELECT max(height) FROM blocks WHERE height >= ? AND height < coalesce((SELECT min(height) FROM blocks WHERE height >= ? AND flags & 1 = 0), 9223372036854775807)",
		int64(height), int64(height)); err != nil || last == nil {
		return err
	}
	return b.remove(ctx, tx, chain.Heights{First: height, Last: uint64(*last)})
}

// Rollback removes all blocks that are not final, because the chain replaced one of them, and returns their
// number.
func (b *Book) Rollback(ctx context.Context) (removed uint64, err error) {
	err = b.change(ctx, func(tx transaction) error {
		c, err := readBookRow(ctx, tx)
		if errors.Is(err, ErrNone) {
			return nil
		}
		if err != nil {
			return err
		}
		const above, below = "FROM blocks WHERE flags <> 0 AND flags & 1 <> 0 AND height >= ?", "FROM blocks WHERE flags <> 0 AND flags & 1 <> 0 AND height < ?" // sealed blocks are final
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

// checkAccounts returns ErrOtherAccounts unless the entries' accounts have the size of the ledger's, which its first payer
// fixes: otherwise one account could stand in it twice, by its EVM address and by the account of 32 bytes that pays for it.
func (b *Book) checkAccounts(ctx context.Context, entries []*Entry) error {
	b.sizing.Lock() // workers share a ledger
	defer b.sizing.Unlock()
	for _, e := range entries {
		if b.accountSize == 0 {
			size, err := b.AccountSize(ctx)
			if err != nil {
				return err
			}
			b.accountSize = cmp.Or(size, e.accountSize)
		}
		if e.accountSize != b.accountSize {
			return fmt.Errorf("%w: %d bytes, and block %d has accounts of %d", ErrOtherAccounts, b.accountSize, e.Height(), e.accountSize)
		}
	}
	return nil
}
