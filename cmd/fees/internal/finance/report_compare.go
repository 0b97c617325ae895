package finance

import (
	"fmt"
	"io"
	"slices"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
)

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

// periodBefore is --compare without a value.
const periodBefore = "before"

// takeCompared takes the month or the year out of the arguments that stands behind --compare, and
// not behind an equals sign.
func (f *reportFlags) takeCompared(args []string) []string {
	if i := slices.IndexFunc(args, app.IsNamed); i >= 0 && f.compare == periodBefore {
		f.compare = args[i]
		return slices.Delete(slices.Clone(args), i, i+1)
	}
	return args
}

// compared is the period that is compared with, if one is.
func (f *reportFlags) compared() (with app.PeriodInput, ok bool, err error) {
	switch {
	case f.compare == "":
		return with, false, nil
	case f.compare == periodBefore:
		with, err = f.PeriodInput.Before()
	case app.IsNamed(f.compare):
		with = f.PeriodInput.Named(f.compare)
	default:
		err = fmt.Errorf("--compare %q: want a month such as 2025-02, a year such as 2025, or nothing for the period before", f.compare)
	}
	return with, true, err
}

// writeComparison writes the form that was asked for.
func (f *reportFlags) writeComparison(w io.Writer, c *report.Comparison) error {
	switch f.Format {
	case "json":
		return report.WriteComparisonJSON(w, c)
	case "csv":
		return table.WriteCSV(w, c.Sheet())
	case "xlsx":
		return table.WriteXLSX(w, c.Sheets()...)
	case "parquet":
		return table.WriteParquet(w, c.Sheet())
	}
	return report.WriteComparisonTable(w, c, f.Output.Width())
}
