package disk_test

import (
	"errors"
	"fmt"
	"io"
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
	require.NoError(t, disk.Replace(link, 0o666, text("new")))
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(have))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.ErrorIs(t, disk.Replace(dir, 0o666, text("")), disk.ErrNotRegular)

	left := fmt.Sprintf("%s.%d.tmp", path, os.Getpid()) // what a crash left of another process with the same number
	require.NoError(t, os.WriteFile(left, nil, 0o600))
	require.NoError(t, disk.Replace(path, 0o666, text("new")))
	require.NoError(t, os.Remove(left))

	failed := errors.New("the disk is full")
	require.ErrorIs(t, disk.Replace(path, 0o666, func(io.Writer) error { return failed }), failed)
	have, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(have))
	require.ErrorIs(t, disk.Replace(filepath.Join(dir, "missing", "file"), 0o666, text("")), os.ErrNotExist)
	made := filepath.Join(dir, "made")
	require.NoError(t, disk.Replace(made, 0o600, text("")))
	info, err = os.Lstat(made)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
}

// text returns a function that writes a text.
func text(content string) func(io.Writer) error {
	return func(to io.Writer) error { _, err := io.WriteString(to, content); return err }
}
