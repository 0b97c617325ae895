package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/test/tier"
)

// forms are all formats of a report with their widths, by file extension.
var forms = map[string]int{"txt": 160, "narrow.txt": 50, "json": 0, "csv": 0, "xlsx": 0, "parquet": 0, "html": 0}

func written(t testing.TB, form string, r *report.Report) []byte {
	var out bytes.Buffer
	require.NoError(t, r.Document().Write(&out, form, forms[form]))
	return out.Bytes()
}

// The formats are unchanged. Other tests verify the figures.
func TestForms(t *testing.T) {
	book, _ := kept(t, recorded(t, "moonbeam-2100"), 27)
	requests := map[string]report.Request{
		"call":  {Choice: report.Choice{By: report.Call, Percentiles: true}, Period: heights(0, 27)},
		"hour":  {Choice: report.Choice{By: report.Hour}, Period: days(t, "2026-01-01", "2026-01-02", location(t, "Asia/Kathmandu")), Zone: location(t, "Asia/Kathmandu")},
		"block": {Choice: report.Choice{By: report.Block}, Period: heights(20, 40)}, // beyond the book
	}
	for name, q := range requests {
		for form := range forms {
			t.Run(name+"."+form, func(t *testing.T) {
				have := written(t, form, made(t, book, q))
				require.Equal(t, have, written(t, form, made(t, book, q)), "the same bytes")
				if form == "html" { // its style sheet is page.css, and stands there once
					style, err := os.ReadFile("page.css")
					require.NoError(t, err)
					require.Equal(t, 1, bytes.Count(have, style))
					have = bytes.Replace(have, style, []byte("/* page.css */"), 1)
				}
				path := filepath.Join("testdata", name+"."+form)
				if *update {
					require.NoError(t, os.WriteFile(path, have, 0o644))
				}
				want, err := os.ReadFile(path)
				require.NoError(t, err)
				if form == "xlsx" || form == "parquet" {
					require.True(t, bytes.Equal(want, have), "run the test with -update if the change is meant")
				} else {
					require.Equal(t, string(want), string(have), "run the test with -update if the change is meant")
				}
			})
		}
	}
}

// In every format, the parts of every report add up to the ledger's own totals, exactly.
func TestPartsAddUp(t *testing.T) {
	book, _ := kept(t, generated(300), 300)
	status, err := book.Status(t.Context())
	require.NoError(t, err)
	want := map[string]string{
		"fee": status.Totals.Fee.String(), "evm_fee": status.Totals.EVMFee.String(), "native_fee": status.Totals.NativeFee.String(),
		"priority_fee": status.Totals.PriorityFee.String(), "tip": status.Totals.Tip.String(), "charged": status.Totals.Charged.String(),
		"burned": status.Totals.Burned.String(), "treasury": status.Totals.Treasury.String(), "author": status.Totals.Author.String(),
		"evm": fmt.Sprint(status.Totals.EVM), "native": fmt.Sprint(status.Totals.Native), "gas": fmt.Sprint(status.Totals.Gas),
	}
	require.NotEqual(t, "0", want["tip"])
	for _, by := range report.Groupings() {
		r := made(t, book, report.Request{Choice: report.Choice{By: by}, Period: heights(0, 300)})
		require.NotEmpty(t, r.Groups)
		for form, read := range map[string]func(*testing.T, []byte) []map[string]string{
			"json": readJSON, "csv": readCSV, "xlsx": readXLSX, "parquet": readParquet, "html": readHTML,
		} {
			if !tier.Takes(form + string(by)) {
				continue
			}
			rows := read(t, written(t, form, r))
			require.Len(t, rows, len(r.Groups), "%s by %s", form, by)
			for name, total := range want {
				sum := new(big.Int)
				for _, row := range rows {
					sum.Add(sum, number(t, row[name]))
				}
				require.Equal(t, total, sum.String(), "%s by %s: %s", form, by, name)
			}
		}
	}
}

