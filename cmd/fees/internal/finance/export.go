package finance

import (
	"context"
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
	"github.com/feeledger/fees/internal/table"
)

var exportManual = `Write the fees that accounts paid, as accounting software takes them.

--as names for what: hledger, beancount or ledger get double entry, an entry a fee;
csv, jsonl, xlsx and parquet are the plain list; koinly is its universal CSV. What was
paid is what the chain charged; a remark stands where the rules give another fee. A
fee that nobody knows is listed on standard error (the first hundred, and how many
more there are), and the exit code is 1. All stands in the order of the chain.

` + cli.PeriodManual + `

` + cli.LabelsManual + `
A journal has its labels as
names, and its accounts as asset accounts; a label of several addresses has the address
beside it. --names is for this journal alone.

--names gives addresses their names: a CSV file of address,name and, where it is not
to be Assets:<name>, the asset account; a header names its columns in any order.
--prices writes what each fee was worth: in a journal each amount with the price of its
day or hour, in a list fee and charged in --fiat, for Koinly the net worth.
--network-side adds where each fee went: burned, to the treasury, to
the author.

--with movements writes every change of the accounts' native balances instead: fees,
transfers, rewards, what is reserved. The journal opens with the balances that the
gateway (--gateway) says they had, and asserts those that it says they have at the
end; where the movements do not lead there, the block is named, and nothing written.
--continue asserts the opening balances: the journal of the time before is there too.
For Beancount, also without --with movements, it opens the accounts that are new in the
ledger, so that one file includes all journals of the ledger, the first without it.

hledger import takes only what is new of a journal of whole days that is written again
under the same name with more days.

--partitioned DIR writes all that the ledger has of whole months of UTC instead, for
DuckDB, ClickHouse, Spark and Trino: blocks, transactions, movements, transfers and
events that are unclassified, of everybody, as Parquet files by network, year and month
(docs/analytics.md has the columns and queries). Run it again, and it writes the months
that are new. A file whose month has another seal in the ledger is an error: --replace
writes it again. A month that the ledger lacks in part is left out, or refused where it
is asked for; --partial takes what is there, and the next run takes what is there then.
--check reads all files and compares them with their sums and the ledger's seals.
Amounts that are not known are null; if a fee is, the exit code is 1.

` + pricesManual

const exportExamples = `  fees export --as hledger --month 2026-01 --accounts Payroll -o january.journal
  fees export --as beancount 1..24 --accounts accounts.csv --names names.csv
  fees export --as ledger --accounts group:company --prices prices.csv --fiat EUR
  fees export --as hledger --with movements --month 2026-01 --accounts group:company
  fees export --as xlsx --month 2026-01 --accounts accounts.csv -o january.xlsx
  fees export --partitioned lake
  fees export --partitioned lake --check`

// exportFlags are the flags of fees export.
type exportFlags struct {
	cli.GatewayFlags
	questionFlags
	asked       app.ExportQuestion
	form        string
	names       string
	networkFile string
	partitioned string
	replace     bool
	checks      bool
}

const (
	toKoinly = "koinly"
)

// lists are the forms of the plain list, and how each is written.
var lists = map[string]func(io.Writer, *table.Sheet) error{
	"csv":     table.WriteCSV,
	"jsonl":   table.WriteJSONLines,
	"xlsx":    func(w io.Writer, s *table.Sheet) error { return table.WriteXLSX(w, s) },
	"parquet": table.WriteParquet,
}

var exportForms = []string{"hledger", "beancount", "ledger", "csv", "jsonl", "xlsx", "parquet", toKoinly}

func newExport(stdout, stderr io.Writer) *cobra.Command {
	var flags exportFlags
	flags.Stdout = stdout
	c := &cobra.Command{
		Use:     "export --as FORM --accounts LIST|FILE " + cli.PeriodUse + " | --partitioned DIR",
		Short:   "Write fees for accounting software",
		Long:    exportManual,
		Example: exportExamples,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if flags.partitioned != "" {
				return exportPartitioned(c, args, &flags, stderr)
			}
			return export(c.Context(), args, flags, stderr)
		},
	}
	flags.GatewayFlags.Add(c, "where the balances of --with movements come from")
	flags.AddTrust(c)
	flags.questionFlags.add(c, "who paid")
	f := c.Flags()
	f.StringVar(&flags.form, "as", "", "for what: "+strings.Join(exportForms, ", "))
	f.StringVar(&flags.names, "names", "", "instead of the address book, a CSV file of address,name or address,name,asset account")
	f.StringVar(&flags.asked.With, "with", app.WithFees, "fees, or movements: every change of the balances")
	f.BoolVar(&flags.asked.Style.NetworkSide, "network-side", false, "of each fee, what was burned and what the treasury and the author got too")
	f.BoolVar(&flags.asked.Style.Continues, "continue", false, "the journal of the time before is there too: assert the opening balances, open no account twice")
	f.StringVar(&flags.networkFile, "network-file", "", "a file with network tables of your own")
	f.StringVar(&flags.partitioned, "partitioned", "", "write all of whole months as Parquet files below this directory")
	f.BoolVar(&flags.replace, "replace", false, "for --partitioned, write again what is there and differs")
	f.BoolVar(&flags.checks, "check", false, "for --partitioned, write nothing: compare what is there with its sums and the ledger")
	cli.Complete(c, "as", exportForms...)
	cli.Complete(c, "with", app.WithFees, app.WithMovements)
	return c
}

