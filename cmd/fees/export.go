package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/journal"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/sheet"
)

var exportManual = `Write the fees that accounts paid, as accounting software takes them.

--to names for what: hledger, beancount or ledger get double entry, an entry a fee;
csv, jsonl, xlsx and parquet are the plain list; koinly is its universal CSV. What was
paid is what the chain charged; a remark stands where the rules give another fee. A
fee that nobody knows is listed on standard error (the first hundred, and how many
more there are), and the exit code is 1. All stands in the order of the chain.

` + fmt.Sprintf(periodManual, exportEnd) + `

--names gives addresses their names: a CSV file of address,name and, where it is not
to be Assets:<name>, the asset account. --prices, a CSV file of date,price, with
--fiat, writes each amount with what a token cost on its day. --network-side adds
where each fee went: burned, to the treasury, to the author.

--with movements writes every change of the accounts' native balances instead: fees,
transfers, rewards, what is reserved. The journal opens with the balances that the
gateway (--gateway) says they had, and asserts those that it says they have at the
end; where the movements do not lead there, the block is named, and nothing written.
--continue asserts the opening balances: the journal of the time before is there too.
For Beancount, also without --with movements, it opens the accounts that are new in the
ledger, so that one file includes all journals of the ledger, the first without it.

hledger import takes only what is new of a journal of whole days that is written again
under the same name with more days.`

// exportEnd is the flag for the last day of the period: --to says for what.
const exportEnd = "until"

const exportExamples = `  fees export --to hledger --month 2026-01 --accounts 0xf24F... -o january.journal
  fees export --to beancount 100..199 --accounts wallets.txt --names names.csv
  fees export --to ledger --accounts wallets.txt --prices eur.csv --fiat EUR
  fees export --to hledger --with movements --month 2026-01 --accounts wallets.txt
  fees export --to xlsx --month 2026-01 --accounts wallets.txt -o january.xlsx`

// exportFlags are the flags of fees export.
type exportFlags struct {
	gatewayFlags
	ledgerFlags
	periodFlags
	output
	form        string
	accounts    []string
	names       string
	prices      string
	fiat        string
	with        string
	networkFile string
	networkSide bool
	continues   bool
}

const (
	toKoinly      = "koinly"
	withFees      = "fees"
	withMovements = "movements"
)

// lists are the forms of the plain list, and how each is written.
var lists = map[string]func(io.Writer, *sheet.Sheet) error{
	"csv":     sheet.WriteCSV,
	"jsonl":   sheet.WriteJSONLines,
	"xlsx":    func(w io.Writer, s *sheet.Sheet) error { return sheet.WriteXLSX(w, s) },
	"parquet": sheet.WriteParquet,
}

var exportForms = []string{"hledger", "beancount", "ledger", "csv", "jsonl", "xlsx", "parquet", toKoinly}

// program is the accounting program that a form is for.
func program(form string) (p journal.Program, ok bool) {
	all := journal.Programs()
	i := slices.IndexFunc(all, func(p journal.Program) bool { return p.Name == form })
	if i < 0 {
		return p, false
	}
	return all[i], true
}

func newExport(stdout, stderr io.Writer) *cobra.Command {
	flags := exportFlags{output: output{stdout: stdout}}
	c := &cobra.Command{
		Use:     "export --to FORM --accounts LIST|FILE " + periodUse,
		Short:   "Write fees for accounting software",
		Long:    exportManual,
		Example: exportExamples,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return export(c.Context(), args, flags, stderr)
		},
	}
	flags.gatewayFlags.add(c, "where the balances of --with movements come from")
	flags.ledgerFlags.add(c)
	flags.periodFlags.add(c, exportEnd)
	f := c.Flags()
	f.StringVar(&flags.form, "to", "", "for what: "+strings.Join(exportForms, ", "))
	f.StringSliceVar(&flags.accounts, "accounts", nil, "who paid"+accountsUsage)
	f.StringVar(&flags.names, "names", "", "a CSV file of address,name or address,name,asset account")
	f.StringVar(&flags.prices, "prices", "", "a CSV file of date,price: what one token cost on each day")
	f.StringVar(&flags.fiat, "fiat", "", "the currency of --prices, such as EUR")
	f.StringVar(&flags.with, "with", withFees, "fees, or movements: every change of the balances")
	f.BoolVar(&flags.networkSide, "network-side", false, "of each fee, what was burned and what the treasury and the author got too")
	f.BoolVar(&flags.continues, "continue", false, "the journal of the time before is there too: assert the opening balances, open no account twice")
	f.StringVar(&flags.networkFile, "network-file", "", "a file with network tables of your own")
	flags.addFile(c)
	complete(c, "to", exportForms...)
	complete(c, "with", withFees, withMovements)
	return c
}

