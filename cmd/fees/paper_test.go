package main

import (
	"encoding/json"
	"maps"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/pdftest"
	"github.com/feeledger/fees/internal/test/program"
)

// tokensOfWei inserts the decimal point of 18 decimals.
func tokensOfWei(wei string) string {
	digits := strings.TrimPrefix(wei, "-")
	digits = strings.Repeat("0", max(0, 19-len(digits))) + digits
	return wei[:len(wei)-len(strings.TrimPrefix(wei, "-"))] + digits[:len(digits)-18] + "." + digits[len(digits)-18:]
}

// figuresOf adds the amounts in wei with these names to a list, wherever they are in a JSON value.
func figuresOf(value any, names map[string]bool, list *[]string) {
	switch v := value.(type) {
	case []any:
		for _, one := range netted(v) {
			figuresOf(one, names, list)
		}
	case map[string]any:
		if v["kind"] == "fee" && v["place"] == nil { // the sum of a statement's fees: paper has it by layer
			return
		}
		for name, one := range v {
			if text, isText := one.(string); isText && names[name] {
				*list = append(*list, tokensOfWei(text))
			}
			figuresOf(one, names, list)
		}
	}
}

// netted returns the movements of a statement as paper shows them: those of a transaction's fee, what was taken and what
// was given back, are one.
func netted(list []any) (shown []any) {
	fees := map[any]map[string]any{} // by transaction
	for _, one := range list {
		m, is := one.(map[string]any)
		if !is || m["of_fee"] != true {
			shown = append(shown, one)
			continue
		}
		before := fees[m["place"]]
		if before == nil {
			before = maps.Clone(m)
			fees[m["place"]] = before
			shown = append(shown, before)
			continue
		}
		sum, _ := new(big.Int).SetString(before["free"].(string), 10)
		more, _ := new(big.Int).SetString(m["free"].(string), 10)
		before["free"] = sum.Add(sum, more).String()
	}
	return shown
}

// onlyOnPaper are the headings that only paper has, with the reason.
var onlyOnPaper = map[string]string{
	"date": "a time in the zone of the statement", "id": "block and index of a transfer",
	"above": "of the list of what the tables shorten", "in full": "of the same list",
	"item": "of a list of facts, which are keys in JSON", "value": "of the same list",
}

// hasNamesOfLists checks that the headings of a document are the names of a command's columns and keys, in words. Outputs is
// the text of testdata/contracts/outputs.txt.
func hasNamesOfLists(t *testing.T, outputs, command string, document []byte) {
	t.Helper()
	names, leaves := map[string]bool{}, 0
	for _, m := range regexp.MustCompile(`(?m)^fees `+command+` .*?: (?:column \d+ )?(\S+)`).FindAllStringSubmatch(outputs, -1) {
		names[table.Words(m[1][strings.LastIndex(m[1], ".")+1:])] = true
	}
	elements, _ := pdftest.Parse(t, document).Leaves()
	for _, l := range elements {
		if l.Kind == "TH" {
			heading := strings.TrimSuffix(l.Text, " GLMR")
			require.True(t, names[table.Words(heading)] || onlyOnPaper[heading] != "", "fees %s: no column or key is named %q", command, heading)
			leaves++
		}
	}
	require.NotZero(t, leaves)
}

// The text that another program extracts has every amount of the JSON, to the last digit.
func TestPaperFigures(t *testing.T) {
	pdftotext, qpdf := program.Path(t, program.PDF, "pdftotext"), program.Path(t, program.PDF, "qpdf")
	const alith, baltathar = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac", "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"
	gateway := filepath.Join(recordings(t), "moonbeam-2100")
	outputs, err := os.ReadFile("testdata/contracts/outputs.txt")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	books := "hash,fee\n" + "0x" + strings.Repeat("ab", 32) + ",0.123456789012345678\n"
	require.NoError(t, os.WriteFile("books.csv", []byte(books), 0o600))
	ledger := []string{"--ledger", "fees.db", "--quiet"}
	_, problems, code := fees(append([]string{"sync", "20..25", "--gateway", gateway}, ledger...)...)
	require.Equal(t, exitOK, code, problems)
	balances := map[string]bool{"free": true, "free_balance": true, "fee": true, "charged": true, "total": true}
	for _, c := range []struct {
		args  []string
		names map[string]bool
		least int
	}{
		{[]string{"statement", alith, baltathar, "20..25", "--no-balances"}, balances, 20},
		{[]string{"rollforward", "20..25", "--accounts", alith + "," + baltathar, "--no-balances"}, map[string]bool{"free": true}, 10},
		{[]string{"reconcile", "books.csv", "20..25", "--accounts", alith, "--all", "--unit", "token"}, map[string]bool{"books": true, "chain": true, "difference": true}, 10},
	} {
		args := append(c.args, ledger...)
		text, _, _ := fees(append(args, "--format", "json")...)
		first, problems, _ := fees(append(args, "--format", "pdf", "--paper", "letter")...)
		again, _, _ := fees(append(args, "--format", "pdf", "--paper", "letter")...)
		require.NotEmpty(t, first, problems)
		require.Equal(t, first, again)
		hasNamesOfLists(t, string(outputs), c.args[0], []byte(first))
		require.NoError(t, os.WriteFile("x.pdf", []byte(first), 0o600), problems)
		out, err := exec.CommandContext(t.Context(), qpdf, "--check", "x.pdf").CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Empty(t, pdftest.PDFAFindings(t, []byte(first)))
		shown, err := exec.CommandContext(t.Context(), pdftotext, "-layout", "x.pdf", "-").Output()
		require.NoError(t, err)
		words := map[string]bool{}
		for _, word := range strings.Fields(string(shown)) {
			words[word] = true
		}
		var figures []string
		decoder := json.NewDecoder(strings.NewReader(text))
		for decoder.More() {
			var value any
			require.NoError(t, decoder.Decode(&value))
			figuresOf(value, c.names, &figures)
		}
		require.Greater(t, len(figures), c.least, c.args[0])
		for _, figure := range figures {
			require.True(t, words[figure] || words["-"+figure], "%s: %s", c.args[0], figure) // a fee that was paid is shown as negative in the summary
		}
		pages := regexp.MustCompile(`page (\d+) of (\d+)`).FindAllStringSubmatch(string(shown), -1)
		require.NotEmpty(t, pages)
		require.Equal(t, pages[len(pages)-1][1], pages[0][2])
		require.Len(t, regexp.MustCompile(`(?m)^seal [0-9a-f]{64}`).FindAll(shown, -1), len(pages))
		require.Len(t, regexp.MustCompile(`(?m)^evidence: recorded`).FindAll(shown, -1), len(pages))
		require.Contains(t, string(shown), "Prepared by")
	}
}

