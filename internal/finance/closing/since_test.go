package closing

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// month returns the manifest of another month than January.
func month(name string, change func(*Manifest)) Manifest {
	m := january(1)
	m.Period.Month = name
	if change != nil {
		change(&m)
	}
	return m
}

// Lines of inputs that only one package has are listed, options too; reports and the company's record are not.
func TestCompareInputs(t *testing.T) {
	dir := t.TempDir()
	old, _ := install(t, filepath.Join(dir, "january"), month("2026-01", func(m *Manifest) {
		m.Tool, m.Options.Chart, m.Options.Reconciliation = "fees 1", true, &Reconciliation{Name: "january.csv"}
	}), map[string]string{
		"inputs/labels.csv": "address,label\na,A\nb,B\nb,B\n", "inputs/chart.csv": "account\n1\n", "inputs/books.csv": "1", "networks.json": "{}", "report.csv": "x",
		"inputs/prices.csv": "1\r\n2\r\n",
	})
	now, _ := install(t, filepath.Join(dir, "february"), month("2026-02", func(m *Manifest) {
		m.Tool, m.Options.Tags, m.Options.Reconciliation = "fees 2", true, &Reconciliation{Name: "february.csv"}
	}), map[string]string{
		"inputs/labels.csv": "address,label\nb,B\n\x1b[31mc,C\n", "inputs/tags.csv": "1-1,X\n", "inputs/books.csv": "2", "networks.json": "[]", "report.csv": "y",
		"inputs/prices.csv": "1\n2\n",
	})
	s, err := CompareInputs(old, now)
	require.NoError(t, err)
	require.False(t, s.None())
	require.Equal(t, "2026-01", s.Period)
	var options []string
	for _, o := range s.Options {
		options = append(options, o.Name+": "+string(o.Old)+" → "+string(o.New))
	}
	require.Equal(t, []string{`chart: true → `, `program: "fees 1" → "fees 2"`, `tags:  → true`}, options)
	type lines struct {
		name           string
		removed, added []string
	}
	var inputs []lines
	for _, in := range s.Inputs {
		inputs = append(inputs, lines{in.Name, in.Removed, in.Added})
	}
	require.Equal(t, []lines{
		{"inputs/chart.csv", []string{"account", "1"}, nil},
		{"inputs/labels.csv", []string{"a,A", "b,B"}, []string{"[31mc,C"}},
		{"inputs/prices.csv", nil, nil}, // other line ends only: another hash
		{"inputs/tags.csv", nil, []string{"1-1,X"}},
		{"networks.json", nil, nil},
	}, inputs)

	same, err := CompareInputs(now, now)
	require.NoError(t, err)
	require.True(t, same.None())

	require.NoError(t, os.WriteFile(filepath.Join(dir, "january", "inputs", "labels.csv"), []byte("changed"), 0o600))
	_, err = CompareInputs(old, now)
	require.ErrorIs(t, err, ErrDamaged)
	other, _ := install(t, filepath.Join(dir, "other"), month("2026-01", func(m *Manifest) { m.Network = "moonriver" }), nil)
	_, err = CompareInputs(other, now)
	require.ErrorIs(t, err, ErrOtherPeriod)
}

// The names of the records are new every month, also of those compared together; how they are read is a decision.
func TestCompareInputsOfSeveralRecords(t *testing.T) {
	dir := t.TempDir()
	at := func(name, unit string) *Package {
		p, _ := install(t, filepath.Join(dir, name+unit), month("2026-01", func(m *Manifest) {
			m.Options.Reconciliation = &Reconciliation{Name: name + ".csv", More: []Record{{Name: name + "-2.csv", Input: "inputs/books-2.csv", Reading: Reading{Unit: unit}}}}
		}), nil)
		return p
	}
	january := at("january", "wei")
	s, err := CompareInputs(january, at("february", "wei"))
	require.NoError(t, err)
	require.True(t, s.None())
	require.Equal(t, "january-2.csv", january.Manifest.Options.Reconciliation.More[0].Name, "the manifest itself is unchanged")
	s, err = CompareInputs(january, at("march", "gwei"))
	require.NoError(t, err)
	require.Len(t, s.Options, 1)
	require.Equal(t, "reconciliation", s.Options[0].Name)
}

