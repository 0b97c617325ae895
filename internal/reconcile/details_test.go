package reconcile_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/table"
)

// labelledRecords compares two records of an account with a label: a.csv has a right fee, b.csv one that is 3 wei too high
// and a fee that is not on the chain. A third transaction is missing.
func labelledRecords(t *testing.T) (mine []*sent, r *reconcile.Result) {
	all := allSent(t, "moonbeam-2100")
	for _, s := range all {
		if s.From == all[1].From && len(mine) < 3 {
			mine = append(mine, s)
		}
	}
	more, err := wei(t, mine[1].Charged).Add(chain.NewWei(3))
	require.NoError(t, err)
	o := reconcile.Options{
		Symbol: "GLMR", Accounts: payers(t, mine[:1]), Period: heights(mine[0].Height, mine[2].Height), Tolerance: chain.NewWei(5), Labels: &addressbook.Book{},
	}
	require.NoError(t, o.Labels.Add(addressbook.Entry{Address: o.Accounts[0], Label: "Treasury", Group: "company"}))
	var records []reconcile.Record
	var files []reconcile.NamedFile
	for _, x := range [][2]string{
		{"a.csv", "Extrinsic ID,fee_wei\n" + mine[0].place() + "," + mine[0].Charged + "\n"},
		{"b.csv", "Extrinsic ID,fee_wei\n" + mine[1].place() + "," + more.String() + "\n9999-1,7\n"},
	} {
		f, err := reconcile.ReadFile(t.Context(), strings.NewReader(x[1]), o)
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		records = append(records, reconcile.Record{Name: x[0], Rows: f.Rows.All(), Options: f.Matching(o)})
		files = append(files, reconcile.NamedFile{Name: x[0], File: f})
	}
	r, err = reconcile.MatchAll(t.Context(), book(t, "moonbeam-2100"), records)
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	r.Files = files
	return mine, r
}

// cellsIn returns some columns of a sheet's rows, each as one text.
func cellsIn(t *testing.T, s *table.Sheet, columns ...string) (list []string) {
	rows, err := csv.NewReader(strings.NewReader(sheetText(t, s))).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		var cells []string
		for _, name := range columns {
			for i := range row {
				if rows[0][i] == name {
					cells = append(cells, row[i])
				}
			}
		}
		require.Len(t, cells, len(columns))
		list = append(list, strings.Join(cells, "|"))
	}
	return list
}

// The details name the record of each row, and the label and group of the account that paid. What agrees within the
// tolerance, and each kind of difference, has a table of its own.
func TestDetailsOfLabelledRecords(t *testing.T) {
	mine, r := labelledRecords(t)
	require.Equal(t, "a.csv, b.csv", r.Name())
	columns := []string{"outcome", "line", "file", "id", "books_id", "payer_label", "payer_group"}
	const known = "|Treasury|company"
	within := "within_tolerance|2|b.csv|" + mine[1].place() + "|" + mine[1].place() + known
	foreign := "only_in_books|3|b.csv||9999-1||"
	missing := "only_on_chain|||" + mine[2].place() + "|" + known
	require.Equal(t, []string{"matched|2|a.csv|" + mine[0].place() + "|" + mine[0].place() + known, within, foreign, missing}, cellsIn(t, r.Details(true), columns...))
	require.Equal(t, []string{within}, cellsIn(t, r.Agreeing(), columns...))
	require.Len(t, r.Groups, 2)
	for i, want := range []struct{ title, row string }{{"Only in books", foreign}, {"Only on chain", missing}} {
		sheet := r.Chosen(r.Groups[i].Title(), r.Groups[i].In)
		require.Equal(t, want.title, sheet.Title)
		require.Equal(t, []string{want.row}, cellsIn(t, sheet, columns...))
	}

	var text bytes.Buffer
	require.NoError(t, r.WriteJSON(&text, true))
	var parsed struct {
		Details []map[string]any
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &parsed))
	require.Len(t, parsed.Details, 4)
	for i, want := range [][]any{{"a.csv", "Treasury", "company"}, {"b.csv", "Treasury", "company"}, {"b.csv", nil, nil}, {nil, "Treasury", "company"}} {
		x := parsed.Details[i]
		require.Contains(t, x, "payer_group")
		require.Equal(t, want, []any{x["file"], x["payer_label"], x["payer_group"]}, i)
	}

	text.Reset()
	require.NoError(t, r.WriteTable(&text, false, 100))
	require.Regexp(t, `(?m)^only_in_books +b\.csv:3  9999-1 `, text.String())
	require.Contains(t, text.String(), "\n  payer "+mine[2].From+" (Treasury)\n")
}

