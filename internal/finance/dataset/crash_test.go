package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/dataset"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/ledgertest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// demo returns a ledger of the demo's blocks up to a height.
func demo(t *testing.T, last uint64) *ledger.Book {
	t.Helper()
	book, err := ledger.Open(t.Context(), demoFile(t, last))
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	return book
}

// demoFile returns the path of such a ledger.
func demoFile(t *testing.T, last uint64) string {
	t.Helper()
	src, err := source.Open("demo", source.Options{})
	require.NoError(t, err)
	place := filepath.Join(t.TempDir(), "fees.db")
	book := ledgertest.Filled(t, place, "moonbeam", &source.Reader{Source: src, Tables: network.BuiltIn()}, chain.Heights{Last: last})
	require.NoError(t, book.Close())
	return place
}

// export exports all months. A killed program leaves its scratch directory, and so does one ended by a test.
func export(ctx context.Context, book *ledger.Book, dir string, replace bool, killed *bool) error {
	d, err := dataset.Open(dir, dataset.Chain{Network: "moonbeam", Program: "the test"})
	if err != nil {
		return err
	}
	scratch := filepath.Join(dir, ".exporting")
	left := map[string]string{}
	defer func() {
		if *killed {
			left = filesBelow(scratch)
		}
		d.Close()
		for name, text := range left {
			os.MkdirAll(scratch, 0o777)
			os.WriteFile(filepath.Join(scratch, name), []byte(text), 0o666)
		}
	}()
	months, _, err := book.Months(ctx)
	if err != nil {
		return err
	}
	for i := range months {
		o := dataset.Options{Replace: replace, Progress: func(uint64) {}}
		if _, _, err := d.Export(ctx, book, &months[i], []string{"its end"}, o); err != nil {
			return err
		}
	}
	return nil
}

func filesBelow(dir string) map[string]string {
	files := map[string]string{}
	fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text, _ := os.ReadFile(filepath.Join(dir, path))
			files[path] = string(text)
		}
		return nil
	})
	return files
}

var errKilled = errors.New("killed")

// A program killed before any of its steps leaves no incomplete file, and the next one produces the same result. The same
// applies to a month that grows or is replaced.
func TestKilledAtEachStep(t *testing.T) {
	book, older := demo(t, 27), demo(t, 20)
	none := false
	whole := t.TempDir()
	require.NoError(t, export(t.Context(), book, whole, false, &none))
	want := filesBelow(whole)
	require.Len(t, want, 12)
	var before map[string]string
	for _, c := range []struct {
		there, replace bool
		steps          int
	}{{false, false, 14}, {true, false, 7}, {true, true, 7}} { // each file and two manifests of a month; November stays
		for at := 1; at <= c.steps+1; at++ {
			if at <= c.steps && !tier.Takes(fmt.Sprint(at)) {
				continue
			}
			dir := t.TempDir()
			if c.there {
				require.NoError(t, export(t.Context(), older, dir, false, &none))
				before = filesBelow(dir)
			}
			steps, killed := 0, false
			end := dataset.Before(func(string) error {
				if steps++; steps == at {
					killed = true
					return errKilled
				}
				return nil
			})
			err := export(t.Context(), book, dir, c.replace, &killed)
			end()
			require.Equal(t, at <= c.steps, killed)
			if !killed {
				require.NoError(t, err)
				require.Equal(t, want, filesBelow(dir))
				break
			}
			require.ErrorIs(t, err, errKilled)
			for name, text := range filesBelow(dir) {
				if strings.HasPrefix(name, ".exporting") {
					require.NotContains(t, name, ".parquet")
					continue
				}
				if !strings.Contains(text, `"unfinished": true`) {
					require.True(t, text == want[name] || text == before[name], "%s is half written", name)
				}
			}
			require.NoError(t, export(t.Context(), book, dir, false, &none))
			require.Equal(t, want, filesBelow(dir), "killed at step %d", at)
			require.NoDirExists(t, filepath.Join(dir, ".exporting"))
		}
	}
}

// A full disk gives its own error, and leaves nothing.
func TestDirectoryThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "transactions"), nil, 0o600)) // instead of a directory
		none := false
		err := export(t.Context(), demo(t, 5), dir, false, &none)
		require.ErrorContains(t, err, "transactions")
		require.NoDirExists(t, filepath.Join(dir, ".exporting"))
		return
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o500))
	_, err := dataset.Open(dir, dataset.Chain{Network: "moonbeam"})
	require.ErrorIs(t, err, fs.ErrPermission)
}
