package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/disk"
)

// Problem describes what is wrong with a file.
type Problem struct {
	Path    string
	Message string
	Damaged bool // true: the file is damaged; false: it differs from the ledger
}

// Checked is the result of a check.
type Checked struct {
	Months   int // with a manifest
	Files    int
	Bytes    int64
	Problems []Problem
	// NotCompared lists the months of which the ledger contains no block.
	NotCompared []string
}

func (c *Checked) add(path string, damaged bool, format string, args ...any) {
	c.Problems = append(c.Problems, Problem{path, fmt.Sprintf(format, args...), damaged})
}

var manifestName = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}\.json$`)

// Check reads all files of a network, and compares them with their manifests, and the manifests with the
// ledger's seals. It writes nothing. If progress is not nil, it receives the number of months checked and in total.
func Check(ctx context.Context, dir string, c Chain, book *ledger.Book, progress func(months, of uint64)) (*Checked, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	months, _, err := book.Months(ctx)
	if err != nil {
		return nil, err
	}
	has := map[string]*ledger.SealedMonth{}
	for i := range months {
		has[months[i].String()] = &months[i]
	}
	entries, err := os.ReadDir(manifestsOf(dir, c.Network))
	if errors.Is(err, fs.ErrNotExist) {
		if err := disk.CheckDirectory(dir); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	x := &checker{dir: dir, chain: c, book: book, listed: map[string]bool{}}
	for i, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if manifestName.MatchString(e.Name()) {
			if err := x.month(ctx, e.Name(), has); err != nil {
				return nil, err
			}
		}
		if progress != nil {
			progress(uint64(i+1), uint64(len(entries)))
		}
	}
	return &x.Checked, x.others()
}

// checker checks one dataset.
type checker struct {
	Checked
	dir    string
	chain  Chain
	book   *ledger.Book
	listed map[string]bool // file paths, with slashes
}

// month checks the files of one manifest.
func (x *checker) month(ctx context.Context, manifest string, has map[string]*ledger.SealedMonth) error {
	name := filepath.Join(manifestsOf(x.dir, x.chain.Network), manifest)
	m, err := readManifest(name, x.chain.Network)
	if errors.Is(err, ErrDamaged) {
		x.add(name, true, "%v", err)
		return nil
	}
	if err != nil {
		return err
	}
	x.Months++
	if m.Format != format {
		x.add(name, false, "its files have format %d, not %d", m.Format, format)
		return nil
	}
	if m.Unfinished {
		x.add(name, true, "the month is unfinished: its export is running or was interrupted")
		for i := range tables {
			x.listed[fileOf(tables[i].name, m.Network, m.Month)] = true
		}
		return nil
	}
	for i := range m.Files {
		f := &m.Files[i]
		x.listed[f.Name] = true
		problem, err := f.problem(x.dir, true)
		if err != nil {
			return err
		}
		if problem != "" {
			x.add(filepath.Join(x.dir, filepath.FromSlash(f.Name)), true, "%s", problem)
		}
		x.Files++
		x.Bytes += f.Size
	}
	return x.compare(ctx, name, m, has[m.Month])
}

// compare compares a month's seal with the ledger's.
func (x *checker) compare(ctx context.Context, name string, m *Manifest, month *ledger.SealedMonth) error {
	if month == nil {
		x.NotCompared = append(x.NotCompared, m.Month)
		return nil
	}
	now := blocksOf(month)
	if m.Blocks == now {
		return nil
	}
	if !m.Whole() && m.Blocks.First == now.First && m.Blocks.Last < now.Last { // the ledger contains more by now
		period, err := month.Period()
		if err != nil {
			return err
		}
		seal, err := x.book.SealOf(ctx, period, chain.Heights{First: m.Blocks.First, Last: m.Blocks.Last})
		if err != nil || seal.String() == m.Blocks.Seal {
			return err
		}
	}
	x.add(name, false, "its files contain blocks %d..%d with the seal %s, but the ledger contains %d..%d with %s",
		m.Blocks.First, m.Blocks.Last, m.Blocks.Seal, now.First, now.Last, now.Seal)
	return nil
}

// others finds files in the network's directories that are in no manifest: a query would read them.
func (x *checker) others() error {
	for i := range tables {
		root := filepath.Join(x.dir, tables[i].name, "network="+x.chain.Network)
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && path == root {
				return nil
			}
			if err != nil || e.IsDir() {
				return err
			}
			name, err := filepath.Rel(x.dir, path)
			if err == nil && !x.listed[filepath.ToSlash(name)] {
				x.add(path, true, "it is not in a manifest, but a query would read it")
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
