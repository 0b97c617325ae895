package closing

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/table"
)

// text writes a text to a file.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// An incomplete new version is not installed, and the existing package is unchanged.
func TestAVersionThatCannotBeMade(t *testing.T) {
	for name, c := range map[string]struct {
		hinder  func(t *testing.T, dir string, d *Draft, m *Manifest) // once the draft is begun
		message string
	}{
		"changes.json is another file": {
			func(t *testing.T, _ string, d *Draft, _ *Manifest) {
				require.NoError(t, d.Add(ChangesFile, text("mine")))
			},
			"changes.json",
		},
		"versions is a file": {
			func(t *testing.T, _ string, d *Draft, _ *Manifest) {
				require.NoError(t, os.WriteFile(filepath.Join(d.dir, versionsDir), nil, 0o600))
			},
			versionsDir,
		},
		"the copy of the version before is there": {
			func(t *testing.T, _ string, d *Draft, _ *Manifest) {
				require.NoError(t, os.MkdirAll(filepath.Join(d.dir, versionsDir, "2"), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(d.dir, versionsDir, "2", "report.json"), nil, 0o600))
			},
			"report.json",
		},
		"the version before it has vanished": {
			func(t *testing.T, dir string, _ *Draft, _ *Manifest) {
				require.NoError(t, os.Rename(filepath.Join(dir, versionsDir, "1"), filepath.Join(t.TempDir(), "1")))
			},
			"no such file",
		},
		"the manifest contradicts itself": {
			func(_ *testing.T, _ string, _ *Draft, m *Manifest) { m.Period.Missing = []string{"its end"} },
			"the period is inconsistent",
		},
		"the manifest is there": {
			func(t *testing.T, _ string, d *Draft, _ *Manifest) {
				require.NoError(t, os.WriteFile(filepath.Join(d.dir, ManifestFile), nil, 0o600))
			},
			ManifestFile,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "january")
			install(t, dir, january(7), files)
			install(t, dir, january(8), files)
			d, err := Begin(dir)
			require.NoError(t, err)
			old, err := Prepare(dir)
			require.NoError(t, err)
			require.NoError(t, d.Add("report.json", text("{9}")))
			m := january(9)
			c.hinder(t, dir, d, &m)
			before := content(t, dir)
			p, changed, err := d.Install(dir, m, old)
			require.ErrorContains(t, err, c.message)
			require.Nil(t, p)
			require.False(t, changed)
			d.Discard()
			require.Equal(t, before, content(t, dir))
			beside, err := os.ReadDir(filepath.Dir(dir))
			require.NoError(t, err)
			require.Len(t, beside, 1)
		})
	}
}

// A draft in its own directory has the same files as one that is installed.
func TestADraftToCompare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "january")
	p, _ := install(t, dir, january(7), files)
	empty := t.TempDir()
	d := BeginIn(empty)
	for name, content := range files {
		require.NoError(t, d.Add(name, text(content)))
	}
	require.Equal(t, p.Manifest.Files, d.Files())
	require.Equal(t, files, content(t, empty))
	d.Discard()
	require.NoDirExists(t, empty)
}

// Two files of the same name, or one inside another, are rejected; so is a draft whose
// directory does not exist.
func TestFilesThatCannotBe(t *testing.T) {
	_, err := Begin(filepath.Join(t.TempDir(), "nowhere", "january"))
	require.ErrorIs(t, err, os.ErrNotExist)
	d := BeginIn(t.TempDir())
	require.NoError(t, d.Add("a", text("x")))
	require.ErrorIs(t, d.Add("a", text("y")), os.ErrExist)
	require.ErrorContains(t, d.Add("a/b", text("y")), "a/b: ")
	require.Equal(t, []File{{"a", 1, sumOf([]byte("x"))}}, d.Files())
}

// An unexpected directory is reported with its contents, whatever its name; the package's own directory may be
// a link.
func TestADirectoryTooMany(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "january")
	install(t, dir, january(7), files)
	link := filepath.Join(top, "link")
	require.NoError(t, os.Symlink(dir, link))
	require.Empty(t, problems(t, link))
	for _, name := range []string{"more", "inputs/more", "no UTF-8 \xff"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Join(path, "deep"), 0o700); err != nil {
			t.Skip("the disk takes no such name: ", err)
		}
		require.NoError(t, os.WriteFile(filepath.Join(path, "file"), nil, 0o600))
		require.Equal(t, []string{name + " is not in the manifest"}, problems(t, dir))
		require.NoError(t, os.RemoveAll(path))
	}
}

// Of many unexpected files, only some are listed.
func TestManyProblems(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "january")
	p, _ := install(t, dir, january(7), files)
	for i := range 3 * maxProblems {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("more", i)), nil, 0o600))
	}
	list := problems(t, dir)
	require.Len(t, list, maxProblems)
	for _, one := range list {
		require.Regexp(t, `^more\d+ is not in the manifest$`, one)
	}
	require.NoError(t, os.RemoveAll(dir))
	_, err := p.Problems() // it vanished while it was looked at
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Data read from a ledger before damaged rows is not a result.
func TestALedgerThatIsDamaged(t *testing.T) {
	b := &book{
		blocks:       []ledger.Block{{Height: 5, Final: true, Sealed: true}},
		transactions: []ledger.Transaction{{Cost: ledger.Cost{Height: 5, Index: 1, Verdict: evidence.Drift, Fee: chain.Some(chain.NewWei(1))}}},
		unclassified: []ledger.Unclassified{{Height: 7, Event: "balances.New"}},
		damaged:      fmt.Errorf("%w: column fee", ledger.ErrDamaged),
	}
	_, err := Examine(ctx, b, ledger.Period{}, chain.Heights{First: 5, Last: 5})
	require.ErrorIs(t, err, ledger.ErrDamaged)
	var count Findings
	var out strings.Builder
	require.ErrorIs(t, table.WriteCSV(&out, List(ctx, b, chain.Heights{First: 5, Last: 5}, &count)), ledger.ErrDamaged)
	require.Zero(t, count.Unclassified, "what follows is not read")
}

// A package that another process is creating is not repaired meanwhile.
func TestMendWhileAnotherProgramWorks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "january")
	d, err := Begin(dir)
	require.NoError(t, err)
	require.ErrorContains(t, Mend(dir), "another process is creating this package")
	_, err = Begin(dir)
	require.ErrorContains(t, err, "another process is creating this package")
	d.Discard()
	require.NoError(t, Mend(dir))
}

// A package that a killed process moved away and that cannot be restored now is restored by the next process:
// nothing starts before, and nothing is lost.
func TestAPackageThatCannotBePutBackYet(t *testing.T) {
	defer func() { rename = os.Rename }()
	dir := filepath.Join(t.TempDir(), "january")
	install(t, dir, january(7), files)
	before := content(t, dir)
	d, err := Begin(dir)
	require.NoError(t, err)
	require.NoError(t, os.Rename(dir, d.scratch.Path(beforeName)))
	d.scratch.Release() // as where it is killed

	rename = func(_, _ string) error { return os.ErrPermission }
	require.ErrorIs(t, Mend(dir), os.ErrPermission)
	_, err = Begin(dir)
	require.ErrorIs(t, err, os.ErrPermission)
	require.NoDirExists(t, dir)
	rename = os.Rename
	require.NoError(t, Mend(dir))
	require.Equal(t, before, content(t, dir))
	require.NoDirExists(t, scratchOf(dir))
}
