package app_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/pdftest"
)

// everySystem is a chart of accounts for all accounting systems.
const everySystem = `# suspense: 9999
# rounding: 6859
# asset: 1500
# xero tax rate: Tax Exempt
# datev consultant: 29098
# datev client: 55003
# datev account length: 4
# quickbooks account 1500: Wallet
# quickbooks account 6810: Gas
# quickbooks account 6811: Native
# quickbooks account 6859: Rounding
layer,account
evm,6810
native,6811
`

// postedQuestion asks for a package with the journals of all accounting systems.
func postedQuestion(t testing.TB, systems ...string) app.PackageRequest {
	t.Helper()
	q := question(t)
	q.With, q.Names, q.Books, q.Journal, q.Posted = app.WithFees, "", app.BooksInput{}, "", systems
	q.Company, q.Chart = "Example Ltd", write(t, "chart.csv", everySystem)
	q.Prices = app.PricesInput{Files: []string{write(t, "prices.csv", "# source: a test\ndate,price\n2025-12-31,2.003\n2026-01-01,2.1417\n")}, Fiat: "EUR"}
	return q
}

// tieRows are the rows of a tie-out: by format and item, each with its cells by column.
func tieRows(t *testing.T, dir string) map[string][]map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, app.TieFile))
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	of := map[string][]map[string]string{}
	for _, r := range rows[1:] {
		cells := map[string]string{}
		for i, name := range rows[0] {
			cells[name] = r[i]
		}
		key := cells["format"] + " " + cells["item"]
		of[key] = append(of[key], cells)
	}
	return of
}

func decimalOf(t *testing.T, text string) *big.Rat {
	t.Helper()
	n, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return n
}

// coverText is the text of a package's cover, one line for each of its parts.
func coverText(t *testing.T, dir string) string {
	t.Helper()
	cover, err := os.ReadFile(filepath.Join(dir, app.CoverFile))
	require.NoError(t, err)
	leaves, _ := pdftest.Parse(t, cover).Leaves()
	all := "\n"
	for _, l := range leaves {
		all += l.Text + "\n"
	}
	return all
}