func readJSON(t *testing.T, text []byte) (rows []map[string]string) {
	var d struct {
		Groups []map[string]any `json:"groups"`
		Totals map[string]any   `json:"totals"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&d))
	for _, g := range d.Groups {
		row := map[string]string{}
		for name, value := range g {
			row[name] = fmt.Sprint(value)
		}
		rows = append(rows, row)
	}
	return rows
}

func readCSV(t *testing.T, text []byte) []map[string]string {
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	return named(lines[0], lines[1:])
}

// readXLSX reads the exact amounts, which are the texts in the last columns, and the other numbers.
func readXLSX(t *testing.T, file []byte) (rows []map[string]string) {
	book, err := excelize.OpenReader(bytes.NewReader(file))
	require.NoError(t, err)
	lines, err := book.GetRows(book.GetSheetName(0), excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	for len(lines[0]) < 5 { // title and notes
		lines = lines[1:]
	}
	for i, heading := range lines[0] {
		name, _, _ := strings.Cut(strings.ToLower(heading), ",") // the exact amount is the last of a name
		lines[0][i] = strings.ReplaceAll(name, " ", "_")
	}
	return named(lines[0], lines[1:len(lines)-1])
}

func readParquet(t *testing.T, file []byte) (rows []map[string]string) {
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	fields := f.Schema().Fields()
	for _, group := range f.RowGroups() {
		reader := group.Rows()
		buffer := make([]parquet.Row, 1)
		for {
			n, err := reader.ReadRows(buffer)
			if n == 1 {
				row := map[string]string{}
				for _, v := range buffer[0] {
					name := fields[v.Column()].Name()
					row[name] = v.String()
					if v.Kind() == parquet.FixedLenByteArray && fields[v.Column()].Type().LogicalType() != nil {
						row[name] = new(big.Int).SetBytes(v.ByteArray()).String() // none is negative
					}
				}
				rows = append(rows, row)
			}
			if err != nil {
				require.ErrorIs(t, err, io.EOF)
				break
			}
		}
		require.NoError(t, reader.Close())
	}
	return rows
}

var (
	tableCell = regexp.MustCompile(`<t[hd][^>]*>([^<]*)</t[hd]>`)
	tableRow  = regexp.MustCompile(`(?s)<tbody>(.*)</tbody>`)
)

// readHTML reads the cells of the page's table and converts the amounts to wei.
func readHTML(t *testing.T, page []byte) (rows []map[string]string) {
	text := string(page)
	cells := func(line string) (list []string) {
		for _, match := range tableCell.FindAllStringSubmatch(line, -1) {
			list = append(list, match[1])
		}
		return list
	}
	head := cells(text[strings.Index(text, "<thead>"):strings.Index(text, "</thead>")])
	for line := range strings.Lines(tableRow.FindStringSubmatch(text)[1]) {
		row := map[string]string{}
		for i, value := range cells(line) {
			name, amount := strings.CutSuffix(head[i], " GLMR")
			if amount {
				whole, fraction, _ := strings.Cut(value, ".")
				value = whole + fraction + strings.Repeat("0", 18-len(fraction))
			}
			row[strings.ReplaceAll(name, " ", "_")] = value
		}
		rows = append(rows, row)
	}
	return rows
}

func named(head []string, lines [][]string) (rows []map[string]string) {
	for _, line := range lines {
		row := map[string]string{}
		for i, value := range line {
			row[head[i]] = value
		}
		rows = append(rows, row)
	}
	return rows
}

// The table is shortened, and has no bars on narrow terminals.
func TestTableWidths(t *testing.T) {
	book, _ := kept(t, recorded(t, "moonbeam-2100"), 27)
	r := made(t, book, report.Request{Choice: report.Choice{By: report.Account}, Period: heights(0, 27)})
	for _, width := range []int{50, 59, 60, 80, 120, 200} {
		var out bytes.Buffer
		require.NoError(t, r.Document().Write(&out, "table", width))
		bars := 0
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "##") {
				bars++
			}
			require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), width, "%d: %s", width, line)
		}
		require.Equal(t, width >= 60, bars > 0, width)
		require.Contains(t, out.String(), r.Groups[0].Name(console.Token{})[2:6])
	}
}

// A period without payments is a valid report.
func TestNothing(t *testing.T) {
	book, _ := kept(t, recorded(t, "moonbeam-2100"), 27)
	r := made(t, book, report.Request{Choice: report.Choice{By: report.Day}, Period: days(t, "2026-01-02", "2026-01-03", time.UTC)})
	for form := range forms {
		require.NotEmpty(t, written(t, form, r), form)
	}
}
