package finance

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/sys/plain"
)

// summaryManual describes journals for accounting systems in the help of fees export.
const summaryManual = `--as quickbooks, xero, netsuite, datev and journal-csv write a journal in the
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
  quickbooks   date form (MM/DD/YYYY), separator, quickbooks account 6810
               (the name of account 6810; required if accounts are numbers)
  xero         xero tax rate (required), xero tracking 1 and 2
               (Region = location)
  netsuite     date form (MM/DD/YYYY), netsuite subsidiary
  datev        datev consultant, datev client, datev account length (required),
               datev fiscal year month (1), datev chart
  journal-csv  columns (Date = date, Text = description, debit, credit, ...),
               date form (YYYY-MM-DD), separator, decimal (point),
               line end (crlf), encoding (utf-8), rows per file
"# quickbooks date form: YYYY-MM-DD" is for this format only. A setting that a
format does not have is an error.`

// addSummary adds the flags of journals for accounting systems.
func (f *exportFlags) addSummary(c *cobra.Command) {
	f.request.Style.By = journal.ByDay
	addChart(c, &f.chart, &f.tags)
	cli.Choice(c, &f.request.Style.By, "summarise", "for accounting systems, what an entry has the fees of: transaction, day or month", journal.ByTransaction, journal.ByDay, journal.ByMonth)
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "for accounting systems, show the entries and what they tie to, and write nothing")
}

func addChart(c *cobra.Command, chartPath, tagsPath *string) {
	c.Flags().StringVar(chartPath, "chart", "", "a CSV file that maps fees to accounts and cost centres")
	c.Flags().StringVar(tagsPath, "tags", "", "for --chart, a CSV file of hash,tag")
}

// writeSummary writes a journal for an accounting system, of one or several chains, and shows what it ties to.
func (f *exportFlags) writeSummary(c *cobra.Command, exports ...*app.Export) error {
	if f.form == journal.DATEV.Name && f.File != "" && !strings.HasPrefix(filepath.Base(f.File), app.DATEVPrefix) {
		return fmt.Errorf("-o %s: DATEV imports only files whose names begin with %s", f.File, app.DATEVPrefix)
	}
	list, err := app.SummariseAll(c.Context(), exports, f.form)
	if err != nil {
		return err
	}
	if f.dryRun {
		return f.Write(func(w io.Writer) error {
			page := console.NewPage(w, f.Width())
			for i, s := range list {
				if i > 0 {
					page.WriteString("\n")
				}
				if err := writeEntries(c, page, s); err != nil {
					return err
				}
				writeTie(page, s)
			}
			writeTotals(page, list)
			return page.Flush()
		})
	}
	if err := f.writeFiles(c, list[len(list)-1]); err != nil {
		return err
	}
	page := console.NewPage(c.ErrOrStderr(), cli.WidthOf(c.ErrOrStderr()))
	for i, s := range list {
		if i > 0 {
			page.WriteString("\n")
		}
		if len(list) > 1 {
			page.Line(s.Title, 2)
		}
		writeTie(page, s)
	}
	writeTotals(page, list)
	return page.Flush()
}

// writeTotals writes what the journals of several chains add up to. Each chain's total is rounded once.
func writeTotals(page *console.Page, list []*app.Summary) {
	if len(list) < 2 {
		return
	}
	total := list[0].Total
	for _, s := range list[1:] {
		total = total.Add(s.Total)
	}
	page.WriteString("\n")
	page.Line(fmt.Sprintf("total of %d chains: %s %s, the sum of their rounded totals", len(list), list[0].Money(total), list[0].Currency), 2)
}

// writeFiles writes the files of a journal, with a manifest if there are several.
func (f *exportFlags) writeFiles(c *cobra.Command, s *app.Summary) error {
	switch {
	case len(s.Files) == 0:
		fmt.Fprintln(c.ErrOrStderr(), "fees: there is nothing to book, so no file is written")
		return nil
	case len(s.Files) == 1:
		return s.Write(c.Context(), func(_ int, write func(io.Writer) error) error { return f.Stream(write) })
	case len(s.Files) > maxFiles:
		return fmt.Errorf("the journal needs %d files, and fees writes %d at most: --summarise day or month needs fewer", len(s.Files), maxFiles)
	case f.File == "":
		return fmt.Errorf("the journal needs %d files: name the first part of their names with -o", len(s.Files))
	}
	names := s.FileNames(f.File)
	err := s.Write(c.Context(), func(file int, write func(io.Writer) error) error {
		return cli.ReplaceFile(c.Context(), names[file], write)
	})
	if err != nil {
		return err
	}
	manifest := app.ManifestName(f.File)
	err = cli.ReplaceFile(c.Context(), manifest, func(w io.Writer) error { return s.WriteManifest(w, names) })
	if err == nil {
		fmt.Fprintf(c.ErrOrStderr(), "fees: %d files, %s to %s; %s lists them\n", len(names), plain.Line(names[0]), plain.Line(names[len(names)-1]), plain.Line(manifest))
	}
	return err
}

