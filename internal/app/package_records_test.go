package app_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
)

// A package contains the lines of the period's records and the page, and its check makes them again. Without records, its
// options say so.
func TestPackageRecords(t *testing.T) {
	place := copied(t)
	d, q := opened(t, place), question(t)
	q.With, q.Proved, q.Books, q.Balances = app.WithFees, false, app.BooksInput{}, nil
	require.True(t, packed(t, d, q).Manifest.Options.Records)
	text, err := os.ReadFile(filepath.Join(q.Dir, app.RecordsFile))
	require.NoError(t, err)
	in, err := gzip.NewReader(bytes.NewReader(text))
	require.NoError(t, err)
	have, err := io.ReadAll(in)
	require.NoError(t, err)
	require.True(t, in.ModTime.IsZero(), "no clock time")
	asked, err := app.PeriodInput{Month: "2026-01", Partial: true}.Parse()
	require.NoError(t, err)
	var want bytes.Buffer
	require.NoError(t, d.WriteRecords(t.Context(), &want, asked))
	require.Equal(t, want.String(), string(have))
	require.Equal(t, 26, bytes.Count(have, []byte("\n")))
	page, err := os.ReadFile(filepath.Join(q.Dir, closing.PageFile))
	require.NoError(t, err)
	require.Equal(t, closing.Page, page)
	require.Empty(t, checked(t, q.Dir, place, q.PackageOptions).Differences)
	for _, name := range []string{app.RecordsFile, closing.PageFile} {
		reseal(t, q.Dir, func(file string, text []byte) []byte {
			if file == name {
				return append(text, ' ')
			}
			return text
		}, nil)
		require.Contains(t, checked(t, q.Dir, place, q.PackageOptions).Differences, name+" differs from the file made from the ledger")
	}

	q.Dir, q.NoRecords = filepath.Join(t.TempDir(), "without"), true
	m := packed(t, d, q).Manifest
	require.False(t, m.Options.Records)
	require.NoFileExists(t, filepath.Join(q.Dir, app.RecordsFile))
	require.Empty(t, checked(t, q.Dir, place, q.PackageOptions).Differences)
}
