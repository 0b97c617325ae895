// Package contracts holds programs and packages to what docs/compatibility.md promises: what was
// there once stays as it is. It also wants each package that others may import to say what it is,
// with an example.
package contracts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Kept compares what there is with a list of what there was, one line each. It fails where a
// line of the list is no longer there: somebody who relied on it would find out. What is new is
// no failure; with update the list is written anew.
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
		if _, there := slices.BinarySearch(now, was); !there {
			broken = append(broken, was)
		}
	}
	require.Empty(t, broken, "of %s, this is gone or is another now. docs/compatibility.md says when that may be; -update takes it off the list, and CHANGELOG.md names it", list)
}
