package finance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/sys/plain"
)

var showManual = `Identify a height, a transaction hash, a transaction ID such as 25-7, an
address, a label or group of the address book, a day, or a month, and show what
the ledger contains on it. Standard error names the command that shows more.

Days and months are in UTC. The ledger does not look up block hashes; fees
block asks the gateway for them. 2026-01 is a month; for transaction 1 of block
2026 use fees tx 2026-01.

Exit codes:
  0  success
  1  a check failed
  2  nothing matches
  4  not in the ledger

` + cli.LabelsManual

const showExamples = `  fees show 24
  fees show 3-4
  fees show 0xb92Bc0D1d644481da04f5b98ddeEcb4A9a6eD7cb
  fees show 2026-01 --format json`

func newShow() *cobra.Command {
	var f lookupFlags
	return cli.New(&cobra.Command{
		Use: "show <height|hash|block-index|address|label|group|day|month>", Short: "Look up a block, transaction, account, day or month", Long: showManual, Example: showExamples,
		Args: cli.OneArg("a height, a hash, a transaction such as 25-7, an address, a label, a day or a month"), RunE: f.lookup(f.show),
	}, f.add)
}

// show identifies a text and shows what it names.
func (f *lookupFlags) show(ctx context.Context, d *app.Ledger, book *app.AddressBook, text string) error {
	if hash, err := chain.ParseHash(text); err == nil {
		return f.showHash(ctx, d, book, hash)
	}
	if height, err := cli.ParseHeight(text); err == nil {
		return f.showBlock(ctx, d, height)
	}
	if first, err := time.Parse("2006-01", text); err == nil {
		f.identify(text, "a month", f.line("fees report --month "+text))
		return f.report(ctx, d, book, report.Day, app.PeriodInput{Month: first.Format("2006-01")})
	}
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		f.identify(text, "a day", f.line(fmt.Sprintf("fees report --by hour --from %s --to %s", text, text)))
		return f.report(ctx, d, book, report.Hour, app.PeriodInput{From: text, To: text})
	}
	if _, err := app.ParsePlace(text); err == nil {
		f.identify(text, "a transaction", f.line("fees explain "+text))
		return f.showTransaction(ctx, d, book, text)
	}
	if app.IsAddress(text) || book.Names(text) {
		return f.showAccount(ctx, d, book, text)
	}
	if name, ok := book.GroupNamed(text); ok {
		f.identify(text, "a group of the address book", f.line("fees report --by account --accounts "+console.Argument(app.GroupPrefix+name)))
		return f.report(ctx, d, book, report.Account, app.PeriodInput{}, app.GroupPrefix+name)
	}
	return fmt.Errorf("no match for %q; try a height, a hash, a transaction (25-7), an address, a day, a month, or %s", text, labelsIn(book))
}

// labelsIn describes the labels that a look-up accepts.
func labelsIn(book *app.AddressBook) string {
	if book == nil {
		return "a label of an address book (name it with --labels)"
	}
	return "a label or group in " + book.Path
}

// line returns a command line for the same ledger and labels.
func (f *lookupFlags) line(words string) string {
	return cli.Line(f.command, words, "ledger", "labels", "network-file")
}

// lineOfGateway returns a command line for a gateway, with the same labels.
func (f *lookupFlags) lineOfGateway(words string) string {
	return cli.Line(f.command, words, "labels", "network-file")
}

// identify writes what a text is, and the command that shows more.
func (f *lookupFlags) identify(text, what, command string) {
	if !f.Quiet {
		fmt.Fprintf(f.command.ErrOrStderr(), "fees: %s is %s; for more: %s\n", plain.Line(text), what, plain.Line(command))
	}
}

func (f *lookupFlags) showHash(ctx context.Context, d *app.Ledger, book *app.AddressBook, hash chain.Hash) error {
	at, err := d.PlaceOf(ctx, hash.String())
	var none *app.NotThereError
	if errors.As(err, &none) {
		return fmt.Errorf("%w. If it is a block hash, run: %s", err, f.lineOfGateway("fees block "+hash.String()))
	}
	if err != nil {
		return err
	}
	place := at.String()
	f.identify(hash.String(), "the hash of transaction "+place, f.line("fees explain "+place))
	return f.showTransaction(ctx, d, book, place)
}

func (f *lookupFlags) showAccount(ctx context.Context, d *app.Ledger, book *app.AddressBook, name string) error {
	account, err := app.OneAccount(name, book)
	if err != nil {
		return err
	}
	what := "an address"
	if !app.IsAddress(name) {
		what = "the label of " + account.String()
	}
	f.identify(name, what, f.line("fees statement "+account.String()))
	a := accountFlags{lookupFlags: *f}
	return a.showAccount(ctx, d, book, account.String())
}

// report shows a report on the available part of a period.
func (f *lookupFlags) report(ctx context.Context, d *app.Ledger, book *app.AddressBook, by report.By, period app.PeriodInput, accounts ...string) error {
	period.Partial = true
	asked, err := period.Parse()
	if err != nil {
		return err
	}
	chosen, err := book.Choose(accounts)
	if err != nil {
		return err
	}
	return showFees(ctx, &f.Output, d, app.Request{Period: asked, Accounts: chosen.Accounts, Labels: chosen.Labels}, report.Choice{By: by}, chain.Optional[app.PeriodInput]{})
}

// showBlock shows a block of the ledger.
func (f *lookupFlags) showBlock(ctx context.Context, d *app.Ledger, height uint64) error {
	b, err := d.Block(ctx, height)
	if err != nil {
		return err
	}
	token, err := d.Token(ctx)
	if err != nil {
		return err
	}
	f.identify(fmt.Sprint(height), "the height of a block", f.lineOfGateway(fmt.Sprintf("fees block %d", height)))
	return f.Show(cli.Answer{JSON: app.BlockRecord(b), Finding: b.Undetermined > 0, Text: func(page *console.Page) {
		var p console.Pairs
		p.Add("block", fmt.Sprint(b.Height))
		p.Add("time", console.Known(b.Time))
		p.Add("hash", b.Hash.String())
		p.Add("rules", b.Rules)
		p.Add("transactions", fmt.Sprintf("%d evm, %d native", b.EVM, b.Native))
		fee := tokens(chain.Some(b.Fee), token)
		if b.Undetermined > 0 {
			fee += fmt.Sprintf(", incomplete: %d %s undetermined", b.Undetermined, console.Verb(b.Undetermined, "is", "are"))
		}
		p.Add("fees", fee)
		p.Add("charged", tokens(b.Charged, token))
		page.Pairs(p)
	}})
}
