package table_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/program"
)

// office is the path of LibreOffice, Debian's package libreoffice-calc.
func office(t *testing.T) string { return program.Path(t, program.Office, "soffice") }

// convert converts a file's sheet with LibreOffice.
func convert(t *testing.T, file, form string, options ...string) []byte {
	directory := t.TempDir()
	options = append(options, "--headless", "--norestore", "-env:UserInstallation=file://"+filepath.Join(directory, "profile"),
		"--convert-to", form, "--outdir", directory, file)
	patience, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(patience, office(t), options...)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	found, err := filepath.Glob(filepath.Join(directory, "book*"))
	require.NoError(t, err)
	require.Len(t, found, 1, "%s", out)
	text, err := os.ReadFile(found[0])
	require.NoError(t, err)
	return text
}

// Forms of LibreOffice's CSV: separator, quotes, UTF-8, then what decides; cells as
// values with all their digits, or formulas where there are some.
const (
	valuesForm   = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false"
	formulasForm = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,true"
)

// cached returns the stored result of a formula.
var cached = regexp.MustCompile(`(<f>[^<]*</f>)<v>[^<]*</v>`)

// withoutResults removes the results of formulas, so that a displayed one was computed.
func withoutResults(t *testing.T, text []byte) []byte {
	archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for _, file := range archive.File {
		content := []byte(part(t, text, file.Name))
		entry, err := writer.Create(file.Name)
		require.NoError(t, err)
		_, err = io.Copy(entry, bytes.NewReader(cached.ReplaceAll(content, []byte("$1"))))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return out.Bytes()
}

func TestOfficeWorksOutTheTotals(t *testing.T) {
	office(t)
	hostile := []string{"=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1+1", " =1+1", "=cmd|' /C calc'!A0", "\uff1d1+1", "_x003D_1+1", "=HYPERLINK(\"http://evil\")", "'=1+1"}
	fees := []string{"1", "999999999999999999", "2625000000000000", "123456789012345678901", "31250000000000000", "7", "18446744073709551615", "5", "0", "42", "1000000000000000000"}
	fee, drift := new(big.Int), new(big.Int)
	var list [][]any
	for i, text := range hostile {
		n, _ := new(big.Int).SetString(fees[i], 10)
		fee.Add(fee, n)
		drift.Sub(drift, n)
		list = append(list, []any{text, wei(t, fees[i]), signed(t, "-"+fees[i]), i, at(t, 1_704_067_200_000+uint64(i)*1000)})
	}
	s := &table.Sheet{Name: "transactions", Title: "=1+1", Notes: []string{"=2+2"}, Token: console.Token{Symbol: "GLMR"}, Columns: []table.Column{
		{Name: "call", Kind: table.Text}, {Name: "fee", Kind: table.Wei, Total: true},
		{Name: "drift", Kind: table.SignedWei, Total: true}, {Name: "count", Kind: table.Integer, Total: true}, {Name: "time", Kind: table.Time},
	}, Rows: rows(list...)}
	file := filepath.Join(t.TempDir(), "book.xlsx")
	require.NoError(t, os.WriteFile(file, withoutResults(t, written(t, "xlsx", s)), 0o666))

	lines := readLines(t, convert(t, file, valuesForm))
	require.Equal(t, []string{"=1+1"}, lines[0][:1])
	require.Equal(t, []string{"note: =2+2"}, lines[1][:1])
	require.Equal(t, []string{"Call", "Fee, GLMR", "Drift, GLMR", "Count", "Time", "Fee, wei, as text", "Drift, wei, as text"}, lines[2])
	for i, text := range hostile {
		require.Equal(t, plain.Line(text), lines[3+i][0])
		require.Equal(t, fees[i], lines[3+i][5])
	}
	totals := lines[3+len(hostile)]
	require.Equal(t, []string{"total", fee.String(), "-" + fee.String(), "55"}, []string{totals[0], totals[5], totals[6], totals[3]})
	within(t, totals[1], tokensOf(fee))
	within(t, totals[2], tokensOf(drift))

	formulas := 0
	for i, line := range readLines(t, convert(t, file, formulasForm)) {
		for k, cell := range line {
			if cell != lines[i][k] {
				require.Regexp(t, `^=SUM\([A-Z]+4:[A-Z]+14\)$`, cell)
				formulas++
			}
		}
	}
	require.Equal(t, 3, formulas, "only the three totals are formulas")
}

// LibreOffice evaluates formulas in a CSV; a plain cell is none.
func TestOfficeTakesNoTextForAFormula(t *testing.T) {
	office(t)
	hostile := []any{"=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1+1", "  =1+1", "\r\n=1+1", "\x00=1+1", "\ufeff=1+1", "\u00a0=1+1", "=cmd|' /C calc'!A0", "\uff1d1+1", "\u22121+1"}
	file := filepath.Join(t.TempDir(), "book.csv")
	require.NoError(t, os.WriteFile(file, written(t, "csv", one(table.Text, false, hostile...)), 0o666))
	for _, form := range []string{valuesForm, formulasForm} {
		lines := readLines(t, convert(t, file, form, "--infilter=CSV:44,34,76,1"))
		require.Len(t, lines, 1+len(hostile))
		for i, text := range hostile {
			require.Equal(t, plain.Cell(text.(string)), lines[i+1][0])
		}
	}
	require.NoError(t, os.WriteFile(file, []byte("it\n=1+1\n"), 0o666))
	require.Equal(t, "2", readLines(t, convert(t, file, valuesForm, "--infilter=CSV:44,34,76,1"))[1][0], "unsafe text is evaluated")
}

func readLines(t *testing.T, text []byte) [][]string {
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err, string(text))
	return lines
}

// within requires a figure to be within 10^-9 token of the expected one.
func within(t *testing.T, figure string, want *big.Rat) {
	difference := new(big.Rat).Sub(rational(t, figure), want)
	require.True(t, difference.Abs(difference).Cmp(big.NewRat(1, 1_000_000_000)) < 0, "have %s, want %s", figure, want.FloatString(18))
}
