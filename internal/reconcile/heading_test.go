package reconcile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/reconcile"
)

// file reads a record, and closes it.
func file(t testing.TB, text string, o reconcile.Options) *reconcile.File {
	f, err := reconcile.ReadFile(t.Context(), strings.NewReader(text), o)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return f
}

// Rows that are not fees are listed: titles and totals. A total is compared with the sum, or with the sum since the
// previous total.
func TestTitlesAndTotals(t *testing.T) {
	const head = "Company Ltd;;\n\nExtrinsic ID;fee_wei;memo\n"
	for name, c := range map[string]struct {
		rows   string
		count  int
		totals []int
		notes  []string
	}{
		"none":            {"1-1;5;\n1-2;6;\n", 2, nil, nil},
		"right":           {"1-1;5;\n1-2;6;\nTotal;11;\n", 2, []int{6}, []string{"Line 6 is a total row, not a fee; the totals match the fees above."}},
		"label elsewhere": {"1-1;5;\n1-2;6;\n;11;Grand total\n", 2, []int{6}, []string{"Line 6 is a total row, not a fee; the totals match the fees above."}},
		"sections":        {"1-1;5;\nSubtotal;5;\n1-2;6;\n1-3;1;\nSubtotal;7;\nTotal;12;\n", 3, []int{5, 8, 9}, []string{"Lines 5, 8 and 9 are total rows, not fees; the totals match the fees above."}},
		"no figure":       {"1-1;5;\nTotal\n", 1, []int{5}, []string{"Line 5 is a total row, not a fee."}},
		"a memo of a fee": {"1-1;5;Total fee\n", 1, nil, nil},
		"words beside it": {"1-1;5;\n;5;Total of all network fees\n", 1, []int{5}, []string{"Line 5 is a total row, not a fee; the totals match the fees above."}},
	} {
		t.Run(name, func(t *testing.T) {
			f := file(t, head+c.rows, reconcile.Options{})
			require.Equal(t, 3, f.HeaderRow)
			require.Equal(t, []int{1}, f.Titles)
			require.Equal(t, c.count, f.Count)
			require.Equal(t, c.totals, f.Totals)
			require.Equal(t, `Line 1 is above the header in line 3 and ignored: "Company Ltd".`, f.Notes[0])
			require.Len(t, f.Notes, len(c.notes)+1)
			for i, want := range c.notes {
				require.Contains(t, f.Notes[i+1], want)
			}
		})
	}
	// Figures of a spreadsheet, which adds up rounded numbers: each can differ by half of the 15th digit, and so can the sum.
	for figure, right := range map[string]bool{"0.300000000000001": true, "0.30000000000000004": true, "0.300000000000003": false} {
		text := grid{{"Extrinsic ID", "fee (token)"}, {"1-1", ""}, {"1-2", ""}, {"Total", ""}}.xlsx(t, func(f *excelize.File) {
			for i, number := range []string{"0.1", "0.2", figure} {
				require.NoError(t, f.SetCellDefault("Sheet1", fmt.Sprintf("B%d", i+2), number))
			}
		})
		require.Equal(t, right, len(file(t, text, reconcile.Options{}).Totals) == 1, figure)
	}
	_, err := readAll(strings.NewReader(head+"1-1;5;\nTotal;five;\n"), reconcile.Options{})
	require.ErrorContains(t, err, `line 5, column 2 "fee_wei": the total cannot be read: "five" is not an amount`)
	require.ErrorContains(t, err, "--skip-rows 5")
}