// A package holds the journals for accounting systems byte for byte as fees export makes them. Its tie-out has the sums of
// what the senders were charged, and the cover the values that add up. It is made again from its own inputs.
func TestPackageOfPostedJournals(t *testing.T) {
	long(t)
	place := copied(t)
	d, q := opened(t, place), postedQuestion(t, app.JournalForms...)
	made := packed(t, d, q)
	m := made.Manifest
	require.Equal(t, app.JournalForms, m.Options.Posted)
	require.Equal(t, "day", m.Options.Summarise)
	require.Zero(t, m.Findings.Posted)
	require.False(t, slices.ContainsFunc(m.Files, func(f closing.File) bool { return strings.HasPrefix(f.Name, "journal.") }), "none was asked for")

	in, err := app.ReadChart(q.Chart, "")
	require.NoError(t, err)
	prices, err := app.ReadPrices(q.Prices)
	require.NoError(t, err)
	request := app.Request{Period: parsed(t, q.PeriodInput), Accounts: []chain.Address{addressOf(t, alith), addressOf(t, baltathar)}, Prices: prices}
	sum, count := charges(t, func(s sent) bool { return of(alith)(s) || of(baltathar)(s) })
	exact := new(big.Rat).Mul(decimalOf(t, sum), decimalOf(t, "0.0000000000000000021417"))
	rows := tieRows(t, made.Dir)
	for _, form := range app.JournalForms {
		s, err := exported(t, d, app.ExportRequest{Request: request, ChartInput: in, With: app.WithFees, Style: journal.Request{By: journal.ByDay}}).Summarise(t.Context(), form)
		require.NoError(t, err)
		name := map[string]string{"datev": "EXTF_datev"}[form]
		if name == "" {
			name = form
		}
		require.NoError(t, s.Write(t.Context(), func(_ int, write func(io.Writer) error) error {
			var want bytes.Buffer
			require.NoError(t, write(&want))
			have, err := os.ReadFile(filepath.Join(made.Dir, "posted", name+".csv"))
			require.NoError(t, err)
			require.Equal(t, want.String(), string(have), form)
			return nil
		}))
		of := func(item, column string) string {
			require.Len(t, rows[form+" "+item], 1, item)
			return rows[form+" "+item][0][column]
		}
		require.Equal(t, sum, of("journal", "charged"))
		require.Equal(t, sum, of("report", "charged"))
		require.Equal(t, new(big.Int).SetUint64(count).String(), of("journal", "fees"))
		require.Zero(t, exact.Cmp(decimalOf(t, of("journal", "value"))), form)
		require.Equal(t, of("journal", "value"), of("report", "value"))
		require.Equal(t, exact.FloatString(2), of("rounded once", "value"))
		require.Zero(t, new(big.Rat).Sub(decimalOf(t, exact.FloatString(2)), exact).Cmp(decimalOf(t, of("rounding difference", "value"))))
		require.Zero(t, new(big.Rat).Sub(decimalOf(t, of("rounded once", "value")), decimalOf(t, of("entries", "value"))).Cmp(decimalOf(t, of("rounding entry", "value"))))
		require.Equal(t, []string{"agrees", "agrees"}, []string{of("sums", "result"), of("report", "result")})
		for _, column := range []string{"debit", "credit"} {
			for _, item := range []string{"account", "file"} {
				all := new(big.Rat)
				for _, r := range rows[form+" "+item] {
					all.Add(all, decimalOf(t, r[column]))
				}
				require.Zero(t, all.Cmp(decimalOf(t, of("sums", column))), "%s: %s of each %s", form, column, item)
			}
		}
		require.Equal(t, of("sums", "debit"), of("sums", "credit"))
	}
	cover := coverText(t, made.Dir)
	for _, line := range []string{
		"Close package, moonbeam, January 2026", "Company Example Ltd", "Period January 2026, UTC", "Statements 2 of 2 agree", "Reconciliation not reconciled: no record of the company was compared",
		"Posted journals quickbooks agrees; xero agrees; netsuite agrees; datev agrees; journal-csv agrees (with the report's fees; posted/tie-out.csv has the sums)", "Seal " + m.Blocks.Seal,
	} {
		require.Contains(t, cover, "\n"+line+"\n")
	}
	require.Contains(t, cover, "the cover cannot contain its SHA-256")

	// The figures add up, in wei and in cents, and the balances are valued at the prices of their own days.
	wei, cents := new(big.Int), new(big.Rat)
	for _, f := range m.Figures {
		amount, known := f.Amount.Get()
		require.True(t, known)
		value, known := f.Value.Get()
		require.True(t, known, f.Name)
		n, worth := integer(t, amount.String()), decimalOf(t, value)
		shown := value + " EUR"
		switch f.Name {
		case "opening", "closing":
			price := map[string]string{"opening": "0.000000000000000002003", "closing": "0.0000000000000000021417"}[f.Name]
			require.Equal(t, new(big.Rat).Mul(decimalOf(t, amount.String()), decimalOf(t, price)).FloatString(2), value)
		case "fees":
			require.Equal(t, "-"+sum, amount.String())
		}
		require.Contains(t, cover, "\n"+strings.ReplaceAll(f.Name, "_", " ")+"\n")
		require.Contains(t, cover, "\n"+shown+"\n")
		if f.Name == "closing" {
			n, worth = n.Neg(n), worth.Neg(worth)
		}
		wei.Add(wei, n)
		cents.Add(cents, worth)
	}
	require.Zero(t, wei.Sign(), "%v", m.Figures)
	require.Zero(t, cents.Sign(), "%v", m.Figures)

	c := checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, c.Damage)
	require.Empty(t, c.Differences)
	without := q.PackageOptions
	without.Offline = true
	c = checked(t, q.Dir, place, without)
	require.Empty(t, c.Differences)
	require.NotContains(t, c.NotCompared, app.TieFile)

	// What was altered differs, though the manifest knows it.
	reseal(t, q.Dir, func(name string, text []byte) []byte {
		if name == "posted/xero.csv" || name == app.TieFile {
			return bytes.Replace(text, []byte("6810"), []byte("6811"), 1)
		}
		return text
	}, func(m *closing.Manifest) { m.Figures[0].Amount = chain.Some(chain.SignedWei{}) })
	differ := strings.Join(checked(t, q.Dir, place, q.PackageOptions).Differences, "\n")
	for _, what := range []string{"posted/xero.csv differs from the file made from the ledger", "posted/tie-out.csv differs from the file made from the ledger", "manifest, figures: "} {
		require.Contains(t, differ, what)
	}
}

