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
const lastSyncs, manySyncs = 4, 8

// AfterFailedSyncs has a sync of the program of a history fail with EIO, runs the program again,
// and has check look at what a crash leaves after that: at each sync, as [History.Crashes] does.
// The directory that the program works in is named by a variable of its environment, below one
// that prepare makes ready. The program has to end well the second time, with next in its
// environment; and with an error where a sync failed, if it tells. The sync that fails is the last one, and some before it where
// [StatesAsked] is set: of programs that sync by one thread.
func (h *History) AfterFailedSyncs(t testing.TB, cmd *exec.Cmd, variable, below string, prepare func(home string), check func(home string, s State) error, tells bool, next ...string) {
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
		prepare(home)
		cmd := &exec.Cmd{Path: cmd.Path, Args: cmd.Args, Env: append(slices.Clone(cmd.Env), variable+"="+filepath.Join(home, below))}
		of, said, err := runFailingSync(t, home, cmd, n, next)
		if tells {
			require.Equal(t, of.failed() >= 0, err != nil, "sync %d fails: %s", n, said)
		}
		if of.failed() >= 0 {
			failed++
			all.add(of.Crashes(t, check))
		}
	}
	t.Logf("of %d syncs, %d failed: %+v", last, failed, all)
}

func (c *Counted) add(more Counted) {
	c.Points += more.Points
	c.States += more.States
	c.Distinct += more.Distinct
}

// runFailingSync runs a program of which each thread's n-th sync fails, and then again without.
// It is what both did to a directory, and what the first one said, and how it ended.
func runFailingSync(t testing.TB, directory string, cmd *exec.Cmd, n int, next []string) (h *History, said string, ended error) {
	t.Helper()
	directory, err := filepath.EvalSymlinks(directory)
	require.NoError(t, err)
	h, err = newHistory(directory)
	require.NoError(t, err)
	said, ended = h.run(t, cmd, "-e", fmt.Sprintf("inject=fsync,fdatasync:error=EIO:when=%d", n))
	again, err := h.run(t, &exec.Cmd{Path: cmd.Path, Args: cmd.Args, Env: append(slices.Clone(cmd.Env), next...)})
	require.NoError(t, err, "%s", again)
	return h, said, ended
}

// failed is the first sync that failed, -1 for none.
func (h *History) failed() int {
	return slices.IndexFunc(h.events, func(e event) bool { return e.failed })
}
