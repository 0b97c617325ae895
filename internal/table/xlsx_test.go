package table_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// opened reads a workbook back.
type book struct {
	t *testing.T
	*excelize.File
}

func opened(t *testing.T, text []byte) book {
	file, err := excelize.OpenReader(bytes.NewReader(text))
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	return book{t, file}
}

// cells returns all cells as displayed.
func (b book) cells(sheet string) [][]string {
	rows, err := b.GetRows(sheet)
	require.NoError(b.t, err)
	return rows
}

// part returns one of the files of a workbook.
func part(t *testing.T, text []byte, name string) string {
	archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	file, err := archive.Open(name)
	require.NoError(t, err)
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	return string(content)
}

var cellXML = regexp.MustCompile(`<c r="([A-Z]+[0-9]+)"(?: s="[0-9]+")?(?: t="([a-zA-Z]+)")?>(.*?)</c>`)

// cell is a cell in the XML: its type, empty for numbers, and its content.
type cell struct{ kind, content string }

func cellsOf(xml string) map[string]cell {
	cells := map[string]cell{}
	for _, match := range cellXML.FindAllStringSubmatch(xml, -1) {
		cells[match[1]] = cell{match[2], match[3]}
	}
	return cells
}

func inline(text string) cell { return cell{"inlineStr", "<is><t>" + text + "</t></is>"} }

