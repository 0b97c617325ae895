package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/sheet"
	"github.com/feeledger/fees/statement"
)

var statementManual = `Show every movement of an account's native balance and every fee that it paid, in the
order of the chain, between the balance before the first block and the balance after
the last, and prove that opening + movements = closing, to the wei.

The movements are the ledger's. The balances are those that the gateway says the
account had (--gateway: a URL, or an archive that was recorded with --accounts). What does not fit is
listed with its block, and the exit code is 1; it is never made to fit. --every-block
asks for the balance after each block; otherwise it is asked for at the ends, and in
between until the block is found. --no-balances proves nothing, and says so.

Block 0 has no movements: what it left is the opening balance of a statement from there.

A fee is what the chain withdrew and what of that it gave back, each a line; what was
charged stands once, beside the first. ERC-20 transfers are listed beside, in the
token's smallest unit.

Where no ledger is named, and there is no ` + defaultLedger + ` here, the blocks of a range are read
from the gateway and kept nowhere; --direct does so in any case.

As JSON, one account's statement is an object, and those of several are JSON lines.

` + fmt.Sprintf(periodManual, "to")

const statementExamples = `  fees statement 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac 0..27 --gateway ./march
  fees statement 0xf24F... --month 2026-01 --labels names.csv -o january.xlsx --format xlsx
  fees statement --accounts wallets.txt --from 2026-01-01 --to 2026-03-31 --every-block
  fees statement 0xf24F... 100:+50 --format csv --part fees`

// The parts of a statement.
const (
	partMovements = "movements"
	partFees      = "fees"
	partTransfers = "transfers"
	partSummary   = "summary"
)

var statementParts = []string{partMovements, partFees, partTransfers, partSummary}

// statementFlags are the flags of fees statement.
type statementFlags struct {
	sourceFlags
	ledgerFlags
	periodFlags
	output
	accounts   []string
	labels     string
	part       string
	everyBlock bool
	noBalances bool
	direct     bool
	quiet      bool
}

func newStatement(stdout, stderr io.Writer) *cobra.Command {
	flags := statementFlags{output: output{stdout: stdout}}
	c := &cobra.Command{
		Use:     "statement <account>... " + periodUse,
		Short:   "Prove what became of an account's balance",
		Long:    statementManual,
		Example: statementExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return makeStatements(c.Context(), args, flags, stderr)
		},
	}
	flags.sourceFlags.addFinal(c)
	flags.ledgerFlags.add(c)
	flags.periodFlags.add(c, "to")
	flags.output.add(c, "table", "json", "csv", "xlsx")
	flags.addConcurrency(c)
	f := c.Flags()
	f.Lookup("gateway").Usage = "where balances come from: a gateway's URL, or an archive with balances (default: FEES_GATEWAY, else " + defaultGateway + ")"
	f.StringSliceVar(&flags.accounts, "accounts", nil, "more accounts"+accountsUsage)
	f.StringVar(&flags.labels, "labels", "", "a CSV file of address,label")
	f.StringVar(&flags.part, "part", partMovements, "what the csv is of: "+strings.Join(statementParts, ", "))
	f.BoolVar(&flags.everyBlock, "every-block", false, "prove the balance after each block of the period")
	f.BoolVar(&flags.noBalances, "no-balances", false, "ask for no balances, and prove nothing")
	f.BoolVar(&flags.direct, "direct", false, "read the blocks from the gateway, not from a ledger")
	f.BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	complete(c, "part", statementParts...)
	return c
}

// check wants flags that go together.
func (f *statementFlags) check() error {
	switch {
	case !slices.Contains(statementParts, f.part):
		return fmt.Errorf("--part %q: want %s", f.part, strings.Join(statementParts, " or "))
	case f.part != partMovements && f.format != "csv":
		return errors.New("--part is for --format csv: the others have all parts")
	case f.noBalances && f.everyBlock:
		return errors.New("--every-block asks for balances, and --no-balances for none")
	case f.direct && f.ledger != "":
		return errors.New("--direct reads no ledger, and --ledger names one")
	case f.format == "xlsx" && f.file == "" && isTerminal(f.stdout):
		return errors.New("--format xlsx is not for a terminal: name a file with -o")
	}
	return errors.Join(f.output.check(), f.checkConcurrency())
}

// makeStatements is the command.
func makeStatements(ctx context.Context, args []string, flags statementFlags, stderr io.Writer) error {
	if err := flags.check(); err != nil {
		return err
	}
	accounts, rest, err := flags.named(args)
	if err != nil {
		return err
	}
	asked, err := flags.periodFlags.parse(rest)
	if err != nil {
		return err
	}
	labels, err := flags.readLabels()
	if err != nil {
		return err
	}
	b := &statementBooks{style: statement.Style{Labels: labels}, close: func() {}}
	defer func() { b.close() }()
	if err := b.open(ctx, &flags, asked, stderr); err != nil {
		return err
	}
	p := newProgress(stderr, "balances", flags.quiet)
	defer p.end()
	options := statement.Options{EveryBlock: flags.everyBlock, Concurrency: flags.concurrency, Progress: p.show}
	var list []*statement.Statement
	for _, account := range accounts {
		s, err := statement.Make(ctx, b.book, b.balances, account, b.span, options)
		if err != nil {
			return b.explain(err)
		}
		list = append(list, s)
	}
	p.end()
	if err := flags.output.stream(func(w io.Writer) error { return b.write(ctx, w, &flags, list) }); err != nil {
		return b.explain(err)
	}
	if !slices.ContainsFunc(list, isWrong) {
		return nil
	}
	return errFinding
}

