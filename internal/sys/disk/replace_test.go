package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/disk"
)

// A replaced file keeps its permissions and its links; nothing else is left in its directory.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o640))
	require.NoError(t, os.Symlink("file", link))
	require.NoError(t, disk.Replace(link, []byte("new")))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(text))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.ErrorIs(t, disk.Replace(dir, nil), disk.ErrNotRegular)
	require.ErrorIs(t, disk.Replace(filepath.Join(dir, "missing"), nil), os.ErrNotExist)
}
