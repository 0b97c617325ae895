package finance

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/source"
)

var exportManual = `Export fees charged to your accounts for accounting software:
  hledger, beancount, ledger    double entry, one entry per fee
  csv, jsonl, xlsx, parquet     a plain list
  koinly                        Koinly's universal CSV
  records                       the bytes that the ledger's seals cover
Amounts are what the chain charged, with a remark if the rules give another
fee. Entries are in chain order. Undetermined fees are listed on standard error
(the first hundred), and the exit code is 1.

--names replaces the labels by those of a file in the address book's format.
The default asset account is Assets:<name>. --prices adds values: prices in a
journal, fee and charge in --fiat in a list, net worth for Koinly.
--network-side also shows where each fee went: burned, treasury or author.

--with movements writes every change of native balances instead: fees,
transfers, rewards and reserves. The journal opens with the balances reported
by the gateway (--gateway) and asserts those at the end. If they do not add up,
the error names the block, and nothing is written. Deposits that others hold
are on Assets:Deposits, which opens and ends likewise. --continue asserts the
opening balances instead, for use after an earlier journal. For Beancount, also
with fees, --continue only opens accounts that are new, so that one file can
include all journals.

` + aboutManual + `

If you export whole days to the same file again with more days, hledger import
only takes the new entries.

--partitioned DIR writes every complete month as Parquet files, for all
accounts. DuckDB, ClickHouse, Spark and Trino read them (docs/analytics.md):
  what     blocks, transactions, movements, transfers, unclassified events
  where    one directory per network, year and month (UTC)
  again    adds new months; rewrites those that differ only with --replace
  partial  incomplete months are skipped; --partial writes what is available,
           and the next run completes it
A month whose seal differs from the ledger's is an error without --replace, and
so is an incomplete month that you name. --check compares all files with their
checksums and the ledger's seals. Undetermined amounts are null. If a fee is
undetermined, the exit code is 1.

--as records writes every block of the period as one JSON line, exactly the
bytes that the seals cover. docs/verify_seal.py computes the seals from them
without fees.

` + cli.PeriodManual + `

` + pricesManual + `

--ledger a.db --ledger b.db exports several chains to one file: a plain-text
journal with several commodities, a list with network and token, or the entries
of all chains in the currency, with a rounding entry for each. Name the pair of
each price file, such as GLMR/EUR=FILE; the period is of days. --with movements
needs --gateway NETWORK=PLACE for each chain.

` + cli.LabelsManual + `
In a journal, the label is the account's name, and the account column is its
asset account. If several addresses share a label, the address is added.

` + summaryManual

const exportExamples = `  fees export --as hledger --month 2026-01 --accounts Payroll -o jan.journal
  fees export --as beancount 1..24 --accounts accounts.csv --names names.csv
  fees export --as ledger --accounts group:company --prices prices.csv --fiat EUR
  fees export --as hledger --with movements --month 2026-01 --accounts group:company
  fees export --as xlsx --month 2026-01 --accounts accounts.csv -o january.xlsx
  fees export --as xero --month 2026-01 --accounts group:company \
      --chart chart.csv --prices prices.csv --fiat EUR -o january.csv
  fees export --as csv --month 2026-01 --accounts group:company \
      -o january.csv --about
  fees export --as xero --month 2026-01 --accounts group:company \
      --chart chart.csv --ledger fees.db --ledger river.db \
      --prices GLMR/EUR=glmr.csv,MOVR/EUR=movr.csv -o january.csv
  fees export --as records --month 2026-01 -o january.jsonl
  fees export --partitioned lake
  fees export --partitioned lake --check`

// exportFlags are the flags of fees export.
type exportFlags struct {
	cli.GatewayFlags
	requestFlags
	request     app.ExportRequest
	form        string
	names       string
	partitioned string
	replace     bool
	checks      bool
	labelsPath  string // of the address book, or ""
	chart, tags string
	dryRun      bool
	aboutFlag
}

