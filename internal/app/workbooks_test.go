package app_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/program"
)

// worksheet is a sheet as a program reads it: texts, and numbers as [json.Number]. A program that writes CSV has only
// texts.
type worksheet struct {
	Name string
	Rows [][]any
}

// reader is a program that reads workbooks.
type reader struct {
	name  string
	kind  program.Kind
	typed bool // tells numbers from texts
	read  func(t *testing.T, k program.Kind, files []string) map[string][]worksheet
}

var readers = []reader{
	{"LibreOffice", program.Office, false, byLibreOffice},
	{"Gnumeric", program.Spreadsheets, false, byGnumeric},
	{"exceljs", program.Spreadsheets, true, byExcelJS},
	{"openpyxl", program.Spreadsheets, true, func(t *testing.T, k program.Kind, files []string) map[string][]worksheet {
		return byPython(t, k, files, `
import openpyxl
def read(file):
    for sheet in openpyxl.load_workbook(file, data_only=True):
        yield sheet.title, sheet.iter_rows(values_only=True)
`)
	}},
	{"pandas", program.Spreadsheets, true, func(t *testing.T, k program.Kind, files []string) map[string][]worksheet {
		return byPython(t, k, files, `
import pandas
def read(file):
    for name, frame in pandas.read_excel(file, sheet_name=None, header=None, dtype=object, keep_default_na=False).items():
        yield name, frame.values.tolist()
`)
	}},
}

// ran runs a program for a short time.
func ran(t *testing.T, input []byte, name string, arguments ...string) []byte {
	t.Helper()
	patience, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(patience, name, arguments...)
	command.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, "%s: %s", name, stderr.String())
	return out
}

// fromCSV reads the files that a program wrote for the sheets of workbooks, FILE-SHEET.csv.
func fromCSV(t *testing.T, dir string, files []string) map[string][]worksheet {
	books := map[string][]worksheet{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".xlsx")
		parts, err := filepath.Glob(filepath.Join(dir, name+"-*.csv"))
		require.NoError(t, err)
		for _, path := range parts {
			in, err := os.Open(path)
			require.NoError(t, err)
			lines, err := csv.NewReader(in).ReadAll()
			require.NoError(t, errors.Join(err, in.Close()), path)
			sheet := worksheet{Name: strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), name+"-"), ".csv")}
			for _, line := range lines {
				row := make([]any, len(line))
				for i, cell := range line {
					if cell != "" {
						row[i] = cell
					}
				}
				sheet.Rows = append(sheet.Rows, row)
			}
			books[file] = append(books[file], sheet)
		}
	}
	return books
}

func byLibreOffice(t *testing.T, k program.Kind, files []string) map[string][]worksheet {
	dir := t.TempDir()
	ran(t, nil, program.Path(t, k, "soffice"), append([]string{"--headless", "--norestore", "-env:UserInstallation=file://" + filepath.Join(t.TempDir(), "profile"),
		"--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1", "--outdir", dir}, files...)...)
	return fromCSV(t, dir, files)
}

// byGnumeric also computes the formulas again.
func byGnumeric(t *testing.T, k program.Kind, files []string) map[string][]worksheet {
	convert, dir := program.Path(t, k, "ssconvert"), t.TempDir()
	for _, file := range files {
		out := filepath.Join(dir, strings.TrimSuffix(filepath.Base(file), ".xlsx")+"-%s.csv")
		ran(t, nil, convert, "--recalc", "-S", "-T", "Gnumeric_stf:stf_assistant", "-O", "separator=, format=raw", file, out)
	}
	return fromCSV(t, dir, files)
}

// fromJSON reads what a script writes: the sheets of each file.
func fromJSON(t *testing.T, out []byte, files []string) map[string][]worksheet {
	decoder := json.NewDecoder(bytes.NewReader(out))
	decoder.UseNumber()
	var list [][]worksheet
	require.NoError(t, decoder.Decode(&list))
	require.Len(t, list, len(files))
	books := map[string][]worksheet{}
	for i, file := range files {
		books[file] = list[i]
	}
	return books
}

