package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/reconcile"
)

// A setting that cannot be used names its field, and the record is not read.
func TestSettingsOfARecord(t *testing.T) {
	for want, in := range map[string]closing.Reading{
		"profile: not a list of profiles":                   {OwnProfiles: "nothing"},
		`separator "x": want comma, semicolon, tab or pipe`: {Separator: "x"},
		`decimal ",,": want one character`:                  {Decimal: ",,"},
		`thousands "..": want one character`:                {Thousands: ".."},
		`map "fee": want FIELD=COLUMN, such as fee=Cost`:    {Columns: []string{"fee"}},
		"map: fee is given twice":                           {Columns: []string{"fee=A", "fee=B"}},
		`tolerance: "much" `:                                {Tolerance: "much"},
	} {
		books := app.BooksInput{Path: "books.csv", Reading: in}
		o, err := books.Options(app.Request{})
		if err == nil {
			err = books.SetToken(&o, console.Token{Symbol: "GLMR"})
		}
		require.ErrorContains(t, err, want)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	}
	for text, want := range map[string]rune{"": 0, "comma": ',', "semicolon": ';', "tab": '\t', "pipe": '|', `\t`: '\t'} {
		books := app.BooksInput{Reading: closing.Reading{Separator: text}}
		o, err := books.Options(app.Request{})
		require.NoError(t, err)
		require.Equal(t, want, o.Separator)
	}
	var books app.BooksInput
	require.NoError(t, books.Set(app.FieldCutDecimals, "4"))
	require.Equal(t, 4, books.CutDecimals)
	require.Error(t, books.Set(app.FieldCutDecimals, "-1"))
}

// A record may be readable in several ways, of which only a person can choose: none is chosen, and all are named. Each
// of them reads it.
func TestWaysToReadARecord(t *testing.T) {
	hash := "0x" + strings.Repeat("ab", 32)
	in := app.BooksInput{Path: "books.csv", Content: []byte("hash;date;fee\n" + hash + ";01/02/2026;1,234\n")}
	_, err := in.Read(t.Context(), reconcile.Options{Symbol: "GLMR"})
	var unread *app.UnreadError
	require.ErrorAs(t, err, &unread)
	var wanted [][]reconcile.Setting // a comma groups thousands or begins the fraction; the day is the first number or the second
	for _, comma := range []string{"thousands", "decimal"} {
		for _, date := range []string{"dd/mm/yyyy", "mm/dd/yyyy"} {
			wanted = append(wanted, []reconcile.Setting{{Name: "unit", Value: "token"}, {Name: comma, Value: ","}, {Name: "date-format", Value: date}})
		}
	}
	require.Len(t, unread.Ways, len(wanted))
	for i, way := range unread.Ways {
		require.Equal(t, wanted[i], way.Settings)
	}
	for _, way := range unread.Ways {
		as := in
		for _, s := range way.Settings {
			require.NoError(t, as.Set(app.Field(s.Name), s.Value))
		}
		o, err := as.Options(app.Request{})
		require.NoError(t, err)
		o.Symbol = "GLMR"
		f, err := as.Read(t.Context(), o)
		require.NoError(t, err)
		require.Empty(t, f.Notes, "nothing was chosen for the reader")
		require.NoError(t, f.Close())
	}

	_, err = (&app.BooksInput{Path: filepath.Join(t.TempDir(), "none.csv")}).Read(t.Context(), reconcile.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
}
