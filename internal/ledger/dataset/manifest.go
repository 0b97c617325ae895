package dataset

import (
	"crypto/sha256"
	"encoding/hex"
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
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// format is how files and manifest are written. Those of another one are not gone on with.
const format = 1

// mostManifestBytes bounds what is read: a manifest has some hundred bytes for each table.
const mostManifestBytes = 1 << 20

// Manifest says what the files of a month are of.
type Manifest struct {
	Format  int                        `json:"format"`
	Network string                     `json:"network"`
	Genesis chain.Optional[chain.Hash] `json:"genesis"`
	Month   string                     `json:"month"` // such as 2026-01, of UTC
	Lacks   []string                   `json:"lacks"` // for people, what of the month the ledger had not sealed; none of a whole one
	Blocks  Blocks                     `json:"blocks"`
	// Undetermined is how many fees are not known: they are null. Unclassified is how many
	// events are, of which it is not known what they moved.
	Undetermined uint64 `json:"undetermined"`
	Unclassified uint64 `json:"unclassified"`
	Program      string `json:"program"` // that wrote the files
	Files        []File `json:"files"`
	// Unfinished says that the files are being written, or that this was interrupted: some are
	// of before.
	Unfinished bool `json:"unfinished,omitempty"`
}

// Blocks are those of a month, by their own time.
type Blocks struct {
	First uint64 `json:"first"` // the lowest
	Last  uint64 `json:"last"`  // the highest
	Count uint64 `json:"count"`
	Seal  string `json:"seal"`
}

func blocksOf(m *ledger.SealedMonth) Blocks {
	return Blocks{m.Span.First, m.Span.Last, m.Blocks, m.Seal.String()}
}

// File is one of the month's files.
type File struct {
	Name   string `json:"name"` // its path in the dataset, with slashes
	Rows   uint64 `json:"rows"`
	Size   int64  `json:"size"` // in bytes
	SHA256 string `json:"sha256"`
}

// Table is the table that the file has rows of.
func (f *File) Table() string {
	table, _, _ := strings.Cut(f.Name, "/")
	return table
}

// Whole tells whether the ledger had sealed all of the month.
func (m *Manifest) Whole() bool { return len(m.Lacks) == 0 }

// ErrDamaged says that a dataset is not what was written.
var ErrDamaged = failure.New(failure.Damaged, "the dataset is damaged")

// readManifest reads that of a network's month. It is fs.ErrNotExist where there is none.
func readManifest(name, network string) (*Manifest, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostManifestBytes+1))
	if err != nil {
		return nil, err
	}
	damaged := func(what string) error { return fmt.Errorf("%w: %s: %s", ErrDamaged, name, what) }
	if len(text) > mostManifestBytes {
		return nil, damaged("it is longer than any manifest")
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, damaged(err.Error())
	}
	if m.Format != format {
		return &m, nil // what else it says is not understood
	}
	if have := filepath.Base(name); m.Network != network || m.Month+".json" != have {
		return nil, damaged(fmt.Sprintf("it is of the month %s of %s", m.Month, m.Network))
	}
	if m.Unfinished {
		return &m, nil
	}
	if len(m.Files) != len(tables) {
		return nil, damaged(fmt.Sprintf("it lists %d files, not %d", len(m.Files), len(tables)))
	}
	for i, f := range m.Files {
		if f.Name != fileOf(tables[i].name, m.Network, m.Month) {
			return nil, damaged(fmt.Sprintf("the file %q is not of this month", f.Name))
		}
	}
	return &m, nil
}

func (m *Manifest) encode() ([]byte, error) {
	text, err := jsontext.Indented(m, "")
	return append(text, '\n'), err
}

// problem says what is wrong with a file as it is in a directory, "" for nothing. Its bytes
// are summed up where that is asked for.
func (f *File) problem(dir string, sum bool) (string, error) {
	name := filepath.Join(dir, filepath.FromSlash(f.Name))
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is not there", nil
	case err != nil:
		return "", err
	case info.Size() != f.Size:
		return fmt.Sprintf("it has %d bytes, not %d", info.Size(), f.Size), nil
	case !sum:
		return "", nil
	}
	have, err := sumOf(name)
	if err == nil && have != f.SHA256 {
		return "its SHA-256 is not what was written", nil
	}
	return "", err
}

func sumOf(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), err
}
