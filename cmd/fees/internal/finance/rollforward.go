package finance

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/rollforward"
)

// rollforwardManual has the table of the classes where %s stands.
var rollforwardManual = fmt.Sprintf(`Lead from what accounts had before each month of a period to what they had after it, as
auditors want it, for each account, each group of accounts, and all of them:

  opening + received + rewards + other in - sent - fees - other out +- reserved
  = closing

Closing is the free balance, and the total is free and reserved together. Each line is
the sum of movements of the ledger, and --list shows them. Opening and closing are the
balances that the gateway says the account had (--gateway: a URL, or an archive that was
recorded with --accounts). What does not fit is a line of its own, unexplained, and the
exit code is 1; it is never made to fit. --no-balances proves nothing, and says so.

--accounts is a CSV file of address, label and group (a header names the columns). In the
column of a group, and of all accounts, a transfer between two of its accounts is in the
line internal, in and out, and not in received and sent: together they are 0. In the
column of an account it stands as received or sent.

A year has its months and their sum; --by period has one column for all.

Every movement is of one class, and every class of one line:

%s
"recorded" says whether a recorded chain that the tests go through has such a movement:
those of the runtimes 1701, 2100 and 2600 of Moonbeam and 100 of DataHaven. A class
without is tested with made-up movements alone.

A ledger has the events of the pallet balances, and no others. So what arrives when a
block begins is a staking reward where nobody is seen to have paid it, and unclassified
where the treasury or another chain's account lost balance there too. What is staked by
a lock does not move, and is in no line.

--classes, a CSV file of pallet,method,direction,class, says otherwise: the first line
that fits is the class of a movement. A method with a capital letter is an event of the
pallet balances, any other the call of the extrinsic; * is all calls of a pallet, and
with * as the pallet the methods inherent, onInitialize and onFinalize are those parts of
a block. The direction is in, out, or empty for both. What is part of a fee follows from
what the chain charged, and no file changes it.

--list takes a line, a class, or all: the movements one by one, with the transaction of
each. With prices, each change of the free balance is valued at its own day or hour, and
that is added up. Gains are not computed.

`+pricesManual+`

`+cli.LabelsManual+`

`+cli.PeriodManual, classesTable())

const rollforwardExamples = `  fees rollforward --month 2026-01 --accounts accounts.csv
  fees rollforward --month 2026-01 --accounts group:company --format xlsx -o january.xlsx
  fees rollforward --month 2026-01 --accounts accounts.csv --list rewards --format csv
  fees rollforward --year 2026 --accounts accounts.csv --partial --no-balances
  fees rollforward --month 2026-01 --accounts accounts.csv --classes ours.csv --no-balances
  fees rollforward 1..24 --accounts Payroll --by period`

// classesTable is the table of the classes for the manual.
func classesTable() string {
	var text strings.Builder
	fmt.Fprintf(&text, "  %-15s %-13s %-13s %s\n", "class", "in", "out", "recorded")
	for _, c := range rollforward.Classes() {
		recorded := "no"
		if c.Recorded {
			recorded = "yes"
		}
		line := func(l rollforward.Line) string {
			if l == "" {
				return "-"
			}
			return strings.ReplaceAll(string(l), "_", " ")
		}
		fmt.Fprintf(&text, "  %-15s %-13s %-13s %s\n", c.Class, line(c.In), line(c.Out), recorded)
	}
	return text.String()
}

// rollforwardFlags are the flags of fees rollforward.
type rollforwardFlags struct {
	cli.GatewayFlags
	questionFlags
	asked             app.RollforwardQuestion
	networkFile, list string
	classes           string
	noBalances        bool
}

func newRollforward() *cobra.Command {
	f := rollforwardFlags{asked: app.RollforwardQuestion{By: app.ByMonth}}
	return cli.New(&cobra.Command{
		Use: "rollforward --accounts FILE " + cli.PeriodUse, Short: "Lead from opening to closing balances, line by line", Long: rollforwardManual, Example: rollforwardExamples,
		Args: f.wanted, RunE: f.lead,
	}, f.Of("where balances come from: a gateway's URL, or an archive with balances"), f.AddTrust, f.of("whose rollforward"), f.add, f.Forms("table", "json", "csv", "xlsx"), f.AddQuiet, f.Concurrent)
}

func (f *rollforwardFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.classes, "classes", "", "a CSV file of pallet,method,direction,class: classes of your own choice")
	cli.Choice(c, &f.asked.By, "by", "what a column is of: month or period", app.ByMonth, app.ByPeriod)
	c.Flags().StringVar(&f.list, "list", "", "list the movements of a line or a class, or all, instead")
	c.Flags().StringVar(&f.networkFile, "network-file", "", "a file with network tables of your own")
	c.Flags().BoolVar(&f.noBalances, "no-balances", false, "ask for no balances, and prove nothing")
	cli.Complete(c, "list", rollforward.Selections()...)
}

// wanted wants a range at most, and accounts.
func (f *rollforwardFlags) wanted(c *cobra.Command, args []string) error {
	if err := cobra.MaximumNArgs(1)(c, args); err != nil || len(f.accounts) > 0 {
		return err
	}
	return errors.New("whose rollforward? fees rollforward --year 2026 --accounts FILE, a CSV file of address, label and group")
}

// lead shows what led from the balances before to those after.
func (f *rollforwardFlags) lead(c *cobra.Command, args []string) (err error) {
	q := f.asked
	q.Concurrency = f.Concurrency
	if f.list != "" {
		listed, err := rollforward.ParseSelection(f.list)
		if err != nil {
			return fmt.Errorf("--list %w", err)
		}
		q.List = chain.Some(listed)
	}
	if q.Question, _, err = f.read(c, args); err != nil {
		return err
	}
	if q.Classes, err = app.ReadClasses(f.classes); err != nil {
		return err
	}
	if !f.noBalances {
		if q.Balances, err = f.GatewayFlags.Open(); err != nil {
			return err
		}
	}
	q.Progress = f.Progress(c, "balances").Asked()
	return f.Ask(c, f.networkFile, func(d *app.Desk) error {
		made, err := d.Rollforward(c.Context(), q)
		if err != nil {
			return err
		}
		err = f.Stream(func(w io.Writer) error { return made.Write(c.Context(), w, f.Format, f.Width()) })
		return made.Explain(cli.Found(err, !made.Holds()))
	})
}
