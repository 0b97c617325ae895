package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/sys/scratch"
)

// Backup copies the current state of the ledger, including a PostgreSQL one, into a new file: a complete
// ledger with the same digests and seals. Writers may continue meanwhile. Sealed blocks never change and
// are copied without one long snapshot; everything else comes from a single moment. The file is written
// in a directory next to path, named like it plus ".backup"; leftovers of an interrupted backup are removed.
func (b *Book) Backup(ctx context.Context, path string, progress func(done, total uint64)) (err error) {
	if err := free(path); err != nil {
		return err
	}
	return newFile(path, ".backup", func(temporary string) error {
		if e, ok := b.engine.(*sqliteEngine); ok {
			return e.exec(ctx, "VACUUM INTO ?", temporary)
		}
		return b.copyTo(ctx, temporary, nil, progress)
	})
}

// free returns an error if a file exists at path.
func free(path string) error {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%s already exists", path)
	}
	return err
}

// newFile writes a file in a temporary directory next to path, and moves it to path once complete.
func newFile(path, suffix string, write func(temporary string) error) error {
	path, err := filepath.Abs(path)
	if err != nil { // an absolute path: SQLite would read file:… as a URI
		return err
	}
	directory, err := scratch.Hold(path + suffix)
	if err != nil {
		return err
	}
	defer directory.Remove()
	if err := directory.Clear(); err != nil {
		return err
	}
	temporary := directory.Path("copy.db")
	if err := write(temporary); err != nil {
		return err
	}
	if err := disk.Sync(temporary); err != nil {
		return err
	}
	if err := os.Link(temporary, path); err != nil { // fails if path was created meanwhile
		return err
	}
	return disk.Sync(filepath.Dir(path))
}

// copyTo writes the ledger's rows into a new file: all of them, or those before a cut.
func (b *Book) copyTo(ctx context.Context, path string, c *cut, progress func(done, total uint64)) (err error) {
	m, err := b.moments(ctx)
	if err != nil {
		return err
	}
	defer m.close()
	if m.row, err = readBookRow(ctx, m.q); err != nil {
		return err
	}
	total, err := m.blocks(ctx)
	if err != nil {
		return err
	}
	copied, err := OpenWriter(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	if err := copied.Begin(ctx, m.row.Identity, m.row.first); err != nil {
		return err
	}
	done := uint64(0)
	read := func(ctx context.Context, last uint64) error {
		return m.batch(ctx, last, func(list []*blockRow) error {
			done += uint64(len(list))
			progress(done, max(done, total))
			return copied.copyBlocks(ctx, list)
		})
	}
	m.at = m.row.first
	row := m.row
	if _, removing := m.row.removed(); c == nil && !removing { // there may be unsealed blocks below
		m.at = 0
	}
	if c != nil {
		total = c.height - m.at
		row.sealed = total
		if err := m.below(ctx, c.height, true, read); err != nil {
			return err
		}
	} else {
		if err := m.sealedBlocks(ctx, read); err != nil {
			return err
		}
		row = m.row
		end, err := heightsEnd(ctx, m.q)
		if err == nil {
			err = m.below(ctx, end, false, read)
		}
		if err != nil {
			return err
		}
	}
	row.removing = chain.Optional[uint64]{}
	return copied.copyRest(ctx, m.q, &row, c)
}

func (b *Book) copyBlocks(ctx context.Context, list []*blockRow) error {
	by := coders.Get().(*coder)
	defer coders.Put(by)
	var rows, shown []row
	for _, r := range list {
		if err := r.checked(); err != nil {
			return err
		}
		c, err := r.content(by, transactionsOnly)
		if err != nil {
			return err
		}
		rows, shown = append(rows, rowOf(rowFields, r)), append(shown, c.shown()...)
	}
	return b.change(ctx, func(tx transaction) error { return insertBlocks(ctx, tx, rows, shown) })
}

// copyRest copies every table except blocks and transactions, then the row of the table book.
func (b *Book) copyRest(ctx context.Context, from querier, now *bookRow, c *cut) error {
	return b.change(ctx, func(tx transaction) error {
		copied := map[string][]column{"stretches": stretchColumns, "parts": partColumns, "rejudgements": rejudgementColumns, "source": {{"one", integer}, {"place", text}}}
		if c == nil {
			copied["proved"], copied["trail"] = provedColumns, actColumns
		}
		for _, name := range slices.Sorted(maps.Keys(copied)) {
			where, arguments := c.takes(name)
			err := list(ctx, from, copied[name], func(r row) error {
				return tx.insert(ctx, name, copied[name], []row{r})
			}, selectFrom(name, copied[name])+where, arguments...)
			if err != nil {
				return err
			}
		}
		if c != nil {
			if err := c.copyProved(ctx, from, tx); err != nil {
				return err
			}
		}
		return now.keep(ctx, tx)
	})
}
