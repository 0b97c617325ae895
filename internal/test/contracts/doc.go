// Package contracts tests the promises of docs/compatibility.md: interfaces do not change. It also requires
// every public package to have a package comment and an example.
package contracts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Kept fails if a line of the file list is missing from now, since someone may rely on it. New lines are
// allowed. With update, it rewrites the file.
func Kept(t *testing.T, list string, now []string, update bool) {
	t.Helper()
	slices.Sort(now)
	now = slices.Compact(now)
	if update {
		require.NoError(t, os.MkdirAll(filepath.Dir(list), 0o777))
		require.NoError(t, os.WriteFile(list, []byte(strings.Join(now, "\n")+"\n"), 0o666))
		return
	}
	text, err := os.ReadFile(list)
	require.NoError(t, err)
	var broken []string
	for was := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		if _, found := slices.BinarySearch(now, was); !found {
			broken = append(broken, was)
		}
	}
	require.Empty(t, broken, "these lines of %s were removed or changed. If docs/compatibility.md allows that, run the test with -update and list the change in CHANGELOG.md", list)
}