func TestXLSXCells(t *testing.T) {
	xml := part(t, written(t, "xlsx", every(t)), "xl/worksheets/sheet1.xml")
	cells := cellsOf(xml)
	for name, want := range map[string]cell{
		"A1": inline("Every kind of value"),
		"A2": inline("note: 2 blocks are not covered"),
		"A3": inline("note: =1+1 is [31mno formula"),
		"A4": inline("Call"), "B4": inline("Gas"), "C4": inline("Fee, GLMR"), "D4": inline("Drift, GLMR"), "E4": inline("Transferred, smallest unit, as text"),
		"F4": inline("Gas price, wei"), "K4": inline("Success"), "L4": inline("Fee, wei, as text"), "M4": inline("Drift, wei, as text"),
		"A5": inline("balances.transfer"),
		"B5": {"", "<v>21000</v>"},
		"C5": {"", "<v>0.002625</v>"},
		"D5": {"", "<v>-0.000000000000000001</v>"},
		"E5": inline("1"),
		"F5": {"", "<v>125000000000</v>"},
		"G5": {"", "<v>45292</v>"}, // 2024-01-01 is day 45292 of those that 1900 began
		"H5": {"", "<v>45292</v>"},
		"I5": inline("0x00000000000000000000000000000000000000000000000000000000000000ab"),
		"J5": inline("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
		"K5": {"b", "<v>1</v>"},
		"L5": inline("2625000000000000"),
		"M5": inline("-1"),
		"A6": inline("=HYPERLINK(&#34;http://evil&#34;;&#34;a,b&#34;)"),
		"B6": {"", "<v>-5</v>"},
		"E6": inline("115792089237316195423570985008687907853269984665640564039457584007913129639935"),
		"H6": {"", "<v>45322</v>"},
		"K6": {"b", "<v>0</v>"},
		"L6": inline("12345678901234567890123"),
		"A8": inline("total"),
		"B8": {"", "<f>SUM(B5:B7)</f><v>20995</v>"},
		"L8": inline("12345681526234567890123"),
		"M8": inline("1499999999999999999"),
	} {
		require.Equal(t, want, cells[name], name)
	}
	require.True(t, strings.HasPrefix(cells["C8"].content, "<f>SUM(C5:C7)</f><v>12345.6815262345"), cells["C8"])
	require.True(t, strings.HasPrefix(cells["D8"].content, "<f>SUM(D5:D7)</f><v>1.5"), cells["D8"])
	require.Equal(t, 3, strings.Count(xml, "<f>"))
	require.Contains(t, xml, `<pane activePane="bottomLeft" state="frozen" topLeftCell="A5" ySplit="4">`)
	require.Contains(t, xml, `<autoFilter ref="$A$4:$M$7">`)
	require.Contains(t, xml, `<cols><col min="1" max="1" width="24" customWidth="1"/><col min="2" max="2" width="14"`)
	require.Contains(t, xml, `<pageSetUpPr fitToPage="true">`)
	require.Contains(t, xml, `<pageSetup fitToHeight="0" fitToWidth="1" orientation="landscape">`)
	require.Contains(t, part(t, written(t, "xlsx", every(t)), "xl/workbook.xml"), `<definedName localSheetId="0" name="_xlnm.Print_Titles">&#39;all kinds&#39;!$4:$4</definedName>`)
	require.NotContains(t, xml, "<dimension")
	require.NotContains(t, xml, `<row r="9"`)
}

// Cells are displayed by their formats.
func TestXLSXReadBack(t *testing.T) {
	b := opened(t, written(t, "xlsx", every(t)))
	cells := b.cells("all kinds")
	require.Equal(t, []string{
		"balances.transfer", "21000", "0.002625000000000000", "-0.000000000000000001", "1", "125000000000",
		"2024-01-01 00:00:00", "2024-01-01",
		"0x00000000000000000000000000000000000000000000000000000000000000ab", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "TRUE",
		"2625000000000000", "-1",
	}, cells[4])
	require.Equal(t, "2024-01-31 12:26:39", cells[5][6])
	require.Equal(t, "2024-01-31", cells[5][7])
	require.Equal(t, "FALSE", cells[5][10])
	require.Empty(t, cells[6])
	for _, name := range []string{"A4", "M4", "A8", "C8", "L8"} {
		id, err := b.GetCellStyle("all kinds", name)
		require.NoError(t, err)
		style, err := b.GetStyle(id)
		require.NoError(t, err)
		require.True(t, style.Font.Bold, name)
	}
	properties, err := b.GetDocProps()
	require.NoError(t, err)
	require.Equal(t, "2000-01-01T00:00:00Z", properties.Created)
	require.Equal(t, "2000-01-01T00:00:00Z", properties.Modified)
}

// A heading that consists of a unit only is the unit; an abbreviation keeps its capitals.
func TestXLSXHeadings(t *testing.T) {
	s := &table.Sheet{Name: "headings", Columns: []table.Column{
		{Name: "percent", Kind: table.Percent}, {Name: "evm_fee", Kind: table.Wei}, {Name: "id", Kind: table.Text}, {Name: "fee_percent", Kind: table.Percent}, {Name: "gas_price_10", Kind: table.GasPrice},
	}}
	require.Equal(t, []string{"%", "EVM fee", "ID", "Fee, %", "Gas price, 10th percentile, wei", "EVM fee, wei, as text"}, opened(t, written(t, "xlsx", s)).cells("headings")[0])
}

// Each element of the properties has its usual prefix: some readers find elements by their names with prefixes.
func TestXLSXPropertiesHavePrefixes(t *testing.T) {
	xml := part(t, written(t, "xlsx", every(t)), "docProps/core.xml")
	for _, name := range []string{"cp:coreProperties", "dc:title", "dc:creator", "cp:lastModifiedBy", "dcterms:created", "dcterms:modified"} {
		require.Regexp(t, "<"+name+"[ >]", xml)
		require.Contains(t, xml, "</"+name+">")
	}
}

func TestXLSXTextIsNeverAFormula(t *testing.T) {
	hostile := []any{"=1+1", "+1", "-1+1", "@SUM(1)", "\t=1", " =1", "=cmd|' /C calc'!A0", "</t></is></c><c><f>1+1</f>", "_x003D_1", "_x0041_x0042_", "__x005F_", "\x00=1", "&#61;1"}
	text := written(t, "xlsx", one(table.Text, false, hostile...))
	xml := part(t, text, "xl/worksheets/sheet1.xml")
	require.NotContains(t, xml, "<f>")
	for name, c := range cellsOf(xml) {
		require.Equal(t, "inlineStr", c.kind, name)
	}
	b := opened(t, text)
	for i, want := range hostile {
		got, err := b.GetCellValue("one", fmt.Sprintf("A%d", i+2))
		require.NoError(t, err)
		require.Equal(t, plain.Line(want.(string)), got)
	}
}

// Numbers of more than 15 digits are text, and so is a sum with them.
func TestXLSXIntegersThatANumberCannotHold(t *testing.T) {
	cells := cellsOf(part(t, written(t, "xlsx", one(table.Integer, true, uint64(999_999_999_999_999), uint64(1_000_000_000_000_000), int64(-999_999_999_999_999))), "xl/worksheets/sheet1.xml"))
	require.Equal(t, cell{"", "<v>999999999999999</v>"}, cells["A2"])
	require.Equal(t, inline("1000000000000000"), cells["A3"])
	require.Equal(t, cell{"", "<v>-999999999999999</v>"}, cells["A4"])
	require.Equal(t, inline("1000000000000000"), cells["A5"])

	cells = cellsOf(part(t, written(t, "xlsx", one(table.Integer, true, uint64(999_999_999_999_999), 1)), "xl/worksheets/sheet1.xml"))
	require.Equal(t, inline("1000000000000000"), cells["A4"], "a sum can be too long although its numbers are not")

	cells = cellsOf(part(t, written(t, "xlsx", one(table.GasPrice, false, price(t, "999999999999999"), price(t, "1000000000000000"))), "xl/worksheets/sheet1.xml"))
	require.Equal(t, cell{"", "<v>999999999999999</v>"}, cells["A2"])
	require.Equal(t, inline("1000000000000000"), cells["A3"])
}

func TestXLSXLongTextEndsVisibly(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("a", 32767):                 strings.Repeat("a", 32767),
		strings.Repeat("a", 32768):                 strings.Repeat("a", 32766) + "…",
		strings.Repeat("\U0001f600", 20_000):       strings.Repeat("\U0001f600", 16382) + "…",
		"a" + strings.Repeat("\U0001f600", 20_000): "a" + strings.Repeat("\U0001f600", 16382) + "…",
	} {
		got, err := opened(t, written(t, "xlsx", one(table.Text, false, text))).GetCellValue("one", "A2")
		require.NoError(t, err)
		require.True(t, want == got, "%d characters became %d", len(text), len(got))
	}
}

