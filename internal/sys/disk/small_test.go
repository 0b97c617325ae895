package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/disk"
)

// A reader that never ends is not read to its end.
func TestReadAtMost(t *testing.T) {
	text, err := disk.ReadAtMost(strings.NewReader("12345"), "it", 5)
	require.NoError(t, err)
	require.Equal(t, "12345", string(text))
	_, err = disk.ReadAtMost(strings.NewReader("123456"), "it", 5)
	require.EqualError(t, err, "it is larger than 5 bytes")
	_, err = disk.ReadAtMost(endless{}, "it", 1<<20)
	require.EqualError(t, err, "it is larger than 1048576 bytes")
	_, err = disk.ReadSmall(filepath.Join(t.TempDir(), "nowhere"), 1)
	require.True(t, errors.Is(err, os.ErrNotExist))
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
