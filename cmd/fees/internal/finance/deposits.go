package finance

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

const depositsManual = `List open deposits: amounts that accounts hold or reserve, such as for storage,
code, account mappings, proxies and identities. They are not fees, but
receivables of their payers.

Each deposit has its holder (of a storage deposit, the contract), its reason,
its payer, and the transaction that took it. The list is that after the last
block of the period; without a period, after the last block of the ledger. It
follows from the movements of all earlier blocks of the ledger.

The account that clears a contract's storage gets the deposit back, even if
another account paid it. The chain stores no payer. Deposits that the receiving account
paid count as given back first, then those of others; the last one taken first.
--changes lists what was taken and given back in the period; passed marks a
deposit that another account got back than had paid it.

What was given back although the ledger does not contain the transaction that
took it is listed without a payer, and a note states the sum.

--accounts selects holders, payers, and receivers of what was given back.

` + cli.LabelsManual + `

` + cli.PeriodManual

const depositsExamples = `  fees deposits
  fees deposits --month 2026-01 --accounts group:company
  fees deposits --month 2026-01 --changes --format csv -o deposits.csv`

// depositsFlags are the flags of fees deposits.
type depositsFlags struct {
	requestFlags // without prices
	changes      bool
}

func newDeposits() *cobra.Command {
	var f depositsFlags
	return cli.New(&cobra.Command{
		Use: "deposits " + cli.PeriodUse, Short: "List deposits that are held, and who paid them", Long: depositsManual, Example: depositsExamples,
		Args: cli.Args(0, 1, "at most one range"), RunE: f.list,
	}, f.LedgerFlags.Add, f.PeriodFlags.Add, f.LabelFlags.Add, f.AddTables, f.add, f.Forms("table", "json", "csv", "jsonl", "xlsx"), f.AddQuiet)
}

func (f *depositsFlags) add(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.accounts, "accounts", nil, "holders and payers"+cli.AccountsUsage)
	c.Flags().BoolVar(&f.changes, "changes", false, "list what was taken and given back in the period")
}

// list runs fees deposits.
func (f *depositsFlags) list(c *cobra.Command, args []string) (err error) {
	q := app.DepositsRequest{Changes: f.changes}
	if q.Request, _, err = f.read(c, args); err != nil {
		return err
	}
	return f.Ask(c, func(d *app.Ledger) error {
		doc, err := d.Deposits(c.Context(), q)
		if err != nil {
			return err
		}
		return f.Stream(func(w io.Writer) error { return doc.Write(w, f.Format, f.Width()) })
	})
}
