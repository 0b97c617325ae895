package reconcile_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
)

// fixed returns a file with its outcomes, and its result.
func fixed(t testing.TB, b reconcile.Book, text string, o reconcile.Options, about ...any) (string, *reconcile.Result) {
	t.Helper()
	f, r := matchedIn(t, b, text, o, about...)
	r.Files = []reconcile.NamedFile{{File: f}}
	var out bytes.Buffer
	require.NoError(t, r.WriteFixed(t.Context(), &out, strings.NewReader(text)), about...)
	return out.String(), r
}

// A csv file keeps every byte; the outcomes follow each row, with the file's separators, encoding and line ends.
func TestFixedCSV(t *testing.T) {
	list := allSent(t, "moonbeam-2100")[:2]
	b := book(t, "moonbeam-2100")
	comma := strings.Replace(list[0].token(), ".", ",", 1)
	const added = ";outcome;chain_wei;chain_token;difference_wei;difference_token;id_2;notes"
	text := "sep=;\r\nG\xfcte & Co\r\n\r\nID;Fee (token);Extrinsic ID;Memo\r\n" +
		`"=1+1";"` + comma + `";` + list[0].place() + `;"x` + "\r\n" + `""y"""` + "\r\n\r\n" +
		";0,5;9999-1;\xe4\r\nTotal;;;\r\n\r\n"
	o := reconcile.Options{Encoding: reconcile.Windows1252, Decimal: ','}
	got, _ := fixed(t, b, text, o)
	want := "sep=;\r\nG\xfcte & Co\r\n\r\nID;Fee (token);Extrinsic ID;Memo" + added + "\r\n" +
		`"=1+1";"` + comma + `";` + list[0].place() + `;"x` + "\r\n" + `""y"""` + ";matched;" + list[0].Charged + ";" + comma + ";0;0,000000000000000000;" + list[0].place() + ";\r\n\r\n" +
		";0,5;9999-1;\xe4;only_in_books;;;500000000000000000;0,500000000000000000;;not in the ledger; block 9999 was not compared\r\n" +
		"Total;;;;;;;;;;total row, not compared\r\n\r\n"
	want = strings.Replace(want, ";not in the ledger; block 9999 was not compared", `;"not in the ledger; block 9999 was not compared"`, 1)
	require.Equal(t, want, got)

	// The same in UTF-16, and without an end of the last line.
	wide := "\xff\xfe"
	for _, c := range "Extrinsic ID,fee_wei\n" + list[0].place() + "," + list[0].Charged {
		wide += string([]byte{byte(c), 0})
	}
	got, _ = fixed(t, b, wide, reconcile.Options{})
	require.Equal(t, "\xff\xfe", got[:2])
	require.Contains(t, strings.ReplaceAll(got, "\x00", ""), list[0].Charged+",matched,"+list[0].Charged+","+list[0].token()+",0,0.000000000000000000,"+list[0].place()+",")
	require.False(t, strings.HasSuffix(got, "\n\x00"))

	// Text from others is never a formula, and characters that the encoding lacks are replaced.
	hostile := &changed{b, func(x *ledger.Transaction) {
		x.Fee, x.Charged, x.Error = chain.Optional[chain.Wei]{}, chain.Optional[chain.Wei]{}, "=1+1\n☃€"
	}}
	got, _ = fixed(t, hostile, "Extrinsic hash,fee_wei\n"+list[0].XtHash+",5\n", reconcile.Options{Encoding: reconcile.Windows1252})
	require.Contains(t, got, ",5,undetermined,,,,,"+list[0].place()+",its fee is undetermined: =1+1 ?\x80\n")
}

