package finance

import (
	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
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
	return func(c *cobra.Command) {
		f.LedgerFlags.Add(c)
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
	q.Accounts, q.Labels = chosen.Accounts, chosen.Labels
	q.Prices, err = f.priceFlags.Read()
	return q, chosen, err
}