// Of an input beyond the limit no lines are listed, only that it differs.
func TestLinesOfALargeInput(t *testing.T) {
	p, _ := install(t, filepath.Join(t.TempDir(), "january"), january(1), map[string]string{"inputs/labels.csv": "a\n"})
	require.NoError(t, os.Truncate(filepath.Join(p.Dir, "inputs", "labels.csv"), maxInputBytes+1)) // sparse
	list, err := p.lines("inputs/labels.csv", "0")
	require.NoError(t, err)
	require.Empty(t, list)
}

// Of many changed lines the first are listed, and the others counted.
func TestOnlyIn(t *testing.T) {
	var many []string
	for i := range 25 {
		many = append(many, string(rune('a'+i)))
	}
	list, more := onlyIn(many, []string{"b"})
	require.Equal(t, []string{"a", "c", "d", "e", "f", "g", "h", "i", "j", "k"}, list)
	require.Equal(t, 14, more)
}

// The package before is the one of the same chain and zone whose month ended when this one began.
func TestFindBefore(t *testing.T) {
	dir := t.TempDir()
	at := func(name string, m Manifest) *Package {
		p, _ := install(t, filepath.Join(dir, name), m, nil)
		return p
	}
	at("november", month("2025-11", nil))
	at("december-berlin", month("2025-12", func(m *Manifest) { m.Period.Timezone = "Europe/Berlin" }))
	at("december-moonriver", month("2025-12", func(m *Manifest) { m.Network = "moonriver" }))
	now := at("january", month("2026-01", nil))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "something"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	found, err := FindBefore(now)
	require.NoError(t, err)
	require.Empty(t, found)

	at("december", month("2025-12", nil))
	at("december-copy", month("2025-12", nil))
	found, err = FindBefore(now)
	require.NoError(t, err)
	require.Len(t, found, 1, "a copy is the same package")
	require.Equal(t, filepath.Join(dir, "december"), found[0].Dir)
	at("december-again", month("2025-12", func(m *Manifest) { m.Tool = "another" }))
	found, err = FindBefore(now)
	require.NoError(t, err)
	require.Len(t, found, 2)

	at("2024", month("", func(m *Manifest) { m.Period.Year = "2024" }))
	found, err = FindBefore(at("2025", month("", func(m *Manifest) { m.Period.Year = "2025" })))
	require.NoError(t, err)
	require.Len(t, found, 1)
	_, err = OpenBefore(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, ErrNone)
}

// The month or year before is found by its name; another period has none.
func TestPeriodBefore(t *testing.T) {
	for _, c := range []struct {
		period Period
		want   string
	}{
		{Period{Month: "2026-01"}, "2025-12"}, {Period{Year: "2026"}, "2025"}, {Period{Month: "January"}, ""}, {Period{Year: "then"}, ""},
	} {
		require.Equal(t, c.want, c.period.before())
	}
}

// A package to compare with must exist and be unchanged.
func TestOpenBefore(t *testing.T) {
	dir := t.TempDir()
	_, err := OpenBefore(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, ErrNone)
	old, _ := install(t, filepath.Join(dir, "january"), january(1), map[string]string{"inputs/labels.csv": "a\n"})
	_, err = OpenBefore(old.Dir)
	require.NoError(t, err)
	list, err := old.lines("inputs/labels.csv", "")
	require.NoError(t, err)
	require.Empty(t, list)
	_, err = old.lines("inputs/labels.csv", "0")
	require.ErrorIs(t, err, ErrDamaged)
	_, err = old.lines("inputs/none.csv", "0")
	require.ErrorIs(t, err, ErrDamaged)
}