// Bytes of a file in Windows-1252 are read as the characters that Unicode's table of it lists, and a copy keeps them, as it
// keeps the five bytes that the table leaves free.
func TestFixedWindows1252(t *testing.T) {
	one := allSent(t, "moonbeam-2100")[0]
	name, listed, memo := "", "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ", ""
	for c := 0x80; c <= 0xff; c++ {
		one := string([]byte{byte(c)})
		memo += one
		switch c {
		case 0x81, 0x8d, 0x8f, 0x90, 0x9d: // free
		case 0xa0, 0xad: // a space and a hyphen, which names do not keep
		default:
			name += one
		}
		if c > 0xa0 && c != 0xad { // the same as in Unicode
			listed += string(rune(c))
		}
	}
	row := one.place() + "," + one.Charged + "," + memo
	o := reconcile.Options{Encoding: reconcile.Windows1252, Unit: reconcile.Wei, Columns: map[reconcile.Field]string{reconcile.Fee: listed}}
	got, _ := fixed(t, book(t, "moonbeam-2100"), "Extrinsic ID,"+name+",memo\n"+row+"\n", o)
	require.Equal(t, "Extrinsic ID,"+name+",memo,outcome,chain_wei,chain_token,difference_wei,difference_token,id,notes\n"+
		row+",matched,"+one.Charged+","+one.token()+",0,0.000000000000000000,"+one.place()+",\n", got)
}

// A file other than the compared one is rejected.
func TestFixedOfAnotherFile(t *testing.T) {
	list := allSent(t, "moonbeam-2100")[:2]
	text := weiGrid(list).csv(',')
	_, r := fixed(t, book(t, "moonbeam-2100"), text, reconcile.Options{})
	require.ErrorIs(t, r.WriteFixed(t.Context(), io.Discard, strings.NewReader(text+"\n")), reconcile.ErrChanged)
	require.ErrorContains(t, r.WriteFixed(t.Context(), io.Discard, strings.NewReader(text+"\"")), "a quoted value")
	require.ErrorContains(t, r.WriteFixed(t.Context(), io.Discard, strings.NewReader("")), "the file is empty")
	require.ErrorContains(t, r.WriteFixed(t.Context(), io.Discard, broken{}), "out of paper")
	require.ErrorContains(t, r.WriteFixed(t.Context(), broken{}, strings.NewReader(text)), "out of paper")
	require.NoError(t, r.Close())
	require.NoError(t, r.WriteFixed(t.Context(), io.Discard, strings.NewReader(text)))
}

// A workbook keeps its cells, formulas, styles and other sheets; the outcomes follow the last used column.
func TestFixedXLSX(t *testing.T) {
	list := allSent(t, "moonbeam-2100")[:2]
	g := weiGrid(list)
	g[2][1] = "5"
	const formula = "1+1"
	change := func(f *excelize.File) {
		require.NoError(t, f.InsertRows("Sheet1", 1, 2))
		require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]string{"Fees", "", "", "", "", "& more"}))
		require.NoError(t, f.SetCellFormula("Sheet1", "D4", formula))
		require.NoError(t, f.SetCellInt("Sheet1", "D4", 2))
		require.NoError(t, f.SetCellFormula("Sheet1", "D4", formula))
		_, err := f.NewSheet("Notes")
		require.NoError(t, err)
		require.NoError(t, f.SetCellStr("Notes", "A1", "kept"))
	}
	text := g.xlsx(t, change)
	for name, change := range map[string]func(string) string{
		"as it is":    func(s string) string { return s },
		"with spans":  func(s string) string { return strings.ReplaceAll(s, "<row r=", `<row spans="1:4" r=`) },
		"with prefix": func(s string) string { return prefixed(s) },
	} {
		t.Run(name, func(t *testing.T) {
			text := changePart(t, text, "xl/worksheets/sheet1.xml", change)
			got, _ := fixed(t, book(t, "moonbeam-2100"), text, reconcile.Options{})
			before, f := workbook(t, text), workbook(t, got)
			rows, err := f.GetRows("Sheet1", excelize.Options{RawCellValue: true})
			require.NoError(t, err)
			own, err := before.GetRows("Sheet1", excelize.Options{RawCellValue: true})
			require.NoError(t, err)
			for i := range own {
				if i == 4 {
					own[i][1] = list[1].Charged // the right amount
				}
				require.Equal(t, own[i], rows[i][:len(own[i])])
			}
			require.Equal(t, []string{"Fees", "", "", "", "", "& more"}, rows[0])
			require.Equal(t, []string{"outcome", "chain_wei", "chain_token", "difference_wei", "difference_token", "id", "notes"}, rows[2][6:])
			require.Equal(t, []string{"matched", list[0].Charged, list[0].token(), "0", "0.000000000000000000", list[0].place()}, rows[3][6:])
			require.Equal(t, []string{"amount_differs", list[1].Charged}, rows[4][6:8])
			for at, want := range map[string]excelize.CellType{"H4": excelize.CellTypeInlineString, "I4": excelize.CellTypeUnset, "L4": excelize.CellTypeInlineString} {
				kind, err := f.GetCellType("Sheet1", at)
				require.NoError(t, err)
				require.Equal(t, want, kind, at)
			}
			kept, err := f.GetCellFormula("Sheet1", "D4")
			require.NoError(t, err)
			require.Equal(t, formula, kept)
			note, err := f.GetCellValue("Notes", "A1")
			require.NoError(t, err)
			require.Equal(t, "kept", note)
			again, r := fixed(t, book(t, "moonbeam-2100"), got, reconcile.Options{}) // and once more
			require.NotContains(t, counts(r), reconcile.AmountDiffers)
			rows, err = workbook(t, again).GetRows("Sheet1")
			require.NoError(t, err)
			require.Equal(t, "outcome_2", rows[2][13])
		})
	}
}

