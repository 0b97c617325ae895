package finance

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/source"
)

var reconcileManual = `Compare a company's own record of fees, a csv or xlsx file with a row for each,
with the ledger, to the wei. A row names its transaction by the hash of the EVM
transaction, else by that of the extrinsic, else by its place such as 25-7.

Each row is matched, or amount_differs (books less chain), payer_differs (the row
names another payer), paid_by_another_account, outside_period, undetermined (no
rule gives the fee), duplicate (a row before it names the same transaction),
ambiguous, or only_in_books. A fee that the accounts paid in the period and no row
names is only_on_chain. Two outcomes are listed, and are no difference:
within_tolerance, up to --tolerance "1 Gwei"; and within_rounding, where the row
has what a spreadsheet's 15 digits leave of the fee, cut or rounded, and no more
than that.

--accounts names the company's accounts. The chain's side is what they paid in the
period. It is 0 for a row that another account paid, such as an incoming transfer
in an explorer's export. Without accounts, the rows are compared and the exit code
is 2. --rows-only compares only the rows: fees that the books lack are not found.

` + cli.PeriodManual + `

Columns are found by their usual names, in any case:
  hash            hash, tx hash, txhash, txn hash, transaction hash, tx
  evm_hash        evm hash, evm tx hash, ethereum hash, eth hash
  extrinsic_hash  extrinsic hash, substrate hash
  id              extrinsic id, extrinsic, block-index, extrinsic index
  fee             fee, fees, tx fee, txn fee, transaction fee, gas fee, network fee,
                  fee amount, with its unit or without: fee_wei, Fee (Gwei), Fee (GLMR)
  asset           of the fee, beside it: Fee Currency, Network Fee Asset
  account         account, payer, from, from address, sender
  date            date, time, datetime, timestamp, booking date
Others are mapped: --map hash=Reference,fee="Network cost", or fee=#3 for the third
column where two have one name. If the file has no such column, leave it empty:
--map date=. The account is compared with who paid; the date is only shown. In
Koinly's form, the amount of a row labelled "cost" is the fee.

` + cli.LabelsManual + `
With it, what is shown has the payer's label and group.

The header is the first row that names a fee and a transaction; titles above it are
named. Total rows are no fees, and it is said where one is not the sum. --header-row
and --skip-rows set them. Lines are rows as a spreadsheet counts them.

Fees in other assets are left out, and counted: the column of assets or the cell
states them. A fee without an asset is an error where others have one, and so is a
column that is called "Fee (USD)" or "Fee (MOVR)" beside a ledger of GLMR.

Nothing is guessed: the unit is in the column's name, in --unit, or in each cell
(0.0021 GLMR, 2100000 Gwei); the separators of decimals and thousands are declared
(2,10,000 is read with --thousands ,); fees below 0 (-5, 5-, (5)) need --negative.
2.1E+15 is the number it names. 2.10E+15 is refused, because its format may hide
digits. An amount in a currency beside the fee, as in 0.0021 GLMR ($0.00048), is
not compared. A file that is not written like that is an error that names its lines,
with the command that reads the file, or with several where only you can know which
is right. csv is UTF-8, UTF-16, or --encoding windows-1252.

Dates that begin with the year or name the month are read as they are, with AM or
PM, UTC or +01:00 (2026-01-31 12:30 UTC, Jan 31, 2026 12:30 PM). For others, give
--date-format: dd.mm.yyyy, mm/dd/yyyy HH:MM:SS, or unix, unix-ms or excel for
numbers of seconds, milliseconds or days.

--fix FILE writes the record again, never over itself: csv with its separator and
encoding, or xlsx, its own cells as they are, and behind them outcome, chain_wei,
chain_token, difference_wei, difference_token, id and notes. In xlsx the amounts in
the token are numbers, which a spreadsheet rounds; those in wei are exact.

With prices, books, chain and difference are in the currency too. The price is that
of the transaction's day; of a row that names none, that of the row's date, and
where it has none, its worth is not known.

` + pricesManual + `

The result has no clock in it: the same file and ledger give the same bytes, with
the file's SHA-256 and the ledger's seal. --gateway reads a small range of heights
from a gateway or an archive instead of the ledger.

Exit codes: 0 all matches, 1 a difference, 2 usage, no accounts, or a file that
cannot be read, 3 the gateway, 4 the ledger does not cover the period.`

