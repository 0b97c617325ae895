package finance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
)

var reportManual = `Total the fees of a period. --by groups them:
  block, hour, day, month    by time
  account                    the payer
  label, group               of the payer, from the address book
  layer, status              the layer; or the layer and its status
  type                       of EVM transaction
  call, contract             what was called

Each row shows:
  transactions   by layer, failed, of unknown outcome, with an undetermined fee
  the fee        including priority fees and tips
  amounts        charged, burned, and credited to treasury and author
  gas            and gas price
The status is succeeded, reverted, out_of_gas or failed (for another reason).
All but succeeded count as failed transactions; they also pay a fee. Times are
in order; other groups are sorted by fee. Empty groups are left out, except
accounts named by --accounts.

` + cli.PeriodManual + `

The average gas price is floor(sum of gas price x gas / sum of gas), in wei.
--percentiles adds gas_price_10, gas_price_50 and gas_price_90: nearest-rank
percentiles by number of EVM transactions.

--top N shows the N groups with the greatest fees and one line for all others;
in csv and json the column "others" counts them. Totals include all groups.

--only layer=evm,status=reverted restricts the report to some transactions, by:
  layer      evm or native
  status     succeeded, reverted, out_of_gas or failed
  type       legacy, eip2930, eip1559 or eip7702
  call       such as Balances.transfer_keep_alive
  contract   an address
  checks     failed: a check of the transaction failed
  fee_from   the lowest fee, in the token, such as 0.25
  fee_to     the highest fee, included

` + compareManual + `

` + pricesManual + `

--gateway reads a range of heights from a gateway, an archive or the demo
instead of a ledger. FEES_GATEWAY does not.

` + severalManual + `

` + cli.LabelsManual + `
With it, --by account and --by contract also show label and group. --by label
has one row per label and per unlabelled address; --by group has one row per
group and one, "(no group)", for all other addresses.

` + marksManual + `

Most reports are read from the ledger's totals and are fast for any period.
Slower, because they read every transaction:
  --by block, --by status, --by type, --by tag, --by account-code
  --percentiles
  --accounts
  --only, unless both it and --by are of layer, call and contract
  --by account, call, layer or contract with hourly prices or with prices of
  another time zone
A report has at most a million groups, and needs one or two kilobytes of memory
for each.

` + aboutManual + `

The table shows the main figures. Other formats show all of them. html is one
self-contained page with charts.`

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
  fees report --month 2026-01 --by account-code --chart chart.csv
  fees report --month 2026-01 --by tag --tags tags.csv --format csv
  fees report --month 2026-01 --by account --format csv -o january.csv --about
  fees report --month 2026-01 --ledger fees.db --ledger river.db \
      --prices GLMR/EUR=glmr.csv,MOVR/EUR=movr.csv --by month
  fees report 3..27 --by call --gateway demo`

const compareManual = `--compare adds the previous period: the month before --month, the year before
--year, or the equally long range before a range of days or blocks. --compare
2025-02 or 2025 names another month or year. Each figure then has four columns:
  fee              of the period
  fee_before       of the previous period
  fee_difference   current minus previous
  fee_percent      of the previous, rounded half up to two decimals; none if
                   that is 0 or undetermined
