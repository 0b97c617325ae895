// Package pairs unpacks recorded chains for tests: the responses of the real gateway, and those of the node
// behind it. They are packed in testdata/pairs.
package pairs

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/repository"
)

// RealRuntimes are the chains of Moonbeam's and DataHaven's runtimes.
var RealRuntimes = []string{"moonbeam-1701", "moonbeam-2100", "moonbeam-2600", "datahaven-100", "datahaven-100m"}

// unpacked are the directories of chains whose files were compared in this process.
var unpacked = struct {
	sync.Mutex
	directories map[string]string
}{directories: map[string]string{}}

// Path returns the directory of an unpacked chain, or the path of an element in it. It stays in the system's
// temporary directory for the next test; missing or altered files are restored.
func Path(t testing.TB, name string, elements ...string) string {
	t.Helper()
	unpacked.Lock()
	defer unpacked.Unlock()
	directory, known := unpacked.directories[name]
	if !known {
		pack, err := os.ReadFile(repository.Path("testdata", "pairs", name+".tar.zst"))
		require.NoError(t, err)
		sum := sha256.Sum256(pack)
		directory = filepath.Join(os.TempDir(), fmt.Sprintf("fees-pairs-%d", os.Getuid()), hex.EncodeToString(sum[:8]), name)
		require.NoError(t, unpack(pack, directory))
		unpacked.directories[name] = directory
	}
	return filepath.Join(append([]string{directory}, elements...)...)
}

// unpack writes the files of a pack that a directory lacks.
func unpack(pack []byte, directory string) error {
	plain, err := zstd.NewReader(bytes.NewReader(pack))
	if err != nil {
		return err
	}
	defer plain.Close()
	for archive := tar.NewReader(plain); ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if entry.Typeflag != tar.TypeReg {
			continue
		}
		if !filepath.IsLocal(entry.Name) {
			return fmt.Errorf("%s: outside of the pack", entry.Name)
		}
		want, err := io.ReadAll(archive)
		if err != nil {
			return err
		}
		path := filepath.Join(directory, entry.Name)
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(want, have) {
			continue
		}
		if err := write(path, filepath.Dir(directory), want); err != nil {
			return err
		}
	}
}

// write creates a file atomically, because other processes read the directory.
func write(path, half string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(half, "half-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(text)
	if err = errors.Join(err, file.Chmod(0o444), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