// A total that is not the sum of the rows above it is a difference between two figures of the record.
func TestTotalsThatDiffer(t *testing.T) {
	for name, c := range map[string]struct{ rows, why, apart string }{
		"wrong":           {"1-1;5;\n1-2;6;\nSumme;12;\n", "the total is 12 wei, but the fees above it are 11 wei (difference 1)", "1"},
		"a wrong section": {"1-1;5;\nSubtotal;5;\n1-2;6;\nSubtotal;7;\n", "the total is 7 wei, but the fees above it are 11 wei (difference -4)", "-4"},
		"zero":            {"1-1;5;\n1-2;6;\nTotal;0;\n", "the total is 0 wei, but the fees above it are 11 wei (difference -11)", "-11"},
	} {
		rows := read(t, "Extrinsic ID;fee_wei;memo\n"+c.rows, reconcile.Options{})
		r := match(t, book(t, "moonbeam-2100"), rows, reconcile.Options{RowsOnly: true})
		require.Equal(t, 1, counts(r)[reconcile.TotalDiffers], name)
		require.Equal(t, "11", r.Total.Books.String(), name)
		require.False(t, r.Agrees())
		last := items(t, r)[len(rows)-1]
		require.Equal(t, []string{c.why}, last.Notes, name)
		apart, _ := last.Difference.Get()
		require.Equal(t, c.apart, apart.String())
		require.False(t, last.Books.Known() || last.Chain.Known(), "a total is not a fee")
	}
}

// A total beside fees in several assets is that of the column, or that of the fees in the network's token.
func TestTotalsOfSeveralAssets(t *testing.T) {
	for total, outcome := range map[string]reconcile.Outcome{"0.3": "", "0.2": "", "0.1": reconcile.TotalDiffers} {
		rows := read(t, "hash,Fee,Fee Currency\n0x"+strings.Repeat("ab", 32)+",0.2,GLMR\n0x"+strings.Repeat("1", 64)+",0.1,BTC\nTotal,"+total+",\n", reconcile.Options{Symbol: "GLMR"})
		r := match(t, book(t, "moonbeam-2100"), rows, reconcile.Options{RowsOnly: true, Symbol: "GLMR"})
		require.Equal(t, outcome == "", counts(r)[reconcile.TotalDiffers] == 0, total)
		if outcome != "" {
			last := items(t, r)[len(rows)-1]
			require.Equal(t, []string{"the total is 100000000000000000 wei, but the fees above it are 200000000000000000 wei (difference -100000000000000000)"}, last.Notes)
		}
	}
}

// A fee without a transaction is never taken for a total row or left out: with another text beside it, without a label,
// or with the name of an order in place of a hash.
func TestFeesWithoutTransaction(t *testing.T) {
	for _, row := range []string{
		";5;paid in total by card", ";11;", ";5;Total Energies", ";5;Sum due, see mail", ";5;Rent",
	} {
		rows := read(t, "Extrinsic ID;fee_wei;memo\n1-1;5;\n1-2;6;\n"+row+"\n", reconcile.Options{})
		require.Len(t, rows, 3, row)
		r := match(t, book(t, "moonbeam-2100"), rows, reconcile.Options{RowsOnly: true})
		require.Equal(t, 1, counts(r)[reconcile.WithoutTransaction], row)
		require.Equal(t, rows[2].Fee, sum(t, r, reconcile.WithoutTransaction).Books, row)
	}
	rows := read(t, koinlyHead+"2026-01-01 00:00:00 UTC,,,,,5,GLMR,,,,,order 7\n2026-01-01 00:00:00 UTC,9,GLMR,,,,,,,cost,,\n", reconcile.Options{Symbol: "GLMR"})
	r := match(t, book(t, "moonbeam-2100"), rows, reconcile.Options{RowsOnly: true})
	require.Equal(t, map[reconcile.Outcome]int{reconcile.WithoutTransaction: 2}, counts(r))
	require.Equal(t, "14000000000000000000", r.Total.Books.String())
}

const koinlyHead = "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash\n"

// Exports that were pasted together are refused: fees above the header, and another header below it.
func TestPastedExports(t *testing.T) {
	const hash = "0xabababababababababababababababababababababababababababababababab"
	for text, why := range map[string]string{
		hash + ",9.0,\n" + hash + ",1,x\nhash,fee_wei,memo\n" + hash + ",1,\n":     "lines 1 and 2 above the header have a fee",
		"x,25-7,5\nmemo,Extrinsic ID,fee_wei\nx,25-7,5\n":                          "line 1 above the header has a fee",
		"hash,fee_wei,memo\n" + hash + ",1,\nfee_wei,memo,hash\n1,," + hash + "\n": "line 3: it is the header of another export",
		"hash,fee (GLMR),memo\n" + hash + ",1,\n" + koinlyHead:                     "line 3: it is the header of another export",
	} {
		_, err := readAll(strings.NewReader(text), reconcile.Options{Symbol: "GLMR"})
		require.ErrorContains(t, err, why, text)
	}
	f := file(t, "Report of "+hash+"\nhash,fee_wei,memo\n"+hash+",1,\nReviewed,by,Anna\nhash,fee_wei,memo\n", reconcile.Options{SkipRows: []int{4}})
	require.Equal(t, 1, f.Count)
}

