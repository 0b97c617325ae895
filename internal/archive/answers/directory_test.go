package answers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/repository"
)

// A file in place of a directory is described: one block, or anything else. A place that is missing is said to be missing.
func TestFilesInPlaceOfDirectories(t *testing.T) {
	directory := t.TempDir()
	other := filepath.Join(directory, "other.json")
	require.NoError(t, os.WriteFile(other, []byte(`{"a":1}`), 0o600))
	for place, want := range map[string]string{
		repository.Path("testdata/recordings/moonbeam-2100/blocks/25.json"): "contains only block 25; its fees also need the multiplier and the runtime of block 24",
		other:                               "is a file. Name the directory that contains blocks/",
		filepath.Join(directory, "nowhere"): "nowhere",
	} {
		_, err := answers.OpenDirectory(place)
		require.ErrorContains(t, err, want)
	}
	_, err := answers.OpenDirectory(filepath.Join(directory, "nowhere"))
	require.ErrorIs(t, err, answers.ErrLacks)
}
