package pairs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/pairs"
)

// Every pack unpacks, and has its responses.
func TestPacks(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for name, files := range map[string]int{
		"moonbeam-1701": 645, "moonbeam-2100": 645, "moonbeam-2600": 710, "datahaven-100": 972, "datahaven-100m": 788,
		"vflow-2000": 1308, "vflow-2000-sidecar18-no-types": 236, "bittensor-218": 910, "creditcoin3-87": 951,
		"passet-1019002": 718, "stack-template-3": 987,
	} {
		have := 0
		require.NoError(t, filepath.WalkDir(pairs.Path(t, name), func(_ string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				have++
			}
			return err
		}))
		require.Equal(t, files, have, name)
		require.Equal(t, name, filepath.Base(pairs.Path(t, name)))
		beside, err := os.ReadDir(pairs.Path(t, name, ".."))
		require.NoError(t, err)
		require.Len(t, beside, 1, "no half file")
	}
}
