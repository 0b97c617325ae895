package finance

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/source"
)

var statementManual = `List every movement of an account's native balance and every fee that it paid,
in chain order. Check that opening balance + movements = closing balance, to
the wei.

Movements come from the ledger. Balances come from the gateway (a URL, or an
archive recorded with --accounts). If they do not agree, the block is listed
and the exit code is 1; a statement never adjusts figures. --every-block checks
the balance after each block. Otherwise only the ends are checked, and blocks
in between to find a difference. With --no-balances the statement is not
checked, and says so.

Block 0 has no movements; its balances are the opening balances of a statement
from there.

A fee is one line for the amount withdrawn and one for the refund; the first
one also shows the amount charged. ERC-20 transfers are listed separately, in
the token's smallest unit.

Name accounts by address or label, and groups with group:NAME. If no ledger is
named and ` + cli.DefaultLedger + ` does not exist, the blocks of a range are read from the
gateway and not stored; --direct always does that.

` + cli.PeriodManual + `

` + pricesManual + `
Amount, free, reserved and fee are valued; balances are not.

` + cli.LabelsManual + `

In JSON, one account is one object, several accounts are JSON lines.

` + aboutManual

const statementExamples = `  fees statement 0xb92Bc0D1d644481da04f5b98ddeEcb4A9a6eD7cb 1..24 --gateway ./gateway
  fees statement Payroll --month 2026-01 --labels accounts.csv -o jan.xlsx --format xlsx
  fees statement --accounts accounts.csv --from 2026-01-01 --to 2026-01-31 --every-block
  fees statement Payroll 1:+24 --format csv --part fees
  fees statement Payroll --month 2026-01 --prices prices.csv --fiat EUR --format csv`

// statementFlags are the flags of fees statement.
type statementFlags struct {
	cli.SourceFlags
	requestFlags
	request    app.StatementRequest
	noBalances bool
	direct     bool
	paperFlag
}

func newStatement() *cobra.Command {
	f := statementFlags{request: app.StatementRequest{Part: app.StatementParts[0]}}
	return cli.New(&cobra.Command{
		Use: "statement <account>... " + cli.PeriodUse, Short: "List an account's movements and check its balance", Long: statementManual, Example: statementExamples,
		Args: cobra.ArbitraryArgs, RunE: f.prove,
	}, f.AddFinal, f.of("more accounts"), f.add, f.Forms("table", "json", "csv", "xlsx", "pdf"), f.AddQuiet, f.Concurrent)
}

func (f *statementFlags) add(c *cobra.Command) {
	c.Flags().Lookup("gateway").Usage = "the source of balances: a gateway's URL, or an archive with balances (default: FEES_GATEWAY, else " + cli.DefaultGateway + ")"
	cli.Choice(c, &f.request.Part, "part", "the part for --format csv: "+strings.Join(app.StatementParts, ", "), app.StatementParts...)
	c.Flags().BoolVar(&f.request.EveryBlock, "every-block", false, "check the balance after each block")
	c.Flags().BoolVar(&f.noBalances, "no-balances", false, "do not get balances; the statement is not checked")
	f.addPaper(c)
	c.Flags().BoolVar(&f.direct, "direct", false, "read blocks from the gateway instead of a ledger")
}

// prove runs fees statement.
func (f *statementFlags) prove(c *cobra.Command, args []string) error {
	switch {
	case f.request.Part != app.StatementParts[0] && f.Format != "csv":
		return errors.New("--part only applies to --format csv; the other formats contain all parts")
	case f.noBalances && f.request.EveryBlock:
		return errors.New("--every-block and --no-balances cannot be combined; leave out one of them")
	case f.direct && f.Ledger != "":
		return errors.New("--direct and --ledger cannot be combined; leave out one of them")
	}
	if err := f.checkPaper(c, &f.Output); err != nil {
		return err
	}
	q := f.request
	q.Concurrency = f.Concurrency
	rest, read, err := f.readAccounts(c, args, &q)
	if err != nil {
		return err
	}
	book := bookPath(&app.Chosen{Book: read})
	var unread []string
	if f.direct {
		unread = append(unread, "ledger")
	}
	if f.noBalances && !f.direct {
		unread = append(unread, "gateway")
	}
	request, err := f.aboutRequest(c, args, book, unread...)
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
		q.Balances, request.Sources = reader.Source, sourceOfBalances(&f.GatewayFlags)
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
	return f.stream(c, &f.Output, made, request, book)
}

// readAccounts reads the accounts of the request, their labels and the prices. It returns in rest
// the arguments that are not accounts.
func (f *statementFlags) readAccounts(c *cobra.Command, args []string, q *app.StatementRequest) (rest []string, book *app.AddressBook, err error) {
	book, err = f.ReadBook(&f.LedgerFlags, f.Quiet, c.ErrOrStderr())
	if err != nil {
		return nil, nil, err
	}
	var list []string
	for _, arg := range args {
		if app.IsPeriod(arg) && !book.Names(arg) {
			rest = append(rest, arg)
		} else {
			list = append(list, arg)
		}
	}
	chosen, err := book.Choose(append(list, f.accounts...))
	if err != nil {
		return nil, nil, err
	}
	q.Accounts, q.Labels = chosen.Accounts, chosen.Labels
	if len(q.Accounts) == 0 {
		return nil, nil, errors.New("no account is named; pass an address (0x and 40 hex digits, or SS58), or --accounts FILE" + cli.Offer(book))
	}
	q.Prices, err = f.priceFlags.Read()
	return rest, book, err
}

// openOrMake opens the ledger. If none is named or exists, or with --direct, it fills a temporary one
// with a range's blocks.
func (f *statementFlags) openOrMake(c *cobra.Command, reader *source.Reader, asked app.Period) (*app.Ledger, error) {
	_, missing := os.Stat(cli.DefaultLedger)
	unnamed := !f.Named() && errors.Is(missing, os.ErrNotExist)
	switch {
	case f.direct && !asked.Ranged():
		return nil, errors.New("--direct needs a range of heights, such as 100..199")
	case !f.direct && !(unnamed && asked.Ranged()):
		return f.LedgerFlags.Open(c.Context(), f.NetworkFile)
	}
	return f.Temporary(c.Context(), reader, asked, f.Progress(c, "blocks"))
}