func newExport() *cobra.Command {
	f := exportFlags{request: app.ExportRequest{With: app.WithFees}}
	return cli.New(&cobra.Command{
		Use: "export --as FORM --accounts LIST|FILE " + cli.PeriodUse + " | --partitioned DIR", Short: "Export fees for accounting software", Long: exportManual, Example: exportExamples,
		Args: cli.Args(0, 1, "at most one range"), RunE: f.export,
	}, f.Of("the source of balances for --with movements"), f.AddTrust, f.ofSeveral("the payers"), f.AddTables, f.AddFile, f.add, cli.NamesPath("partitioned"), f.addSummary, f.addAbout)
}

func (f *exportFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.form, "as", "", "the format: "+strings.Join(exportForms, ", "))
	flags.StringVar(&f.names, "names", "", "names to use instead of the address book, in a CSV file of the same format")
	flags.StringVar(&f.request.With, "with", app.WithFees, "fees, or movements: every change of balances")
	flags.BoolVar(&f.request.Style.NetworkSide, "network-side", false, "also show what was burned and what treasury and author received")
	flags.BoolVar(&f.request.Style.Continues, "continue", false, "continue an earlier journal: assert the opening balances, open only new accounts")
	flags.StringVar(&f.partitioned, "partitioned", "", "write every complete month as Parquet files into this directory")
	flags.BoolVar(&f.replace, "replace", false, "for --partitioned, rewrite months that differ")
	flags.BoolVar(&f.checks, "check", false, "for --partitioned, only compare the files with their checksums and the ledger")
	cli.Complete(c, "as", exportForms...)
	cli.Complete(c, "with", app.WithFees, app.WithMovements)
}

// check checks the combination of flags. The format's content decides which of them apply.
func (f *exportFlags) check(c *cobra.Command) error {
	format, _ := journal.FormatNamed(f.form)
	isJournal, isSummary := format.Content == journal.Movements, format.Content == journal.Summaries
	switch {
	case f.replace || f.checks:
		return errors.New("--replace and --check need --partitioned DIR")
	case slices.Contains(exportForms, f.To):
		return fmt.Errorf("--to is the last day of the period; for the format use --as %s", f.To)
	case f.form == "":
		return errors.New("a format is needed: --as " + strings.Join(exportForms, ", ") + "; or --partitioned DIR")
	case !slices.Contains(exportForms, f.form):
		return app.OneOf(app.FieldProgram, f.form, exportForms...)
	case f.request.With != app.WithFees && f.request.With != app.WithMovements:
		return app.OneOf(app.FieldWith, f.request.With, app.WithFees, app.WithMovements)
	case !isJournal && (f.request.With != app.WithFees || f.request.Style.NetworkSide):
		return fmt.Errorf("--as %s is a list of fees; use --with movements and --network-side with hledger, beancount or ledger", f.form)
	case f.request.Style.Continues && f.request.With != app.WithMovements && f.form != journal.Beancount.Name:
		return errors.New("--continue only applies to --with movements and to --as beancount; leave it out")
	case isSummary && c.Flags().Changed("names"):
		return fmt.Errorf("--names is for hledger, beancount and ledger: --as %s takes accounts from --chart", f.form)
	case !isSummary && (f.dryRun || c.Flags().Changed("summarise")):
		return fmt.Errorf("--dry-run and --summarise are for %s", strings.Join(app.JournalForms, ", "))
	case format.Content == journal.Fees && f.chart != "":
		return fmt.Errorf("--as %s is a list of fees, and --chart is for journals", f.form)
	}
	return f.CheckBinary("as", f.form)
}