const reconcileExamples = `  fees reconcile company.csv --accounts group:company --month 2026-01
  fees reconcile march.xlsx --accounts group:company --unit token --decimal , --thousands . -o march.json --format json
  fees reconcile company.csv 1..24 --accounts group:company --labels accounts.csv --gateway ./gateway
  fees reconcile company.csv --accounts group:company --skip-rows 12,16 --fix company-checked.csv
  fees reconcile company.csv 1..24 --accounts group:company --prices prices.csv --fiat EUR
  fees reconcile company.csv --rows-only --map hash="Tx Hash",fee="Fee (GLMR)",date= --unit token`

// reconcileFlags are the flags of fees reconcile.
type reconcileFlags struct {
	cli.SourceFlags
	questionFlags
	app.BooksInput
	fix string // where the record is written again
	all bool
}

func newReconcile() *cobra.Command {
	var f reconcileFlags
	return cli.New(&cobra.Command{
		Use: "reconcile FILE " + cli.PeriodUse, Short: "Compare a company's record of fees with the ledger", Long: reconcileManual, Example: reconcileExamples,
		Args: cobra.RangeArgs(1, 2), RunE: func(c *cobra.Command, args []string) error { return withCommand(c, args, f.reconcile(c, args)) },
	}, f.AddFinal, f.of("the company's accounts"), f.add, f.Forms("table", "json", "csv", "xlsx"), f.AddQuiet, f.Concurrent)
}

func (f *reconcileFlags) add(c *cobra.Command) {
	c.Flags().Lookup("timezone").Usage = "whose days they are, and of dates without one, such as Europe/Berlin"
	c.Flags().BoolVar(&f.RowsOnly, "rows-only", false, "compare only the rows: fees that the books lack are not looked for")
	addBooks(c, &f.BooksInput, "")
	c.Flags().StringVar(&f.fix, "fix", "", "write the record again to this file, in its own form, with our figures beside its rows")
	c.Flags().BoolVar(&f.all, "all", false, "show what matches too")
}

// reconcile compares a company's record with the ledger.
func (f *reconcileFlags) reconcile(c *cobra.Command, args []string) error {
	f.Path = args[0]
	switch {
	case f.Format == "xlsx" && f.File == "":
		return errors.New("--format xlsx is a file: name it with -o")
	case f.Gateway != "" && f.Ledger != "":
		return errors.New("--gateway and --ledger: name one of them")
	case f.fix != "" && f.fix == f.File:
		return errors.New("--fix and -o: name two files")
	}
	if f.fix != "" {
		if err := f.CheckFixed(f.fix); err != nil {
			return err
		}
	}
	if _, err := f.Options(app.Question{}); err != nil { // before files are read
		return err
	}
	q, chosen, err := f.read(c, args[1:])
	if err != nil {
		return err
	}
	options, err := f.Options(q)
	if err != nil {
		return err
	}
	stderr := c.ErrOrStderr()
	result, err := f.compare(c, q.Period, options)
	if err != nil {
		tellRows(stderr, err)
		return err
	}
	defer result.Close()
	if len(options.Accounts) == 0 && !f.RowsOnly {
		return f.askForAccounts(c, args, result, chosen.Book)
	}
	if err := f.writeFixed(c, result); err != nil {
		return err
	}
	return f.show(result, stderr)
}

