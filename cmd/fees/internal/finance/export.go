package finance

import (
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

--as records writes every block of the period as the ledger's seals are over it, a line
of JSON each. docs/verify_seal.py computes the seals from them, without fees.

` + pricesManual

const exportExamples = `  fees export --as hledger --month 2026-01 --accounts Payroll -o january.journal
  fees export --as beancount 1..24 --accounts accounts.csv --names names.csv
  fees export --as ledger --accounts group:company --prices prices.csv --fiat EUR
  fees export --as hledger --with movements --month 2026-01 --accounts group:company
  fees export --as xlsx --month 2026-01 --accounts accounts.csv -o january.xlsx
  fees export --as records --month 2026-01 -o january.jsonl
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

func newExport() *cobra.Command {
	f := exportFlags{asked: app.ExportQuestion{With: app.WithFees}}
	return cli.New(&cobra.Command{
		Use: "export --as FORM --accounts LIST|FILE " + cli.PeriodUse + " | --partitioned DIR", Short: "Write fees for accounting software", Long: exportManual, Example: exportExamples,
		Args: cobra.MaximumNArgs(1), RunE: f.export,
	}, f.Of("where the balances of --with movements come from"), f.AddTrust, f.of("who paid"), f.AddFile, f.add)
}

func (f *exportFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.form, "as", "", "for what: "+strings.Join(exportForms, ", "))
	flags.StringVar(&f.names, "names", "", "instead of the address book, a CSV file of address,name or address,name,asset account")
	flags.StringVar(&f.asked.With, "with", app.WithFees, "fees, or movements: every change of the balances")
	flags.BoolVar(&f.asked.Style.NetworkSide, "network-side", false, "of each fee, what was burned and what the treasury and the author got too")
	flags.BoolVar(&f.asked.Style.Continues, "continue", false, "the journal of the time before is there too: assert the opening balances, open no account twice")
	flags.StringVar(&f.networkFile, "network-file", "", "a file with network tables of your own")
	flags.StringVar(&f.partitioned, "partitioned", "", "write all of whole months as Parquet files below this directory")
	flags.BoolVar(&f.replace, "replace", false, "for --partitioned, write again what is there and differs")
	flags.BoolVar(&f.checks, "check", false, "for --partitioned, write nothing: compare what is there with its sums and the ledger")
	cli.Complete(c, "as", exportForms...)
	cli.Complete(c, "with", app.WithFees, app.WithMovements)
}

// check wants flags that go together.
func (f *exportFlags) check() error {
	_, books := app.Program(f.form)
	switch {
	case f.replace || f.checks:
		return errors.New("--replace and --check are for --partitioned")
	case slices.Contains(exportForms, f.To):
		return fmt.Errorf("--to is the last day of the period: --as %s says for what", f.To)
	case f.form == "":
		return errors.New("--as: name a form, " + strings.Join(exportForms, ", ") + "; or --partitioned, a directory")
	case !slices.Contains(exportForms, f.form):
		return app.OneOf(app.FieldProgram, f.form, exportForms...)
	case f.asked.With != app.WithFees && f.asked.With != app.WithMovements:
		return app.OneOf(app.FieldWith, f.asked.With, app.WithFees, app.WithMovements)
	case !books && (f.asked.With != app.WithFees || f.asked.Style.NetworkSide):
		return fmt.Errorf("--as %s is a list of fees: --with movements and --network-side are for hledger, beancount and ledger", f.form)
	case f.asked.Style.Continues && f.asked.With != app.WithMovements && f.form != journal.Beancount.Name:
		return errors.New("--continue is for --with movements, and for Beancount: no other journal of fees depends on the one before")
	}
	return f.CheckBinary("as", f.form)
}

// export writes the fees of accounts, or whole months of everybody.
func (f *exportFlags) export(c *cobra.Command, args []string) error {
	if f.partitioned != "" {
		return f.exportMonths(c, args)
	}
	if f.form == records {
		return f.exportRecords(c, args)
	}
	if err := f.check(); err != nil {
		return err
	}
	q, err := f.question(c, args)
	if err != nil {
		return err
	}
	return f.Ask(c, f.networkFile, func(d *app.Desk) error {
		x, err := d.Export(c.Context(), q)
		if err != nil {
			return err
		}
		for _, note := range x.Notes {
			fmt.Fprintln(c.ErrOrStderr(), "fees: "+note)
		}
		write, err := x.Writer(c.Context(), f.form)
		if err == nil {
			err = f.Stream(write)
		}
		if err != nil {
			return x.Explain(err)
		}
		return tellUndetermined(c.ErrOrStderr(), x.Payments)
	})
}

// question is what the flags ask for.
func (f *exportFlags) question(c *cobra.Command, args []string) (q app.ExportQuestion, err error) {
	q = f.asked
	q.Balances = f.GatewayFlags.Open
	var chosen *app.Chosen
	if q.Question, chosen, err = f.read(c, args); err != nil {
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
