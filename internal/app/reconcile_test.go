package app_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/reconcile"
)

// The user states how a record is read: the error of an invalid part names its
// field.
func TestBooksInput(t *testing.T) {
	in := app.BooksInput{Reading: closing.Reading{Decimal: ",", Thousands: ".", Separator: "semicolon", Tolerance: "0.7 token", Columns: []string{"fee = Kosten", "hash="}}}
	o, err := in.Options(app.Request{})
	require.NoError(t, err)
	require.NoError(t, in.SetToken(&o, console.Token{Symbol: "TAO", Decimals: 9}))
	require.Equal(t, reconcile.Options{Decimal: ',', Thousands: '.', Separator: ';', Tolerance: chain.NewWei(700_000_000), Symbol: "TAO", Decimals: 9,
		Columns: map[reconcile.Field]string{"fee": " Kosten", "hash": ""}}, o)
	for text, want := range map[string]rune{"": 0, ",": ',', "comma": ',', ";": ';', "tab": '\t', `\t`: '\t', "\t": '\t', "pipe": '|'} {
		o, err := (&app.BooksInput{Reading: closing.Reading{Separator: text}}).Options(app.Request{})
		require.NoError(t, err)
		require.Equal(t, want, o.Separator)
		require.Equal(t, '.', o.Decimal)
	}
	for field, reading := range map[app.Field]closing.Reading{
		app.FieldSeparator: {Separator: "!"},
		app.FieldDecimal:   {Decimal: "ab"},
		app.FieldThousands: {Thousands: "''"},
		app.FieldTolerance: {Tolerance: "-1"},
		app.FieldMap:       {Columns: []string{"fee=A", "fee=B"}},
	} {
		in := app.BooksInput{Reading: reading}
		o, err := in.Options(app.Request{})
		if field == app.FieldTolerance { // the network's token states its decimals
			require.NoError(t, err)
			err = in.SetToken(&o, console.Token{Symbol: "GLMR"})
		}
		require.Equal(t, []app.Field{field}, fieldsOf(t, err))
		require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	}
	_, err = (&app.BooksInput{Reading: closing.Reading{Columns: []string{"fee"}}}).Options(app.Request{})
	require.EqualError(t, err, `map "fee": want FIELD=COLUMN, such as fee=Cost`)
}

