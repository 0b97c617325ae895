package crashtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// How many of the last syncs fail, one run each, if [StatesAsked] is set.
const lastSyncs, manySyncs = 2, 3

// FailedSync describes a program whose sync fails.
type FailedSync struct {
	Program  *exec.Cmd
	Variable string            // environment variable with the program's directory
	Below    string            // path of that directory below home
	Prepare  func(home string) // prepares home; may be nil
	Again    []string          // additional environment of the second run
	Silent   bool              // the program may ignore a failed sync and succeed
	Check    func(home string, s State) error
}

// AfterFailedSyncs makes a sync of a history's program fail with EIO, runs the program again, and checks the states after
// a crash at each sync, as [History.Crashes] does. The program must fail if a sync failed, and succeed the second time.
// The last sync fails, and some before it if [StatesAsked] is set. It is for programs that sync from one thread.
func (h *History) AfterFailedSyncs(t testing.TB, f FailedSync) {
	t.Helper()
	last, all, failed := len(h.points), Counted{}, 0
	fails := []int{last}
	if os.Getenv(StatesAsked) != "" {
		for i := 1; i < lastSyncs; i++ {
			fails = append(fails, last-i)
		}
		for i := range manySyncs {
			fails = append(fails, 1+i*last/manySyncs)
		}
		slices.Sort(fails)
		fails = slices.DeleteFunc(slices.Compact(fails), func(n int) bool { return n < 1 })
	}
	for _, n := range fails {
		home := t.TempDir()
		if f.Prepare != nil {
			f.Prepare(home)
		}
		of, said, err := f.run(t, home, n)
		if !f.Silent {
			require.Equal(t, of.failed() >= 0, err != nil, "sync %d fails: %s", n, said)
		}
		if of.failed() >= 0 {
			failed++
			all.add(of.Crashes(t, f.Check))
		}
	}
	t.Logf("of %d syncs, %d failed: %v", last, failed, all)
}

func (c *Counted) add(more Counted) {
	c.Points += more.Points
	c.States += more.States
	c.Distinct += more.Distinct
}

// run runs the program with the n-th sync of each thread failing, then without failures. It returns what both runs did to
// the directory, and the output and result of the first.
func (f *FailedSync) run(t testing.TB, home string, n int) (h *History, said string, ended error) {
	t.Helper()
	home, err := filepath.EvalSymlinks(home)
	require.NoError(t, err)
	h, err = newHistory(home)
	require.NoError(t, err)
	program := func(more ...string) *exec.Cmd {
		env := append(slices.Clone(f.Program.Env), f.Variable+"="+filepath.Join(home, f.Below))
		return &exec.Cmd{Path: f.Program.Path, Args: f.Program.Args, Env: append(env, more...)}
	}
	said, ended = h.run(t, program(), "-e", fmt.Sprintf("inject=fsync,fdatasync:error=EIO:when=%d", n))
	again, err := h.run(t, program(f.Again...))
	require.NoError(t, err, "%s", again)
	return h, said, ended
}

// failed returns the first sync that failed, -1 if none did.
func (h *History) failed() int {
	return slices.IndexFunc(h.events, func(e event) bool { return e.failed })
}