// byPython runs a script that yields the sheets of a file, with the first Python that has the libraries.
func byPython(t *testing.T, k program.Kind, files []string, read string) map[string][]worksheet {
	program.Ask(t, k)
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), python, "-c", "import openpyxl, pandas").Run() != nil {
			continue
		}
		input, err := json.Marshal(files)
		require.NoError(t, err)
		script := read + `
import datetime, json, sys
def plain(cell):
    return str(cell) if isinstance(cell, (datetime.datetime, datetime.date)) else None if cell == '' else cell
json.dump([[{'name': name, 'rows': [[plain(cell) for cell in row] for row in rows]} for name, rows in read(file)] for file in json.load(sys.stdin)], sys.stdout, allow_nan=False)
`
		return fromJSON(t, ran(t, input, python, "-c", script), files)
	}
	program.Missing(t, k, "no Python has pandas and openpyxl")
	return nil
}

// byExcelJS reads with exceljs. It leaves out the result of a formula if it is 0.
func byExcelJS(t *testing.T, k program.Kind, files []string) map[string][]worksheet {
	e := engine{name: "exceljs", pack: "exceljs", version: "4.4.0", kind: k, script: `
import { readFileSync } from 'node:fs';
import ExcelJS from 'exceljs';
const plain = value => value === undefined ? null : value?.formula ? value.result ?? 0 : value;
const books = [];
for (const file of JSON.parse(readFileSync(0, 'utf8'))) {
	const book = new ExcelJS.Workbook();
	await book.xlsx.readFile(file);
	books.push(book.worksheets.map(sheet => {
		const rows = [];
		sheet.eachRow({ includeEmpty: true }, row => rows.push(Array.from(row.values, plain).slice(1)));
		return { name: sheet.name, rows };
	}));
}
process.stdout.write(JSON.stringify(books));
`}
	input, err := json.Marshal(files)
	require.NoError(t, err)
	return fromJSON(t, e.run(t, input), files)
}

// heading is the heading in a workbook of a column of amounts in CSV, without its unit.
func heading(column string) string {
	words := strings.Split(strings.ReplaceAll(column, "evm", "EVM"), "_")
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ")
}

// figure is a cell as a number.
func figure(t *testing.T, cell any) *big.Rat {
	t.Helper()
	if cell == nil {
		return new(big.Rat)
	}
	n, ok := new(big.Rat).SetString(fmt.Sprint(cell))
	require.True(t, ok, "%v is not a number", cell)
	return n
}

// isNear requires a figure of a program, which calculates with 15 digits.
func isNear(t *testing.T, have, want *big.Rat, where string) {
	t.Helper()
	difference := new(big.Rat).Sub(have, want)
	limit := new(big.Rat).Add(new(big.Rat).Abs(want), big.NewRat(1, 1_000_000))
	require.True(t, difference.Abs(difference).Cmp(limit.Mul(limit, big.NewRat(1, 1_000_000_000_000))) <= 0, "%s: %s, want %s", where, have.FloatString(20), want.FloatString(20))
}

// The workbooks of a close package open in the programs that people use, and the columns of amounts add up there to the
// sums of our CSV: numbers to 15 digits, texts and stated totals exactly.
func TestProgramsReadTheWorkbooks(t *testing.T) {
	d, q := opened(t, copied(t)), question(t)
	q.Prices = app.PricesInput{Files: []string{write(t, "prices.csv", "# source: X\ndate,price\n2025-12-31,121.5\n2026-01-01,123.456789\n")}, Fiat: "EUR"}
	packed(t, d, q)
	request := app.Request{Period: parsed(t, q.PeriodInput), Accounts: []chain.Address{addressOf(t, alith), addressOf(t, baltathar)}}
	var err error
	request.Prices, err = app.ReadPrices(q.Prices)
	require.NoError(t, err)
	statements, err := d.Statements(t.Context(), app.StatementRequest{Request: request, Balances: withBalances(t)})
	require.NoError(t, err)
	rollforward, err := rolled(t, d, app.RollforwardRequest{Request: request, By: app.ByPeriod, Balances: withBalances(t)})
	require.NoError(t, err)

	// The lines of our CSV, by the workbook and the sheet.
	wanted := map[string]map[string][][]string{}
	var files []string
	for name, list := range map[string][]*table.Sheet{"report": nil, "accounts": nil, "statements": statements.Document(t.Context()).Sheets(), "rollforward": rollforward.Document(t.Context()).Sheets()} {
		file := filepath.Join(q.Dir, name+".xlsx")
		files = append(files, file)
		wanted[file] = map[string][][]string{}
		lines := func(sheet string, write func(io.Writer) error) {
			var text bytes.Buffer
			require.NoError(t, write(&text))
			wanted[file][sheet], err = csv.NewReader(&text).ReadAll()
			require.NoError(t, err)
		}
		if list == nil { // the package has it
			lines("", func(w io.Writer) error {
				text, err := os.ReadFile(filepath.Join(q.Dir, name+".csv"))
				_, failed := w.Write(text)
				return errors.Join(err, failed)
			})
		}
		for _, s := range list {
			lines(s.Name, func(w io.Writer) error { return table.WriteCSV(w, s) })
		}
	}
	slices.Sort(files)

	for _, p := range readers {
		t.Run(p.name, func(t *testing.T) {
			columns := 0
			for file, sheets := range p.read(t, p.kind, files) {
				require.Len(t, sheets, len(wanted[file]), file)
				for _, s := range sheets {
					want, found := wanted[file][s.Name]
					if len(sheets) == 1 {
						want, found = wanted[file][""], true
					}
					require.True(t, found, "%s has a sheet %s", file, s.Name)
					columns += s.addsUp(t, want, p.typed, filepath.Base(file)+" "+s.Name)
				}
			}
			require.Greater(t, columns, 30)
		})
	}
}

