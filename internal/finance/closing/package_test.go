package closing

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

var files = map[string]string{"report.json": "{}", "inputs/accounts.csv": "address\n", "empty.csv": ""}

func TestTheSameTwiceIsOneVersion(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "january")
	p, changed := install(t, dir, january(7), files)
	require.True(t, changed)
	require.Equal(t, 1, p.Manifest.Version)
	before := content(t, dir)
	require.Equal(t, p.Sum, sumOf([]byte(before[ManifestFile])))

	again, changed := install(t, dir, january(7), files)
	require.False(t, changed)
	require.Equal(t, p.Sum, again.Sum)
	require.Equal(t, before, content(t, dir))
	beside, err := os.ReadDir(filepath.Dir(dir))
	require.NoError(t, err)
	require.Len(t, beside, 1, "nothing else is left")

	other := filepath.Join(t.TempDir(), "january")
	install(t, other, january(7), files)
	require.Equal(t, before, content(t, other))
}

// Each correction is a version. The old versions stay unchanged, and the new one records the changes.
func TestVersions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "january")
	first, _ := install(t, dir, january(7), files)
	one := content(t, dir)
	second, changed := install(t, dir, january(8), map[string]string{"report.json": "{1}", "empty.csv": "", "new.csv": "x"})
	require.True(t, changed)
	require.Equal(t, 2, second.Manifest.Version)
	require.Equal(t, first.Sum, second.Manifest.Previous)
	for name, text := range one {
		require.Equal(t, text, content(t, dir)["versions/1/"+name], name)
	}
	require.Equal(t, `{
  "version": 2,
  "manifest": [],
  "totals": [
    {
      "name": "fee",
      "old": "7",
      "new": "8"
    }
  ],
  "files": [
    {
      "name": "inputs/accounts.csv",
      "old_sha256": "`+sumOf([]byte("address\n"))+`",
      "new_sha256": ""
    },
    {
      "name": "new.csv",
      "old_sha256": "",
      "new_sha256": "`+sumOf([]byte("x"))+`"
    },
    {
      "name": "report.json",
      "old_sha256": "`+sumOf([]byte("{}"))+`",
      "new_sha256": "`+sumOf([]byte("{1}"))+`"
    }
  ]
}
`, content(t, dir)[ChangesFile])

	two := content(t, dir)
	_, changed = install(t, dir, january(8), map[string]string{"report.json": "{1}", "empty.csv": "", "new.csv": "x"})
	require.False(t, changed)
	third, _ := install(t, dir, january(9), files)
	three := content(t, dir)
	require.Equal(t, 3, third.Manifest.Version)
	for name, text := range two {
		if !strings.HasPrefix(name, "versions/") {
			require.Equal(t, text, three["versions/2/"+name], name)
		}
	}
	require.Equal(t, one[ManifestFile], three["versions/1/"+ManifestFile])
	require.Empty(t, problems(t, dir))
}

func problems(t *testing.T, dir string) []string {
	p, err := Open(dir)
	require.NoError(t, err)
	list, err := p.Problems()
	require.NoError(t, err)
	return list
}

// One changed byte is reported, in every file, as is a missing or additional file.
func TestProblems(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "january")
	install(t, dir, january(7), files)
	install(t, dir, january(8), files)
	for name, text := range content(t, dir) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		changed := []byte(text + "x")
		if text != "" {
			changed = []byte(text)
			changed[len(text)/2] ^= 1
		}
		if name != ManifestFile && name != "versions/1/"+ManifestFile { // of a manifest, see TestManifestIsStrict
			require.NoError(t, os.WriteFile(path, changed, 0o600))
			require.Equal(t, []string{name + " has changed"}, problems(t, dir))
			_, err := Prepare(dir)
			require.ErrorIs(t, err, ErrDamaged)
			require.NoError(t, os.Remove(path))
			require.Equal(t, []string{name + " is missing"}, problems(t, dir))
		} else if name != ManifestFile {
			require.NoError(t, os.WriteFile(path, []byte(strings.Replace(text, `"fee": "7"`, `"fee": "6"`, 1)), 0o600))
			require.Equal(t, []string{"versions/1 is not the predecessor of this version"}, problems(t, dir))
			require.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
			require.Contains(t, problems(t, dir)[0], "versions/1: the package is damaged")
			require.NoError(t, os.Remove(path))
			require.Equal(t, []string{"versions/1 is missing"}, problems(t, dir))
		}
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.Empty(t, problems(t, dir))
	}
	for _, extra := range []string{"more", "inputs/more", "versions/more", "versions/1/more"} {
		path := filepath.Join(dir, filepath.FromSlash(extra))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.Equal(t, []string{extra + " is not in the manifest"}, problems(t, dir))
		require.NoError(t, os.Remove(path))
	}
	for _, extra := range []string{"versions/2", "versions/01", "versions/1/versions", "other"} {
		path := filepath.Join(dir, filepath.FromSlash(extra))
		require.NoError(t, os.Mkdir(path, 0o700))
		require.Equal(t, []string{extra + " is not in the manifest"}, problems(t, dir))
		require.NoError(t, os.Remove(path))
	}
	path := filepath.Join(dir, "report.json")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(filepath.Join(dir, "versions/1/report.json"), path))
	require.Contains(t, problems(t, dir)[0], "report.json cannot be read")
}

// Anything else at the target stays unchanged.
func TestNothingIsOverwritten(t *testing.T) {
	top := t.TempDir()
	file := filepath.Join(top, "file")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	for _, path := range []string{top, file} {
		_, err := Prepare(path)
		require.ErrorIs(t, err, ErrNone)
	}
	dir := filepath.Join(top, "january")
	install(t, dir, january(7), files)
	before := content(t, dir)
	old, err := Prepare(dir)
	require.NoError(t, err)
	for _, other := range []func(*Manifest){
		func(m *Manifest) { m.Period.Month = "2026-02" },
		func(m *Manifest) { m.Period.Timezone = "Europe/Berlin" },
		func(m *Manifest) { m.Network = "moonriver" },
		func(m *Manifest) { m.Genesis = "0x" },
	} {
		m := january(7)
		other(&m)
		d, err := Begin(dir)
		require.NoError(t, err)
		_, _, err = d.Install(dir, m, old)
		require.ErrorIs(t, err, ErrOtherPeriod)
		_, err = Begin(dir)
		require.ErrorContains(t, err, "january.closing: in use by another program")
		d.Discard()
		require.Equal(t, before, content(t, dir))
	}
	d, err := Begin(dir)
	require.NoError(t, err)
	for _, name := range []string{"", ".", "../x", "/x", "a/../b", `a\b`, "c:x", ManifestFile, "versions", "versions/1/x"} {
		require.ErrorContains(t, d.Add(name, nil), "is not a valid file name", name)
	}
	require.ErrorIs(t, d.Add("x", func(io.Writer) error { return chain.ErrOverflow }), chain.ErrOverflow)
	d.Discard()
	require.NoDirExists(t, dir+".closing")
}