// A package that is made again keeps the journals with their chart and prices, and the company's name, unless it names others.
func TestPackageKeepsItsPostedJournals(t *testing.T) {
	d, q := opened(t, copied(t)), postedQuestion(t, "xero", "datev")
	q.Posted, q.Summarise = []string{"xero", "datev"}, "month"
	first := packed(t, d, q)
	again := question(t)
	again.Dir, again.With, again.Names, again.Books, again.Journal = q.Dir, app.WithFees, "", app.BooksInput{}, "hledger"
	for _, path := range []string{q.Chart, q.Prices.Files[0]} {
		require.NoError(t, os.Remove(path))
	}
	second := packed(t, d, again)
	require.Equal(t, []string{"xero", "datev"}, second.Journals)
	require.Equal(t, []string{"month", "Example Ltd"}, []string{second.Manifest.Options.Summarise, second.Manifest.Options.Company})
	require.Equal(t, first.Manifest.Options.Prices, second.Manifest.Options.Prices)
	names := []string{"posted/EXTF_datev.csv", app.TieFile, "posted/xero.csv", "inputs/chart.csv", "inputs/prices.csv"}
	require.Equal(t, first.Manifest.Named(names), second.Manifest.Named(names))
	require.Len(t, second.Manifest.Named(names), len(names))

	// They may be those of another package, as on the page.
	elsewhere := again
	elsewhere.Dir, elsewhere.Before = filepath.Join(t.TempDir(), "2026-01"), q.Dir
	require.Equal(t, first.Manifest.Named(names), packed(t, d, elsewhere).Manifest.Named(names))

	// The program of the journal in tokens is kept if its name is a default. A package without such a journal stays one.
	again.KeepJournal = true
	kept := packed(t, d, again)
	require.Equal(t, "hledger", kept.Manifest.Options.Journal)
	require.Equal(t, []string{"xero", "datev"}, kept.Journals, "it is the default")
	again.Journal, again.Posted = "beancount", []string{}
	again.KeepJournal = false
	packed(t, d, again)
	again.Journal, again.KeepJournal = "hledger", true
	kept = packed(t, d, again)
	require.Equal(t, "beancount", kept.Manifest.Options.Journal)
	require.Equal(t, []string{"beancount"}, kept.Journals)
	require.False(t, kept.Changed)
	again.Dir, again.Before, again.Posted = filepath.Join(t.TempDir(), "2026-01"), filepath.Join(q.Dir, "versions", "1"), nil
	kept = packed(t, d, again)
	require.Empty(t, kept.Manifest.Options.Journal)
	require.Equal(t, []string{"xero", "datev"}, kept.Journals)
	again.Dir, again.Before, again.KeepJournal = q.Dir, "", false

	again.Posted, again.Company = []string{}, "Another Ltd"
	third := packed(t, d, again)
	require.Empty(t, third.Journals)
	require.Empty(t, third.Manifest.Options.Posted)
	require.Empty(t, third.Manifest.Named(names))
	require.Equal(t, "Another Ltd", third.Manifest.Options.Company)
}