// export runs fees export.
func (f *exportFlags) export(c *cobra.Command, args []string) error {
	if f.IsSeveral() && (f.form == records || f.about) {
		return errors.New("--as records and --about are of one ledger; leave them out, or name one --ledger")
	}
	if f.about && (f.partitioned != "" || f.form == records || f.dryRun) {
		return errors.New("--about is for lists and journals that are written; leave it out")
	}
	if f.partitioned != "" {
		return f.exportMonths(c, args)
	}
	if f.form == records {
		return f.exportRecords(c, args)
	}
	if err := f.check(c); err != nil {
		return err
	}
	if err := f.checkAbout(f.form, f.File); err != nil {
		return err
	}
	q, err := f.exportRequest(c, args)
	if err != nil {
		return err
	}
	if f.IsSeveral() {
		return f.exportSeveral(c, q)
	}
	request, err := f.aboutRequest(c, args, f.labelsPath, blocksOf(f.Gateway)...)
	if err != nil {
		return err
	}
	return f.Ask(c, func(d *app.Ledger) error {
		x, err := d.Export(c.Context(), q)
		if err != nil {
			return err
		}
		for _, note := range x.Notes {
			fmt.Fprintln(c.ErrOrStderr(), "fees: "+note)
		}
		if slices.Contains(app.JournalForms, f.form) {
			err = f.writeSummary(c, x)
		} else {
			var write func(io.Writer) error
			if write, err = f.writer(c, x, request); err == nil {
				err = f.Stream(write)
			}
		}
		if err != nil {
			return x.Explain(err)
		}
		return f.withAbout(c, x, request, writeUndetermined(c.ErrOrStderr(), x))
	})
}

// exportSeveral exports the fees of several ledgers to one file.
func (f *exportFlags) exportSeveral(c *cobra.Command, q app.ExportRequest) error {
	ctx := c.Context()
	parts, _, end, err := f.divided(c, q.Request, f.Tables)
	if err != nil {
		return err
	}
	defer end()
	if err := app.CheckTokens(parts); err != nil {
		return err
	}
	exports := make([]*app.Export, len(parts))
	for i, p := range parts {
		f.At(i)
		one := q
		one.Request = p.Request
		one.Balances = func() (source.Source, error) { return f.OpenOf(p.Network) }
		if exports[i], err = p.Export(ctx, one); err != nil {
			return err
		}
		for _, note := range exports[i].Notes {
			fmt.Fprintf(c.ErrOrStderr(), "fees: %s: %s\n", p.Network, note)
		}
	}
	if slices.Contains(app.JournalForms, f.form) {
		err = f.writeSummary(c, exports...)
	} else {
		var write func(io.Writer) error
		if write, err = app.JoinExports(ctx, parts, exports, f.form); err == nil {
			err = f.Stream(write)
		}
	}
	for i := range exports {
		if err == nil || errors.Is(err, cli.ErrFinding) {
			err = cmp.Or(writeUndetermined(c.ErrOrStderr(), exports[i]), err)
		}
	}
	return err
}

// exportRequest returns the export that the flags describe.
func (f *exportFlags) exportRequest(c *cobra.Command, args []string) (q app.ExportRequest, err error) {
	q = f.request
	q.Balances = f.GatewayFlags.Open
	var chosen *app.Chosen
	if q.Request, chosen, err = f.read(c, args); err != nil {
		return q, err
	}
	f.labelsPath = bookPath(chosen)
	if len(q.Accounts) == 0 {
		return q, errors.New("--accounts is missing; name the payers or a file of them" + cli.Offer(chosen.Book))
	}
	if q.ChartInput, err = app.ReadChart(f.chart, f.tags); err != nil || slices.Contains(app.JournalForms, f.form) {
		return q, err
	}
	if f.names != "" {
		q.Style.Names, err = app.ReadNames(f.names)
	} else {
		q.Style.Names, err = chosen.JournalNames()
	}
	return q, err
}

// writeUndetermined lists the first undetermined fees, and returns [cli.ErrFinding] if there are any.
func writeUndetermined(stderr io.Writer, x *app.Export) error {
	count, first := x.Payments.Undetermined()
	if count == 0 {
		return nil
	}
	fmt.Fprintf(stderr, "fees: %s %s undetermined and not in any total:\n", console.Counted(count, "fee"), console.Verb(count, "is", "are"))
	for _, p := range first {
		payer := "unknown payer"
		if a, ok := p.Payer.Get(); ok {
			payer = x.Token().Account(a)
		} else if a, ok := p.Sender.Get(); ok {
			payer = x.Token().Account(a)
		}
		fmt.Fprintf(stderr, "  %s, %s: %s\n", p.Place(), payer, plain.Line(p.Error))
	}
	if more := count - uint64(len(first)); more > 0 {
		fmt.Fprintf(stderr, "  and %d more\n", more)
	}
	return cli.ErrFinding
}
