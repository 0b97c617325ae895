package finance

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/booking"
	"github.com/feeledger/fees/internal/finance/chart"
)

// bookingManual describes journals for accounting systems in the help of fees export.
const bookingManual = `--as quickbooks, xero, netsuite, datev and journal-csv write a journal in the
currency of --fiat. --chart FILE is your chart of accounts, a CSV file that maps
fees to accounts and cost centres. --summarise creates one entry per
transaction, day or month. Entries balance, and a last entry books rounding
differences, so the file equals the report's rounded total. Long journals are
split into several files with a manifest. --dry-run shows the entries and their
totals, and writes nothing.

  # suspense: 9999
  # rounding: 6859
  # asset: 1510
  label,layer,call,account,cost_centre
  Payroll,evm,,6810,100
  ,native,balances.*,6811,
  ,,,6812,200

Targets: account, asset, cost_centre, class, department, project, location,
tax_code. Each comes from the first matching row that fills it. Conditions:
payer, label, group, layer, kind, contract, call, outcome, tag, id, token. Use |
between alternatives, * for any ending, - for none. --tags FILE is a CSV file
of hash,tag. A fee that no row matches goes to the suspense account and is
listed. hledger, beancount and ledger also accept --chart.

Lines such as "# xero tax rate: Tax Exempt" are settings:
  all          suspense, rounding, asset, number prefix
  quickbooks   date form (MM/DD/YYYY), separator
  xero         xero tax rate (required), xero tracking 1 and 2
               (Region = location), date form (DD MMM YYYY)
  netsuite     date form (MM/DD/YYYY), netsuite subsidiary
  datev        datev consultant, datev client, datev account length (required),
               datev fiscal year month (1), datev chart
  journal-csv  columns (Date = date, Text = description, debit, credit, ...),
               date form (YYYY-MM-DD), separator, decimal (point),
               line end (crlf), encoding (utf-8), rows per file`

// bookingFlags are the flags of journals for accounting systems.
type bookingFlags struct {
	chart, tags string
	by          booking.By
	dryRun      bool
	input       app.ChartInput
}

func (f *bookingFlags) add(c *cobra.Command) {
	f.by = booking.ByDay
	addChart(c, &f.chart, &f.tags)
	cli.Choice(c, &f.by, "summarise", "for accounting systems, what an entry has the fees of: transaction, day or month", booking.ByTransaction, booking.ByDay, booking.ByMonth)
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "for accounting systems, show the entries and what they tie to, and write nothing")
}

func addChart(c *cobra.Command, chartPath, tagsPath *string) {
	c.Flags().StringVar(chartPath, "chart", "", "a CSV file that maps fees to accounts and cost centres")
	c.Flags().StringVar(tagsPath, "tags", "", "for --chart, a CSV file of hash,tag")
}

// isJournalForm reports whether --as names an accounting system.
func isJournalForm(form string) bool { return slices.Contains(app.JournalForms, form) }

// check wants flags that go together.
func (f *bookingFlags) check(c *cobra.Command, form string) error {
	_, isText := app.Program(form)
	switch {
	case isJournalForm(form):
		for _, flag := range []string{"names", "continue"} {
			if c.Flags().Changed(flag) {
				return fmt.Errorf("--%s is for hledger, beancount and ledger: --as %s takes accounts from --chart", flag, form)
			}
		}
		return nil
	case f.dryRun || c.Flags().Changed("summarise"):
		return fmt.Errorf("--dry-run and --summarise are for %s", strings.Join(app.JournalForms, ", "))
	case !isText && f.chart != "":
		return fmt.Errorf("--as %s is a list of fees, and --chart is for journals", form)
	}
	return nil
}

// datevPrefix begins the names of files that DATEV imports.
const datevPrefix = "EXTF_"

// book writes a journal for an accounting system.
func (f *exportFlags) book(c *cobra.Command, x *app.Export) error {
	if f.form == booking.DATEV && f.File != "" && !strings.HasPrefix(filepath.Base(f.File), datevPrefix) {
		return fmt.Errorf("-o %s: DATEV imports only files whose names begin with %s", f.File, datevPrefix)
	}
	b, err := x.Bookings(c.Context(), app.BookingQuestion{ChartInput: f.input, Form: f.form, By: f.by})
	if err != nil {
		return err
	}
	if f.dryRun {
		err = f.Write(func(w io.Writer) error {
			page := console.NewPage(w, f.Width())
			if err := writeEntries(c, page, b); err != nil {
				return err
			}
			writeTie(page, b)
			return page.Flush()
		})
	} else if err = f.writeFiles(c, b); err == nil {
		page := console.NewPage(c.ErrOrStderr(), cli.WidthOf(c.ErrOrStderr()))
		writeTie(page, b)
		err = page.Flush()
	}
	if err != nil {
		return x.Explain(err)
	}
	return writeUndetermined(c.ErrOrStderr(), x)
}

