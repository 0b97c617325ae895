package finance

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
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

// statementFlags are the flags of fees statement.
type statementFlags struct {
	cli.SourceFlags
	questionFlags
	asked      app.StatementQuestion
	noBalances bool
	direct     bool
}

func newStatement() *cobra.Command {
	f := statementFlags{asked: app.StatementQuestion{Part: app.StatementParts[0]}}
	return cli.New(&cobra.Command{
		Use: "statement <account>... " + cli.PeriodUse, Short: "Prove what became of an account's balance", Long: statementManual, Example: statementExamples,
		Args: cobra.ArbitraryArgs, RunE: f.prove,
	}, f.AddFinal, f.of("more accounts"), f.add, f.Forms("table", "json", "csv", "xlsx"), f.AddQuiet, f.Concurrent)
}

func (f *statementFlags) add(c *cobra.Command) {
	c.Flags().Lookup("gateway").Usage = "where balances come from: a gateway's URL, or an archive with balances (default: FEES_GATEWAY, else " + cli.DefaultGateway + ")"
	cli.Choice(c, &f.asked.Part, "part", "what the csv is of: "+strings.Join(app.StatementParts, ", "), app.StatementParts...)
	c.Flags().BoolVar(&f.asked.EveryBlock, "every-block", false, "prove the balance after each block of the period")
	c.Flags().BoolVar(&f.noBalances, "no-balances", false, "ask for no balances, and prove nothing")
	c.Flags().BoolVar(&f.direct, "direct", false, "read the blocks from the gateway, not from a ledger")
}

// prove shows what became of the balances of accounts.
func (f *statementFlags) prove(c *cobra.Command, args []string) error {
	switch {
	case f.asked.Part != app.StatementParts[0] && f.Format != "csv":
		return errors.New("--part is for --format csv: the others have all parts")
	case f.noBalances && f.asked.EveryBlock:
		return errors.New("--every-block asks for balances, and --no-balances for none")
	case f.direct && f.Ledger != "":
		return errors.New("--direct reads no ledger, and --ledger names one")
	}
	q := f.asked
	q.Concurrency = f.Concurrency
	rest, err := f.readAccounts(c, args, &q)
	if err != nil {
		return err
	}
	if q.Period, err = f.PeriodFlags.Parse(rest); err != nil {
		return err
	}
	reader, err := f.Reader()
	if err != nil {
		return err
	}
	if !f.noBalances {
		q.Balances = reader.Source
	}
	d, err := f.openOrMake(c, reader, q.Period)
	if err != nil {
		return err
	}
	defer d.Close()
	q.Progress = f.Progress(c, "balances").Asked()
	made, err := d.Statements(c.Context(), q)
	if err != nil {
		return err
	}
	err = f.Stream(func(w io.Writer) error { return made.Write(c.Context(), w, f.Format, f.Width()) })
	return made.Explain(cli.Found(err, !made.Holds()))
}

// readAccounts reads the accounts of the question, their labels and the prices. It returns in rest
// the arguments that are not accounts.
func (f *statementFlags) readAccounts(c *cobra.Command, args []string, q *app.StatementQuestion) (rest []string, err error) {
	book, err := f.ReadBook(&f.LedgerFlags, f.Quiet, c.ErrOrStderr())
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
func (f *statementFlags) openOrMake(c *cobra.Command, reader *source.Reader, asked app.Period) (*app.Desk, error) {
	_, missing := os.Stat(cli.DefaultLedger)
	unnamed := !f.Named() && errors.Is(missing, os.ErrNotExist)
	switch {
	case f.direct && !asked.Ranged():
		return nil, errors.New("--direct wants a range of heights, such as 100..199")
	case !f.direct && !(unnamed && asked.Ranged()):
		return f.LedgerFlags.Open(c.Context(), f.NetworkFile)
	}
	return f.Temporary(c.Context(), reader, asked, f.Progress(c, "blocks"))
}
