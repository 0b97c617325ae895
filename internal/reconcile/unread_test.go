package reconcile_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/reconcile"
)

// The sheets that were not read are named. While one of them has fees and no sheet is named, nothing is reconciled.
func TestSheetsThatWereNotRead(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	o := reconcile.Options{Symbol: "GLMR", Accounts: payers(t, list)}
	hash, other := list[0].hash(), "0x"+strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		rows   grid
		state  string // "" is visible
		mapped string
		open   bool
	}{
		"fees":               {grid{{"hash", "Fee (GLMR)"}, {hash, "9"}}, "", "", true},
		"below titles":       {grid{{"Company Ltd"}, {"2026"}, {"hash", "fee"}, {"", ""}, {hash, "9"}}, "", "", true},
		"hidden":             {grid{{"hash", "fee"}, {hash, "9"}}, "hidden", "", true},
		"very hidden":        {grid{{"hash", "fee"}, {hash, "9"}}, "veryHidden", "", true},
		"without hashes":     {grid{{"Date", "Gebühr"}, {"2026-01-01", "9"}}, "", "", true},
		"of another asset":   {grid{{"hash", "TxnFee(ETH)"}, {hash, "9"}}, "", "", true},
		"of a profile":       {grid{strings.Split("Koinly Date,Amount,Currency,Label,TxHash", ","), {"2026-01-01", "-9", "GLMR", "cost", hash}}, "", "", true},
		"by the user's name": {grid{{"hash", "Kosten"}, {hash, "9"}}, "", "Kosten", true},
		"without a header":   {grid{{hash, "9"}, {other, "9"}}, "", "", true},
		"a header alone":     {grid{{"hash", "fee"}}, "", "", false},
		"no fees":            {grid{{"Chart", "of accounts"}, {"4711", "bank charges"}}, "", "", false},
		"hidden, no fees":    {grid{{"a", "b"}, {"c", "d"}}, "hidden", "", false},
		"empty":              {nil, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			g := tokenGrid(list)
			if c.mapped != "" {
				g[0][1] = c.mapped
			}
			text := g.xlsx(t, func(f *excelize.File) {
				f.NewSheet("S2")
				for i := range c.rows {
					require.NoError(t, f.SetSheetRow("S2", fmt.Sprintf("A%d", i+1), &c.rows[i]))
				}
			})
			if c.state != "" {
				text = changePart(t, text, "xl/workbook.xml", func(s string) string {
					return strings.Replace(s, `name="S2"`, `name="S2" state="`+c.state+`"`, 1)
				})
			}
			for _, sheet := range []string{"", "Sheet1"} {
				as := o
				as.Sheet, as.Unit = sheet, reconcile.Token
				if c.mapped != "" {
					as.Columns = map[reconcile.Field]string{reconcile.Fee: c.mapped}
				}
				f, r := matched(t, text, as)
				shown := map[string]string{"": `"S2"`, "hidden": `"S2" (hidden)`, "veryHidden": `"S2" (very hidden)`}[c.state]
				require.Contains(t, f.Notes, "Not read: sheet "+shown+".")
				require.Zero(t, r.Apart())
				require.Equal(t, chain.Some(!c.open || sheet != ""), r.Reconciled(), sheet)
				if r.Agrees() {
					require.Equal(t, fmt.Sprintf("all %d match", len(list)), r.Headline())
					continue
				}
				require.Equal(t, fmt.Sprintf(`%d match; sheet "S2" with fees was not read`, len(list)), r.Headline())
				require.Contains(t, f.Notes, `Sheet "S2" has fees, too. Name the sheet of this record with --sheet; the result is open until then.`)
				var out bytes.Buffer
				require.NoError(t, r.WriteJSON(&out, false))
				require.Contains(t, out.String(), `"reconciled": false`)
			}
		})
	}

	// A sheet that cannot be examined may have fees.
	text := tokenGrid(list).xlsx(t, func(f *excelize.File) { f.NewSheet("S2") })
	_, r := matched(t, changePart(t, text, "xl/worksheets/sheet2.xml", func(string) string { return "<worksheet><sheetData><row" }), o)
	require.Equal(t, []string{`"S2"`}, r.UnreadSheets)

	// Of two sheets with one name, --sheet cannot name the second.
	text = changePart(t, text, "xl/workbook.xml", func(s string) string { return strings.Replace(s, `"S2"`, `"sheet1"`, 1) })
	_, err := readAll(strings.NewReader(text), o)
	require.ErrorContains(t, err, `two sheets are called "sheet1"; rename one of them`)
}

// tokenGrid is a record in the token.
func tokenGrid(list []*sent) grid {
	g := grid{{"hash", "Fee (GLMR)"}}
	for _, s := range list {
		g = append(g, []string{s.hash(), s.token()})
	}
	return g
}

