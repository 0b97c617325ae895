package finance

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

// questionFlags are the flags that questions about a period of the ledger have in common.
type questionFlags struct {
	cli.LedgerFlags
	cli.PeriodFlags
	cli.LabelFlags
	cli.Output
	priceFlags
	accounts []string
	quiet    bool
}

// add adds the flags. The text whose describes the accounts. A command without formats has its own
// flag for the form, and shows no progress.
func (f *questionFlags) add(c *cobra.Command, whose string, formats ...string) {
	f.LedgerFlags.Add(c)
	f.PeriodFlags.Add(c)
	f.LabelFlags.Add(c)
	f.priceFlags.Add(c)
	c.Flags().StringSliceVar(&f.accounts, "accounts", nil, whose+cli.AccountsUsage)
	if len(formats) == 0 {
		f.AddFile(c)
		return
	}
	f.Output.Add(c, formats...)
	c.Flags().BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
}

// check wants a form that there is, and a file for one that is not for people.
func (f *questionFlags) check() error {
	if (f.Format == "xlsx" || f.Format == "parquet") && f.File == "" && cli.IsTerminal(f.Stdout) {
		return fmt.Errorf("--format %s is not for a terminal: name a file with -o", f.Format)
	}
	return f.Output.Check()
}

// read reads the period, the accounts with what they are called, and the prices.
func (f *questionFlags) read(args []string, stderr io.Writer) (q app.Question, chosen *app.Chosen, err error) {
	if q.Period, err = f.PeriodFlags.Parse(args); err != nil {
		return q, nil, err
	}
	if chosen, err = f.ReadAccounts(f.accounts, &f.LedgerFlags, f.quiet, stderr); err != nil {
		return q, nil, err
	}
	q.Accounts, q.Labels = chosen.Accounts, chosen.Labels
	q.Prices, err = f.priceFlags.Read()
	return q, chosen, err
}
