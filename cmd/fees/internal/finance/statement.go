package finance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/source"
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

` + cli.LabelsManual + `
An account may be named by its label, and those of a group by group:NAME.

Where no ledger is named, and there is no ` + cli.DefaultLedger + ` here, the blocks of a range are read
from the gateway and kept nowhere; --direct does so in any case.

With prices, the lines have amount, free, reserved and fee in the currency too, each at the
price of its own day; balances are not valued.

` + pricesManual + `

As JSON, one account's statement is an object, and those of several are JSON lines.

` + cli.PeriodManual

const statementExamples = `  fees statement 0xb92Bc0D1d644481da04f5b98ddeEcb4A9a6eD7cb 1..24 --gateway ./gateway
  fees statement Payroll --month 2026-01 --labels accounts.csv -o january.xlsx --format xlsx
  fees statement --accounts accounts.csv --from 2026-01-01 --to 2026-01-31 --every-block
  fees statement Payroll 1:+24 --format csv --part fees
  fees statement Payroll --month 2026-01 --prices prices.csv --fiat EUR --format csv`

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
	cli.SourceFlags
	questionFlags
	asked      app.StatementQuestion
	part       string
	noBalances bool
	direct     bool
}

func newStatement(stdout, stderr io.Writer) *cobra.Command {
	var flags statementFlags
	flags.Stdout = stdout
	c := &cobra.Command{
		Use:     "statement <account>... " + cli.PeriodUse,
		Short:   "Prove what became of an account's balance",
		Long:    statementManual,
		Example: statementExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return makeStatements(c.Context(), args, flags, stderr)
		},
	}
	flags.SourceFlags.AddFinal(c)
	flags.questionFlags.add(c, "more accounts", "table", "json", "csv", "xlsx")
	flags.AddConcurrency(c)
	f := c.Flags()
	f.Lookup("gateway").Usage = "where balances come from: a gateway's URL, or an archive with balances (default: FEES_GATEWAY, else " + cli.DefaultGateway + ")"
	f.StringVar(&flags.part, "part", partMovements, "what the csv is of: "+strings.Join(statementParts, ", "))
	f.BoolVar(&flags.asked.EveryBlock, "every-block", false, "prove the balance after each block of the period")
	f.BoolVar(&flags.noBalances, "no-balances", false, "ask for no balances, and prove nothing")
	f.BoolVar(&flags.direct, "direct", false, "read the blocks from the gateway, not from a ledger")
	cli.Complete(c, "part", statementParts...)
	return c
}

// check wants flags that go together.
func (f *statementFlags) check() error {
	switch {
	case !slices.Contains(statementParts, f.part):
		return fmt.Errorf("--part %q: want %s", f.part, strings.Join(statementParts, " or "))
	case f.part != partMovements && f.Format != "csv":
		return errors.New("--part is for --format csv: the others have all parts")
	case f.noBalances && f.asked.EveryBlock:
		return errors.New("--every-block asks for balances, and --no-balances for none")
	case f.direct && f.Ledger != "":
		return errors.New("--direct reads no ledger, and --ledger names one")
	}
	return errors.Join(f.questionFlags.check(), f.CheckConcurrency())
}

// makeStatements is the command.
func makeStatements(ctx context.Context, args []string, flags statementFlags, stderr io.Writer) error {
	if err := flags.check(); err != nil {
		return err
	}
	q := flags.asked
	q.Concurrency = flags.Concurrency
	rest, err := flags.read(args, &q, stderr)
	if err != nil {
		return err
	}
	if q.Period, err = flags.PeriodFlags.Parse(rest); err != nil {
		return err
	}
	reader, err := flags.Reader()
	if err != nil {
		return err
	}
	if !flags.noBalances {
		q.Balances = reader.Source
	}
	d, err := flags.openOrMake(ctx, reader, q.Period, stderr)
	if err != nil {
		return err
	}
	defer d.Close()
	return showProved(&flags.Output, flags.quiet, stderr, func(p app.Progress) (*app.Statements, error) {
		q.Progress = p
		return d.Statements(ctx, q)
	}, func(w io.Writer, made *app.Statements) error { return flags.write(ctx, w, made) })
}

// read reads the accounts that are asked about and their labels. Rest is what of the
// arguments is no account.
func (f *statementFlags) read(args []string, q *app.StatementQuestion, stderr io.Writer) (rest []string, err error) {
	book, err := f.LabelFlags.ReadBook(&f.LedgerFlags, f.quiet, stderr)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, arg := range args {
		if app.IsAddress(arg) || strings.HasPrefix(arg, app.GroupPrefix) || book.Names(arg) {
			list = append(list, arg)
		} else {
			rest = append(rest, arg)
		}
	}
	chosen, err := book.Choose(append(list, f.accounts...))
	if err != nil {
		return nil, err
	}
	q.Accounts, q.Labels = chosen.Accounts, chosen.Labels
	if len(q.Accounts) == 0 {
		return nil, errors.New("name an account, an address of 0x and 40 hex digits, or --accounts with a file of them" + cli.Offer(book))
	}
	q.Prices, err = f.priceFlags.Read()
	return rest, err
}

// openOrMake opens the ledger. Where none is named and none is there, or none is wanted,
// it makes one of a range's blocks.
func (f *statementFlags) openOrMake(ctx context.Context, reader *source.Reader, asked app.Period, stderr io.Writer) (*app.Desk, error) {
	_, missing := os.Stat(cli.DefaultLedger)
	unnamed := cmp.Or(f.Ledger, os.Getenv("FEES_LEDGER")) == "" && errors.Is(missing, os.ErrNotExist)
	switch {
	case f.direct && !asked.Ranged():
		return nil, errors.New("--direct wants a range of heights, such as 100..199")
	case !f.direct && !(unnamed && asked.Ranged()):
		return f.LedgerFlags.Open(ctx, f.NetworkFile)
	}
	p := cli.NewProgress(stderr, "blocks", f.quiet)
	defer p.End()
	return f.Temporary(ctx, reader, asked, p)
}

// write writes statements in the form that was asked for.
func (f *statementFlags) write(ctx context.Context, w io.Writer, made *app.Statements) error {
	y, list := &made.Style, made.List
	switch f.Format {
	case "csv":
		return table.WriteCSV(w, map[string]func() *table.Sheet{
			partMovements: func() *table.Sheet { return y.Movements(ctx, list...) },
			partFees:      func() *table.Sheet { return y.Fees(ctx, list...) },
			partTransfers: func() *table.Sheet { return y.Transfers(ctx, list...) },
			partSummary:   func() *table.Sheet { return y.Summary(list...) },
		}[f.part]())
	case "xlsx":
		return y.WriteXLSX(ctx, w, list)
	}
	for i, s := range list {
		var err error
		switch {
		case f.Format == "json" && len(list) > 1:
			err = y.WriteJSONLine(ctx, w, s)
		case f.Format == "json":
			err = y.WriteJSON(ctx, w, s)
		default:
			if i > 0 {
				io.WriteString(w, "\n")
			}
			err = y.WriteTable(ctx, w, s, f.Output.Width())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
