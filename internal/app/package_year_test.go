package app_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
)

// yearRequest returns the request for the package of a year of which a part is there.
func yearRequest(t testing.TB) app.PackageRequest {
	t.Helper()
	q := question(t)
	q.Dir, q.Month, q.Year = filepath.Join(t.TempDir(), "year"), "", "2026"
	q.Books = app.BooksInput{}
	return q
}

// rolledForward is what a package's rollforward says of an account, by period: its opening and its
// closing free balance.
func rolledForward(t testing.TB, dir, account string) (names []string, ends [][2]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "rollforward.json"))
	require.NoError(t, err)
	type balance struct{ Free string }
	var r struct {
		Rollforwards []struct {
			Period, Account  string
			Opening, Closing balance
		}
	}
	require.NoError(t, json.Unmarshal(text, &r))
	for _, c := range r.Rollforwards {
		if c.Account == account {
			names, ends = append(names, c.Period), append(ends, [2]string{c.Opening.Free, c.Closing.Free})
		}
	}
	return names, ends
}

// The package of a year has its months, in the report and in the rollforward, each of which opens
// with what the one before closed with; a package of a month has the rollforward of the month.
func TestPackageOfAYear(t *testing.T) {
	long(t)
	leavesNothing(t)
	place := threeMonths(t)
	d, q := opened(t, place), yearRequest(t)
	q.Classes = write(t, "classes.csv", "pallet,method,direction,class\nbalances,Transfer,in,staking-reward\n")
	made := packed(t, d, q)
	m := made.Manifest
	require.Equal(t, "2026", m.Period.Name())
	require.Equal(t, "2026-01-01T00:00:00Z", m.Period.From)
	require.Equal(t, "2027-01-01T00:00:00Z", m.Period.Before)
	require.True(t, m.Findings.Rollforward == 0 && m.Findings.Statements == 0)
	text, err := os.ReadFile(filepath.Join(q.Dir, "report.csv"))
	require.NoError(t, err)
	for _, month := range []string{"2026-01,", "2026-02,", "2026-03,"} {
		require.Contains(t, string(text), "\n"+month)
	}
	names, ends := rolledForward(t, q.Dir, alith)
	require.Equal(t, []string{"2026-01", "2026-02", "part of 2026-03"}, names[:3])
	was := recordedBalances()[address(t, alith)]
	for i, at := range []int{0, 9, 19, 27} {
		if i < 3 {
			require.Equal(t, was[at].Free.String(), ends[i][0])
		}
		if i > 0 {
			require.Equal(t, was[at].Free.String(), ends[i-1][1])
		}
	}
	text, err = os.ReadFile(filepath.Join(q.Dir, "rollforward.json"))
	require.NoError(t, err)
	require.Contains(t, string(text), `"class": "staking-reward"`)
	require.NoError(t, os.Remove(q.Classes))
	c := checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, c.Differences)
	require.False(t, c.Partly())

	// A changed figure is found even with new checksums.
	reseal(t, q.Dir, func(name string, text []byte) []byte {
		if name == "rollforward.json" {
			return []byte(strings.Replace(string(text), ends[0][1], "1"+ends[0][1], 1))
		}
		return text
	}, nil)
	require.Equal(t, []string{"rollforward.json differs from the file made from the ledger"}, checked(t, q.Dir, place, q.PackageOptions).Differences)

	month := question(t)
	month.Dir, month.Books, month.Partial = filepath.Join(t.TempDir(), "february"), app.BooksInput{}, false
	month.Month = "2026-02"
	packed(t, d, month)
	names, ends = rolledForward(t, month.Dir, alith)
	require.Equal(t, []string{"2026-02"}, names)
	require.Equal(t, [2]string{was[9].Free.String(), was[19].Free.String()}, ends[0])
	month.Month, month.Year, month.Partial = "", "2026", true
	_, err = d.MakePackage(t.Context(), month)
	require.ErrorIs(t, err, closing.ErrOtherPeriod, "a year is not the next version of a month")
}

// A package of a part of a year holds when the ledger has more of it, also where the part ended
// with a month, which was not known to be complete then.
func TestPackageOfAPartOfAYear(t *testing.T) {
	long(t)
	place := changedUpTo(t, "0..19", ofThreeMonths)
	q := yearRequest(t)
	packed(t, opened(t, place), q)
	names, _ := rolledForward(t, q.Dir, alith)
	require.Equal(t, []string{"2026-01", "part of 2026-02"}, names[:2])
	c := checked(t, q.Dir, threeMonths(t), q.PackageOptions)
	require.Empty(t, c.Differences)
	require.Equal(t, []string{"the ledger contains more of the period now; close it again"}, c.Notes)
}

// A package of an earlier version, without a rollforward, holds.
func TestPackageWithoutARollforward(t *testing.T) {
	long(t)
	place, q := copied(t), question(t)
	packed(t, opened(t, place), q)
	reseal(t, q.Dir, func(name string, text []byte) []byte {
		if strings.HasPrefix(name, "rollforward.") || name == "about.txt" || name == "cover.pdf" {
			return nil
		}
		return text
	}, func(m *closing.Manifest) { m.Options.Rollforward, m.Options.About, m.Figures = false, false, nil })
	require.Empty(t, checked(t, q.Dir, place, q.PackageOptions).Differences)
}

// reseal changes files of a package, and the manifest with their sums: nil takes a file away.
func reseal(t *testing.T, dir string, change func(name string, text []byte) []byte, manifest func(*closing.Manifest)) {
	t.Helper()
	p, err := closing.Open(dir)
	require.NoError(t, err)
	m := p.Manifest
	for i := range m.Files {
		f := &m.Files[i]
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if text = change(f.Name, text); text == nil {
			require.NoError(t, os.Remove(path))
			f.Name = ""
			continue
		}
		require.NoError(t, os.WriteFile(path, text, 0o600))
		f.SHA256, f.Size = fmt.Sprintf("%x", sha256.Sum256(text)), int64(len(text))
	}
	m.Files = slices.DeleteFunc(m.Files, func(f closing.File) bool { return f.Name == "" })
	if manifest != nil {
		manifest(m)
	}
	text, err := m.Encode()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, closing.ManifestFile), text, 0o600))
}
