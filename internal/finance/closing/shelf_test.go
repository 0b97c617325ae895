//go:build unix

package closing

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// shelf returns a directory with a package of two versions.
func shelf(t *testing.T) (s *Shelf, dir string) {
	t.Helper()
	dir = t.TempDir()
	install(t, filepath.Join(dir, "2026-01"), january(7), map[string]string{"report.json": "seven", "inputs/accounts.csv": "a"})
	install(t, filepath.Join(dir, "2026-01"), january(8), map[string]string{"report.json": "eight", "inputs/accounts.csv": "a"})
	s, err := OpenShelf(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, dir
}

// copied returns the content of a file of a version.
func copied(t *testing.T, s *Shelf, version int, name string) (string, error) {
	t.Helper()
	p, err := s.Open("2026-01", version)
	require.NoError(t, err)
	defer p.Close()
	var out strings.Builder
	err = p.Copy(t.Context(), name, &out)
	return out.String(), err
}

// Packages are found by name, with earlier versions; their files match the manifest and the
// originals.
func TestShelf(t *testing.T) {
	s, dir := shelf(t)
	p, err := s.Open("2026-01", 0)
	require.NoError(t, err)
	defer p.Close()
	there, err := Open(filepath.Join(dir, "2026-01"))
	require.NoError(t, err)
	require.Equal(t, there, p.Package)
	before, err := s.Before(p)
	require.NoError(t, err)
	defer before.Close()
	require.Equal(t, p.Manifest.Previous, before.Sum)
	require.Equal(t, 1, before.Manifest.Version)
	none, err := s.Before(before)
	require.NoError(t, err)
	require.Nil(t, none)
	for version, want := range map[int]string{0: "eight", 1: "seven", 2: "eight"} {
		text, err := copied(t, s, version, "report.json")
		require.NoError(t, err)
		require.Equal(t, want, text)
	}
	manifest, err := copied(t, s, 1, ManifestFile)
	require.NoError(t, err)
	require.Equal(t, before.Sum, sumOf([]byte(manifest)))
	for _, name := range []string{"", "..", "../2026-01/report.json", "/etc/passwd", "inputs", "versions/1/report.json", "report.json/"} {
		_, err = copied(t, s, 0, name)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, p.Copy(over, "report.json", io.Discard), context.Canceled)

	for name, want := range map[string]error{"": fs.ErrNotExist, "..": fs.ErrNotExist, ".": fs.ErrNotExist, "2026-01/versions": fs.ErrNotExist, "/": fs.ErrNotExist, "2026-02": fs.ErrNotExist, "x.closing": fs.ErrNotExist} {
		_, err := s.Open(name, 0)
		require.ErrorIs(t, err, want, name)
	}
	for _, version := range []int{-1, 3, 1 << 30} {
		_, err := s.Open("2026-01", version)
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
}

// Other entries of a shelf are counted, and links do not lead out of it.
func TestHostileShelf(t *testing.T) {
	s, dir := shelf(t)
	outside := t.TempDir()
	install(t, filepath.Join(outside, "secret"), january(9), map[string]string{"report.json": "secret"})
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("2026-01", filepath.Join(dir, "inside")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	for _, name := range []string{"empty", "broken", ".hidden", "2026-03.closing", "manifest is a pipe", "manifest is a link", "lost", "lost/versions", "half"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken", ManifestFile), []byte("{}"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "lost", SignatureFile), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "half", "findings.csv"), nil, 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "manifest is a pipe", ManifestFile), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret", ManifestFile), filepath.Join(dir, "manifest is a link", ManifestFile)))
	names, others, more, err := s.Names()
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, 2, others)
	require.Empty(t, s.State("empty"))
	state := s.State("broken")
	require.NotEmpty(t, state)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken", ManifestFile), []byte("{ }"), 0o600))
	require.NotEqual(t, state, s.State("broken"))
	require.Equal(t, []string{"manifest is a pipe", "manifest is a link", "lost", "broken", "2026-01"}, names)
	for name, want := range map[string]error{"link": ErrNone, "inside": ErrNone, "file": ErrNone, "pipe": ErrNone, "empty": ErrNone, "broken": ErrDamaged, "lost": ErrDamaged, "half": ErrNone, "manifest is a pipe": ErrNone, "manifest is a link": ErrNone} {
		_, err := s.Open(name, 0)
		require.ErrorIs(t, err, want, name)
		require.NotContains(t, err.Error(), dir)
	}

	at := filepath.Join(dir, "2026-01")
	// A file that was changed, cut, replaced by a link or a pipe, or taken away, is not given out.
	for _, change := range []func(path string) error{
		func(path string) error { return os.WriteFile(path, []byte("eighd"), 0o600) },
		func(path string) error { return os.WriteFile(path, []byte("eight and more"), 0o600) },
		func(path string) error { return os.WriteFile(path, nil, 0o600) },
		os.Remove,
		func(path string) error { return os.Symlink(filepath.Join(outside, "secret", "report.json"), path) },
		func(path string) error { return os.Remove(path) },
		func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		require.NoError(t, change(filepath.Join(at, "report.json")))
		_, err := copied(t, s, 0, "report.json")
		require.ErrorIs(t, err, ErrDamaged)
	}
	require.NoError(t, os.RemoveAll(filepath.Join(at, "inputs")))
	require.NoError(t, os.Symlink(outside, filepath.Join(at, "inputs")))
	_, err = copied(t, s, 0, "inputs/accounts.csv")
	require.ErrorIs(t, err, ErrDamaged)

	// The version before is another one, none, or elsewhere.
	p, err := s.Open("2026-01", 0)
	require.NoError(t, err)
	defer p.Close()
	first := filepath.Join(at, "versions", "1")
	require.NoError(t, os.RemoveAll(first))
	require.NoError(t, os.CopyFS(first, os.DirFS(filepath.Join(outside, "secret"))))
	_, err = s.Before(p)
	require.ErrorIs(t, err, ErrDamaged)
	require.NoError(t, os.Remove(filepath.Join(first, ManifestFile)))
	_, err = s.Before(p)
	require.ErrorIs(t, err, ErrNone)
	text, err := os.ReadFile(filepath.Join(at, ManifestFile))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(first, ManifestFile), text, 0o600))
	_, err = s.Before(p)
	require.ErrorIs(t, err, ErrDamaged)
	require.NoError(t, os.RemoveAll(first))
	_, err = s.Before(p)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.WriteFile(first, nil, 0o600))
	_, err = s.Before(p)
	require.ErrorIs(t, err, ErrNone)

	_, err = OpenShelf(filepath.Join(dir, "nowhere"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// Of a shelf with very many packages, the newest are listed.
func TestLargeShelf(t *testing.T) {
	s, dir := shelf(t)
	for i := range maxPackages {
		at := filepath.Join(dir, fmt.Sprintf("y%04d", i))
		require.NoError(t, os.Mkdir(at, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(at, ManifestFile), nil, 0o600))
	}
	names, _, more, err := s.Names()
	require.NoError(t, err)
	require.True(t, more)
	require.Len(t, names, maxPackages)
	require.NotContains(t, names, "2026-01")
	require.NoError(t, s.Close())
	_, _, _, err = s.Names()
	require.Error(t, err)
	_, err = s.Open("y0000", 0)
	require.Error(t, err)
}
