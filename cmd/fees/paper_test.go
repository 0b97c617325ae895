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

// The text that another program extracts has every amount of the JSON, to the last digit.
func TestPaperFigures(t *testing.T) {
	pdftotext, qpdf := program.Path(t, program.PDF, "pdftotext"), program.Path(t, program.PDF, "qpdf")
	const alith, baltathar = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac", "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"
	gateway := filepath.Join(recordings(t), "moonbeam-2100")
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