For gas prices, only the percentage is shown. A group of either period is a
row, with 0 where it has no transactions. Days, hours, months and blocks are
compared by position: day 1 with day 1; day 31 has no counterpart in a shorter
month. A range is compared block by block with as many blocks before. Each
period uses its own prices.
--top sorts by the fees of the period, then of the previous one. The table
shows only fees; other formats show all figures; xlsx has the percentages of
the totals on a second sheet; html is not supported.`

// reportFlags are the flags of fees report.
type reportFlags struct {
	cli.SourceFlags
	requestFlags
	choice  report.Choice
	beside  chain.Optional[app.PeriodInput]
	compare string
	only    []string

	chart, tags string
	aboutFlag
}

func newReport() *cobra.Command {
	f := reportFlags{choice: report.Choice{By: report.Day}}
	return cli.New(&cobra.Command{
		Use: "report " + cli.PeriodUse, Short: "Total the fees of a period", Long: reportManual, Example: reportExamples,
		Args: cli.Args(0, 2, "at most one range and a value of --compare"), RunE: f.report, // a range, and a value of --compare
	}, f.SourceFlags.Add, f.ofSeveral("only fees that these accounts paid"), f.add, f.Forms("table", "json", "csv", "xlsx", "parquet", "html"), f.AddQuiet, f.Concurrent)
}

func (f *reportFlags) add(c *cobra.Command) {
	c.Flags().Lookup("gateway").Usage = insteadOfLedger
	cli.Choice(c, &f.choice.By, "by", "group by: "+strings.Join(app.Texts(groupings()), ", "), groupings()...)
	addMarks(c, &f.chart, &f.tags)
	f.addAbout(c)
	c.Flags().StringSliceVar(&f.only, "only", nil, "only these transactions, comma-separated NAME=VALUE: "+strings.Join(report.OnlyNames(), ", "))
	c.Flags().StringVar(&f.compare, "compare", "", "compare with the previous period, or a month or year such as 2025-02")
	c.Flags().Lookup("compare").NoOptDefVal = app.PeriodBefore
	c.Flags().IntVar(&f.choice.Top, "top", 0, "only this many groups with the greatest fees (default: all)")
	c.Flags().BoolVar(&f.choice.Percentiles, "percentiles", false, "add percentiles of the gas price; reads every transaction")
}

// report runs fees report.
func (f *reportFlags) report(c *cobra.Command, args []string) (err error) {
	switch {
	case f.choice.Top < 0:
		return fmt.Errorf("--top %d must be 0 or more", f.choice.Top)
	case f.Gateway != "" && f.Ledger != "":
		return errors.New("--gateway and --ledger cannot be combined; leave out one of them")
	case f.Format == "html" && f.compare != "":
		return errors.New("--format html cannot be combined with --compare; use xlsx, table, json or csv")
	case f.IsSeveral() && (f.Format == "html" || f.about):
		return errors.New("--format html and --about are of one ledger; leave them out, or name one --ledger")
	}
	if err := f.checkAbout(f.Format, f.File); err != nil {
		return err
	}
	given := args
	if f.choice.Only, err = report.ParseOnly(f.only); err != nil {
		return fmt.Errorf("--only %w", err)
	}
	if last := len(args) - 1; last >= 0 && f.compare == app.PeriodBefore && app.IsNamed(args[last]) && (last > 0 || !f.PeriodInput.IsEmpty()) {
		f.compare, args = args[last], args[:last] // --compare 2025-02 without an equals sign, beside a period
	}
	if err := app.ReadMarks(&f.choice, f.chart, f.tags); err != nil {
		return err
	}
	q, chosen, err := f.read(c, args)
	if err != nil {
		return err
	}
	if f.beside, err = f.PeriodInput.Beside(f.compare); err != nil {
		return err
	}
	if f.IsSeveral() {
		return f.reportSeveral(c, q)
	}
	read := q.Period
	if with, compared := f.beside.Get(); compared && f.Gateway != "" {
		if read, err = read.With(with); err != nil {
			return err
		}
	}
	p := f.Progress(c, "blocks")
	d, err := f.OpenLedger(c.Context(), &f.LedgerFlags, read, p)
	if err != nil {
		return err
	}
	defer d.Close()
	q.Progress = p.Asked()
	if f.about {
		return f.showAbout(c, given, d, q, bookPath(chosen))
	}
	return showFees(c.Context(), &f.Output, d, q, f.choice, f.beside)
}

// reportSeveral is fees report of several ledgers.
func (f *reportFlags) reportSeveral(c *cobra.Command, q app.Request) error {
	parts, notes, end, err := f.divided(c, q, f.NetworkFile)
	if err != nil {
		return err
	}
	defer end()
	made := make([]*app.Fees, len(parts))
	for i, p := range parts {
		f.At(i)
		p.Request.Progress = f.Progress(c, "blocks").Asked()
		if made[i], err = p.Fees(c.Context(), p.Request, f.choice, f.beside); err != nil {
			return err
		}
	}
	return f.writeJoined(app.JoinFees(parts, made, notes))
}

// showFees reads a report from a ledger and writes it.
func showFees(ctx context.Context, o *cli.Output, d *app.Ledger, q app.Request, choice report.Choice, beside chain.Optional[app.PeriodInput]) error {
	made, err := d.Fees(ctx, q, choice, beside)
	if err != nil {
		return err
	}
	err = o.Stream(func(w io.Writer) error { return made.Document().Write(w, o.Format, o.Width()) })
	return cli.Found(err, !made.Holds())
}