// writeFiles writes the files of a journal, with a manifest if there are several.
func (f *exportFlags) writeFiles(c *cobra.Command, b *app.Bookings) error {
	switch {
	case len(b.Files) == 0:
		fmt.Fprintln(c.ErrOrStderr(), "fees: there is nothing to book, so no file is written")
		return nil
	case len(b.Files) == 1:
		return b.Write(c.Context(), b.Format, b.Files, func(_ int, write func(io.Writer) error) error { return f.Stream(write) })
	case len(b.Files) > maxFiles:
		return fmt.Errorf("the journal needs %d files, and fees writes %d at most: --summarise day or month needs fewer", len(b.Files), maxFiles)
	case f.File == "":
		return fmt.Errorf("the journal needs %d files: name the first part of their names with -o", len(b.Files))
	}
	extension := filepath.Ext(f.File)
	stem := strings.TrimSuffix(f.File, extension)
	name := func(file int) string { return fmt.Sprintf("%s-%03d%s", stem, file+1, extension) }
	err := b.Write(c.Context(), b.Format, b.Files, func(file int, write func(io.Writer) error) error {
		return cli.ReplaceFile(c.Context(), name(file), write)
	})
	if err != nil {
		return err
	}
	manifest := manifestOf(f.File)
	err = cli.ReplaceFile(c.Context(), manifest, func(w io.Writer) error {
		return b.WriteManifest(w, func(file int) string { return filepath.Base(name(file)) })
	})
	if err == nil {
		fmt.Fprintf(c.ErrOrStderr(), "fees: %d files, %s to %s; %s lists them\n", len(b.Files), console.Printable(name(0)), console.Printable(name(len(b.Files)-1)), console.Printable(manifest))
	}
	return err
}

// manifestOf returns the name of the manifest of a journal's files.
func manifestOf(file string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + manifestName
}

const (
	manifestName = "-manifest.json"
	maxFiles     = 10_000
)

// maxShown is how many entries a dry run shows.
const maxShown = 200

// writeEntries shows entries to people.
func writeEntries(c *cobra.Command, page *console.Page, b *app.Bookings) error {
	page.Line(b.Title, 2)
	page.WriteString("\n")
	t := console.NewTable(
		console.Column{Name: "entry"}, console.Column{Name: "date"}, console.Column{Name: "account"}, console.Column{Name: "cost centre", Drop: 2},
		console.Column{Name: "debit", Right: true}, console.Column{Name: "credit", Right: true}, console.Column{Name: b.Symbol, Right: true, Drop: 1}, console.Column{Name: "fees", Right: true, Drop: 3},
	)
	shown := uint64(0)
	for e, err := range b.Each(c.Context()) { // b counts all of them
		if err != nil {
			return err
		}
		if shown++; shown > maxShown {
			break
		}
		lines, err := e.Lines()
		if err != nil {
			return err
		}
		number, date := e.Number, e.Date.Format("2006-01-02")
		for _, l := range lines {
			debit, credit, token, fees := "", b.Money(l.Amount), "", ""
			if l.Debit {
				debit, credit = credit, ""
			}
			if l.Fees > 0 {
				token, fees = b.Tokens(l.Wei), fmt.Sprint(l.Fees)
			}
			t.Row(number, date, console.Printable(l.Account), console.Printable(l.Value(chart.CostCentre)), debit, credit, token, fees)
			number, date = "", ""
		}
	}
	page.Table(t)
	if b.Entries > maxShown {
		page.Line(fmt.Sprintf("and %d more entries", b.Entries-maxShown), 2)
	}
	accounts := console.NewTable(console.Column{Name: "account"}, console.Column{Name: "debit", Right: true}, console.Column{Name: "credit", Right: true})
	for _, a := range b.Accounts {
		accounts.Row(console.Printable(a.Account), b.Money(a.Debit), b.Money(a.Credit))
	}
	debit, credit := b.Sums()
	accounts.Footer("", b.Money(debit), b.Money(credit))
	page.WriteString("\n")
	page.Table(accounts)
	page.WriteString("\n")
	return nil
}

// writeTie shows people what a journal ties to.
func writeTie(page *console.Page, b *app.Bookings) {
	currency := " " + string(b.Currency)
	var p console.Pairs
	p.Add("entries", fmt.Sprintf("%d, of %s", b.Entries, console.Counted(b.Fees, "fee")))
	p.Add("fees booked", b.Tokens(b.Wei)+" "+console.Printable(b.Symbol))
	p.Add("their value", b.Exact.String()+currency)
	p.Add("total", b.Money(b.Total)+currency+", rounded once")
	p.Add("posted", b.Money(b.Posted)+currency+" by these entries")
	p.Add("rounding", b.Money(b.Rounding)+currency+" by the rounding entry")
	debit, credit := b.Sums()
	p.Add("debits, credits", b.Money(debit)+currency+", "+b.Money(credit)+currency)
	p.Add("report", b.Compared)
	for _, note := range b.Remarks {
		p.Add("note", note)
	}
	page.Pairs(p)
	for _, s := range b.Suspended {
		who := b.Account(s.Payer)
		if s.Label != "" {
			who = console.Printable(s.Label)
		}
		page.Line(fmt.Sprintf("suspense: %s of %s, %s: %s %s", s.ID, who, console.Printable(s.Call), b.Tokens(s.Wei), console.Printable(b.Symbol)), 2)
	}
	if more := b.SuspenseFees - uint64(len(b.Suspended)); more > 0 {
		page.Line(fmt.Sprintf("and %d more", more), 2)
	}
}
