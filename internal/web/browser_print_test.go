package web_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/test/browsertest"
	"github.com/feeledger/fees/internal/test/program"
)

// Each sheet of a printed page has its number, the period, the sealed blocks and the evidence, and none of what only a
// screen needs. Every amount is on paper in full, even one that the screen cuts.
func printed(t *testing.T, b *browsertest.Browser, s *viewed) {
	pdftotext := program.Path(t, program.PDF, "pdftotext")
	tab := b.Tab(t, s.url, browsertest.Options{Dark: true})
	january, err := app.PeriodInput{Month: "2025-01"}.Parse()
	require.NoError(t, err)
	newYork, err := app.PeriodInput{Month: "2025-01", Timezone: "America/New_York"}.Parse()
	require.NoError(t, err)
	account := "/account/" + s.account.String()
	for path, c := range map[string]struct {
		least  int
		period string
		about  app.Period // of the sealed blocks that the page depends on
	}{
		"/fees?period=2025-01&by=block":                      {3, "January 2025", january},
		account + "/statement?period=2025-01":                {2, "January 2025", app.Period{All: true}},
		"/transactions?period=2025-01&zone=America/New_York": {2, "America/New_York", newYork},
		"/overview?period=2025-01":                           {1, "January 2025", app.Period{All: true}},
	} {
		state, err := s.ledger.StateOf(t.Context(), c.about)
		require.NoError(t, err)
		tab.Open(path)
		at := filepath.Join(t.ArtifactDir(), noName.ReplaceAllString(path, "_")+".pdf")
		require.NoError(t, os.WriteFile(at, tab.Print(), 0o600))
		text, err := exec.CommandContext(t.Context(), pdftotext, "-layout", at, "-").Output()
		require.NoError(t, err)
		whole := strings.ReplaceAll(strings.Join(strings.Fields(string(text)), ""), "−", "-")
		for _, wei := range tab.Amounts() {
			require.Contains(t, whole, inFull(wei), path)
		}
		sheets := strings.SplitAfter(string(text), "\f")
		sheets = sheets[:len(sheets)-1]
		require.GreaterOrEqual(t, len(sheets), c.least, path)
		if strings.HasPrefix(path, "/fees") {
			totals := aTotal.FindAllStringIndex(string(text), -1)
			require.Len(t, totals, 1, path)
			require.Greater(t, totals[0][0], strings.LastIndex(strings.TrimSuffix(string(text), "\f"), "\f"), "on the last sheet")
		}
		for i, sheet := range sheets {
			flat := strings.Join(strings.Fields(sheet), " ")
			for _, want := range []string{c.period, strings.Join(strings.Fields(state.String()), " "), fmt.Sprintf("page %d of %d", i+1, len(sheets))} {
				require.Contains(t, flat, want, "%s, sheet %d", path, i+1)
			}
			for _, screen := range []string{"Look up", "Menu", "Columns", "Keys", "Download", "Log out"} {
				require.NotContains(t, flat, screen, "%s, sheet %d", path, i+1)
			}
		}
	}
}

// aTotal matches the row of a table's totals.
var aTotal = regexp.MustCompile(`(?m)^ *Total `)

// inFull returns an amount with 18 decimals, or 0.
func inFull(wei string) string {
	digits := strings.TrimPrefix(wei, "-")
	if digits == "0" {
		return digits
	}
	return strings.TrimSuffix(wei, digits) + tokensOf(digits)
}
