package finance

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
)

var accountManual = `Show what the sealed blocks of the ledger contain on an account: the first and
last block, the transactions it paid for with their fees, the totals of
movements in and out of its native balance (including fees), and its ERC-20
transfers. All rows of the account are read.

Name the account by address, or by a label of the address book.

--balance also gets the balances before the first and after the last of these
blocks from the gateway (a URL, or an archive recorded with --accounts), and
checks that the movements lead from one to the other.

Exit codes:
  0  success
  1  a fee is undetermined or differs from what was charged, or the balance
     does not agree
  2  usage, or a label of several addresses
  3  gateway
  4  ledger

` + cli.LabelsManual

const accountExamples = `  fees account 0xb92Bc0D1d644481da04f5b98ddeEcb4A9a6eD7cb
  fees account Treasury --labels accounts.csv
  fees account Payroll --balance --gateway ./gateway --format json`

// accountFlags are the flags of fees account.
type accountFlags struct {
	cli.GatewayFlags
	lookupFlags
	balance bool
}

func newAccount() *cobra.Command {
	var f accountFlags
	c := cli.New(&cobra.Command{
		Use: "account <address|label>", Short: "Summarise an account", Long: accountManual, Example: accountExamples,
		Args: cli.OneArg("an address, or a label of the address book"), RunE: f.lookup(f.showAccount),
	}, f.Of("for --balance, the source of balances: a gateway's URL, or an archive with balances"), f.AddTrust, f.lookupFlags.add, f.Concurrent)
	c.Flags().BoolVar(&f.balance, "balance", false, "get the balance from the gateway, and check the movements against it")
	return c
}

// showAccount shows the account named by an address or label.
func (f *accountFlags) showAccount(ctx context.Context, d *app.Ledger, book *app.AddressBook, name string) error {
	account, err := app.OneAccount(name, book)
	if err != nil {
		return err
	}
	q := app.AccountRequest{Account: account, Concurrency: f.Concurrency}
	if f.balance {
		if q.Balances, err = f.GatewayFlags.Open(); err != nil {
			return err
		}
	}
	p := f.Progress(f.command, "balances")
	defer p.End()
	q.Progress = p.Asked()
	a, err := d.Account(ctx, q)
	if err != nil {
		return err
	}
	p.End()
	finding := a.Fees.Undetermined > 0 || a.Fees.Drifts > 0 || a.Failed > 0 || a.Balance.Known() && !a.Proved
	return f.Show(cli.Answer{JSON: a.Record(book), Text: func(page *console.Page) { f.writeAccount(page, a, book) }, Finding: finding})
}

// writeAccount writes an account as text.
func (f *accountFlags) writeAccount(page *console.Page, a *app.AccountSummary, book *app.AddressBook) {
	page.Line(fmt.Sprintf("Account %s on %s, %s", cli.Called(a.Token, book, chain.Some(a.Account)), a.Network, console.PeriodName(a.Held.Name)), 2)
	page.Line("evidence: "+a.Held.Evidence.String(), 2)
	page.WriteString("\n")
	seen := func(s chain.Optional[app.Seen]) string {
		at, ok := s.Get()
		if !ok {
			return "not in these blocks"
		}
		if when := console.Known(at.Time); when != "" {
			return fmt.Sprintf("block %d, %s", at.Height, when)
		}
		return fmt.Sprintf("block %d", at.Height)
	}
	var p console.Pairs
	if book != nil {
		group, _ := book.Group(a.Account)
		p.Add("group", group)
	}
	p.Add("evm address", console.Known(a.EVM))
	p.Add("first seen", seen(a.First))
	p.Add("last seen", seen(a.Last))
	p.Add("transactions paid", fmt.Sprintf("%d evm, %d native", a.Fees.EVM, a.Fees.Native))
	fee := tokens(chain.Some(a.Fees.Fee), a.Token)
	if n := a.Fees.Undetermined; n > 0 {
		fee += fmt.Sprintf(", incomplete: %d %s undetermined", n, console.Verb(n, "is", "are"))
	}
	if a.Failed > 0 {
		p.Add("with failed checks", console.Counted(a.Failed, "transaction"))
	}
	p.Add("fees", fee)
	p.Add("charged", tokens(a.Charged, a.Token))
	for _, note := range a.AssetFees.Notes(a.Token.Amount) {
		p.Add("fees in assets", note)
	}
	p.Add("movements", fmt.Sprint(a.Movements))
	p.Add("in", tokens(a.In, a.Token))
	p.Add("out", tokens(a.Out, a.Token))
	p.Add("ERC-20 transfers", fmt.Sprintf("%d in, %d out", a.TransfersIn, a.TransfersOut))
	if b, ok := a.Balance.Get(); ok {
		p.Add("free balance", tokens(chain.Some(b.Free), a.Token))
		p.Add("reserved balance", tokens(chain.Some(b.Reserved), a.Token))
		proof := "yes, by the movements since the first block"
		if !a.Proved {
			proof = "no: the movements lead to another balance; find the block with: " + cli.Line(f.command, "fees statement "+a.Token.Account(a.Account), "ledger", "labels", "network-file", "gateway", "trust")
		}
		p.Add("proved", proof)
	}
	page.Pairs(p)
}