// inCurrency returns the heading in a workbook of a column of a currency in CSV, "" for other columns.
func inCurrency(column string) string {
	if base, is := strings.CutSuffix(column, "_eur"); is {
		return heading(base) + ", EUR"
	}
	if column == "value" {
		return "Value"
	}
	return ""
}

// addsUp requires a sheet to have the amounts of the lines of a CSV, and returns the number of its columns of amounts.
func (s *worksheet) addsUp(t *testing.T, lines [][]string, typed bool, where string) (columns int) {
	amounts := map[string]int{}
	for i, name := range lines[0] {
		if base, is := strings.CutSuffix(name, "_token"); is {
			require.Equal(t, base, lines[0][i-1])
			amounts[base] = i - 1
		}
	}
	top := slices.IndexFunc(s.Rows, func(row []any) bool { return row[0] == heading(lines[0][0]) })
	require.GreaterOrEqual(t, top, 0, "%s has no headings", where)
	rows := s.Rows[top+1:]
	require.GreaterOrEqual(t, len(rows), len(lines)-1, where)
	at := func(row []any, heading string) any {
		i := slices.Index(s.Rows[top], any(heading))
		require.GreaterOrEqual(t, i, 0, "%s has no column %s: %v", where, heading, s.Rows[top])
		if i >= len(row) {
			return nil
		}
		return row[i]
	}
	for place, name := range lines[0] {
		head := inCurrency(name)
		if head == "" {
			continue
		}
		want, have := new(big.Rat), new(big.Rat)
		for i, line := range lines[1:] {
			cell := at(rows[i], head)
			require.Equal(t, line[place] == "", cell == nil, "%s: %s of row %d", where, head, i)
			if cell != nil {
				want.Add(want, figure(t, line[place]))
				have.Add(have, figure(t, cell))
				if typed {
					require.IsType(t, json.Number(""), cell, "%s: %s of row %d", where, head, i)
				}
			}
		}
		isNear(t, have, want, where+": "+head)
		columns++
	}
	for base, place := range amounts {
		number, exact := heading(base)+", GLMR", heading(base)+", wei, as text"
		want, numbers, texts := new(big.Rat), new(big.Rat), new(big.Rat)
		for i, line := range lines[1:] {
			if line[place] != "" {
				want.Add(want, figure(t, line[place]))
			}
			if have := at(rows[i], exact); have != nil {
				require.Equal(t, line[place], have, "%s: %s of row %d", where, exact, i)
				texts.Add(texts, figure(t, have))
				if typed {
					require.IsType(t, json.Number(""), at(rows[i], number), "%s: %s of row %d", where, number, i)
				}
			} else {
				require.Empty(t, line[place], "%s: %s of row %d", where, exact, i)
			}
			numbers.Add(numbers, figure(t, at(rows[i], number)))
		}
		require.Zero(t, texts.Cmp(want), "%s: %s", where, exact)
		token := new(big.Rat).Quo(want, big.NewRat(1_000_000_000_000_000_000, 1))
		isNear(t, numbers, token, where+": "+number)
		columns++
		if len(rows) < len(lines) {
			continue
		}
		if total := at(rows[len(lines)-1], exact); total != nil {
			require.Equal(t, want.Num().String(), total, "%s: the total of %s", where, exact)
			isNear(t, figure(t, at(rows[len(lines)-1], number)), token, where+": the total of "+number)
		}
	}
	return columns
}
