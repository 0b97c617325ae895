package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/disk"
)

func TestUncreated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "file")
	_, err := os.Create(path)
	require.EqualError(t, disk.Uncreated(path, err), "the directory "+filepath.Dir(path)+" does not exist. Create it first")
	other := errors.New("full")
	require.Equal(t, other, disk.Uncreated(path, other))
}
