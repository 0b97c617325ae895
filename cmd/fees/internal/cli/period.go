package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/source"
)

// PeriodFlags name a period of a ledger: a range of heights, a month, a year, or two ends.
type PeriodFlags struct{ app.PeriodInput }

// AccountsUsage is what --accounts takes, after who they are.
const AccountsUsage = ": addresses, CSV files with one in each line (address, or address,label), labels of the address book, or group:NAME; with commas between, or once for each"

// PeriodUse is how the period stands in the usage of a command.
const PeriodUse = "[A..B|A:+N]"

// PeriodManual is what the manual of a command says of its period.
const PeriodManual = `The period is a range of heights, A..B with both included or A:+N; a --month; a --year;
or --from and --to, both heights or both days, the whole of both included. Without any,
it is all that is sealed. Days are those of --timezone, UTC where it is not given, and
a block belongs to the day of its own time. A period of which the ledger lacks a part
is refused; --partial takes what is there, and the result says what is not. A period
before or after all that is there is refused.`

// Add adds the flags.
func (f *PeriodFlags) Add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.Month, "month", "", "the period: a month, such as 2026-01")
	flags.StringVar(&f.Year, "year", "", "the period: a year, such as 2026")
	flags.StringVar(&f.From, "from", "", "the first day of the period, such as 2026-01-01, or its first height")
	flags.StringVar(&f.To, "to", "", "the last day of the period, or its last height")
	flags.StringVar(&f.Timezone, "timezone", "UTC", "whose days they are, such as Europe/Berlin")
	flags.BoolVar(&f.Partial, "partial", false, "take what the ledger has of the period, where it lacks a part")
}

// Parse reads the period.
func (f *PeriodFlags) Parse(args []string) (p app.Period, err error) {
	if len(args) > 1 {
		return p, fmt.Errorf("%d ranges: want one", len(args))
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

// ParseMonths reads a period of whole months of UTC.
func (f *PeriodFlags) ParseMonths(args []string) (app.Period, error) {
	p, err := f.Parse(args)
	if err == nil {
		err = p.Months()
	}
	return p, err
}
