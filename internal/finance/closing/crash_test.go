//go:build unix

package closing

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// asCloser turns the test binary into a process that closes a month into a directory and is
// killed before a given rename.
const asCloser = "FEES_CLOSING_TEST_DIRECTORY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asCloser); dir != "" {
		runtime.LockOSThread() // calls are counted by threads
		left, _ := strconv.Atoi(os.Args[1])
		rename = func(from, to string) error {
			if left == 0 {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			left--
			return os.Rename(from, to)
		}
		os.Exit(closeTo(dir, january(8)))
	}
	os.Exit(m.Run())
}

// closeTo closes a month like the program.
func closeTo(dir string, m Manifest) int {
	d, err := Begin(dir)
	if err != nil {
		return 1
	}
	defer d.Discard()
	old, err := Prepare(dir)
	if err == nil {
		err = d.Add("report.json", text("{8}"))
	}
	if err == nil {
		_, _, err = d.Install(dir, m, old)
	}
	if err != nil {
		return 1
	}
	return 0
}

// A process is killed before each of its renames, or after all of them: later versions follow the existing
// ones.
func TestAKilledCloseIsMended(t *testing.T) {
	for renames, want := range []struct {
		there   bool // something is in the package's place
		version int  // when it is mended
	}{{true, 1}, {false, 1}, {true, 2}} {
		t.Run(strconv.Itoa(renames), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "january")
			first, _ := install(t, dir, january(7), files)
			settle := map[string]func(){
				"by a check": func() { require.NoError(t, Mend(dir)) },
				"by another": func() {},
			}
			for name, mend := range settle {
				t.Run(name, func(t *testing.T) {
					require.NoError(t, os.RemoveAll(dir))
					install(t, dir, january(7), files)
					killed := exec.Command(os.Args[0], strconv.Itoa(renames))
					killed.Env = append(os.Environ(), asCloser+"="+dir)
					err := killed.Run()
					if renames < 2 {
						require.ErrorContains(t, err, "killed")
						require.DirExists(t, dir+".closing")
					} else {
						require.NoError(t, err)
					}
					if want.there {
						require.DirExists(t, dir)
					} else {
						require.NoDirExists(t, dir)
					}
					mend()
					if name == "by a check" {
						p, err := Open(dir)
						require.NoError(t, err)
						require.Equal(t, want.version, p.Manifest.Version)
						problems, err := p.Problems()
						require.NoError(t, err)
						require.Empty(t, problems)
					}
					for fee := range uint64(2) { // the next one, and the one after
						p, changed := install(t, dir, january(9+fee), files)
						require.True(t, changed)
						require.Equal(t, want.version+1+int(fee), p.Manifest.Version)
						problems, err := p.Problems()
						require.NoError(t, err)
						require.Empty(t, problems)
					}
					beside, err := os.ReadDir(filepath.Dir(dir))
					require.NoError(t, err)
					require.Len(t, beside, 1)
					oldest, err := Open(filepath.Join(dir, versionsDir, "1"))
					require.NoError(t, err)
					require.Equal(t, first.Sum, oldest.Sum)
				})
			}
		})
	}
}

// The existing package remains if the new version cannot replace it, even if restoring it is delayed.
func TestAFailureLeavesTheOldVersion(t *testing.T) {
	defer func() { rename = os.Rename }()
	for works := range 3 { // renames, before they fail
		dir := filepath.Join(t.TempDir(), "january")
		old, _ := install(t, dir, january(7), files)
		before := content(t, dir)
		d, err := Begin(dir)
		require.NoError(t, err)
		left := works
		rename = func(from, to string) error {
			if left--; left == -1 || works == 1 && left < 0 {
				return errors.New("it cannot be renamed")
			}
			return os.Rename(from, to)
		}
		_, _, err = d.Install(dir, january(8), old)
		if works < 2 {
			require.ErrorContains(t, err, "it cannot be renamed")
		} else {
			require.NoError(t, err)
		}
		d.Discard()
		rename = os.Rename
		if works == 1 {
			require.NoDirExists(t, dir)
			require.NoError(t, Mend(dir))
		}
		if works < 2 {
			require.Equal(t, before, content(t, dir))
		}
	}
}
