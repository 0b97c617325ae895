package ledger

import (
	"context"
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
)

// removal is what was detached from a book, and whose rows are being removed.
type removal struct{ chain.Heights }

var removalFields = []field[removal]{
	{name: "first", mark: state, at: func(r *removal) any { return &r.First }},
	{name: "last", mark: state, at: func(r *removal) any { return &r.Last }},
}

func (r *removal) keep(ctx context.Context, tx transaction) error {
	columns := append([]column{{"one", integer, state}}, signedColumns(removalFields)...)
	return tx.exec(ctx, putInto("removal", columns, 1), append(row{int64(1)}, signedRow(removalFields, r)...)...)
}

// removalOf is what is being removed from a book, nil where nothing is.
func removalOf(ctx context.Context, q querier, book *bookRow) (found *removal, err error) {
	columns := signedColumns(removalFields)
	err = list(ctx, q, columns, func(r row) error {
		found = &removal{}
		if err := readSigned(removalFields, r, found); err != nil {
			return fmt.Errorf("%w: table removal was altered: %w", ErrDamaged, err)
		}
		if found.Last+1 != book.first {
			return fmt.Errorf("%w: table removal: blocks %v are being removed, and the ledger begins with block %d", ErrDamaged, found.Heights, book.first)
		}
		return nil
	}, selectFrom("removal", columns))
	return found, err
}

// removedAtOnce is how many heights are removed in one change.
const removedAtOnce = 2_000

// clear removes the rows below the book's first height that a detachment left, and returns
// what it was of; nil where there are none. Who is stopped leaves the rest for the next one.
func (b *Book) clear(ctx context.Context, progress func(done, total uint64)) (left *removal, err error) {
	book, err := readBookRow(ctx, b.engine)
	if err != nil {
		return nil, err
	}
	if left, err = removalOf(ctx, b.engine, &book); err != nil || left == nil {
		return nil, err
	}
	if err := b.engine.dropPartitions(ctx, book.first); err != nil {
		return nil, err
	}
	end := int64(book.first)
	for from := int64(left.First); ; {
		var lowest *int64
		if _, err := one(ctx, b.engine, []any{&lowest}, "SELECT min(height) FROM blocks WHERE height >= ? AND height < ?", from, end); err != nil {
			return nil, err
		}
		if lowest == nil {
			break
		}
		below := min(*lowest+removedAtOnce, end)
		if err := b.change(ctx, func(tx transaction) error { return removeRows(ctx, tx, from, below) }); err != nil {
			return nil, err
		}
		progress(uint64(below)-left.First, left.Blocks())
		from = below // what was deleted is not looked through again
	}
	err = b.change(ctx, func(tx transaction) error {
		if err := removeRows(ctx, tx, math.MinInt64, end); err != nil {
			return err
		}
		return tx.exec(ctx, "DELETE FROM removal")
	})
	progress(left.Blocks(), left.Blocks())
	return left, err
}

// removeRows removes the rows of the blocks from one height to below another. A table that has
// rows by height beside those of blocks is named here, too.
func removeRows(ctx context.Context, tx transaction, from, end int64) error {
	for t := range tables {
		if err := tx.exec(ctx, "DELETE FROM "+tables[t].name+" WHERE height >= ? AND height < ?", from, end); err != nil {
			return fmt.Errorf("table %s: %w", tables[t].name, err)
		}
	}
	for i := range lookupTables {
		name := lookupTables[i].name
		if err := tx.exec(ctx, "DELETE FROM "+name+" WHERE era >= ? AND era <= ? AND height >= ? AND height < ?", from/eraHeights, end/eraHeights, from, end); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
	}
	return tx.exec(ctx, "DELETE FROM unsealed WHERE height >= ? AND height < ?", from, end)
}