func TestXLSXSheetNames(t *testing.T) {
	names := []string{
		"transactions", "Transactions", "a/b\\c[d]:e*f?", "", "'quoted'", "History", strings.Repeat("x", 40), strings.Repeat("x", 35),
		"a\x00b", "\U0001f600", strings.Repeat("y", 30) + "'z",
	}
	want := []string{
		"transactions", "Transactions 2", "a_b_c_d__e_f_", "sheet", "quoted", "History 2", strings.Repeat("x", 31), strings.Repeat("x", 29) + " 2",
		"ab", "_", strings.Repeat("y", 30),
	}
	var sheets []*table.Sheet
	for i, name := range names {
		s := one(table.Integer, false, i)
		s.Name = name
		sheets = append(sheets, s)
	}
	var first []byte
	for range 5 {
		sheets := append([]*table.Sheet(nil), sheets...)
		var out bytes.Buffer
		require.NoError(t, table.WriteXLSX(&out, sheets...))
		if first == nil {
			first = out.Bytes()
		}
		require.Equal(t, first, out.Bytes())
	}
	b := opened(t, first)
	require.Equal(t, want, b.GetSheetList())
	for i, name := range want {
		require.Equal(t, [][]string{{"It"}, {fmt.Sprint(i)}}, b.cells(name))
	}
}

func TestXLSXManyNotes(t *testing.T) {
	s := one(table.Integer, true, 1, 2)
	for i := range 10 {
		s.Notes = append(s.Notes, fmt.Sprintf("number %d", i+1))
	}
	require.Equal(t, [][]string{
		{"note: number 1"}, {"note: number 2"}, {"note: number 3"}, {"note: number 4"}, {"note: number 5"}, {"note: number 6"}, {"note: number 7"}, {"note: number 8"},
		{"It"}, {"1"}, {"2"}, {"3"}, {"note: number 9"}, {"note: number 10"},
	}, opened(t, written(t, "xlsx", s)).cells("one"))
}

// A failed workbook writes nothing and leaves no files behind.
func TestXLSXErrorLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	broken := errors.New("the ledger is gone")
	long := strings.Repeat("x", 10_000)
	s := one(table.Text, false)
	s.Rows = func(yield func([]any, error) bool) {
		for range 2_000 {
			if !yield([]any{long}, nil) {
				return
			}
		}
		yield(nil, broken)
	}
	var out bytes.Buffer
	require.ErrorIs(t, table.WriteXLSX(&out, one(table.Text, false, "a"), s), broken)
	require.Empty(t, out.Bytes())
	require.EqualError(t, table.WriteXLSX(&out), "a workbook needs at least one sheet")
	require.ErrorIs(t, table.WriteXLSX(&full{100}, every(t)), errFull)
	require.NoError(t, table.WriteXLSX(&out, every(t)))
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, left)

	t.Setenv("TMPDIR", "/nowhere")
	require.ErrorIs(t, table.WriteXLSX(io.Discard, every(t)), os.ErrNotExist)
}

// A sheet has 2^20 lines: with a header, 2^20-1 rows.
func TestXLSXMostRows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	count := func(total bool, n int) *table.Sheet {
		s := one(table.Integer, total)
		row := []any{nil}
		s.Rows = func(yield func([]any, error) bool) {
			for range n {
				if !yield(row, nil) {
					return
				}
			}
		}
		return s
	}
	require.NoError(t, table.WriteXLSX(io.Discard, count(false, 1_048_575)))
	for _, s := range []*table.Sheet{count(false, 1_048_576), count(true, 1_048_575)} {
		var out bytes.Buffer
		require.EqualError(t, table.WriteXLSX(&out, s), `sheet "one" has more rows than XLSX can hold (1048576 lines with header and totals); write CSV or Parquet, or only part of the rows`)
		require.Empty(t, out.Bytes())
	}
}

func TestXLSXTotalOfMoreThanABalance(t *testing.T) {
	most := "340282366920938463463374607431768211455" // 2^128-1
	for _, form := range []string{"xlsx", "txt"} {
		err := forms[form](io.Discard, one(table.Wei, true, wei(t, most), wei(t, "1")))
		require.ErrorIs(t, err, chain.ErrOverflow)
		require.ErrorContains(t, err, `sheet "one", column it: the total: `)
	}
}
