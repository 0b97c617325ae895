package app_test

import (
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/network"
)

// Several files are compared together. Each takes the settings of the first, unless these do not read it and it needs none.
// Two files with the same name get different names.
func TestSeveralBooks(t *testing.T) {
	d := opened(t, copied(t))
	even := func(s sent) bool { return of(alith)(s) && s.Height%2 == 0 }
	first := record(t, even)
	text := "Extrinsic hash,fee_wei\n"
	for _, s := range allSent(t) {
		if of(alith)(s) && !even(s) {
			text += s.Hash + "," + s.Charged + "\n"
		}
	}
	var in app.BooksInput
	in.Reading = closing.Reading{Unit: "wei", Separator: ";", Columns: []string{"fee=Kosten"}}
	in.SetPaths([]string{first, write(t, "books.csv", text)})
	require.Equal(t, first, in.Path)
	require.Len(t, in.More, 1)
	require.Equal(t, in.Reading, in.More[0].Reading)
	o, err := in.Options(app.Request{Accounts: []chain.Address{address(t, alith)}})
	require.NoError(t, err)
	require.NoError(t, in.SetToken(&o, console.Token{Symbol: "GLMR"}))
	files, err := in.ReadAll(t.Context(), o)
	require.NoError(t, err)
	defer app.CloseFiles(files)
	result, err := d.Reconcile(t.Context(), files, app.Heights(0, 27), o)
	require.NoError(t, err)
	defer result.Close()
	require.Equal(t, "books.csv, books.csv (2)", result.Name())
	require.Equal(t, chain.Some(true), result.Reconciled())
	sum, count := charges(t, of(alith))
	require.Equal(t, sum, known(t, result.Total.Chain))
	require.EqualValues(t, count, result.Total.Count)
	require.Contains(t, result.Notes, "books.csv (2): The file was read without the settings, which do not read it.")

	// Of a file that neither reads, the error is that of the settings.
	in.SetPaths([]string{first, write(t, "none.csv", "a;b\n1;2\n")})
	_, alone := (&app.BooksInput{Path: in.More[0].Path, Reading: in.Reading}).Read(t.Context(), o)
	require.Error(t, alone)
	files, err = in.ReadAll(t.Context(), o)
	require.EqualError(t, err, alone.Error())
	require.Empty(t, files)
	in.SetPaths([]string{first})
	require.Empty(t, in.More)
}

// A package keeps each of several records, and is checked with all of them.
func TestPackageOfSeveralBooks(t *testing.T) {
	place := copied(t)
	q := question(t)
	q.With, q.Proved, q.Balances = app.WithFees, false, nil
	q.Books.Path = record(t, of(alith))
	q.Books.More = []app.BooksInput{{Path: record(t, of(baltathar)), Reading: q.Books.Reading}}
	m := packed(t, opened(t, place), q).Manifest
	require.Zero(t, m.Findings.Differences)
	r := m.Options.Reconciliation
	require.Equal(t, "books.csv, books.csv", r.Names())
	require.Equal(t, []closing.Record{{Name: "books.csv", Input: "inputs/books-2.csv", Reading: q.Books.Reading}}, r.More)
	for name, from := range map[string]string{r.Input: q.Books.Path, r.More[0].Input: q.Books.More[0].Path} {
		kept, err := os.ReadFile(filepath.Join(q.Dir, filepath.FromSlash(name)))
		require.NoError(t, err)
		given, err := os.ReadFile(from)
		require.NoError(t, err)
		require.Equal(t, string(given), string(kept))
	}
	c := checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, c.Damage)
	require.Empty(t, c.Differences)

	q.Books.More, q.Dir = nil, filepath.Join(t.TempDir(), "january")
	_, missing := charges(t, of(baltathar))
	require.Equal(t, missing, packed(t, opened(t, place), q).Manifest.Findings.Differences, "one record lacks the fees of the other")
}

// Added settings may read a record. Unknown settings never do.
func TestReads(t *testing.T) {
	s := allSent(t)[0]
	in := app.BooksInput{Path: write(t, "books.csv", "hash;Kosten\n"+s.Hash+";5\n"), Reading: closing.Reading{Unit: "wei"}}
	o, err := in.Options(app.Request{})
	require.NoError(t, err)
	for _, c := range []struct {
		setting reconcile.Setting
		want    bool
	}{
		{reconcile.Setting{Name: "map", Value: "fee=Kosten"}, true},
		{reconcile.Setting{Name: "map", Value: "fee=Cost"}, false},
		{reconcile.Setting{Name: "header-row", Value: "0"}, false},
		{reconcile.Setting{Name: "separator", Value: "!"}, false},
	} {
		require.Equal(t, c.want, in.Reads(t.Context(), o, reconcile.Way{Settings: []reconcile.Setting{c.setting}}), c.setting)
	}
	require.Empty(t, in.Columns, "the input is as it was")
}

