// Package realmetadata reads the public metadata files of real runtimes for tests. They are beside the
// checkout, in ../shared/metadata.tar.zst; without them, tests that need them are skipped.
package realmetadata

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/repository"
)

// Each calls with the name and the bytes of each file, such as moonbeam-1701, in the archive's order.
func Each(t testing.TB, with func(name string, metadata []byte)) {
	t.Helper()
	each(t, func(name string, metadata []byte) bool {
		with(name, metadata)
		return true
	})
}

// Named returns the bytes of one file. A missing file fails the test.
func Named(t testing.TB, name string) (metadata []byte) {
	t.Helper()
	each(t, func(have string, bytes []byte) bool {
		if have == name {
			metadata = bytes
		}
		return metadata == nil
	})
	require.NotNil(t, metadata, name)
	return metadata
}

// each calls with for each file until it returns false.
func each(t testing.TB, with func(name string, metadata []byte) bool) {
	t.Helper()
	file, err := os.Open(repository.Shared(t, "metadata.tar.zst"))
	require.NoError(t, err)
	defer file.Close()
	plain, err := zstd.NewReader(file)
	require.NoError(t, err)
	defer plain.Close()
	for archive := tar.NewReader(plain); ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		name, isMetadata := strings.CutSuffix(filepath.Base(entry.Name), ".scale")
		if !isMetadata {
			continue
		}
		bytes, err := io.ReadAll(archive)
		require.NoError(t, err)
		if !with(name, bytes) {
			return
		}
	}
}