// The header row and skipped rows are numbered like a spreadsheet's.
func TestRowsThatAreNamed(t *testing.T) {
	text := "hash,fee_wei\nold,header\n\nExtrinsic ID,fee_wei,memo\n1-1,5,\"two\nlines\"\nhere,is,text\n1-2,6,\n"
	o := reconcile.Options{HeaderRow: 4, SkipRows: []int{6, 6}}
	f := file(t, text, o)
	require.Equal(t, []int{1, 2}, f.Titles)
	rows := read(t, text, o)
	require.Equal(t, []int{5, 7}, []int{rows[0].Line, rows[1].Line})
	for why, o := range map[string]reconcile.Options{
		"--header-row 3 is empty":                 {HeaderRow: 3},
		"--header-row 9 is empty":                 {HeaderRow: 9},
		"--skip-rows 8 is beyond the last row, 7": {HeaderRow: 4, SkipRows: []int{6, 8}},
		"line 5: none of the columns":             {HeaderRow: 5, SkipRows: []int{6}},
		"line 6, column 1 \"Extrinsic ID\"":       {HeaderRow: 4},
	} {
		_, err := readAll(strings.NewReader(text), o)
		require.ErrorContains(t, err, why)
	}
	for what, text := range map[string]string{"rows": strings.Repeat("a,b\n", 200), "bytes": strings.Repeat(strings.Repeat("x", 60_000)+",b\n", 20)} {
		_, err := readAll(strings.NewReader(text+"hash,fee_wei\n"), reconcile.Options{})
		require.ErrorContains(t, err, "is known as the fee", what)
	}
}

// Following the proposals step by step reads the file.
func TestWhatIsProposed(t *testing.T) {
	const hash = "0xabababababababababababababababababababababababababababababababab"
	for name, c := range map[string]struct {
		text string
		want []reconcile.Setting // all, in their order; none if nothing is proposed
	}{
		"names": {"Report;;\nBuchung;Kosten;Tag\n" + hash + ";5,5;01.01.2026\n", []reconcile.Setting{
			{Name: "header-row", Value: "2"}, {Name: "map", Value: "hash=Buchung"}, {Name: "map", Value: "fee=Kosten"}, {Name: "unit", Value: "token"}, {Name: "decimal", Value: ","}}},
		"places":             {"Ref;Fee\n25-7;5\n", []reconcile.Setting{{Name: "map", Value: "id=Ref"}, {Name: "unit", Value: "wei"}}},
		"two could be it":    {"Ref;Cost;Tax\n25-7;5;6\n", nil},
		"decimal comma":      {"Extrinsic ID;fee_token\n1-1;0,5\n1-2;1,234\n", []reconcile.Setting{{Name: "decimal", Value: ","}}},
		"with points":        {"Extrinsic ID;fee_token\n1-1;1.234,5\n", []reconcile.Setting{{Name: "decimal", Value: ","}, {Name: "thousands", Value: "."}}},
		"thousands":          {"Extrinsic ID;fee_wei\n1-1;1,234,567\n", []reconcile.Setting{{Name: "thousands", Value: ","}}},
		"either comma":       {"Extrinsic ID;fee_token\n1-1;1,234\n", nil},
		"negative":           {"Extrinsic ID;fee_wei\n1-1;-5\n", []reconcile.Setting{{Name: "negative"}}},
		"no fee":             {"Extrinsic ID;fee_wei\n1-1;5\n1-2;\n1-3;-\n", []reconcile.Setting{{Name: "skip-rows", Value: "3,4"}}},
		"days":               {"Extrinsic ID;fee_wei;date\n1-1;5;31.01.2026\n", []reconcile.Setting{{Name: "date-format", Value: "dd.mm.yyyy"}}},
		"no days":            {"Extrinsic ID;fee_wei;date\n1-1;5;Q1\n", []reconcile.Setting{{Name: "map", Value: "date="}}},
		"an old encoding":    {"Extrinsic ID;fee_wei;G\xfcte\n1-1;5;x\n", []reconcile.Setting{{Name: "encoding", Value: "windows-1252"}}},
		"in a fee":           {"Extrinsic ID;fee_wei\n1-1;5\xa0wei\n", []reconcile.Setting{{Name: "encoding", Value: "windows-1252"}}},
		"remarks":            {"Extrinsic ID;fee_wei\n1-1;5\nby hand\n", []reconcile.Setting{{Name: "skip-rows", Value: "3"}}},
		"nothing but those":  {"Extrinsic ID;fee_wei\nby;hand\nby;hand\n", nil},
		"a mistyped hash":    {"Tx hash;fee_wei\n0x12;5\n", nil},
		"a mistyped address": {"Extrinsic ID;fee_wei;from\n1-1;5;0x12\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var all []reconcile.Setting
			o := reconcile.Options{}
			_, err := readAll(strings.NewReader(c.text), o)
			require.Error(t, err)
			for range 6 {
				ways := reconcile.Tries(err)
				if len(ways) != 1 {
					break
				}
				require.Empty(t, ways[0].Means)
				more := ways[0].Settings
				all, o = append(all, more...), with(o, more)
				_, err = readAll(strings.NewReader(c.text), o)
			}
			if c.want == nil {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, all)
		})
	}
	require.Nil(t, reconcile.Tries(nil))
}

