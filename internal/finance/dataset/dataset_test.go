package dataset_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/dataset"
	"github.com/feeledger/fees/internal/ledger"
)

var moonbeam = dataset.Chain{Network: "moonbeam", Genesis: chain.Some(chain.Hash{1}), Program: "the test"}

// lake is a dataset for tests.
type lake struct {
	testing.TB
	dir   string
	chain dataset.Chain
	book  *ledger.Book
}

func newLake(t testing.TB, book *ledger.Book) *lake { return &lake{t, t.TempDir(), moonbeam, book} }

// january returns the ledger's January.
func (l *lake) january() ledger.SealedMonth {
	months, _, err := l.book.Months(l.Context())
	require.NoError(l, err)
	return months[0]
}

func (l *lake) export(m ledger.SealedMonth, replace bool, lacks ...string) (dataset.Outcome, error) {
	l.Helper()
	d, err := dataset.Open(l.dir, l.chain)
	require.NoError(l, err)
	defer d.Close()
	outcome, _, err := d.Export(l.Context(), l.book, &m, lacks, dataset.Options{Replace: replace, Progress: func(uint64) {}})
	return outcome, err
}

func (l *lake) wrote(want dataset.Outcome, m ledger.SealedMonth, replace bool, lacks ...string) {
	l.Helper()
	outcome, err := l.export(m, replace, lacks...)
	require.NoError(l, err)
	require.Equal(l, want, outcome)
}

func (l *lake) differs(m ledger.SealedMonth, message string, lacks ...string) {
	l.Helper()
	before := filesBelow(l.dir)
	_, err := l.export(m, false, lacks...)
	var differs *dataset.DiffersError
	require.ErrorAs(l, err, &differs)
	require.ErrorContains(l, err, message)
	require.ErrorContains(l, err, "--replace")
	require.Equal(l, before, filesBelow(l.dir))
}

// problems returns the findings of a check.
func (l *lake) problems() *dataset.Checked {
	l.Helper()
	found, err := dataset.Check(l.Context(), l.dir, l.chain, l.book, func(uint64, uint64) {})
	require.NoError(l, err)
	return found
}

func (l *lake) manifest() string {
	return filepath.Join(l.dir, "_manifests", "network=moonbeam", "2026-01.json")
}

func (l *lake) edit(old, replacement string) {
	l.Helper()
	text, err := os.ReadFile(l.manifest())
	require.NoError(l, err)
	require.Contains(l, string(text), old)
	require.NoError(l, os.WriteFile(l.manifest(), []byte(strings.Replace(string(text), old, replacement, 1)), 0o600))
}

// The blocks read must match the month's seal: a record and its sum altered together do not.
func TestBlocksThatDoNotGiveTheSeal(t *testing.T) {
	l := newLake(t, demo(t, 9))
	for _, change := range []func(*ledger.SealedMonth){
		func(m *ledger.SealedMonth) { m.Seal[7] ^= 1 },
		func(m *ledger.SealedMonth) { m.Blocks++ },
		func(m *ledger.SealedMonth) { m.Span.Last-- },
	} {
		m := l.january()
		change(&m)
		_, err := l.export(m, false)
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, "2026-01")
		require.Empty(t, filesBelow(l.dir))
	}
	l.wrote(dataset.Written, l.january(), false)
}

func TestMonthThatIsThere(t *testing.T) {
	l := newLake(t, demo(t, 9))
	m := l.january()
	l.wrote(dataset.Written, m, false)
	l.wrote(dataset.Unchanged, m, false)
	l.wrote(dataset.Unchanged, m, true)
	l.differs(m, "its files contain a complete month", "its end")
	other := m
	other.Seal[0] ^= 1
	l.differs(other, "the ledger has "+other.Seal.String())
	l.chain.Genesis = chain.Some(chain.Hash{2})
	l.differs(m, "whose block 0 is 0x01")
	l.chain.Genesis = chain.Optional[chain.Hash]{}
	l.wrote(dataset.Unchanged, m, false)
	l.chain = moonbeam
	require.Empty(t, l.problems().Problems)

	l.edit(`"format": 1`, `"format": 2`)
	l.differs(m, "format 2, not 1")
	found := l.problems()
	require.Len(t, found.Problems, 6, "its files are in no manifest that is understood")
	require.False(t, found.Problems[0].Damaged)
	l.wrote(dataset.Replaced, m, true)
	require.Empty(t, l.problems().Problems)

	// An incomplete month, completed later.
	l.wrote(dataset.Replaced, m, true, "its end")
	l.wrote(dataset.Unchanged, m, false, "its end")
	l.wrote(dataset.Grown, m, false)
	l.wrote(dataset.Unchanged, m, false)
}

