package answers_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/crashtest"
)

// asRecorder makes the test binary a program that records into a directory; asSegments in segments.
const (
	asRecorder = "FEES_ARCHIVE_TEST_DIRECTORY"
	asSegments = "FEES_ARCHIVE_TEST_SEGMENTS"
)

func TestMain(m *testing.M) {
	if directory := os.Getenv(asRecorder); directory != "" {
		runtime.LockOSThread() // calls are counted by threads
		if err := recordSmall(directory, os.Getenv(asSegments) != ""); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// recordSmall records some blocks of a made-up chain.
func recordSmall(directory string, segments bool) error {
	o := answers.RecordOptions{First: 3, Last: 10, Concurrency: 2}
	if segments {
		o = answers.WithSegments(o, 4)
	}
	_, err := answers.Record(context.Background(), chainTo(12, map[uint64]int{0: 1, 4: 2}), directory, o)
	return err
}

// Whatever a crash of the machine leaves of an archive, one that has a manifest is whole, and a
// recorder that goes on makes what a quiet one makes. One that was told to be made is there.
func TestTornArchives(t *testing.T) {
	for _, segments := range []string{"", "1"} {
		t.Run("segments"+segments, func(t *testing.T) {
			quiet := filepath.Join(t.TempDir(), "archive")
			require.NoError(t, recordSmall(quiet, segments != ""))
			want := crashtest.Tree(t, quiet)
			home := t.TempDir()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asRecorder+"="+filepath.Join(home, "of", "moonbeam"), asSegments+"="+segments)
			check := func(home string, s crashtest.State) error {
				directory := filepath.Join(home, "of", "moonbeam")
				_, there := os.Lstat(filepath.Join(directory, "manifest.json"))
				if there == nil || s.Whole {
					if _, err := answers.Verify(context.Background(), directory, nil); err != nil {
						return fmt.Errorf("it has its manifest: %w", err)
					}
				}
				if err := recordSmall(directory, segments != ""); err != nil {
					return err
				}
				if !maps.Equal(want, crashtest.Tree(t, directory)) {
					return fmt.Errorf("another archive was made of it: %v", slices.Sorted(maps.Keys(crashtest.Tree(t, directory))))
				}
				return nil
			}
			h := crashtest.Run(t, home, cmd)
			t.Logf("%v", h.Crashes(t, check))
			h.AfterFailedSyncs(t, crashtest.FailedSync{Program: cmd, Variable: asRecorder, Below: filepath.Join("of", "moonbeam"), Check: check})
		})
	}
}

// A full disk, and one that fails, end a recorder with an error, or it had no need of the call.
func TestRecordersWhoseCallsFail(t *testing.T) {
	quiet := filepath.Join(t.TempDir(), "archive")
	require.NoError(t, recordSmall(quiet, true))
	want := crashtest.Tree(t, quiet)
	for _, f := range []struct{ call, failure string }{
		{"write", "ENOSPC"}, {"write", "EIO"}, {"fsync", "EIO"}, {"fsync", "ENOSPC"}, {"mkdirat", "ENOSPC"}, {"renameat", "EIO"}, {"openat", "EIO"},
	} {
		failed := 0
		for n := 1; n <= 10; n += 3 {
			directory := filepath.Join(t.TempDir(), "archive")
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asRecorder+"="+directory, asSegments+"=1")
			_, err := crashtest.RunFailing(t, cmd, f.call, f.failure, n, n%2 == 0)
			if err != nil {
				failed++
			} else {
				_, err := answers.Verify(context.Background(), directory, nil)
				require.NoError(t, err, "%v %d", f, n)
			}
			require.NoError(t, recordSmall(directory, true), "%v %d", f, n)
			require.Equal(t, want, crashtest.Tree(t, directory), "%v %d", f, n)
		}
		t.Logf("%v: %d of 4 programs failed", f, failed)
	}
}