// check wants flags that go together.
func (f *exportFlags) check() error {
	_, books := program(f.form)
	binary := f.form == "xlsx" || f.form == "parquet"
	switch {
	case f.form == "":
		return errors.New("--to: name a form, " + strings.Join(exportForms, ", "))
	case !slices.Contains(exportForms, f.form):
		return fmt.Errorf("--to %q: want %s", f.form, strings.Join(exportForms, ", "))
	case len(f.accounts) == 0:
		return errors.New("--accounts: name those who paid, or a file with them")
	case f.with != withFees && f.with != withMovements:
		return fmt.Errorf("--with %q: want %s or %s", f.with, withFees, withMovements)
	case !books && (f.with != withFees || f.prices != "" || f.networkSide):
		return fmt.Errorf("--to %s is a list of fees: --with movements, --prices and --network-side are for hledger, beancount and ledger", f.form)
	case f.continues && f.with != withMovements && f.form != journal.Beancount.Name:
		return errors.New("--continue is for --with movements, and for Beancount: no other journal of fees depends on the one before")
	case (f.prices == "") != (f.fiat == ""):
		return errors.New("--prices and --fiat: name both, the file and its currency")
	case binary && f.file == "" && isTerminal(f.stdout):
		return fmt.Errorf("--to %s is not for a terminal: name a file with -o", f.form)
	}
	return nil
}

// export is the command.
func export(ctx context.Context, args []string, flags exportFlags, stderr io.Writer) error {
	if err := flags.check(); err != nil {
		return err
	}
	asked, err := flags.periodFlags.parse(args)
	if err != nil {
		return err
	}
	x := exporter{flags: flags}
	if err := x.read(); err != nil {
		return err
	}
	if x.book, x.place, err = flags.openBook(ctx, ledger.Open); err != nil {
		return err
	}
	defer x.book.Close()
	if x.covered, err = asked.of(ctx, x.book, x.place); err != nil {
		return err
	}
	if err := x.describe(ctx); err != nil {
		return err
	}
	for _, note := range x.notes() {
		fmt.Fprintln(stderr, "fees: "+note)
	}
	if err := x.find(ctx); err != nil {
		return err
	}
	if idle := x.payments.Idle(); len(idle) > 0 {
		fmt.Fprintln(stderr, "fees: "+console.PaidNothing(idle))
	}
	if err := x.write(ctx); err != nil {
		return x.explain(err)
	}
	return tellUndetermined(stderr, x.payments)
}

// exporter is an export that is being made.
type exporter struct {
	flags    exportFlags
	accounts []chain.Address
	style    journal.Style
	book     *ledger.Book
	place    string
	network  string
	covered
	payments *journal.Payments
}

// read reads the files that the flags name.
func (x *exporter) read() (err error) {
	if x.accounts, err = readAccounts(x.flags.accounts); err != nil {
		return err
	}
	if path := x.flags.names; path != "" {
		text, err := readSmallFile(path, mostListBytes)
		if err == nil {
			x.style.Names, err = journal.ReadNames(text)
		}
		if err != nil {
			return fmt.Errorf("--names %s: %w", path, err)
		}
	}
	if path := x.flags.prices; path != "" {
		text, err := readSmallFile(path, mostListBytes)
		if err == nil {
			x.style.Prices, err = journal.ReadPrices(text, x.flags.fiat)
		}
		if err != nil {
			return fmt.Errorf("--prices %s: %w", path, err)
		}
	}
	return nil
}

