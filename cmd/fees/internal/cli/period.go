package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/source"
)

// PeriodFlags select a period: a range of heights, a month, a year, or two ends.
type PeriodFlags struct{ app.PeriodInput }

// AccountsUsage completes the usage of --accounts.
const AccountsUsage = ": addresses, labels, group:NAME, or CSV files in the address book's format; comma-separated or repeated"

// PeriodUse is the period in a command's usage line.
const PeriodUse = "[A..B|A:+N]"

// PeriodManual is the section of a command's manual on periods.
const PeriodManual = `The period is one of:
  A..B               a range of heights, inclusive
  A:+N               N blocks, starting at A
  --month, --year    a month or a year
  --from and --to    two heights or two days, inclusive
The default is all sealed blocks. Days are in --timezone (default UTC); a block
belongs to the day of its timestamp. If the ledger lacks part of the period,
the command fails. With --partial, the result lists what is missing instead. A
period entirely outside the ledger always fails.`

// Add adds the flags.
func (f *PeriodFlags) Add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.Month, "month", "", "a month, such as 2026-01")
	flags.StringVar(&f.Year, "year", "", "a year, such as 2026")
	flags.StringVar(&f.From, "from", "", "the first day, such as 2026-01-01, or the first height")
	flags.StringVar(&f.To, "to", "", "the last day or the last height")
	flags.StringVar(&f.Timezone, "timezone", "UTC", "the time zone of days, such as Europe/Berlin")
	flags.BoolVar(&f.Partial, "partial", false, "proceed even if part of the period, or a price, is missing")
}

// Parse parses the period.
func (f *PeriodFlags) Parse(args []string) (p app.Period, err error) {
	if len(args) > 1 {
		return p, fmt.Errorf("got %d ranges; name one", len(args))
	}
	for _, blocks := range args {
		if f.Blocks = blocks; blocks == "" {
			_, err = source.ParseRange(blocks)
		}
	}
	if err == nil {
		p, err = f.PeriodInput.Parse()
	}
	return p, err
}

// ParseMonths parses a period of whole months in UTC.
func (f *PeriodFlags) ParseMonths(args []string) (app.Period, error) {
	p, err := f.Parse(args)
	if err == nil {
		err = p.Months()
	}
	return p, err
}
