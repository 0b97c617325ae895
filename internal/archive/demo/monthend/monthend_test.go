package monthend

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/answers"
)

// What is laid out is whole: the archive holds by its sums, and nothing is written over.
func TestWrite(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "new")
	require.NoError(t, Write(directory))
	for _, name := range []string{"README.txt", "accounts.csv", "company.csv", "koinly.csv", "prices.csv", "chart.csv"} {
		want, err := fs.ReadFile(Files(), name)
		require.NoError(t, err)
		have, err := os.ReadFile(filepath.Join(directory, name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(have))
	}
	manifest, err := answers.Verify(t.Context(), filepath.Join(directory, "gateway"), nil)
	require.NoError(t, err)
	require.Equal(t, []uint64{0, 48}, []uint64{manifest.First, manifest.Last})
	require.Len(t, manifest.Accounts, 8)
	require.ErrorIs(t, Write(directory), fs.ErrExist)
}
