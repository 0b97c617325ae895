package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// format is the version of files and manifests. Only this version is continued.
const format = 1

// maxManifestBytes limits the size of a manifest, which takes a few hundred bytes per table.
const maxManifestBytes = 1 << 20

// Manifest describes the files of a month.
type Manifest struct {
	Format  int                        `json:"format"`
	Network string                     `json:"network"`
	Genesis chain.Optional[chain.Hash] `json:"genesis"`
	Month   string                     `json:"month"` // UTC, such as 2026-01
	Lacks   []string                   `json:"lacks"` // for people: unsealed parts of the month; empty if it is complete
	Blocks  Blocks                     `json:"blocks"`
	// Undetermined counts unknown fees, which are null. Unclassified counts events whose effect is unknown.
	Undetermined uint64 `json:"undetermined"`
	Unclassified uint64 `json:"unclassified"`
	Program      string `json:"program"` // the program that wrote the files
	Files        []File `json:"files"`
	// Unfinished marks an export that is running or was interrupted: some files may be older.
	Unfinished bool `json:"unfinished,omitempty"`
}

// Blocks describes the blocks of a month, by their own time.
type Blocks struct {
	First uint64 `json:"first"` // the lowest
	Last  uint64 `json:"last"`  // the highest
	Count uint64 `json:"count"`
	Seal  string `json:"seal"`
}

func blocksOf(m *ledger.SealedMonth) Blocks {
	return Blocks{m.Span.First, m.Span.Last, m.Blocks, m.Seal.String()}
}

// File describes one of the month's files.
type File struct {
	Name   string `json:"name"` // path in the dataset, with slashes
	Rows   uint64 `json:"rows"`
	Size   int64  `json:"size"` // in bytes
	SHA256 string `json:"sha256"`
}

// Table returns the name of the file's table.
func (f *File) Table() string {
	table, _, _ := strings.Cut(f.Name, "/")
	return table
}

// Whole reports whether the ledger had sealed the complete month.
func (m *Manifest) Whole() bool { return len(m.Lacks) == 0 }

// ErrDamaged reports that a dataset does not contain what was written.
var ErrDamaged = failure.New(failure.Damaged, "the dataset is damaged")

// readManifest reads a network's manifest for a month, or returns fs.ErrNotExist.
func readManifest(name, network string) (*Manifest, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxManifestBytes+1))
	if err != nil {
		return nil, err
	}
	damaged := func(what string) error { return fmt.Errorf("%w: %s: %s", ErrDamaged, name, what) }
	if len(text) > maxManifestBytes {
		return nil, damaged("it is too long for a manifest")
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, damaged(err.Error())
	}
	if m.Format != format {
		return &m, nil // the rest has another format
	}
	if have := filepath.Base(name); m.Network != network || m.Month+".json" != have {
		return nil, damaged(fmt.Sprintf("it belongs to the month %s of %s", m.Month, m.Network))
	}
	if m.Unfinished {
		return &m, nil
	}
	if len(m.Files) != len(tables) {
		return nil, damaged(fmt.Sprintf("it lists %d files, not %d", len(m.Files), len(tables)))
	}
	for i, f := range m.Files {
		if f.Name != fileOf(tables[i].name, m.Network, m.Month) {
			return nil, damaged(fmt.Sprintf("the file %q does not belong to this month", f.Name))
		}
	}
	return &m, nil
}

func (m *Manifest) encode() ([]byte, error) {
	text, err := jsontext.Indented(m, "")
	return append(text, '\n'), err
}

// problem returns what is wrong with a file, "" for nothing. It computes the checksum only if sum is set.
func (f *File) problem(dir string, sum bool) (string, error) {
	name := filepath.Join(dir, filepath.FromSlash(f.Name))
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is missing", nil
	case err != nil:
		return "", err
	case info.Size() != f.Size:
		return fmt.Sprintf("it has %d bytes instead of %d", info.Size(), f.Size), nil
	case !sum:
		return "", nil
	}
	have, err := disk.Sum(name)
	if err == nil && have != f.SHA256 {
		return "its SHA-256 does not match the manifest", nil
	}
	return "", err
}