// askForAccounts shows how the rows compare, and the commands that name the accounts. It writes no
// file: without accounts, a result shows less than it seems to.
func (f *reconcileFlags) askForAccounts(c *cobra.Command, args []string, r *reconcile.Result, book *app.AddressBook) error {
	stderr := c.ErrOrStderr()
	if f.File == "" {
		if err := f.show(r, stderr); err != nil && !errors.Is(err, cli.ErrFinding) {
			return err
		}
	}
	groups := book.GroupNames()
	for _, group := range groups[:min(len(groups), app.MaxGroups)] {
		fmt.Fprintln(stderr, "fees: with these accounts: "+cli.Again(c, args, cli.Setting{Name: "accounts", Value: app.GroupPrefix + group}))
	}
	fmt.Fprintln(stderr, "fees: with only the rows: "+cli.Again(c, args, cli.Setting{Name: "rows-only"}))
	remedy := "run one of the commands above"
	if len(groups) == 0 {
		remedy = "add --accounts with addresses or a CSV file of them, or run the command above"
	}
	if f.File != "" || f.fix != "" {
		remedy = "no file was written; " + remedy
	}
	return fmt.Errorf("no accounts were named, so fees that the books lack were not looked for: %s", remedy)
}

// writeFixed writes the record again where that is asked for, and says what cannot be in it.
func (f *reconcileFlags) writeFixed(c *cobra.Command, r *reconcile.Result) error {
	if f.fix == "" {
		return nil
	}
	err := cli.ReplaceNamedFile(c.Context(), "--fix", f.fix, func(w io.Writer) error { return f.WriteFixed(c.Context(), w, r) })
	if err != nil {
		return err
	}
	for _, s := range r.Sums {
		if s.Outcome == reconcile.OnlyOnChain && s.Count > 0 {
			fmt.Fprintf(c.ErrOrStderr(), "fees: --fix %s: %s only_on_chain, without a row there: --format csv lists %s\n", console.Printable(f.fix),
				console.Counted(s.Count, "transaction")+console.Verb(s.Count, " is", " are"), console.Verb(s.Count, "it", "them"))
		}
	}
	return nil
}

// compare compares the record with the ledger, or with what a gateway has. Of that a
// ledger is made once the record was read.
func (f *reconcileFlags) compare(c *cobra.Command, asked app.Period, o reconcile.Options) (_ *reconcile.Result, err error) {
	ctx := c.Context()
	var d *app.Desk
	var reader *source.Reader
	if f.Gateway == "" {
		if d, err = f.LedgerFlags.Open(ctx, f.NetworkFile); err != nil {
			return nil, err
		}
		defer d.Close()
		o.Symbol, err = d.Symbol(ctx)
	} else if reader, err = f.Reader(); err == nil {
		o.Symbol, err = app.SymbolOf(ctx, reader, asked)
	}
	if err != nil {
		return nil, err
	}
	file, err := f.BooksInput.Read(ctx, o)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if d == nil {
		if d, err = f.Temporary(ctx, reader, asked, f.Progress(c, "blocks")); err != nil {
			return nil, err
		}
		defer d.Close()
	}
	return d.Reconcile(ctx, file, filepath.Base(f.Path), asked, o)
}

// show writes the result, and says what does not match where nobody sees it.
func (f *reconcileFlags) show(r *reconcile.Result, stderr io.Writer) error {
	if err := f.Stream(func(w io.Writer) error { return app.WriteReconciliation(w, r, f.Format, f.all, f.Width()) }); err != nil {
		return err
	}
	if f.Format == "csv" {
		for _, n := range r.Notes {
			fmt.Fprintln(stderr, "fees: "+console.Printable(n))
		}
	}
	unseen := f.Format != "table" || f.File != ""
	if unseen && !r.Complete() {
		fmt.Fprintln(stderr, "fees: "+r.Headline())
	}
	switch {
	case r.Compared() == 0 && f.RowsOnly:
		return fmt.Errorf("%s has no fee to compare", f.Path)
	case r.Agrees():
		return nil
	}
	if unseen {
		var found []string
		for _, s := range r.Sums {
			if s.Count > 0 {
				found = append(found, fmt.Sprintf("%d %s", s.Count, s.Outcome))
			}
		}
		fmt.Fprintln(stderr, "fees: "+strings.Join(found, ", "))
	}
	return cli.ErrFinding
}