// A new chart replaces that of the package before. Its tags stay.
func TestPackageKeepsItsTagsWithANewChart(t *testing.T) {
	d, q := opened(t, copied(t)), postedQuestion(t, "xero")
	q.Tags = write(t, "tags.csv", "25-4,A\n")
	first := packed(t, d, q)
	again := q
	again.Posted, again.Tags, again.Chart = nil, "", write(t, "chart.csv", strings.Replace(everySystem, "6811", "6813", 2))
	second := packed(t, d, again)
	tags := []string{"inputs/tags.csv"}
	require.Len(t, first.Manifest.Named(tags), 1)
	require.Equal(t, first.Manifest.Named(tags), second.Manifest.Named(tags))
	require.NotEqual(t, first.Manifest.Named([]string{"inputs/chart.csv"}), second.Manifest.Named([]string{"inputs/chart.csv"}))
}

// A journal of several files has a list of them. What is not known is not said to agree, and what the chart places nowhere
// is in suspense.
func TestPackageOfLongAndPartialJournals(t *testing.T) {
	place := changed(t, withoutWithdraws(25))
	d, q := opened(t, place), postedQuestion(t, "journal-csv")
	q.Summarise, q.Chart = "transaction", write(t, "chart.csv", "# suspense: 9999\n# rounding: 6859\n# asset: 1500\n# rows per file: 2\nlayer,account\nevm,6810\n")
	q.Proved = false
	made := packed(t, d, q)
	rows := tieRows(t, made.Dir)
	files := rows["journal-csv file"]
	require.Greater(t, len(files), 2)
	require.Equal(t, "posted/journal-csv-001.csv", files[0]["name"])
	list, err := os.ReadFile(filepath.Join(made.Dir, "posted", "journal-csv-manifest.json"))
	require.NoError(t, err)
	require.Contains(t, string(list), `"name": "journal-csv-002.csv"`)
	require.Equal(t, "not known", rows["journal-csv report"][0]["result"])
	_, native := charges(t, func(s sent) bool { return (of(alith)(s) || of(baltathar)(s)) && s.Family == "native" })
	require.Equal(t, new(big.Int).SetUint64(native).String(), rows["journal-csv in suspense"][0]["fees"])
	require.Contains(t, coverText(t, made.Dir), "Posted journals journal-csv not known, ")
	require.Empty(t, checked(t, q.Dir, place, q.PackageOptions).Differences)

	q.Prices.Files = []string{write(t, "prices.csv", "# source: a test\ndate,price\n2025-12-31,2\n")} // not of the day of the fees
	made = packed(t, d, q)
	rows = tieRows(t, made.Dir)
	require.NotEmpty(t, rows["journal-csv without a price, not posted"])
	require.Equal(t, "not known", rows["journal-csv report"][0]["result"])
	for _, f := range made.Manifest.Figures {
		amount, known := f.Amount.Get()
		nothing := known && amount.Sign() == 0 && f.Name != "valuation_difference" && f.Name != "internal" // which has two sides without a price
		require.Equal(t, nothing, f.Value.Known(), "%s: unknown, never zero", f.Name)
	}
}

