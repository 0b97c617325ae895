package finance

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/plain"
)

// requestFlags are the flags common to commands about a period of the ledger.
type requestFlags struct {
	cli.LedgerFlags
	cli.PeriodFlags
	cli.LabelFlags
	cli.Output
	cli.QuietFlag
	priceFlags
	accounts []string
}

// of adds the flags except those of the output. whose describes the accounts.
func (f *requestFlags) of(whose string) func(*cobra.Command) {
	return f.withLedgers(f.LedgerFlags.Add, whose)
}

// ofSeveral is [requestFlags.of] for a command that takes several ledgers.
func (f *requestFlags) ofSeveral(whose string) func(*cobra.Command) {
	return f.withLedgers(f.LedgerFlags.AddSeveral, whose)
}

func (f *requestFlags) withLedgers(add func(*cobra.Command), whose string) func(*cobra.Command) {
	return func(c *cobra.Command) {
		add(c)
		f.PeriodFlags.Add(c)
		f.LabelFlags.Add(c)
		f.priceFlags.Add(c)
		c.Flags().StringSliceVar(&f.accounts, "accounts", nil, whose+cli.AccountsUsage)
	}
}

// read reads the period, the accounts with their labels, and the prices.
func (f *requestFlags) read(c *cobra.Command, args []string) (q app.Request, chosen *app.Chosen, err error) {
	if q.Period, err = f.PeriodFlags.Parse(args); err != nil {
		return q, nil, err
	}
	if chosen, err = f.ReadAccounts(f.accounts, &f.LedgerFlags, f.Quiet, c.ErrOrStderr()); err != nil {
		return q, nil, err
	}
	if q.Accounts, q.Labels = chosen.Accounts, chosen.Labels; f.IsSeveral() {
		return q, chosen, nil // prices are of one token
	}
	q.Prices, err = f.priceFlags.Read()
	return q, chosen, err
}

// severalManual is the section of the manuals on several ledgers.
const severalManual = `--ledger a.db --ledger b.db reads several chains: a section for each, and one
total in the currency of --prices. Name the pair of each price file, such as
GLMR/EUR=FILE. The period is of days. Each account is used on every chain that
can have it. If a ledger lacks part of the period or a fee is undetermined, the
total is not known. In csv, every row names its network and token.`

// divided opens several ledgers and divides a request between them. The notes name accounts that fit only some; they are
// printed unless the result has them. Close the ledgers with end.
func (f *requestFlags) divided(c *cobra.Command, q app.Request, networkFile string) (parts []app.Part, notes []string, end func(), err error) {
	ledgers, end, err := f.OpenAll(c.Context(), networkFile)
	if err != nil {
		return nil, nil, nil, err
	}
	if parts, notes, err = app.Divide(c.Context(), ledgers, q, f.prices); err != nil {
		end()
		return nil, nil, nil, err
	}
	for _, note := range notes {
		if f.Format == "table" {
			break
		}
		fmt.Fprintln(c.ErrOrStderr(), "fees: "+plain.Line(note))
	}
	return parts, notes, end, nil
}

// writeJoined writes a result about several chains.
func (f *requestFlags) writeJoined(j *app.Joined) error {
	err := f.Stream(func(w io.Writer) error { return j.Write(w, f.Format, f.Width()) })
	return cli.Found(err, !j.Holds())
}