// All encodings are read; byte order marks take precedence.
func TestEncodings(t *testing.T) {
	const le, be = "\xff\xfe", "\xfe\xff"
	wide := func(text string, first int) string {
		var out strings.Builder
		for _, c := range []byte(text) {
			pair := [2]byte{}
			pair[first] = c
			out.Write(pair[:])
		}
		return out.String()
	}
	const text = "Extrinsic ID;fee_wei;memo\n1-1;5;x\n"
	for name, c := range map[string]struct {
		text     string
		declared reconcile.Encoding
		want     reconcile.Encoding
		why      string
	}{
		"none":              {text, "", reconcile.UTF8, ""},
		"little end":        {le + wide(text, 0), "", reconcile.UTF16LE, ""},
		"big end":           {be + wide(text, 1), "", reconcile.UTF16BE, ""},
		"Windows":           {strings.Replace(text, ";x", ";\x80\x81\xfc", 1), reconcile.Windows1252, reconcile.Windows1252, ""},
		"half a character":  {le + wide(text, 0) + "x", "", "", "says UTF-16, but it is not"},
		"half a pair":       {le + wide(text, 0) + "\x00\xd8", "", "", "says UTF-16, but it is not"},
		"a wrong pair":      {le + wide(text, 0) + "\x00\xd8x\x00", "", "", "says UTF-16, but it is not"},
		"without a mark":    {wide(text, 0), "", reconcile.UTF16LE, ""},
		"half, no mark":     {wide(text, 0) + "x", "", "", "it begins like UTF-16, but is not; save it as UTF-8"},
		"big half, no mark": {wide(text, 1) + "\x00", "", "", "it begins like UTF-16, but is not; save it as UTF-8"},
		"another is marked": {le + wide(text, 0), reconcile.Windows1252, "", "omit --encoding"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := reconcile.ReadFile(t.Context(), strings.NewReader(c.text), reconcile.Options{Encoding: c.declared})
			if c.why != "" {
				require.ErrorContains(t, err, c.why)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, f.Encoding)
			require.Equal(t, 1, f.Count)
			for row := range f.Rows.All() {
				require.Equal(t, chain.NewWei(5), row.Fee)
			}
			require.NoError(t, f.Close())
		})
	}
}