// describe says what the export is of.
func (x *exporter) describe(ctx context.Context) error {
	tables, err := loadTables(x.flags.networkFile)
	if err != nil {
		return err
	}
	n, err := networkOf(ctx, x.book, x.place, tables)
	if err != nil {
		return err
	}
	x.network, x.style.Symbol, x.style.Zone, x.style.Notes = n.Name, n.Symbol, x.zone, x.notes()
	x.style.NetworkSide, x.style.Continues = x.flags.networkSide, x.flags.continues
	what := "Fees"
	if x.flags.with == withMovements {
		what = "Movements of the native balance"
	}
	x.style.Title = fmt.Sprintf("%s of %s, %s, accounts: %d", what, n.Name, x.name, len(x.accounts))
	return nil
}

// find finds what the accounts paid.
func (x *exporter) find(ctx context.Context) (err error) {
	q := journal.Question{Accounts: x.accounts, Period: x.asked, Span: x.Span}
	if x.payments, err = journal.Find(ctx, x.book, q); err != nil {
		return ofLedger(x.place, err)
	}
	if idle := x.payments.Idle(); len(idle) > 0 {
		x.style.Notes = append(x.style.Notes, console.PaidNothing(idle))
	}
	if n, _ := x.payments.Undetermined(); n > 0 {
		x.style.Notes = append(x.style.Notes, fmt.Sprintf("UNDETERMINED: %d fees are not known, and are in no sum", n))
	}
	return nil
}

// explain says of an error of the ledger that it is one: it is read while the form is
// written.
func (x *exporter) explain(err error) error {
	var ours *journal.LedgerError
	if errors.As(err, &ours) {
		return ofLedger(x.place, err)
	}
	return err
}

// write writes the form that was asked for.
func (x *exporter) write(ctx context.Context) error {
	if write, ok := lists[x.flags.form]; ok {
		return x.flags.output.stream(func(w io.Writer) error { return write(w, journal.List(ctx, x.payments, x.network, x.style)) })
	}
	if x.flags.form == toKoinly {
		return x.flags.output.stream(func(w io.Writer) error { return journal.WriteKoinly(ctx, w, x.payments, x.style) })
	}
	j, err := x.journal(ctx)
	if err != nil {
		return err
	}
	p, _ := program(x.flags.form)
	return x.flags.output.stream(func(w io.Writer) error { return j.Write(w, p) })
}

func (x *exporter) journal(ctx context.Context) (*journal.Journal, error) {
	if x.flags.with == withFees {
		return journal.FeeJournal(ctx, x.payments, x.style)
	}
	span, ok := x.Span.Get()
	if !ok {
		return nil, ofLedger(x.place, fmt.Errorf("it has no block of %s", x.name))
	}
	outside, err := x.book.Outside(ctx, x.asked, span)
	if err != nil {
		return nil, ofLedger(x.place, err)
	}
	if len(outside) > 0 {
		return nil, fmt.Errorf("of the blocks %v, %d is not of %s by its own time, so that no balances open and close it: name heights", span, outside[0], x.name)
	}
	balances, err := x.flags.balances(ctx, x.book, x.place, span.Last)
	if err != nil {
		return nil, err
	}
	return journal.MovementJournal(ctx, x.payments, balances, x.style)
}

// balances opens the gateway, and wants it to be of the ledger's chain.
func (f *exportFlags) balances(ctx context.Context, book *ledger.Book, place string, height uint64) (journal.Balances, error) {
	src, err := f.gatewayFlags.open()
	if err != nil {
		return nil, err
	}
	return balancesFor(ctx, book, place, src, height)
}

// tellUndetermined lists the fees that nobody knows, the first of them one by one, and is
// errFinding where there are some.
func tellUndetermined(stderr io.Writer, payments *journal.Payments) error {
	count, first := payments.Undetermined()
	if count == 0 {
		return nil
	}
	fmt.Fprintf(stderr, "fees: %d fees are not known, and are in no sum:\n", count)
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
	return errFinding
}