// What a journal for an accounting system needs is asked for before the long work.
func TestPackageOfPostedJournalsLacks(t *testing.T) {
	d := opened(t, copied(t))
	for want, change := range map[string]func(*app.PackageRequest){
		"a journal for an accounting system needs a chart of accounts: name the file with chart": func(q *app.PackageRequest) { q.Chart = "" },
		"a journal is in the currency of the books: name prices and fiat":                        func(q *app.PackageRequest) { q.Prices = app.PricesInput{} },
		`as: xero, xero: name each accounting system once`:                                       func(q *app.PackageRequest) { q.Posted = []string{"xero", "xero"} },
		`as "lotus": want`: func(q *app.PackageRequest) { q.Posted = []string{"lotus"} },
		`as: hledger: name each accounting system once`:                        func(q *app.PackageRequest) { q.Posted = []string{"hledger"} },
		`summarise "year": want transaction, day or month`:                     func(q *app.PackageRequest) { q.Summarise = "year" },
		"with movements needs a journal in tokens: hledger, beancount, ledger": func(q *app.PackageRequest) { q.With = app.WithMovements },
		`as "": not an accounting program with journals`:                       func(q *app.PackageRequest) { q.Posted = nil },
		"no rule of the chart": func(q *app.PackageRequest) {
			q.Chart = write(t, "chart.csv", "# rounding: 6859\n# asset: 1500\n# xero tax rate: x\nlayer,account\nevm,1\n")
		},
	} {
		q := postedQuestion(t, "xero")
		change(&q)
		_, err := d.MakePackage(t.Context(), q)
		require.ErrorContains(t, err, want)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err), want)
		require.NoDirExists(t, q.Dir)
	}
	for list, want := range map[string]struct {
		program string
		systems []string
		err     string
	}{
		"hledger": {"hledger", []string{}, ""}, "xero,datev,xero": {"", []string{"xero", "datev"}, ""}, "datev,ledger": {"ledger", []string{"datev"}, ""},
		"hledger,ledger": {"", nil, "as: a package has one journal in tokens; choose hledger or ledger"}, "csv": {"", []string{}, `as "csv": want hledger`},
	} {
		program, systems, err := app.JournalsOf(strings.Split(list, ","))
		require.Equal(t, want.program, program, list)
		require.Equal(t, want.systems, systems, list)
		if want.err == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want.err)
		}
	}
}

// The cover of a package that was closed in the browser names who prepared, reviewed and closed it, with times. Another has
// lines to sign.
func TestCoverNamesWhoSigned(t *testing.T) {
	place := copied(t)
	d := opened(t, place)
	q, made, dir := prepared(t, d)
	require.Contains(t, coverText(t, q.Dir), "\nPrepared by Date \n")
	_, err := d.ClosePrepared(t.Context(), q.Dir, dir, q.PackageOptions, func(context.Context) ([]ledger.Act, error) {
		return recorded(t, place, made.Sum, [2]string{"dora", "prepared"}, [2]string{"eve", "approved"}, [2]string{"anna", "prepared"}, [2]string{"bob", "approved"}, [2]string{"carl", "closed"}), nil
	})
	require.NoError(t, err)
	cover := coverText(t, dir)
	for _, line := range []string{"Prepared by anna, 2026-02-02T02:40:00.002Z", "Reviewed by bob, 2026-02-02T02:40:00.003Z", "Closed by carl, 2026-02-02T02:40:00.004Z"} {
		require.Contains(t, cover, "\n"+line+"\n")
	}
	for _, not := range []string{"\nPrepared by Date \n", "by dora", "by eve"} {
		require.NotContains(t, cover, not)
	}
	require.Empty(t, checked(t, dir, place, q.PackageOptions).Differences)
}

// A statement for people has the values of its balances, or says that they are not known.
func TestStatementFactsOfValues(t *testing.T) {
	d := opened(t, copied(t))
	facts := func(rows string) map[string]string {
		s, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: parsed(t, app.PeriodInput{Month: "2026-01", Partial: true}), Accounts: []chain.Address{addressOf(t, alith)}, Prices: atPrices(t, rows)}, Balances: withBalances(t)})
		require.NoError(t, err)
		found := map[string]string{}
		for _, f := range s.Facts(s.List[0]) {
			found[f.Name] = f.Text
		}
		return found
	}
	require.Regexp(t, `^opening \d+\.\d\d EUR, movements -\d+\.\d\d EUR, valuation difference -?\d+\.\d\d EUR, closing \d+\.\d\d EUR$`, facts("2025-12-31,1.5\n2026-01-01,2\n")["Values"])
	require.Regexp(t, `^opening not known, movements -\d+\.\d\d EUR, valuation difference not known, closing \d+\.\d\d EUR$`, facts("2026-01-01,2\n")["Values"])
}