// An ID may be in a text, such as the address of an explorer's page, but only one.
func TestIDInAText(t *testing.T) {
	read := func(cell string) (string, error) {
		rows, err := readAll(strings.NewReader("Extrinsic ID,fee_wei\n"+cell+",5\n"), reconcile.Options{})
		if err != nil {
			return "", err
		}
		place, _ := rows[0].Place.Get()
		return place.String(), nil
	}
	for _, cell := range []string{"25-7", "https://moonbeam.subscan.io/extrinsic/25-7", "see 25-7.", "(25-7)"} {
		place, err := read(cell)
		require.NoError(t, err, cell)
		require.Equal(t, "25-7", place, cell)
	}
	for cell, why := range map[string]string{
		"25-7 and 25-8": "two IDs, 25-7 and 25-8: leave the one of the row's transaction in the cell",
		"on 2026-01-31": "is not a transaction ID such as 25-7",
		"25-7-9":        "is not a transaction ID such as 25-7",
	} {
		_, err := read(cell)
		require.ErrorContains(t, err, why, cell)
	}
}

// The headline tells fees that are only cut from those that are wrong.
func TestHeadlineOfCutFees(t *testing.T) {
	text, exact := "hash,Fee (GLMR)\n", ""
	count := 0
	for _, s := range allSent(t, "moonbeam-2100") {
		if token := s.token(); !strings.HasSuffix(token, "00") {
			if count++; count == 3 {
				exact = s.hash() + ","
				break
			}
			text += s.hash() + "," + cut(token, 8) + "\n"
		}
	}
	require.Equal(t, 3, count)
	o := reconcile.Options{Symbol: "GLMR", RowsOnly: true}
	_, r := matched(t, text, o)
	require.Equal(t, "2 of 2 are cut after 8 decimals; completeness not checked", r.Headline())
	_, r = matched(t, text+exact+"5.12345678\n", o)
	require.Equal(t, "1 of 3 do not match; 2 more are cut after 8 decimals; completeness not checked", r.Headline())
	o.CutDecimals = 8
	_, r = matched(t, text, o)
	require.Equal(t, "2 rows match; completeness not checked", r.Headline())
}

// The basis lists a few skipped lines, and gives the count and the ends of many. A skipped line with an amount is noted.
func TestSkippedLines(t *testing.T) {
	var skipped []int
	text := "Extrinsic ID,fee_wei,memo\n1-1,\"1,005\",\n"
	for line := 3; line <= 23; line++ {
		skipped = append(skipped, line)
		text += "a,b,c\n"
	}
	text += "1-2,7,\n1-3,8,\n"
	basisOf := func(lines []int) ([][]any, []string) {
		o := reconcile.Options{SkipRows: lines, Thousands: ',', RowsOnly: true}
		f, r := matched(t, text, o)
		r.Files = []reconcile.NamedFile{{File: f}}
		return basis(r), f.Notes
	}
	facts, notes := basisOf(skipped)
	require.Contains(t, facts, []any{"skip_rows", "21, from 3 to 23"})
	require.Contains(t, facts, []any{"thousands", ","})
	require.Empty(t, notes, "none of them has an amount")
	_, notes = basisOf(append(skipped, 25))
	require.Equal(t, []string{"Skipped by --skip-rows, though with an amount in the fee column: line 25."}, notes)

	text = "Extrinsic ID,fee_wei\n1-1,5\nx,y\nx,y\n"
	facts, _ = basisOf([]int{4, 3})
	require.Contains(t, facts, []any{"skip_rows", "3 4"})
}

// A problem of several rows as a whole is one, with their lines.
func TestProblemOfWholeRows(t *testing.T) {
	_, err := readAll(strings.NewReader("Extrinsic ID,fee_wei\n1-1,5\n1-2,5,1,2\n1-3,6\n1-4,5,1,2\n"), reconcile.Options{})
	require.EqualError(t, err, "it has 4 columns, but the header has 2; quote values that contain a separator, or use --skip-rows if the row is not a transaction: 2 rows, lines 3 and 5")
}

