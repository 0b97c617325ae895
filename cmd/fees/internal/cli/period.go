package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/app"
)

// PeriodFlags select a period: a range of heights, a month, a year, or two ends.
type PeriodFlags struct{ app.PeriodInput }

// AccountsUsage completes the usage of --accounts.
const AccountsUsage = ": addresses, labels, group:NAME, or CSV files in the address book's format; comma-separated or repeated"

// PeriodUse is the period in a command's usage line.
const PeriodUse = "[A..B|A:+N|MONTH|YEAR]"

// PeriodManual is the section of a command's manual on periods.
const PeriodManual = `The period is one of:
  A..B               a range of heights or days, inclusive
  A:+N               N blocks, starting at A
  2026-01, 2026      a month or a year; also --month, --year
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
	for _, text := range args {
		if text == "" {
			return p, errors.New("the period is empty; leave it out for all sealed blocks")
		}
		f.Set(text)
	}
	return f.PeriodInput.Parse()
}

// ParseMonths parses a period of whole months in UTC.
func (f *PeriodFlags) ParseMonths(args []string) (app.Period, error) {
	p, err := f.Parse(args)
	if err == nil {
		err = p.Months()
	}
	return p, err
}
