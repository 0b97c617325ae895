package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/dataset"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/crashtest"
)

// asExporter makes the test binary a program that exports the ledger in ofLedger into a directory. With replacing it
// replaces existing files.
const (
	asExporter = "FEES_DATASET_TEST_DIRECTORY"
	ofLedger   = "FEES_DATASET_TEST_LEDGER"
	replacing  = "FEES_DATASET_TEST_REPLACE"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(asExporter); dir != "" {
		runtime.LockOSThread() // calls are counted per thread
		book, err := ledger.Open(context.Background(), os.Getenv(ofLedger))
		if err == nil {
			err = exportQuietly(book, dir, os.Getenv(replacing) != "")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// exportQuietly exports all months without interruption.
func exportQuietly(book *ledger.Book, dir string, replace bool) error {
	killed := false
	return export(context.Background(), book, dir, replace, &killed)
}

// exporter is a program that exports.
func exporter(dir, file string, replace bool) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asExporter+"="+dir, ofLedger+"="+file)
	if replace {
		cmd.Env = append(cmd.Env, replacing+"=1")
	}
	return cmd
}

// exports are the operations to interrupt: January is exported for the first time, continues from an older ledger, or
// replaces one that was exported as complete.
var exports = []struct {
	name    string
	prepare func(t *testing.T, older *ledger.Book, dir string)
	replace bool
}{
	{"made", func(*testing.T, *ledger.Book, string) {}, false},
	{"grown", func(t *testing.T, older *ledger.Book, dir string) {
		require.NoError(t, exportQuietly(older, dir, false))
	}, false},
	{"replaced", func(t *testing.T, older *ledger.Book, dir string) {
		l := &lake{t, dir, dataset.Chain{Network: "moonbeam", Program: "the test"}, older}
		l.wrote(dataset.Written, l.january(), false)
	}, true},
}

// exported is a ledger in a file, an older one, and the files of an undisturbed export.
func exported(t *testing.T) (file string, book, older *ledger.Book, want map[string]string) {
	file, older = demoFile(t, 9), demo(t, 5)
	book, err := ledger.Open(t.Context(), file)
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	quiet := t.TempDir()
	require.NoError(t, exportQuietly(book, quiet, false))
	want = filesBelow(quiet)
	require.Len(t, slices.Collect(maps.Keys(want)), 12) // of two months
	return file, book, older, want
}

// After any crash of the machine, files that a query finds are complete, a month with a manifest was exported, and the next
// program produces the undisturbed result, or refuses to replace files. An export reported as done is there.
func TestTornDatasets(t *testing.T) {
	file, book, older, want := exported(t)
	for _, x := range exports {
		t.Run(x.name, func(t *testing.T) {
			home := t.TempDir()
			x.prepare(t, older, lakeIn(home))
			before := filesBelow(lakeIn(home))
			cmd := exporter(lakeIn(home), file, x.replace)
			check := func(home string, s crashtest.State) error {
				return goneOnWith(lakeIn(home), book, before, want, s.Whole)
			}
			h := crashtest.Run(t, home, cmd)
			t.Logf("%v", h.Crashes(t, check))
			h.AfterFailedSyncs(t, crashtest.FailedSync{
				Program: cmd, Variable: asExporter, Below: filepath.Join("of", "lake"), Check: check,
				Prepare: func(home string) { x.prepare(t, older, lakeIn(home)) },
			})
		})
	}
}

func lakeIn(home string) string { return filepath.Join(home, "of", "lake") }

// goneOnWith checks the remains of an export, and completes it. ended means that the export was reported as done.
func goneOnWith(dir string, book *ledger.Book, before, want map[string]string, ended bool) error {
	left, unfinished := filesBelow(dir), false
	maps.DeleteFunc(left, func(name, _ string) bool {
		return strings.HasPrefix(name, ".exporting/") && !strings.Contains(name, ".parquet")
	})
	for name, text := range left {
		if strings.Contains(text, `"unfinished": true`) {
			unfinished = true
		} else if text != want[name] && text != before[name] {
			return fmt.Errorf("%s is half written", name)
		}
	}
	if ended && !maps.Equal(left, want) {
		return fmt.Errorf("it was told to be made, and is not: %v", slices.Sorted(maps.Keys(left)))
	}
	if err := checks(dir, book, unfinished, maps.Equal(left, before)); err != nil {
		return err
	}
	err := exportQuietly(book, dir, false)
	var differs *dataset.DiffersError
	if errors.As(err, &differs) && maps.Equal(left, before) && strings.Contains(err.Error(), "--replace") {
		err = exportQuietly(book, dir, true)
	}
	if err != nil {
		return err
	}
	if have := filesBelow(dir); !maps.Equal(have, want) {
		return fmt.Errorf("another dataset was made of it: %v", slices.Sorted(maps.Keys(have)))
	}
	return checks(dir, book, false, false)
}

// checks requires a check to report only what is unfinished, and that an older dataset differs from the ledger.
func checks(dir string, book *ledger.Book, unfinished, older bool) error {
	found, err := dataset.Check(context.Background(), dir, dataset.Chain{Network: "moonbeam"}, book, func(uint64, uint64) {})
	if errors.Is(err, os.ErrNotExist) && older { // not even its directory exists
		return nil
	}
	if err != nil {
		return err
	}
	told := false
	for _, p := range found.Problems {
		if told = told || unfinished && strings.Contains(p.Message, "unfinished"); !told && (p.Damaged || !older) {
			return fmt.Errorf("%s: %s", p.Path, p.Message)
		}
	}
	if unfinished && !told {
		return errors.New("the check does not report the unfinished month")
	}
	return nil
}

// A full or failing disk ends an export with an error, unless the failed call was not needed.
func TestExportsWhoseCallsFail(t *testing.T) {
	file, book, older, want := exported(t)
	few := 1 // of each failure
	if os.Getenv(crashtest.StatesAsked) != "" {
		few = 10
	}
	for i, f := range []struct{ call, failure string }{
		{"write", "ENOSPC"}, {"write", "EIO"}, {"fsync", "EIO"}, {"fsync", "ENOSPC"}, {"mkdirat", "ENOSPC"},
		{"renameat", "EIO"}, {"renameat", "ENOSPC"}, {"openat", "EIO"}, {"unlinkat", "EIO"},
	} {
		failed := 0
		for n := range few {
			at := 1 + (i+5*n)%24
			x := exports[(i+n)%len(exports)]
			about := fmt.Sprintf("%s: %v %d", x.name, f, at)
			dir := lakeIn(t.TempDir())
			x.prepare(t, older, dir)
			before := filesBelow(dir)
			said, err := crashtest.RunFailing(t, exporter(dir, file, x.replace), f.call, f.failure, at, (i+n)%2 == 0)
			if err != nil {
				failed++
				require.NotContains(t, said, "panic", about)
			}
			require.NoError(t, goneOnWith(dir, book, before, want, err == nil), about+": "+said)
		}
		t.Logf("%v: %d of %d programs failed", f, failed, few)
	}
}