// A way states only the form of a file if it names no meaning of a column, other than what identifies the transaction.
func TestIsForm(t *testing.T) {
	for _, c := range []struct {
		settings []reconcile.Setting
		want     bool
	}{
		{[]reconcile.Setting{{Name: "decimal", Value: ","}, {Name: "thousands", Value: "."}}, true},
		{[]reconcile.Setting{{Name: "date-format", Value: "dd.mm.yyyy"}}, true},
		{[]reconcile.Setting{{Name: "encoding", Value: "windows-1252"}, {Name: "separator", Value: ";"}}, true},
		{[]reconcile.Setting{{Name: "map", Value: "hash=Tx"}}, true},
		{[]reconcile.Setting{{Name: "map", Value: "id=Ref"}}, true},
		{[]reconcile.Setting{{Name: "map", Value: "fee=Cost"}}, false},
		{[]reconcile.Setting{{Name: "unit", Value: "wei"}}, false},
		{[]reconcile.Setting{{Name: "decimal", Value: ","}, {Name: "negative"}}, false},
		{[]reconcile.Setting{{Name: "decimal", Value: "hash=x"}, {Name: "sheet", Value: "hash=x"}}, false},
	} {
		way := reconcile.Way{Settings: c.settings}
		require.Equal(t, c.want, way.IsForm(), c.settings)
	}
}

// Letters of double width are the same asset, and messages list no more than ten others.
func TestNamesOfAssets(t *testing.T) {
	s := paying(t)[0]
	o := reconcile.Options{Symbol: "GLMR", RowsOnly: true}
	_, r := matched(t, "hash,Fee,Fee Currency\n"+s.hash()+","+s.token()+",ＧＬＭＲ\n", o)
	require.Equal(t, map[reconcile.Outcome]int{reconcile.Matched: 1}, counts(r))

	text := "hash,Fee,Fee Currency\n" + s.hash() + "," + s.token() + ",GLMR\n" + s.hash() + ",1,\n"
	for _, asset := range strings.Fields("AAVE ADA ATOM BNB BTC DOGE DOT ETH LINK LTC SOL XRP") {
		text += s.hash() + ",1," + asset + "\n"
	}
	o.Unit = reconcile.Token // of the row without an asset
	_, err := readAll(strings.NewReader(text), o)
	require.ErrorContains(t, err, "the fee has no asset, but other fees are in AAVE, ADA, ATOM, BNB, BTC, DOGE, DOT, ETH, LINK, LTC and 2 more")
}

// The basis of a file that a profile reads names the profile, and the line above the table counts its rows. Fees in one
// currency differ from fees in several assets.
func TestFileOfAProfile(t *testing.T) {
	s := paying(t)[0]
	o := reconcile.Options{Symbol: "GLMR", RowsOnly: true}
	row := func(asset string) string { return "2026-01-01 00:00:24 UTC,,,,,1," + asset + ",,,,," + s.hash() + "\n" }
	for text, want := range map[string]bool{row("EUR") + row("EUR"): true, row("EUR") + row("GLMR"): false, row("EUR") + row("BTC"): false, row("GLMR"): false} {
		f, r := matched(t, koinlyHead+text, o)
		require.Equal(t, want, f.IsAllIn("EUR"), text)
		require.False(t, f.IsAllIn("USD"))
		r.Files = []reconcile.NamedFile{{Name: "koinly.csv", File: f}}
		require.Contains(t, basis(r), []any{"profile", "koinly-universal"})
		var out bytes.Buffer
		require.NoError(t, r.WriteTable(&out, false, 200))
		require.True(t, strings.HasPrefix(out.String(), f.Summary(0, r.OtherAssets)+"\n"), out.String())
	}
}

// An account of 32 bytes stays what it is while the items are kept.
func TestKeptLongAccount(t *testing.T) {
	s := paying(t)[0]
	long := chain.Address32([32]byte{0: 1, 31: 2})
	b := &changed{book(t, "moonbeam-2100"), func(x *ledger.Transaction) { x.Payer = chain.Some(long) }}
	o := reconcile.Options{Symbol: "GLMR", RowsOnly: true}
	r := match(t, b, read(t, "hash,Fee (GLMR)\n"+s.hash()+","+s.token()+"\n", o), o)
	of, _ := items(t, r)[0].Transaction.Get()
	require.Equal(t, chain.Some(long), of.Payer)
}

// No more than ten of the sheets that were not read are named.
func TestManyUnreadSheets(t *testing.T) {
	list := paying(t)[:1]
	var names []string
	text := tokenGrid(list).xlsx(t, func(f *excelize.File) {
		for n := 2; n <= 13; n++ {
			name := fmt.Sprint("S", n)
			_, err := f.NewSheet(name)
			require.NoError(t, err)
			names = append(names, strconv.Quote(name))
		}
	})
	f, _ := matched(t, text, reconcile.Options{Symbol: "GLMR", RowsOnly: true})
	require.Equal(t, []string{"Not read: sheets " + strings.Join(names[:10], ", ") + " and 2 more."}, f.Notes)
}