// isWrong tells whether something in a statement does not hold.
func isWrong(s *statement.Statement) bool {
	return !s.Holds() || s.WithoutPayer > 0 || slices.ContainsFunc(s.Fees, func(f statement.LayerFees) bool {
		return f.Unknown+f.Drifting+f.Apart > 0
	})
}

// explain says of an error whose it is.
func (b *statementBooks) explain(err error) error {
	var ours *statement.LedgerError
	switch {
	case errors.As(err, &ours):
		return ofLedger(b.place, err)
	case errorsLack(err):
		return fmt.Errorf("%w, --no-balances does without", err)
	}
	return err
}

// write writes statements in the form that was asked for.
func (b *statementBooks) write(ctx context.Context, w io.Writer, f *statementFlags, list []*statement.Statement) error {
	y := &b.style
	switch f.format {
	case "csv":
		return sheet.WriteCSV(w, map[string]func() *sheet.Sheet{
			partMovements: func() *sheet.Sheet { return y.Movements(ctx, list...) },
			partFees:      func() *sheet.Sheet { return y.Fees(ctx, list...) },
			partTransfers: func() *sheet.Sheet { return y.Transfers(ctx, list...) },
			partSummary:   func() *sheet.Sheet { return y.Summary(list...) },
		}[f.part]())
	case "xlsx":
		return b.writeXLSX(ctx, w, list)
	}
	for i, s := range list {
		write := b.writeText
		switch {
		case f.format == "json" && len(list) > 1:
			write = b.writeLine
		case f.format == "json":
			write = b.writeObject
		case i > 0:
			io.WriteString(w, "\n")
		}
		if err := write(ctx, w, s, f.output.width()); err != nil {
			return err
		}
	}
	return nil
}

// writeXLSX writes a workbook with the summary, and the parts of each statement.
func (b *statementBooks) writeXLSX(ctx context.Context, w io.Writer, list []*statement.Statement) error {
	y := &b.style
	sheets := []*sheet.Sheet{y.Summary(list...)}
	for _, s := range list {
		for _, one := range []*sheet.Sheet{y.Movements(ctx, s), y.Fees(ctx, s), y.Transfers(ctx, s)} {
			if len(list) > 1 {
				one.Name += " " + s.Account.String()[:10]
			}
			sheets = append(sheets, one)
		}
	}
	return sheet.WriteXLSX(w, sheets...)
}

// comfortable is a width in which times, and all of the columns, have room.
const comfortable = 150

// writeText writes a statement for people.
func (b *statementBooks) writeText(ctx context.Context, w io.Writer, s *statement.Statement, width int) error {
	y := &b.style
	drop := []string{"account"}
	if width < comfortable {
		drop = append(drop, "time")
	}
	if !s.Reserves() {
		drop = append(drop, "reserved", "reserved_balance", "total")
	}
	summary := y.Summary(s)
	summary.Title = fmt.Sprintf("Statement of %s, %s, blocks %d to %d", y.Name(s.Account), b.network, s.Span.First, s.Span.Last)
	sheets := []*sheet.Sheet{summary, y.Brief(ctx, s)}
	if len(s.Fees) > 0 {
		fees := y.Fees(ctx, s)
		fees.Title, fees.Notes = "Fees paid", nil
		if s.Others.Transactions == 0 {
			fees = statement.Without(fees, "paid_for")
		}
		sheets = append(sheets, fees)
	}
	transfers := y.Transfers(ctx, s)
	transfers.Title, transfers.Notes = "ERC-20 transfers, in the tokens' smallest units", nil
	if len(b.style.Labels) == 0 {
		transfers = statement.Without(transfers, "token_label", "counterparty_label")
	}
	has, err := hasRows(transfers)
	if err != nil {
		return err
	}
	if has {
		sheets = append(sheets, transfers)
	}
	for i, one := range sheets {
		if i > 0 {
			io.WriteString(w, "\n")
		}
		if err := sheet.WriteTable(w, statement.Without(one, drop...), width); err != nil {
			return err
		}
	}
	return nil
}

// hasRows tells whether a sheet, whose rows can be read again, has one.
func hasRows(s *sheet.Sheet) (bool, error) {
	for _, err := range s.Rows {
		return err == nil, err
	}
	return false, nil
}

// statementBooks are what statements are made of.
type statementBooks struct {
	book     *ledger.Book
	place    string
	network  string
	balances statement.Balances // nil where none are asked for
	span     ledger.Span
	style    statement.Style
	close    func()
}
