package finance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
)

var reportManual = `Add up the fees of a period of the ledger, by block, hour, day, month, account (who
paid), layer, status (layer and outcome: succeeded, reverted, out of gas, failed), type of
EVM transaction, call, or contract. Each group has its
transactions, EVM and native, those of each that failed (reverted and out of gas
included; they pay too), those of which that is not known, and those whose fee is
undetermined; the fee, of both layers, with priority fees and tips; what the chain
charged, and how much of that was burned and went to treasury and author; the gas, and
what it cost. Groups of time stand in their order, others by fee. One in which nothing
happened is left out, but for an account that --accounts names.

` + cli.PeriodManual + `

The average gas price is floor(sum of gas price x gas / sum of gas), in wei. With
--percentiles there are gas_price_10, gas_price_50 and gas_price_90: percentiles by the
number of EVM transactions, by the nearest rank, which are prices that were paid.

--top N shows the N groups with the greatest fees, in the order of these also where they
are of time, and one line for all others ("the other 1,234"; in csv and json the column
others has how many). The totals are those of all.

--only layer=evm,status=reverted reports on these transactions alone. There are layer (evm,
native), status (succeeded, reverted, out_of_gas, failed), type (legacy, eip2930,
eip1559, eip7702), call (such as Balances.transfer_keep_alive) and contract (an address).

` + compareManual + `

` + pricesManual + `

The totals of the ledger answer most reports at once, however long the period is. Every
transaction is read for one by block, status or type, one with --percentiles, one of
--accounts, one with --only but for layer, call and contract by layer, call or contract,
and one by account, call, layer or contract with prices by hour or of another zone. A report holds up to a million groups, one or two kilobytes each; one
that would have more is refused.

--gateway reads a range of heights from a gateway, an archive or the demo, into a ledger
that is thrown away, instead of asking a ledger.

` + cli.LabelsManual + `
With it, --by account
and --by contract have the label and the group of each address; --by label has a row for
each label, and one for each address without one; --by group has a row for each group,
and one, "(no group)", for all other addresses.

html is one page with charts that needs nothing else; table has the figures that most
ask for, the others all.`

const reportExamples = `  fees report --month 2026-01
  fees report --from 2026-01-01 --to 2026-01-31 --by month --timezone Europe/Berlin
  fees report --month 2026-01 --by contract --format html -o january.html
  fees report --month 2026-01 --by account --percentiles --format csv
  fees report --month 2026-01 --by account --top 10
  fees report --from 2026-02-01 --to 2026-02-01 --compare --partial
  fees report --month 2026-01 --prices prices.csv --fiat EUR
  fees report --by account --accounts accounts.csv --format xlsx -o accounts.xlsx
  fees report --month 2026-01 --by group --labels accounts.csv
  fees report --month 2026-01 --by account --only status=reverted --top 10
  fees report 3..27 --by call --gateway demo`

const compareManual = `--compare puts the period before beside it: the month before a --month, the year before
a --year, as many days or blocks before a range as it has. --compare 2025-02, or 2025,
names another month or year. Each figure has four columns: fee, fee_before,
fee_difference (now less before) and fee_percent (the difference in percent of before,
exact, rounded half up, away from zero, to two decimals; none where before is 0 or not
known). A gas price has no difference, only the percent. A group that either period has
is a row; without a transaction there, a figure is 0. Days, hours, months and blocks
stand beside those of the same place in their period: day 1 beside day 1, and a day 31
alone beside a shorter month. A range of heights begins with the first block that is
there; blocks are compared where both periods are ranges of heights. With prices, both
amounts are at those of their own days. --top takes the greatest fees of the period
itself, then of the one before. table has the fees, the others all; xlsx has the
percents of the totals on a sheet of its own; there is no html.`

// reportFlags are the flags of fees report.
type reportFlags struct {
	cli.SourceFlags
	questionFlags
	asked   app.ReportQuestion
	compare string
	only    []string
}

func newReport() *cobra.Command {
	f := reportFlags{asked: app.ReportQuestion{Choice: report.Choice{By: report.Day}}}
	return cli.New(&cobra.Command{
		Use: "report " + cli.PeriodUse, Short: "Add up the fees of a period", Long: reportManual, Example: reportExamples,
		Args: cobra.MaximumNArgs(2), RunE: f.report, // a range, and what is compared with
	}, f.SourceFlags.Add, f.of("only what these paid for"), f.add, f.Forms("table", "json", "csv", "xlsx", "parquet", "html"), f.AddQuiet, f.Concurrent)
}

func (f *reportFlags) add(c *cobra.Command) {
	c.Flags().Lookup("gateway").Usage = "instead of a ledger, read the blocks from this gateway, directory or demo"
	cli.Choice(c, &f.asked.By, "by", "what makes a group: "+strings.Join(app.Texts(report.Groupings()), ", "), report.Groupings()...)
	c.Flags().StringSliceVar(&f.only, "only", nil, "only these transactions: NAME=VALUE with commas, of "+strings.Join(report.OnlyNames(), ", "))
	c.Flags().StringVar(&f.compare, "compare", "", "beside the period before, or the month or year that is named, such as 2025-02")
	c.Flags().Lookup("compare").NoOptDefVal = app.PeriodBefore
	c.Flags().IntVar(&f.asked.Top, "top", 0, "only the groups with the greatest fees, so many, and one line of all others (default: all)")
	c.Flags().BoolVar(&f.asked.Percentiles, "percentiles", false, "percentiles of the gas price too: every transaction of the period is read")
}

// report shows what the fees of a period add up to.
func (f *reportFlags) report(c *cobra.Command, args []string) (err error) {
	switch {
	case f.asked.Top < 0:
		return fmt.Errorf("--top %d: want how many groups, such as 10", f.asked.Top)
	case f.Gateway != "" && f.Ledger != "":
		return errors.New("--gateway and --ledger: name one of them, where the blocks come from")
	case f.Format == "html" && f.compare != "":
		return errors.New("--compare: there is no page of a comparison: --format xlsx has all figures, and table, json and csv have it too")
	}
	q := f.asked
	if q.Only, err = report.ParseOnly(f.only); err != nil {
		return fmt.Errorf("--only %w", err)
	}
	if i := slices.IndexFunc(args, app.IsNamed); i >= 0 && f.compare == app.PeriodBefore { // not behind an equals sign
		f.compare, args = args[i], slices.Delete(slices.Clone(args), i, i+1)
	}
	if q.Question, _, err = f.read(c, args); err != nil {
		return err
	}
	if q.Beside, err = f.PeriodInput.Beside(f.compare); err != nil {
		return err
	}
	read := q.Period
	if with, compared := q.Beside.Get(); compared && f.Gateway != "" {
		if read, err = read.With(with); err != nil {
			return err
		}
	}
	p := f.Progress(c, "blocks")
	d, err := f.Desk(c.Context(), &f.LedgerFlags, read, p)
	if err != nil {
		return err
	}
	defer d.Close()
	q.Progress = p.Asked()
	return showFees(c.Context(), &f.Output, d, q)
}

// showFees asks a ledger for a report, and writes it.
func showFees(ctx context.Context, o *cli.Output, d *app.Desk, q app.ReportQuestion) error {
	made, err := d.Fees(ctx, q)
	if err != nil {
		return err
	}
	err = o.Stream(func(w io.Writer) error { return made.Write(w, o.Format, o.Width()) })
	return cli.Found(err, !made.Holds())
}