// prefixed is a sheet whose elements have a prefix, as some programs write them.
func prefixed(s string) string {
	for _, name := range []string{"worksheet", "sheetData", "row", "c", "v", "f", "is", "t", "dimension"} {
		for _, end := range []string{" ", ">", "/"} {
			s = strings.ReplaceAll(s, "<"+name+end, "<x:"+name+end)
		}
		s = strings.ReplaceAll(s, "</"+name+">", "</x:"+name+">")
	}
	return strings.Replace(s, `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`,
		`xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`, 1)
}

// The table fits 80 and 60 columns, and truncates neither outcomes nor figures.
func TestTable(t *testing.T) {
	_, r := troubled(t)
	r.Notes = append(r.Notes, strings.Repeat("a note of many words ", 10))
	for _, width := range []int{60, 80, 200} {
		for _, all := range []bool{false, true} {
			var out bytes.Buffer
			require.NoError(t, r.WriteTable(&out, all, width))
			for line := range strings.Lines(out.String()) {
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, line)
				require.Equal(t, strings.TrimRight(line, " \n")+"\n", line)
			}
			for _, o := range reconcile.Outcomes() {
				require.Contains(t, out.String(), "\n"+string(o)+" ")
			}
			require.Regexp(t, `(?m)^amount_differs +3  4-5 +0\.000000000000000001`, out.String())
			require.Regexp(t, `(?m)^only_on_chain +5-5 +-0\.002100000000000000`, out.String())
			require.Contains(t, strings.Join(strings.Fields(out.String()), " "), "books: 0.002960000000000001, chain: 0.00296")
			require.Equal(t, all, strings.Contains(out.String(), "\nmatched            2  3-5"))
			require.ErrorContains(t, r.WriteTable(broken{}, all, width), "out of paper")
		}
	}
	// An unknown figure is shown as such; a result without differences has no details.
	list := allSent(t, "moonbeam-2100")[:1]
	b := &changed{book(t, "moonbeam-2100"), func(x *ledger.Transaction) {
		x.Fee, x.Charged = chain.Optional[chain.Wei]{}, chain.Optional[chain.Wei]{}
	}}
	var out bytes.Buffer
	require.NoError(t, match(t, b, read(t, weiGrid(list).csv(','), reconcile.Options{}), reconcile.Options{}).WriteTable(&out, false, 80))
	require.Regexp(t, `(?m)^undetermined +2  3-4 +unknown  its fee is undetermined`, out.String())
	out.Reset()
	require.NoError(t, match(t, book(t, "moonbeam-2100"), read(t, weiGrid(list).csv(','), reconcile.Options{}), reconcile.Options{}).WriteTable(&out, false, 80))
	require.NotContains(t, out.String(), "do not match to the wei")
}
