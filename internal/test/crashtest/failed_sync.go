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

// Of how many syncs each fails where [StatesAsked] is set: of the last ones, in a row, and of all.
const lastSyncs, manySyncs = 2, 3

// FailedSync is a program of which a sync fails.
type FailedSync struct {
	Program  *exec.Cmd
	Variable string            // of its environment: it names the directory that the program works in
	Below    string            // where that directory is below home
	Prepare  func(home string) // makes home ready; nothing is to do if nil
	Again    []string          // what the second program has in its environment besides
	Silent   bool              // it may pass over a sync that failed, and end well
	Check    func(home string, s State) error
}

// AfterFailedSyncs has a sync of the program of a history fail with EIO, runs the program again,
// and has a check look at what a crash leaves after that: at each sync, as [History.Crashes] does.
// The program has to end with an error where a sync failed, and well the second time. The sync
// that fails is the last one, and some before it where [StatesAsked] is set: of programs that
// sync by one thread.
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

// run runs the program, of which each thread's n-th sync fails, and then again without. It is
// what both did to a directory, and what the first one said, and how it ended.
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

// failed is the first sync that failed, -1 for none.
func (h *History) failed() int {
	return slices.IndexFunc(h.events, func(e event) bool { return e.failed })
}
