package crashtest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// asWriter makes the test binary a program that writes into a directory, with or without syncs.
const (
	asWriter = "FEES_CRASHTEST_DIRECTORY"
	careful  = "FEES_CRASHTEST_CAREFUL"
	stubborn = "FEES_CRASHTEST_STUBBORN"
)

func TestMain(m *testing.M) {
	if directory := os.Getenv(asWriter); directory != "" {
		var err error
		if how := os.Getenv(stubborn); how != "" {
			runtime.LockOSThread() // calls are counted per thread
			err = insist(filepath.Join(directory, "given", "file"), how == "rewrites")
		} else {
			err = write(directory, os.Getenv(careful) != "")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// write replaces a file with a copy of two pages that each start with its second letter.
func write(directory string, careful bool) error {
	sync := func(path string) error {
		if !careful {
			return nil
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(file.Sync(), file.Close())
	}
	draft, kept := filepath.Join(directory, "draft"), filepath.Join(directory, "kept")
	if err := os.WriteFile(draft, page("b"), 0o600); err != nil {
		return err
	}
	if err := os.Mkdir(kept, 0o700); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(kept, "before"), os.DirFS(filepath.Join(directory, "given"))); err != nil {
		return err
	}
	for _, path := range []string{draft, filepath.Join(kept, "before", "file"), filepath.Join(kept, "before"), kept, directory} {
		if err := sync(path); err != nil {
			return err
		}
	}
	return errors.Join(os.Rename(draft, filepath.Join(directory, "given", "file")), sync(filepath.Join(directory, "given")))
}

// insist overwrites a file and syncs it twice, regardless of the first result.
func insist(path string, rewrites bool) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, written := file.WriteAt(page("b"), 0)
	first := file.Sync()
	if rewrites {
		_, err = file.WriteAt(page("b"), 0)
	}
	return errors.Join(written, first, err, file.Sync(), file.Close())
}

// given creates a directory with the old file.
func given(t *testing.T) string {
	directory := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(directory, "given"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(directory, "given", "file"), page("a"), 0o600))
	return directory
}

func page(letter string) []byte { return append(make([]byte, 8191), letter...) }

// A program that syncs loses nothing. A program that does not can lose its new file, the old one and the copy, wholly or
// partly, but never a name change before an earlier one.
func TestCrashes(t *testing.T) {
	t.Setenv(StatesAsked, "200")
	for _, syncs := range []string{"", "1"} {
		directory := given(t)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asWriter+"="+directory, careful+"="+syncs)
		seen := make(chan string, 10_000)
		counted := Run(t, directory, cmd).Crashes(t, func(directory string, s State) error {
			seen <- fmt.Sprint(letterOf(filepath.Join(directory, "given", "file")), letterOf(filepath.Join(directory, "kept", "before", "file")), " ", s.Whole)
			return nil
		})
		close(seen)
		states := map[string]bool{}
		for s := range seen {
			states[s] = true
		}
		t.Log(counted, states)
		if syncs == "" {
			require.Equal(t, 1, counted.Points)
			require.False(t, states["b- true"])
			for _, s := range []string{"a- true", "?? true", "a? true", "b? true", "ba true", "a- false"} {
				require.True(t, states[s], s)
			}
			continue
		}
		require.Equal(t, 7, counted.Points)
		for s := range states {
			require.NotContains(t, s, "?a")
			require.NotContains(t, s, "b?")
			require.NotContains(t, s, "b-")
		}
		require.True(t, states["ba true"])
		require.False(t, states["aa true"])
	}
}

// letterOf returns the last letter of a file, "-" if it is missing, and "?" if it is not one that was written.
func letterOf(path string) string {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "-"
	case err == nil && (string(text) == string(page("a")) || string(text) == string(page("b"))):
		return string(text[len(text)-1:])
	}
	return "?"
}

// Data given up by a failed sync is not written by later syncs; it lasts only if it is written again.
func TestFailedSync(t *testing.T) {
	t.Setenv(StatesAsked, "200")
	for _, c := range []struct {
		how   string
		fails int
		want  []string // possible contents after the program has ended
	}{{"syncs", 1, []string{"a", "b"}}, {"rewrites", 1, []string{"b"}}, {"syncs", 9, []string{"b"}}} {
		directory := given(t)
		h, err := newHistory(directory)
		require.NoError(t, err)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asWriter+"="+directory, stubborn+"="+c.how)
		said, err := h.run(t, cmd, fmt.Sprintf("-einject=fsync:error=EIO:when=%d", c.fails))
		require.Equal(t, c.fails == 1, err != nil, said)
		require.Equal(t, c.fails == 1, h.failed() >= 0)
		var guard sync.Mutex
		letters := map[string]bool{}
		h.Crashes(t, func(directory string, s State) error {
			guard.Lock()
			defer guard.Unlock()
			if s.Whole {
				letters[letterOf(filepath.Join(directory, "given", "file"))] = true
			}
			return nil
		})
		require.Equal(t, c.want, slices.Sorted(maps.Keys(letters)), c)
	}
}

// The program must report a failed call.
func TestRunFailing(t *testing.T) {
	for n, want := range map[int]string{1: "input/output error", 1000: ""} {
		directory := given(t)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asWriter+"="+directory, careful+"=1")
		said, err := RunFailing(t, cmd, "mkdirat", "EIO", n, false)
		require.Equal(t, want != "", err != nil, said)
		require.Contains(t, said, want)
	}
}
