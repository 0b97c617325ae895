package closing

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The list of changes is compared with the version before, also for an earlier version in its place.
func TestWrongChanges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "january")
	for fee := range uint64(3) {
		install(t, dir, january(fee), files)
	}
	for _, place := range []string{".", "versions/2", "versions/1"} {
		p, err := Open(filepath.Join(dir, place))
		require.NoError(t, err)
		require.Empty(t, problems(t, p.Dir), place)
		wrong, err := p.WrongChanges()
		require.NoError(t, err)
		require.Empty(t, wrong, place)
	}
	first := filepath.Join(t.TempDir(), "january")
	install(t, first, january(7), files)
	for _, x := range []struct {
		dir, wrong string
		text       string // of changes.json, "" for none
	}{
		{dir, "changes.json is missing", ""},
		{dir, "changes.json differs from the changes since version 2", "{}\n"},
		{filepath.Join(dir, "versions", "2"), "changes.json differs from the changes since version 1", "{}\n"},
		{first, "changes.json is unexpected: this is the first version", "hello"},
	} {
		forge(t, x.dir, x.text)
		p, err := Open(x.dir)
		require.NoError(t, err)
		require.Empty(t, problems(t, x.dir))
		wrong, err := p.WrongChanges()
		require.NoError(t, err)
		require.Equal(t, x.wrong, wrong)
	}
}

// Without the version before, the changes cannot be checked: that is an error, not agreement.
func TestWrongChangesWithoutTheVersionBefore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "january")
	install(t, dir, january(1), files)
	p, _ := install(t, dir, january(2), files)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "versions", "1")))
	_, err := p.WrongChanges()
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// forge replaces changes.json of a package, with its entry in the manifest.
func forge(t *testing.T, dir, text string) {
	t.Helper()
	p, err := Open(dir)
	require.NoError(t, err)
	all := BeginIn(t.TempDir())
	for _, f := range p.Manifest.Files {
		if f.Name != ChangesFile {
			all.files = append(all.files, f)
		}
	}
	require.NoError(t, os.RemoveAll(filepath.Join(dir, ChangesFile)))
	if text != "" {
		require.NoError(t, all.Add(ChangesFile, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }))
		require.NoError(t, os.WriteFile(filepath.Join(dir, ChangesFile), []byte(text), 0o600))
	}
	p.Manifest.Files = all.Files()
	manifest, err := p.Manifest.Encode()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ManifestFile), manifest, 0o600))
}
