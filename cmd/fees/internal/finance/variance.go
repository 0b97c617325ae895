package finance

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

const varianceManual = `Explain why the fees of a period differ from those of another, in steps that add
up to the difference exactly.

Transactions are grouped by what they called: the layer, the call, and the
contract. The fees of a call are

  EVM      transactions x gas per transaction x (base fee + priority fee)
  native   transactions x fee per transaction, and tips

with the averages of the call. The factors change one after the other:

  new_calls    calls without transactions in the other period
  gone_calls   calls without transactions in the period
  transactions more or fewer, at the gas and prices of the other period
  gas          more or less per transaction, at its number in the period and the
               prices of the other one
  base_fee     at the number and gas of the period
  fee_each     the fee of a native transaction without its tip, at the number of
               the period; also of EVM transactions, if gas or priority fee of
               one of the call is not known, as on chains with pallet revive
  priority_fees_and_tips
               at the number and gas of the period
  not_known    fees that no rule determines: their amount is not known, and so
               the difference is not; the other steps explain the known fees

Another order would give other steps with the same sum. The steps of each call
are rounded to wei by the largest remainder. Failed transactions do not make a
step: each step shows how many of its transactions failed, and what they paid.
Fees paid in assets are in no step; files have rows of paid_in_assets for them.

--against names the other period in the form of the period. The default is the
period before: the month before a month, the year before a year, or as many days
or blocks. The amounts are those of the periods, also if one is longer.

--top N shows the N calls with the largest amounts of each step, and one line
for all others. The default is 3 in the table, and all in the other formats. csv
has a row for each call of each step; "amount" adds up to the difference, and
the other columns are those of the call in both periods. json has the steps, the
calls, and the sentences of the table.

` + cli.PeriodManual + `

` + pricesManual + ` The fees of both periods are also in the currency, the steps in the
token.

` + cli.LabelsManual

const varianceExamples = `  fees variance 25..48 --accounts group:company
  fees variance 2026-02 --against 2026-01 --partial
  fees variance 2026-02-01 --against 2026-01-31 --partial --top 10
  fees variance 25..48 --prices prices.csv --fiat EUR --format json
  fees variance 2026-02 --partial --format xlsx -o variance.xlsx`

// varianceFlags are the flags of fees variance.
type varianceFlags struct {
	requestFlags
	against string
	top     int
}

func newVariance() *cobra.Command {
	var f varianceFlags
	return cli.New(&cobra.Command{
		Use: "variance " + cli.PeriodUse, Short: "Explain why fees changed from one period to another", Long: varianceManual, Example: varianceExamples,
		Args: cli.Args(0, 1, "at most one period"), RunE: f.explain,
	}, f.of("only fees that these accounts paid"), f.AddTables, f.add, f.Forms("table", "json", "csv", "jsonl", "xlsx", "parquet"), f.AddQuiet)
}

func (f *varianceFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.against, "against", "", "the other period, such as 2025-02, 2025, or 100..199 (default: the one before)")
	c.Flags().IntVar(&f.top, "top", 0, "only this many calls of each step (default: 3 in the table, otherwise all)")
}

// explain runs fees variance.
func (f *varianceFlags) explain(c *cobra.Command, args []string) (err error) {
	var q app.VarianceRequest
	if c.Flags().Changed("top") {
		if f.top < 0 {
			return errors.New("--top is below 0; use 0 or more")
		}
		q.Top = chain.Some(f.top)
	}
	if q.Request, _, err = f.read(c, args); err != nil {
		return err
	}
	if q.Against, err = f.PeriodInput.Against(f.against); err != nil {
		return err
	}
	q.Progress = f.Progress(c, "blocks").Asked()
	return f.Ask(c, func(d *app.Ledger) error {
		made, err := d.Variance(c.Context(), q)
		if err != nil {
			return err
		}
		err = f.Stream(func(w io.Writer) error { return made.Document().Write(w, f.Format, f.Width()) })
		return cli.Found(err, !made.Holds())
	})
}
