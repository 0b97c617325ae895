package archive

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/test/crashtest"
)

// A file is read up to the limit, and only if it is a regular one.
func TestRead(t *testing.T) {
	directory := t.TempDir()
	files := os.DirFS(directory)
	at := func(path string) string { return filepath.Join(directory, path) }
	require.NoError(t, os.WriteFile(at("file"), []byte("abc"), 0o600))
	require.NoError(t, os.Symlink("file", at("link")))
	require.NoError(t, os.Mkdir(at("directory"), 0o700))
	require.NoError(t, os.Symlink("directory", at("other")))
	require.NoError(t, os.WriteFile(at("directory/file"), nil, 0o600))
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600))
	for path, want := range map[string]error{
		"file": nil, "directory/file": nil, "missing": fs.ErrNotExist, "link": disk.ErrNotRegular, "directory": disk.ErrNotRegular, "other/file": disk.ErrNotRegular, "pipe": disk.ErrNotRegular,
	} {
		_, err := Read(files, path, 3)
		require.ErrorIs(t, err, want, path)
	}
	text, err := Read(files, "file", 3)
	require.NoError(t, err)
	require.Equal(t, "abc", string(text))
	_, err = Read(files, "file", 2)
	require.EqualError(t, err, "it has more than 2 bytes")
}

// A piece is the file that its manifest lists, whether it is read or only compared.
func TestPieces(t *testing.T) {
	directory := t.TempDir()
	files := os.DirFS(directory)
	own := PieceOf("file", "abc")
	require.ErrorIs(t, own.Check(files), ErrMissing)
	_, err := own.Read(files, 3)
	require.ErrorIs(t, err, ErrMissing)
	for content, want := range map[string]error{"abc": nil, "abd": ErrChanged, "ab": ErrChanged, "abcd": ErrChanged, "": ErrChanged} {
		require.NoError(t, os.WriteFile(filepath.Join(directory, "file"), []byte(content), 0o600))
		require.ErrorIs(t, own.Check(files), want, content)
		text, err := own.Read(files, 3)
		require.ErrorIs(t, err, want, content)
		if want == nil {
			require.Equal(t, content, string(text))
		}
	}
	_, err = own.Read(files, 2)
	require.EqualError(t, err, "the manifest states a size of 3 bytes")
	own.Size = -1
	_, err = own.Read(files, 3)
	require.EqualError(t, err, "the manifest states a size of -1 bytes")
}

// A recording that is killed before any of its steps has no manifest, or all of its files; it goes on to the same files, and
// writes none again.
func TestKilledRecording(t *testing.T) {
	killed := errors.New("killed")
	contents := map[string]string{"a/1": "one", "b": "two"}
	record := func(d disk.Disk) error {
		for _, path := range slices.Sorted(maps.Keys(contents)) {
			if _, err := Store(d, path, []byte(contents[path])); err != nil {
				return err
			}
		}
		return Finish(d, "the manifest")
	}
	for n := 0; ; n++ {
		directory := t.TempDir()
		left := n
		err := record(crashtest.Steps(directory, func(string) error {
			if left--; left < 0 {
				return killed
			}
			return nil
		}))
		if err == nil {
			require.Greater(t, n, 9)
			return
		}
		require.ErrorIs(t, err, killed)
		require.NoFileExists(t, filepath.Join(directory, ManifestPath))
		require.NoError(t, record(disk.New(directory)))
		require.NoError(t, record(crashtest.Steps(directory, func(step string) error { return errors.New(step) })), "everything is there")
		for path, content := range contents {
			require.NoError(t, PieceOf(path, content).Check(os.DirFS(directory)))
		}
	}
}

// faultyFiles are files whose size cannot be read, whose content cannot be read, or which grow while they are read.
type faultyFiles struct {
	fs.ReadLinkFS
	stat, read error
	more       string
}

type faultyFile struct {
	fs.File
	faults *faultyFiles
	grown  bool
}

func (f *faultyFiles) Open(path string) (fs.File, error) {
	file, err := f.ReadLinkFS.Open(path)
	return &faultyFile{File: file, faults: f}, err
}

func (f *faultyFile) Stat() (fs.FileInfo, error) {
	if f.faults.stat != nil {
		return nil, f.faults.stat
	}
	return f.File.Stat()
}

func (f *faultyFile) Read(to []byte) (int, error) {
	if f.faults.read != nil {
		return 0, f.faults.read
	}
	n, err := f.File.Read(to)
	if errors.Is(err, io.EOF) && !f.grown {
		f.grown = true
		return copy(to, f.faults.more), nil
	}
	return n, err
}

// A disk's error is not a changed file; a file that grows is one.
func TestFilesThatFail(t *testing.T) {
	directory := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(directory, "file"), []byte("abc"), 0o600))
	own := PieceOf("file", "abc")
	files := os.DirFS(directory).(fs.ReadLinkFS)
	for want, faulty := range map[error]*faultyFiles{syscall.EIO: {files, nil, syscall.EIO, ""}, syscall.ESTALE: {files, syscall.ESTALE, nil, ""}} {
		_, err := own.Read(faulty, 3)
		require.ErrorIs(t, err, want)
		require.ErrorIs(t, own.Check(faulty), want)
	}
	_, err := own.Read(&faultyFiles{files, nil, nil, "d"}, 3)
	require.ErrorIs(t, err, ErrChanged)
	_, err = Read(&faultyFiles{files, nil, nil, "d"}, "file", 3)
	require.EqualError(t, err, "it has more than 3 bytes")
}