func TestPaperFlags(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--paper only applies to --format pdf": {"rollforward", "1..2", "--accounts", "x", "--paper", "letter"},
		"--font only applies to --format pdf":  {"statement", "0x", "1..2", "--font", "x"},
		`a4`:                                   {"rollforward", "1..2", "--accounts", "x", "--format", "pdf", "--paper", "a5"},
	} {
		_, problems, code := fees(args...)
		require.Equal(t, exitUsage, code)
		require.Contains(t, problems, want)
	}
}

func TestCoverIsPDFA(t *testing.T) {
	program.Ask(t, program.PDF)
	filled(t, newLedgerFile(t))
	directory := filepath.Join(t.TempDir(), "january")
	closed(t, directory)
	require.Empty(t, pdftest.PDFAFindings(t, []byte(filesUnder(t, directory)["cover.pdf"])))
}

// The labels that the document's font lacks are named, and --font prints them. The other text of the document stays.
func TestFontOfLabels(t *testing.T) {
	pdftotext := program.Path(t, program.PDF, "pdftotext")
	const alith, baltathar = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac", "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"
	gateway := filepath.Join(recordings(t), "moonbeam-2100")
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("accounts.csv", []byte("address,label\n"+alith+",Œuvre ქ\n"+baltathar+",שלום\n"), 0o600))
	require.NoError(t, os.WriteFile("bad.ttf", []byte("OTTO"), 0o600))
	_, problems, code := fees("sync", "20..25", "--gateway", gateway, "--ledger", "fees.db", "--quiet")
	require.Equal(t, exitOK, code, problems)
	statement := func(more ...string) (shown, problems string, code int) {
		text, problems, code := fees(append([]string{"statement", alith, "20..25", "--no-balances", "--ledger", "fees.db", "--labels", "accounts.csv", "--format", "pdf"}, more...)...)
		if code != exitOK {
			return "", problems, code
		}
		require.NoError(t, os.WriteFile("x.pdf", []byte(text), 0o600))
		require.Empty(t, pdftest.PDFAFindings(t, []byte(text)))
		out, err := exec.CommandContext(t.Context(), pdftotext, "-layout", "x.pdf", "-").Output()
		require.NoError(t, err)
		return string(out), problems, code
	}
	shown, problems, code := statement()
	require.Equal(t, exitOK, code, problems)
	require.Contains(t, shown, "Account statement, Œuvre ქ", "search finds the character of a box")
	require.Contains(t, shown, "Balances not available: they were not queried.")
	require.Contains(t, problems, `the font of the PDF lacks characters of "Œuvre ქ"`)
	require.Contains(t, problems, "שלום")
	require.Contains(t, problems, "Pass --font FILE")
	_, problems, code = statement("--font", "bad.ttf")
	require.Equal(t, exitUsage, code)
	require.Contains(t, problems, "--font bad.ttf: the file is not a TrueType font")
	_, problems, code = statement("--font", "none.ttf")
	require.NotEqual(t, exitOK, code)
	require.Contains(t, problems, "none.ttf")

	const dejavu = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf" // has Georgian letters
	if _, err := os.Stat(dejavu); err != nil {
		return
	}
	shown, problems, code = statement("--font", dejavu)
	require.Equal(t, exitOK, code, problems)
	require.Contains(t, shown, "Account statement, Œuvre ქ")
	require.NotContains(t, problems, "ქ")
	require.Contains(t, problems, "שלום", "its letters are from right to left")
}