// A check compares incomplete months as far as they go, and finds the leftovers of an interrupted export.
func TestCheck(t *testing.T) {
	l := newLake(t, demo(t, 9))
	l.wrote(dataset.Written, l.january(), false, "its end")
	short := l.book
	l.book = demo(t, 20)
	require.Empty(t, l.problems().Problems, "the ledger has more by now")
	seal := `"seal": "`
	l.edit(seal, seal+"00")
	found := l.problems()
	require.Len(t, found.Problems, 1)
	require.False(t, found.Problems[0].Damaged)
	require.Contains(t, found.Problems[0].Message, "contain blocks 2..9")
	l.differs(l.january(), "its blocks 2..9 differ from the ledger")
	l.wrote(dataset.Replaced, l.january(), true)
	l.book = short
	require.Len(t, l.problems().Problems, 1, "the ledger has less")
	l.book = demo(t, 1)
	require.Equal(t, []string{"2026-01"}, l.problems().NotCompared)

	l.edit(`"files"`, `"unfinished": true, "files"`)
	found = l.problems()
	require.Len(t, found.Problems, 1)
	require.Contains(t, found.Problems[0].Message, "unfinished")
	require.NoError(t, os.WriteFile(l.manifest(), make([]byte, 1<<20+1), 0o600))
	require.Contains(t, l.problems().Problems[0].Message, "too long for a manifest")
	require.NoError(t, os.RemoveAll(filepath.Join(l.dir, "_manifests")))
	require.Len(t, l.problems().Problems, 5)
	require.NoError(t, os.WriteFile(filepath.Join(l.dir, "_manifests"), nil, 0o600))
	_, err := dataset.Check(t.Context(), l.dir, l.chain, l.book, func(uint64, uint64) {})
	require.Error(t, err)

	l.dir = t.TempDir()
	require.Zero(t, l.problems().Months)
	_, err = dataset.Check(t.Context(), filepath.Join(l.dir, "none"), l.chain, l.book, func(uint64, uint64) {})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = dataset.Check(t.Context(), l.dir, dataset.Chain{Network: ".."}, l.book, func(uint64, uint64) {})
	require.ErrorIs(t, err, dataset.ErrName)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err = dataset.Check(stopped, l.dir, l.chain, l.book, func(uint64, uint64) {})
	require.ErrorIs(t, err, context.Canceled)
}

// Files without a manifest are recognised by their bytes, or not overwritten.
func TestLostManifest(t *testing.T) {
	l := newLake(t, demo(t, 9))
	l.wrote(dataset.Written, l.january(), false)
	want := filesBelow(l.dir)
	require.NoError(t, os.Remove(l.manifest()))
	l.wrote(dataset.Written, l.january(), false)
	require.Equal(t, want, filesBelow(l.dir))
	require.NoError(t, os.Remove(l.manifest()))
	name := filepath.Join(l.dir, "blocks/network=moonbeam/year=2026/month=01/blocks.parquet")
	require.NoError(t, os.WriteFile(name, []byte("mine"), 0o600))
	l.differs(l.january(), "without a manifest")
	l.wrote(dataset.Replaced, l.january(), true)
	require.Equal(t, want, filesBelow(l.dir))
	require.NoError(t, os.WriteFile(l.manifest(), []byte("{}"), 0o600))
	l.differs(l.january(), "format 0")
	require.NoError(t, os.WriteFile(l.manifest(), []byte("no JSON"), 0o600))
	_, err := l.export(l.january(), false)
	require.ErrorIs(t, err, dataset.ErrDamaged)
	l.wrote(dataset.Written, l.january(), true)
	require.Equal(t, want, filesBelow(l.dir))
	require.NoError(t, os.Remove(name))
	_, err = l.export(l.january(), false)
	require.ErrorIs(t, err, dataset.ErrDamaged)
	require.ErrorContains(t, err, name)
}
