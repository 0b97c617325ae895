package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
)

// A package takes a record from memory as it takes one from a file, whatever the record's name is.
func TestPackageOfARecordInMemory(t *testing.T) {
	place := copied(t)
	d, q := opened(t, place), question(t)
	q.With, q.Proved, q.Balances = app.WithFees, false, nil
	fromFile := packed(t, d, q)
	text, err := os.ReadFile(q.Books.Path)
	require.NoError(t, err)
	require.NoError(t, os.Remove(q.Books.Path))
	q.Dir, q.Books.Content = filepath.Join(t.TempDir(), "january"), text
	q.Books.Path = "books.csv"
	require.Equal(t, fromFile.Sum, packed(t, d, q).Sum)
	stored, err := os.ReadFile(filepath.Join(q.Dir, "inputs", "books.csv"))
	require.NoError(t, err)
	require.Equal(t, text, stored)
	c := checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, append(c.Damage, c.Differences...))
}

// A record of another period is an error that names both; rows of other periods beside those of the period are
// differences.
func TestPackageOfARecordOfAnotherPeriod(t *testing.T) {
	d, q := opened(t, copied(t)), question(t)
	q.With, q.Proved, q.Balances, q.Books.Path = app.WithFees, false, nil, "february.csv"
	q.Books.Columns = []string{"fee=Kosten", "date=Tag"}
	const head = "Extrinsic hash;Kosten;Tag\n"
	unknown := "0x" + strings.Repeat("ab", 32) + ";7;"
	for name, c := range map[string]struct {
		text string
		fits bool
	}{
		"another month":           {unknown + "2026-02-10\n", false},
		"no date":                 {unknown + "\n", false},
		"a row of the month":      {unknown + "2026-02-10\n" + unknown + "2026-01-10\n", true},
		"another month in part":   {unknown + "2026-02-10\n" + allSent(t)[0].Hash + ";7;\n", true},
		"no rows":                 {"", true},
		"the end of the month":    {unknown + "2026-01-31 23:59:59\n", true},
		"the start of the next":   {unknown + "2026-02-01\n", false},
		"a name beside a date":    {allSent(t)[0].Hash + ";7;2026-02-10\n", true},
		"the end of the previous": {unknown + "2025-12-31 23:59:59\n", false},
	} {
		q.Dir, q.Books.Content = filepath.Join(t.TempDir(), "january"), []byte(head+c.text)
		_, err := d.MakePackage(t.Context(), q)
		if c.fits {
			require.NoError(t, err, name)
			continue
		}
		var input *app.InputError
		require.True(t, errors.As(err, &input), "%s: %v", name, err)
		require.Contains(t, err.Error(), "february.csv is not of 2026-01", name)
		require.NoDirExists(t, q.Dir)
	}
}