// inEuros returns amounts of wei at 100 EUR for the token, exact.
func inEuros(t *testing.T, wei string) *big.Rat {
	n := new(big.Rat).SetInt(integer(t, wei))
	return n.Quo(n, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(16), nil)))
}

// With prices, a record whose fees are all in their currency is read as values: by the name of its column, or by the assets
// that its rows state. A total is compared with the sum of the values.
func TestBooksInACurrency(t *testing.T) {
	d := opened(t, copied(t))
	prices := atPrices(t, "2026-01-01,100\n")
	byName, byRow := "hash,Fee (EUR)\n", "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash\n"
	for _, s := range allSent(t) {
		if of(alith)(s) {
			euros := inEuros(t, s.Charged).FloatString(2)
			byName += s.Hash + "," + euros + "\n"
			byRow += "2026-01-01 00:00:00 UTC,,,,," + euros + ",EUR,,,,," + s.Hash + "\n"
		}
	}
	accounts := []chain.Address{address(t, alith)}
	for _, text := range []string{byName, byRow} {
		in := app.BooksInput{Path: "books.csv", Content: []byte(text)}
		o, err := in.Options(app.Request{Accounts: accounts, Prices: prices})
		require.NoError(t, err)
		require.NoError(t, in.SetToken(&o, console.Token{Symbol: "GLMR"}))
		file, err := in.Read(t.Context(), o)
		require.NoError(t, err)
		defer file.Close()
		require.True(t, file.Matching(o).Values)
		result, err := d.Reconcile(t.Context(), []reconcile.NamedFile{{Name: "books.csv", File: file}}, app.Heights(0, 27), o)
		require.NoError(t, err)
		defer result.Close()
		require.Equal(t, chain.Some(true), result.Reconciled(), result.Headline())
		require.Contains(t, strings.Join(result.Notes, "\n"), "Values in EUR were compared, not amounts of the token")
	}

	sum, _ := charges(t, of(alith))
	exact := inEuros(t, sum)
	o := reconcile.Options{Symbol: "GLMR", Accounts: accounts, Prices: prices}
	for apart, want := range map[int64]bool{0: true, 2: false, -2: false} { // cents
		total, err := d.CompareTotal(t.Context(), new(big.Rat).Add(exact, big.NewRat(apart, 100)).FloatString(2), app.Heights(0, 27), o)
		require.NoError(t, err)
		require.Equal(t, chain.Some(want), total.Reconciled, apart)
		require.Equal(t, "EUR", total.Symbol)
		require.Contains(t, strings.Join(total.Notes, "\n"), "EUR: each amount at the price of its day (UTC)")
		require.NotContains(t, strings.Join(total.Notes, "\n"), "each row", "a total has no rows")
	}
}

// An address book may name the chain of an address: that of the ledger, or of the network in question.
func TestChainOfTheAddressBook(t *testing.T) {
	d := opened(t, copied(t))
	var none *app.AddressBook
	require.NoError(t, d.CheckLabels(t.Context(), none))
	require.NoError(t, none.CheckChain(network.BuiltIn(), "moonbeam"))
	for name, c := range map[string]struct{ beam, river bool }{"mbeam": {true, false}, "mriver": {false, true}} {
		book := readBook(t, "address,label\n"+name+":"+alith+",Ours\n")
		for _, x := range []struct {
			err  error
			fits bool
		}{{d.CheckLabels(t.Context(), book), c.beam}, {book.CheckChain(network.BuiltIn(), "moonbeam"), c.beam}, {book.CheckChain(network.BuiltIn(), "moonriver"), c.river}} {
			if x.fits {
				require.NoError(t, x.err, name)
				continue
			}
			require.ErrorContains(t, x.err, `the address is on the chain "`+name+`"`)
			require.Equal(t, []app.Field{app.FieldLabels}, fieldsOf(t, x.err))
			require.Equal(t, failure.NotUnderstood, app.KindOf(x.err))
		}
		require.NoError(t, book.CheckChain(network.BuiltIn(), "unheard"), "of a network that no table names nothing is known")
	}
}

// Of the movements, those of a fee are one row for people; other parts of a statement are as they are.
func TestSheetByFee(t *testing.T) {
	d := opened(t, copied(t))
	rows := func(part string, byFee bool) (list [][]any) {
		l, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(25, 25), Accounts: []chain.Address{address(t, alith)}}, Part: part})
		require.NoError(t, err)
		sheet := l.Sheet(t.Context())
		if byFee {
			sheet = l.SheetByFee(t.Context())
		}
		for row, err := range sheet.Rows {
			require.NoError(t, err)
			list = append(list, row)
		}
		return list
	}
	require.Len(t, rows("movements", true), len(rows("movements", false))-1, "the refund of 25-7 is part of its fee")
	for _, part := range []string{"fees", "transfers", "summary"} {
		require.Equal(t, rows(part, false), rows(part, true), part)
	}
}
