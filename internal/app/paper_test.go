package app_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/program"
)

// Another program finds the network, the period, the seal, the evidence and its own number on every page, and at the end
// a place to sign. The same content gives the same bytes.
func TestEachPageOfPaper(t *testing.T) {
	pdftotext := program.Path(t, program.PDF, "pdftotext")
	place := copied(t)
	d, asked := opened(t, place), app.AboutRequest{Program: "a test", Command: "fees"}
	q := app.Request{Period: app.Heights(1, 27)}
	r, err := rolled(t, d, app.RollforwardRequest{Request: q, By: app.ByPeriod, List: chain.Some(rollforward.All), Balances: withBalances(t)})
	require.NoError(t, err)
	statements := app.StatementRequest{Request: q, Balances: withBalances(t)}
	for account := range recordedBalances() {
		statements.Accounts = append(statements.Accounts, account)
	}
	l, err := d.Statements(t.Context(), statements)
	require.NoError(t, err)
	b, err := books(t, d, app.BooksInput{Path: record(t, func(sent) bool { return true }), Reading: closing.Reading{Unit: "wei", Columns: []string{"fee=Kosten"}}}, q.Period)
	require.NoError(t, err)
	made := packed(t, d, question(t))
	cover, err := os.ReadFile(filepath.Join(made.Dir, "cover.pdf"))
	require.NoError(t, err)
	period := func(write func(io.Writer, *closing.About) error, about func() (*closing.About, error)) func(io.Writer) error {
		a, err := about()
		require.NoError(t, err)
		require.Len(t, a.Blocks.Seal, 64)
		return func(w io.Writer) error { return write(w, a) }
	}
	for name, c := range map[string]struct {
		write  func(io.Writer) error
		period string
		seal   string
		least  int // pages
	}{
		"statements": {period(func(w io.Writer, a *closing.About) error { return l.WritePDF(t.Context(), w, app.Paper{Size: "a4"}, a) }, func() (*closing.About, error) { return l.About(t.Context(), asked) }), "blocks 1..27, UTC, blocks 1 to 27", sealOfBlocks(t, d), 10},
		"rollforward": {period(func(w io.Writer, a *closing.About) error {
			return r.WritePDF(t.Context(), w, app.Paper{Size: "letter"}, a)
		}, func() (*closing.About, error) { return r.About(t.Context(), asked) }), "blocks 1..27, UTC, blocks 1 to 27", sealOfBlocks(t, d), 3},
		"reconciliation": {period(func(w io.Writer, a *closing.About) error {
			return app.WriteReconciliationPDF(w, b, true, app.Paper{Size: "a4"}, a)
		}, func() (*closing.About, error) { return d.AboutReconciliation(t.Context(), b, q.Period, asked) }), "blocks 1..27, UTC, blocks 1 to 27", sealOfBlocks(t, d), 2},
		"cover": {func(w io.Writer) error { _, err := w.Write(cover); return err }, "January 2026, UTC, blocks", made.Manifest.Blocks.Seal, 2},
	} {
		var one, other bytes.Buffer
		require.NoError(t, c.write(&one))
		require.NoError(t, c.write(&other))
		require.Equal(t, one.String(), other.String(), name)
		at := filepath.Join(t.TempDir(), "x.pdf")
		require.NoError(t, os.WriteFile(at, one.Bytes(), 0o600))
		text, err := exec.CommandContext(t.Context(), pdftotext, "-layout", at, "-").Output()
		require.NoError(t, err)
		pages := strings.SplitAfter(string(text), "\f")
		pages = pages[:len(pages)-1]
		require.GreaterOrEqual(t, len(pages), c.least, name)
		for i, page := range pages {
			for _, want := range []string{"moonbeam, " + c.period, "\nseal " + c.seal + "\n", "\nevidence: recorded", fmt.Sprintf("page %d of %d\n", i+1, len(pages))} {
				require.Contains(t, page, want, "%s, page %d", name, i+1)
			}
		}
		for _, role := range []string{"Prepared by", "Reviewed by"} {
			require.Contains(t, pages[len(pages)-1], role, name)
		}
	}
}

// sealOfBlocks returns the seal of blocks 1 to 27 as a package of the same blocks would state it.
func sealOfBlocks(t *testing.T, d *app.Ledger) string {
	t.Helper()
	examined, err := closing.Examine(t.Context(), d.Book, ledger.Period{Heights: chain.Some(chain.Heights{First: 1, Last: 27})}, chain.Heights{First: 1, Last: 27})
	require.NoError(t, err)
	return examined.Seal
}