// maxFiles limits the files of a journal.
const maxFiles = 10_000

// maxShown is how many entries a dry run shows.
const maxShown = 200

// writeEntries shows entries to people.
func writeEntries(c *cobra.Command, page *console.Page, s *app.Summary) error {
	page.Line(s.Title, 2)
	page.WriteString("\n")
	t := console.NewTable(
		console.Column{Name: "entry"}, console.Column{Name: "date"}, console.Column{Name: "account"}, console.Column{Name: "cost centre", Drop: 2},
		console.Column{Name: "debit", Right: true}, console.Column{Name: "credit", Right: true}, console.Column{Name: s.Symbol, Right: true, Drop: 1}, console.Column{Name: "fees", Right: true, Drop: 3},
	)
	shown := uint64(0)
	for e, err := range s.Each(c.Context()) { // s counts all of them
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
		number, date := e.Reference, e.Date.Format("2006-01-02")
		for _, l := range lines {
			debit, credit, token, fees := "", s.Money(l.Amount), "", ""
			if l.Debit {
				debit, credit = credit, ""
			}
			if l.Fees > 0 {
				token, fees = s.Tokens(l.Wei), fmt.Sprint(l.Fees)
			}
			t.Row(number, date, plain.Line(string(l.Account)), plain.Line(l.Value(chart.CostCentre)), debit, credit, token, fees)
			number, date = "", ""
		}
	}
	page.Table(t)
	if s.Entries > maxShown {
		page.Line(fmt.Sprintf("and %d more entries", s.Entries-maxShown), 2)
	}
	accounts := console.NewTable(console.Column{Name: "account"}, console.Column{Name: "debit", Right: true}, console.Column{Name: "credit", Right: true})
	for _, a := range s.Accounts {
		accounts.Row(plain.Line(string(a.Account)), s.Money(a.Debit), s.Money(a.Credit))
	}
	debit, credit := s.Sums()
	accounts.Footer("", s.Money(debit), s.Money(credit))
	page.WriteString("\n")
	page.Table(accounts)
	page.WriteString("\n")
	return nil
}

// writeTie shows people what a journal ties to.
func writeTie(page *console.Page, s *app.Summary) {
	currency := " " + string(s.Currency)
	var p console.Pairs
	p.Add("entries", fmt.Sprintf("%d, of %s", s.Entries, console.Counted(s.Fees, "fee")))
	p.Add("fees booked", s.Tokens(s.Wei)+" "+plain.Line(s.Symbol))
	p.Add("their value", s.Exact.String()+currency)
	p.Add("total", s.Money(s.Total)+currency+", rounded once")
	p.Add("posted", s.Money(s.Posted)+currency+" by these entries")
	p.Add("rounding", s.Money(s.Rounding)+currency+" by the rounding entry")
	debit, credit := s.Sums()
	p.Add("debits, credits", s.Money(debit)+currency+", "+s.Money(credit)+currency)
	p.Add("report", s.Compared)
	for _, note := range s.Remarks {
		p.Add("note", note)
	}
	page.Pairs(p)
	for _, x := range s.Suspended {
		paid, _ := x.Paid.Get()
		payer := plain.Line(cmp.Or(x.Facts.Label, s.Account(x.Facts.Payer)))
		page.Line(fmt.Sprintf("suspense: %s of %s, %s: %s %s", x.Facts.ID, payer, plain.Line(x.Call), s.Tokens(paid), plain.Line(s.Symbol)), 2)
	}
	if more := s.Suspense.Fees - uint64(len(s.Suspended)); more > 0 {
		page.Line(fmt.Sprintf("and %d more", more), 2)
	}
}