// A workbook writes some characters as _xHHHH_. They are read as a spreadsheet shows them, in each kind of text.
func TestEscapedCharacters(t *testing.T) {
	read := func(escaped string) string {
		cell := func(place, text string) string {
			return `<c r="` + place + `" t="inlineStr"><is><t xml:space="preserve">` + text + `</t></is></c>`
		}
		text := changePart(t, grid{{""}}.xlsx(t, nil), "xl/worksheets/sheet1.xml", func(string) string {
			return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">` +
				cell("A1", "Extrinsic_x0020_ID_x000d_\n") + `<c r="B1" t="str"><f>X1</f><v>Fee_x000D_` + "\n" + `(GLMR)</v></c>` + cell("C1", escaped) +
				`</row><row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="str"><f>X2</f><v>0.5_x000D_</v></c></row></sheetData></worksheet>`
		})
		text = changePart(t, text, "xl/sharedStrings.xml", func(string) string {
			return `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><r><t>25</t></r><r><t>-7_x000D_</t></r></si></sst>`
		})
		rows, err := readAll(strings.NewReader(text), reconcile.Options{Symbol: "GLMR"})
		require.NoError(t, err)
		require.Equal(t, "500000000000000000", rows[0].Fee.String())
		p, err := reconcile.ReadPreview(t.Context(), strings.NewReader(text), reconcile.Options{Symbol: "GLMR"}, 1)
		require.NoError(t, err)
		return p.Header[2]
	}
	for escaped, want := range map[string]string{
		"a_x0041_b": "aAb", "_x005F_x0041_": "_x0041_", "_x005F__x0041_": "_A", "_x00_x0041_": "_x00A", "_X0041_": "_X0041_", "_x41_": "_x41_",
		"_x0041": "_x0041", "_xD83D__xDE00_": "\U0001F600", "_x00e9_": "é", "_x000D__x000A_": "\n", "x_x0041x0041_": "x_x0041x0041_",
	} {
		require.Equal(t, want, read(escaped), escaped)
	}
	// So is the name of a sheet.
	text := grid{{"Extrinsic ID", "fee"}, {"25-7", "1"}}.xlsx(t, func(f *excelize.File) {
		f.SetSheetName("Sheet1", "a_x0041_")
	})
	text = changePart(t, text, "xl/workbook.xml", func(s string) string { return strings.Replace(s, "a_x005F_x0041_", "a_x0041_", 1) })
	for _, sheet := range []string{"", "aA"} {
		require.Equal(t, "aA", file(t, text, reconcile.Options{Unit: reconcile.Wei, Sheet: sheet}).Sheet)
	}
}

// Programs differ in which of two parts with one name they read, so such a workbook is refused.
func TestPartsOfOneName(t *testing.T) {
	text := grid{{"Extrinsic ID", "fee_wei"}, {"25-7", "1"}}.xlsx(t, nil)
	from, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	for _, name := range []string{"xl/worksheets/sheet1.xml", "XL/Worksheets/Sheet1.xml"} {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for _, part := range from.File {
			require.NoError(t, w.Copy(part))
		}
		added, err := w.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(added, "<worksheet/>")
		require.NoError(t, err)
		require.NoError(t, w.Close())
		_, err = readAll(&out, reconcile.Options{})
		require.ErrorContains(t, err, `the workbook has two parts "`+name+`"`)
	}
}

// A formula without a value that a spreadsheet computed is named as one.
func TestFormulasWithoutAValue(t *testing.T) {
	for cell, c := range map[string]struct {
		uncomputed bool
		why        string
	}{
		`<c r="B2"><f>1+1</f></c>`:                           {false, "it is a formula without a stored value"},
		`<c r="B2"><f>1+1</f><v></v></c>`:                    {false, "it is a formula without a stored value"},
		`<c r="B2" t="str"><f>X1</f></c>`:                    {false, "it is a formula without a stored value"},
		`<c r="B2" t="n"><f t="shared" si="0"/></c>`:         {false, "it is a formula without a stored value"},
		`<c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c>`:       {false, "it is a formula with the error #DIV/0!"},
		`<c r="B2" t="e"><v>#REF!</v></c>`:                   {false, "the spreadsheet shows the error #REF!"},
		`<c r="B2"><f>1+1</f><v>0</v></c>`:                   {true, "it is a formula without a stored value"}, // as XlsxWriter writes it
		`<c r="B2"><f>1-1</f><v>0</v><x></x></c>`:            {false, ""},
		`<c r="B2"><f>1+1</f><v>2</v></c>`:                   {true, ""},
		`<c r="B2" t="str"><f>X1</f><v>2</v></c>`:            {true, ""},
		`<c r="B2"><v>0</v></c>`:                             {true, ""},
		`<c r="B2" t="n"><f t="shared" si="0"/><v>2</v></c>`: {false, ""},
	} {
		text := changePart(t, grid{{"Extrinsic ID", "fee"}, {"25-7", ""}}.xlsx(t, nil), "xl/worksheets/sheet1.xml", func(s string) string {
			at := strings.Index(s, `<c r="B2"`)
			return s[:at] + cell + s[at+strings.Index(s[at:], "</c>")+len("</c>"):]
		})
		if c.uncomputed {
			text = changePart(t, text, "xl/workbook.xml", func(s string) string {
				return strings.Replace(s, "</workbook>", `<calcPr calcId="124519" fullCalcOnLoad="1"/></workbook>`, 1)
			})
		}
		_, err := readAll(strings.NewReader(text), reconcile.Options{Unit: reconcile.Wei})
		if c.why == "" {
			require.NoError(t, err, cell)
			continue
		}
		require.ErrorContains(t, err, c.why, cell)
	}
}
