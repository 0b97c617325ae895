package closing

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Only groups written by fees are accepted.
func TestGroupIsStrict(t *testing.T) {
	dir := t.TempDir()
	_, err := OpenGroup(dir)
	require.ErrorIs(t, err, fs.ErrNotExist)
	g := Group{Month: "2026-01", Timezone: "UTC", Currency: "EUR", Notes: []string{}, Chains: []Link{{Network: "moonbeam", Path: "moonbeam"}, {Network: "moonriver", Path: "moonriver"}}}
	require.Equal(t, "2026-01", g.Period())
	encoded, sum, err := g.Encode()
	require.NoError(t, err)
	name := filepath.Join(dir, GroupFile)
	require.NoError(t, os.WriteFile(name, encoded, 0o600))
	read, err := OpenGroup(dir)
	require.NoError(t, err)
	require.Equal(t, &g, read)
	_, again, err := read.Encode()
	require.NoError(t, err)
	require.Equal(t, sum, again)
	for change, message := range map[[2]string]string{
		{`"format": 1`, `"format": 2`}:                   "format 2 is not supported",
		{`"month": "2026-01",` + "\n  ", ""}:             "the period or the chains are inconsistent",
		{`"timezone"`, `"zone"`}:                         "unknown field",
		{`"path": "moonbeam"`, `"path": "../moonbeam"`}:  `"../moonbeam" is not the directory of moonbeam`,
		{`"network": "moonriver"`, `"network": "alpha"`}: `"moonriver" is not the directory of alpha`,
		{"\n}\n", "\n}\n{}"}:                             "not in the exact form",
	} {
		changed := strings.Replace(string(encoded), change[0], change[1], 1)
		require.NotEqual(t, string(encoded), changed, change)
		require.NoError(t, os.WriteFile(name, []byte(changed), 0o600))
		_, err := OpenGroup(dir)
		require.ErrorIs(t, err, ErrDamaged)
		require.ErrorContains(t, err, message)
	}
	g.Chains[0], g.Chains[1] = g.Chains[1], g.Chains[0]
	require.EqualError(t, g.check(), "moonbeam is out of order")
	g.Chains = g.Chains[:1]
	require.Error(t, g.check())
	require.NoError(t, os.Remove(name))
	require.NoError(t, os.Mkdir(name, 0o700))
	_, err = OpenGroup(dir)
	require.ErrorContains(t, err, "is not a regular file")
}