// books reads a record and compares it.
func books(t *testing.T, d *app.Ledger, in app.BooksInput, p app.Period, accounts ...chain.Address) (*reconcile.Result, error) {
	t.Helper()
	o, err := in.Options(app.Request{})
	require.NoError(t, err)
	require.NoError(t, in.SetToken(&o, console.Token{Symbol: "GLMR"}))
	o.Accounts = accounts
	file, err := in.Read(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	result, err := d.Reconcile(t.Context(), []reconcile.NamedFile{{Name: "theirs", File: file}}, p, o)
	if err == nil {
		t.Cleanup(func() { result.Close() })
	}
	return result, err
}

// A record of what was sent reconciles to the last wei; one wei more does not, but within a
// tolerance of it.
func TestReconcile(t *testing.T) {
	d := opened(t, copied(t))
	whole := app.BooksInput{Path: record(t, func(sent) bool { return true }), Reading: closing.Reading{Unit: "wei", Columns: []string{"fee=Kosten"}}}
	for _, p := range []app.Period{{All: true}, app.Heights(0, 27)} {
		result, err := books(t, d, whole, p)
		require.NoError(t, err)
		require.Equal(t, "theirs", result.Name())
		sum, count := charges(t, func(sent) bool { return true })
		require.EqualValues(t, count, result.Total.Count)
		require.Equal(t, !p.All, result.Period.Known())
		about, err := d.AboutReconciliation(t.Context(), result, p, app.AboutRequest{Program: "a test"})
		require.NoError(t, err)
		pairs := pairsOf(about)
		require.Equal(t, fmt.Sprint(count), pairs["rows: matched"])
		require.Equal(t, inTokens(t, sum), pairs["control total: chain"])
		require.Equal(t, "theirs, SHA-256 "+result.Files[0].SHA256.String(), pairs["input: record"])
		require.Contains(t, pairs["parameter"], "only the rows of the record")
		for _, s := range result.Sums {
			if s.Outcome == reconcile.Matched {
				require.EqualValues(t, count, s.Count)
				require.Equal(t, sum, known(t, s.Chain))
			} else {
				require.Zero(t, s.Count, s.Outcome)
			}
		}
	}
	off := whole
	text, err := os.ReadFile(whole.Path)
	require.NoError(t, err)
	off.Path = write(t, "off.csv", strings.Replace(string(text), ";2100000000000000\n", ";2100000000000001\n", 1))
	result, err := books(t, d, off, app.Heights(0, 27))
	require.NoError(t, err)
	differs := 0
	for _, s := range result.Sums {
		if s.Outcome != reconcile.Matched {
			differs += s.Count
		}
	}
	require.Equal(t, 1, differs)
	off.Tolerance = "1"
	result, err = books(t, d, off, app.Heights(0, 27))
	require.NoError(t, err)
	for _, s := range result.Sums {
		require.True(t, s.Count == 0 || s.Outcome.Agrees())
	}

	_, err = books(t, d, whole, app.Heights(0, 99))
	require.ErrorContains(t, err, "blocks 28..99: the ledger is sealed up to block 27")
	require.Equal(t, failure.NotCovered, app.KindOf(err))
	part := app.Heights(0, 99)
	part.Partial = true
	_, err = books(t, d, whole, part)
	require.NoError(t, err)
	huge := whole
	most := "340282366920938463463374607431768211455" // the largest amount; two of them are none
	huge.Path = write(t, "huge.csv", "hash;Kosten\n"+allSent(t)[0].Hash+";"+most+"\n"+allSent(t)[1].Hash+";"+most+"\n")
	_, err = books(t, d, huge, app.Heights(0, 27))
	require.ErrorIs(t, err, chain.ErrOverflow)
	require.NotContains(t, err.Error(), "ledger ", "it is the record's, not the ledger's")
}

// Rows that cannot be read are told all at once, with their number; a file that is none is
// named.
func TestBooksThatCannotBeRead(t *testing.T) {
	o, err := (&app.BooksInput{}).Options(app.Request{})
	require.NoError(t, err)
	o.Unit, o.Symbol = reconcile.Unit("wei"), "GLMR"
	in := app.BooksInput{Path: write(t, "books.csv", "hash,fee\n0x12,1\n"+allSent(t)[0].Hash+",x\n"+allSent(t)[1].Hash+",2\n")}
	_, err = in.Read(t.Context(), o)
	var rows *app.RowsError
	require.ErrorAs(t, err, &rows)
	require.Equal(t, 2, rows.Problems.Count)
	require.EqualError(t, err, in.Path+": 2 rows cannot be read")
	var problems *reconcile.ProblemsError
	require.ErrorAs(t, err, &problems)
	require.Len(t, problems.List, 2)
	in.Path = write(t, "books.csv", "neither,this\n1,2\n")
	_, err = in.Read(t.Context(), o)
	require.ErrorContains(t, err, in.Path+": ")
	in.Path = file(t)
	_, err = in.Read(t.Context(), o)
	require.ErrorIs(t, err, os.ErrNotExist)

	token, err := app.TokenOf(t.Context(), demo(t), app.Heights(3, 4))
	require.NoError(t, err)
	require.Equal(t, "GLMR", token.Symbol)
	_, err = app.TokenOf(t.Context(), demo(t), app.Heights(99, 99))
	require.ErrorIs(t, err, chain.ErrNotKept)
}

// Settings that read a record are told once they were tried; the record is written again beside
// itself, and never over itself.
func TestBooksWithOtherSettings(t *testing.T) {
	d := opened(t, copied(t))
	s := allSent(t)[0]
	path := write(t, "books.csv", "Report\nhash;fee_wei\n"+s.Hash+";-5\nby hand;\n")
	o, err := (&app.BooksInput{}).Options(app.Request{})
	require.NoError(t, err)
	in := app.BooksInput{Path: path}
	_, err = in.Read(t.Context(), o)
	var unread *app.UnreadError
	require.ErrorAs(t, err, &unread)
	require.EqualError(t, err, path+": 2 rows cannot be read")
	require.Equal(t, []reconcile.Way{{Settings: []reconcile.Setting{{Name: "negative"}, {Name: "skip-rows", Value: "4"}}}}, unread.Ways)

	in.Negative, in.SkipRows = true, []int{4}
	result, err := books(t, d, in, app.Heights(0, 27))
	require.NoError(t, err)
	require.Equal(t, `Line 1 is above the header in line 2 and ignored: "Report".`, result.Notes[len(result.Notes)-1])
	var out strings.Builder
	require.NoError(t, in.WriteFixed(t.Context(), &out, result))
	require.Contains(t, out.String(), s.Hash+";-"+s.Charged+";amount_differs;", "the amount is corrected")
	require.NoError(t, os.WriteFile(path, []byte("hash;fee_wei\n"), 0o600))
	require.ErrorIs(t, in.WriteFixed(t.Context(), &out, result), reconcile.ErrChanged)

	for place, want := range map[string]string{path: "is the record itself", strings.TrimSuffix(path, "csv") + "xlsx": "Name a file that ends in .csv"} {
		err := in.CheckFixed(place)
		require.ErrorContains(t, err, want)
		require.Equal(t, []app.Field{app.FieldFix}, fieldsOf(t, err))
	}
	require.NoError(t, in.CheckFixed(path+".checked"))
	require.NoError(t, os.Remove(path))
	require.ErrorIs(t, in.CheckFixed("x.csv"), os.ErrNotExist)
	require.ErrorIs(t, in.WriteFixed(t.Context(), &out, result), os.ErrNotExist)
}

// A record that is in memory is read as one in a file; nothing is opened by its name.
func TestBooksInMemory(t *testing.T) {
	d := opened(t, copied(t))
	path := record(t, func(sent) bool { return true })
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	in := app.BooksInput{Path: "/nowhere/books.csv", Content: text, Reading: closing.Reading{Unit: "wei", Columns: []string{"fee=Kosten"}}}
	result, err := books(t, d, in, app.Heights(0, 27))
	require.NoError(t, err)
	require.True(t, result.Agrees())
	var out, same strings.Builder
	require.NoError(t, in.WriteFixed(t.Context(), &out, result))
	in.Path, in.Content = path, nil
	require.NoError(t, in.WriteFixed(t.Context(), &same, result))
	require.Equal(t, same.String(), out.String())
	for _, content := range [][]byte{text, nil} {
		in.Content = content
		p, err := in.Preview(t.Context(), reconcile.Options{}, 3)
		require.NoError(t, err)
		require.Equal(t, []string{"Extrinsic hash", "Kosten"}, p.Header)
		require.Len(t, p.Rows, 3)
	}
	in.Path = file(t)
	_, err = in.Preview(t.Context(), reconcile.Options{}, 3)
	require.ErrorIs(t, err, os.ErrNotExist)
}
