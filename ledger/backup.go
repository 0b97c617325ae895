package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/internal/scratch"
)

// Backup copies the book as it is now into a new file, whatever is written
// meanwhile: a ledger of its own, with the same digests and seals. A book in
// PostgreSQL becomes a file too. It is made beside the file, in a directory of its
// name and ".backup"; what a killed one left there is taken away.
func (b *Book) Backup(ctx context.Context, path string, progress func(done, total uint64)) (err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s: there is a file already", path)
		}
		return err
	}
	if path, err = filepath.Abs(path); err != nil { // SQLite would take file:… for an address
		return err
	}
	directory, err := scratch.Hold(path + ".backup")
	if err != nil {
		return err
	}
	defer directory.Remove()
	if err := directory.Clear(); err != nil {
		return err
	}
	temporary := directory.Path("copy.db")
	if e, ok := b.engine.(*sqliteEngine); ok {
		err = e.exec(ctx, "VACUUM INTO ?", temporary)
	} else {
		err = b.copyTo(ctx, temporary, progress)
	}
	if err != nil {
		return err
	}
	if err := syncFile(temporary); err != nil {
		return err
	}
	if err := os.Link(temporary, path); err != nil { // fails where another made the file meanwhile
		return err
	}
	return syncFile(filepath.Dir(path))
}

// copyTo writes all rows into a new file.
func (b *Book) copyTo(ctx context.Context, path string, progress func(done, total uint64)) (err error) {
	q, end, err := b.engine.snapshot(ctx)
	if err != nil {
		return err
	}
	defer end()
	c, err := readBookRow(ctx, q)
	if err != nil {
		return err
	}
	copied, err := OpenWriter(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	if err := copied.Begin(ctx, c.Identity, c.first); err != nil {
		return err
	}
	var done, total uint64
	if _, err := one(ctx, q, []any{&total}, "SELECT count(*) FROM blocks"); err != nil {
		return err
	}
	for span, err := range portions(ctx, q, everyBlock) {
		if err != nil {
			return err
		}
		for list, err := range readSpan(ctx, q, allTables, span) {
			if err == nil {
				err = copied.copyBlocks(ctx, list)
			}
			if err != nil {
				return err
			}
			done += uint64(len(list))
			progress(done, total)
		}
	}
	if err := copied.copyTotals(ctx, q, &c); err != nil {
		return err
	}
	return copied.BuildLookups(ctx, func(string) {})
}

func (b *Book) copyBlocks(ctx context.Context, list []*rowsOf) error {
	return b.change(ctx, func(tx transaction) error {
		for _, r := range list {
			for t := range tables {
				if err := tx.insert(ctx, &tables[t], r.rows[t]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (b *Book) copyTotals(ctx context.Context, from querier, c *bookRow) error {
	return b.change(ctx, func(tx transaction) error {
		for i := range totals {
			t := &totals[i]
			err := list(ctx, from, t.columns(), func(r row) error { return tx.add(ctx, b.plusSQL[i], []row{r}) }, selectFrom(t.name, t.columns()))
			if err != nil {
				return err
			}
		}
		copied := []table{{name: "seals", columns: stretchColumns}, {name: "rejudgements", columns: rejudgementColumns}}
		if later, err := laidOutSince(ctx, from, layoutOfProved); err != nil {
			return err
		} else if later {
			copied = append(copied, table{name: "proved", columns: provedColumns})
		}
		for _, t := range copied {
			err := list(ctx, from, t.columns, func(r row) error {
				return tx.add(ctx, insertInto(t.name, t.columns)+placesFor(t.columns), []row{r})
			}, selectFrom(t.name, t.columns))
			if err != nil {
				return err
			}
		}
		return c.keep(ctx, tx)
	})
}

// syncFile makes a file or a folder last.
func syncFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