// check wants flags that go together.
func (f *exportFlags) check() error {
	_, books := app.Program(f.form)
	binary := f.form == "xlsx" || f.form == "parquet"
	switch {
	case f.replace || f.checks:
		return errors.New("--replace and --check are for --partitioned")
	case slices.Contains(exportForms, f.To):
		return fmt.Errorf("--to is the last day of the period: --as %s says for what", f.To)
	case f.form == "":
		return errors.New("--as: name a form, " + strings.Join(exportForms, ", ") + "; or --partitioned, a directory")
	case !slices.Contains(exportForms, f.form):
		return fmt.Errorf("--as %q: want %s", f.form, strings.Join(exportForms, ", "))
	case f.asked.With != app.WithFees && f.asked.With != app.WithMovements:
		return fmt.Errorf("--with %q: want %s or %s", f.asked.With, app.WithFees, app.WithMovements)
	case !books && (f.asked.With != app.WithFees || f.asked.Style.NetworkSide):
		return fmt.Errorf("--as %s is a list of fees: --with movements and --network-side are for hledger, beancount and ledger", f.form)
	case f.asked.Style.Continues && f.asked.With != app.WithMovements && f.form != journal.Beancount.Name:
		return errors.New("--continue is for --with movements, and for Beancount: no other journal of fees depends on the one before")
	case binary && f.File == "" && cli.IsTerminal(f.Stdout):
		return fmt.Errorf("--as %s is not for a terminal: name a file with -o", f.form)
	}
	return nil
}

// export is the command.
func export(ctx context.Context, args []string, flags exportFlags, stderr io.Writer) error {
	if err := flags.check(); err != nil {
		return err
	}
	q, err := flags.question(args, stderr)
	if err != nil {
		return err
	}
	d, err := flags.LedgerFlags.Open(ctx, flags.networkFile)
	if err != nil {
		return err
	}
	defer d.Close()
	x, err := d.Export(ctx, q)
	if err != nil {
		return err
	}
	for _, note := range x.Notes {
		fmt.Fprintln(stderr, "fees: "+note)
	}
	if err := flags.write(ctx, x); err != nil {
		return x.Explain(err)
	}
	return tellUndetermined(stderr, x.Payments)
}

// question is what the flags ask for.
func (f *exportFlags) question(args []string, stderr io.Writer) (q app.ExportQuestion, err error) {
	q = f.asked
	q.Balances = f.GatewayFlags.Open
	var chosen *app.Chosen
	if q.Question, chosen, err = f.questionFlags.read(args, stderr); err != nil {
		return q, err
	}
	if len(q.Accounts) == 0 {
		return q, errors.New("--accounts: name those who paid, or a file with them" + cli.Offer(chosen.Book))
	}
	if f.names != "" {
		q.Style.Names, err = app.ReadNames(f.names)
	} else {
		q.Style.Names, err = chosen.JournalNames()
	}
	return q, err
}

// write writes the form that was asked for.
func (f *exportFlags) write(ctx context.Context, x *app.Export) error {
	if write, ok := lists[f.form]; ok {
		list, err := x.List(ctx)
		if err != nil {
			return err
		}
		return f.Output.Stream(func(w io.Writer) error { return write(w, list) })
	}
	if f.form == toKoinly {
		return f.Output.Stream(func(w io.Writer) error { return x.WriteKoinly(ctx, w) })
	}
	j, err := x.Journal(ctx)
	if err != nil {
		return err
	}
	p, _ := app.Program(f.form)
	return f.Output.Stream(func(w io.Writer) error { return j.Write(w, p) })
}

// tellUndetermined lists the fees that nobody knows, the first of them one by one, and is
// errFinding where there are some.
func tellUndetermined(stderr io.Writer, payments *journal.Payments) error {
	count, first := payments.Undetermined()
	if count == 0 {
		return nil
	}
	fmt.Fprintf(stderr, "fees: %s %s not known, and %[2]s in no sum:\n", console.Counted(count, "fee"), console.Verb(count, "is", "are"))
	for _, p := range first {
		payer := "somebody unknown"
		if a, ok := p.Payer.Get(); ok {
			payer = a.String()
		} else if a, ok := p.Sender.Get(); ok {
			payer = a.String()
		}
		fmt.Fprintf(stderr, "  %s of %s: %s\n", p.Place(), payer, console.Printable(p.Error))
	}
	if more := count - uint64(len(first)); more > 0 {
		fmt.Fprintf(stderr, "  and %d more\n", more)
	}
	return cli.ErrFinding
}
