package finance

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/rollforward"
)

// rollforwardManual contains the table of the classes in place of %s.
var rollforwardManual = fmt.Sprintf(`Reconcile opening to closing balances of each month by class of movement, for
auditors. For each account, each group, and all accounts:

  opening + received + rewards + other in - sent - fees - other out +- reserved
  = closing

Closing is the free balance; the total adds the reserved balance. Each line is
a sum of movements of the ledger; --list shows them. Opening and closing
balances come from the gateway (a URL, or an archive recorded with --accounts).
A difference is shown on its own line, unexplained, and makes the exit code 1.
With --no-balances the rollforward is not checked, and says so.

--accounts is usually a CSV file of address, label and group. In the column of
a group and of all accounts, transfers between its own accounts are "internal",
in and out, and add up to 0. In the column of an account they are received or
sent.

A year has a column per month and their sum; --by period has one column for
all.

Every movement has one class, and every class belongs to one line:

%s "recorded" is "yes" if a recorded chain that the tests use contains such a
movement: runtimes 1701, 2100 and 2600 of Moonbeam, and 100 of DataHaven. Other
classes are only tested with generated movements.

A ledger only has events of the balances pallet. An amount that arrives at the
start of a block is a staking reward if no payer is visible, and unclassified
if the treasury or another chain's account also lost balance there. Staking by
a lock moves no balance and is on no line.

--classes, a CSV file of pallet,method,direction,class, overrides classes; the
first matching line wins. A method with a capital letter is an event of the
balances pallet, any other a call of the extrinsic; * matches all calls of a
pallet, and with * as the pallet, the methods inherent, onInitialize and
onFinalize match those parts of a block. The direction is in, out, or empty for
both. Fee movements follow from what the chain charged and cannot be
overridden.

--list takes a line, a class, or all, and lists the movements with their
transactions. With prices, each change of the free balance is valued at its own
day or hour. Gains are not computed.

`+pricesManual+`

`+severalManual+` Balances come from the gateway of
each network: --gateway moonbeam=PLACE --gateway moonriver=PLACE.

`+cli.LabelsManual+`

`+cli.PeriodManual+`

`+aboutManual, classesTable())

const rollforwardExamples = `  fees rollforward --month 2026-01 --accounts accounts.csv
  fees rollforward --month 2026-01 --accounts group:company --format xlsx -o january.xlsx
  fees rollforward --month 2026-01 --accounts accounts.csv --list rewards --format csv
  fees rollforward --year 2026 --accounts accounts.csv --partial --no-balances
  fees rollforward --month 2026-01 --accounts accounts.csv --classes ours.csv --no-balances
  fees rollforward --month 2026-01 --accounts group:company --no-balances \
      --ledger fees.db --ledger river.db
  fees rollforward 1..24 --accounts Payroll --by period`

// classesTable returns the table of the classes for the manual.
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
	requestFlags
	request    app.RollforwardRequest
	list       string
	classes    string
	noBalances bool
	paperFlag
}

func newRollforward() *cobra.Command {
	f := rollforwardFlags{request: app.RollforwardRequest{By: app.ByMonth}}
	return cli.New(&cobra.Command{
		Use: "rollforward --accounts FILE " + cli.PeriodUse, Short: "Reconcile opening to closing balances, by class of movement", Long: rollforwardManual, Example: rollforwardExamples,
		Args: f.wanted, RunE: f.lead,
	}, f.Of("the source of balances: a gateway's URL, or an archive with balances"), f.AddTrust, f.ofSeveral("the accounts"), f.AddTables, f.add, f.Forms("table", "json", "csv", "xlsx", "pdf"), f.AddQuiet, f.Concurrent)
}

func (f *rollforwardFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.classes, "classes", "", "your own classes: a CSV file of pallet,method,direction,class")
	cli.Choice(c, &f.request.By, "by", "one column per month or period", app.ByMonth, app.ByPeriod)
	c.Flags().StringVar(&f.list, "list", "", "list the movements of a line, a class, or all")
	f.addPaper(c)
	c.Flags().BoolVar(&f.noBalances, "no-balances", false, "do not get balances; the rollforward is not checked")
	cli.Complete(c, "list", rollforward.Selections()...)
}

// wanted requires accounts and at most one range.
func (f *rollforwardFlags) wanted(c *cobra.Command, args []string) error {
	if err := cli.Args(0, 1, "at most one range")(c, args); err != nil || len(f.accounts) > 0 {
		return err
	}
	return errors.New("--accounts is missing; name a CSV file of address, label and group, such as --accounts accounts.csv")
}

// lead runs fees rollforward.
func (f *rollforwardFlags) lead(c *cobra.Command, args []string) (err error) {
	if err := f.checkPaper(c, &f.Output); err != nil {
		return err
	}
	if f.IsSeveral() && (isPaper(&f.Output) || f.about) {
		return errors.New("--format pdf and --about are of one ledger; leave them out, or name one --ledger")
	}
	q := f.request
	q.Concurrency = f.Concurrency
	if f.list != "" {
		listed, err := rollforward.ParseSelection(f.list)
		if err != nil {
			return fmt.Errorf("--list %w", err)
		}
		q.List = chain.Some(listed)
	}
	var chosen *app.Chosen
	if q.Request, chosen, err = f.read(c, args); err != nil {
		return err
	}
	if q.Classes, err = app.ReadClasses(f.classes); err != nil {
		return err
	}
	if f.IsSeveral() {
		return f.leadSeveral(c, q)
	}
	book := bookPath(chosen)
	var unread []string
	if f.noBalances {
		unread = append(unread, "gateway")
	}
	request, err := f.aboutRequest(c, args, book, unread...)
	if err != nil {
		return err
	}
	if !f.noBalances {
		if q.Balances, err = f.GatewayFlags.Open(); err != nil {
			return err
		}
		request.Sources = sourceOfBalances(&f.GatewayFlags)
	}
	q.Progress = f.Progress(c, "balances").Asked()
	return f.Ask(c, func(d *app.Ledger) error {
		made, err := d.Rollforward(c.Context(), q)
		if err != nil {
			return err
		}
		return f.stream(c, &f.Output, made, request, book)
	})
}

// leadSeveral is fees rollforward of several ledgers.
func (f *rollforwardFlags) leadSeveral(c *cobra.Command, q app.RollforwardRequest) error {
	parts, notes, end, err := f.divided(c, q.Request, f.Tables)
	if err != nil {
		return err
	}
	defer end()
	made := make([]*app.Rollforward, len(parts))
	for i, p := range parts {
		f.At(i)
		one := q
		one.Request = p.Request
		one.Progress = f.Progress(c, "balances").Asked()
		if !f.noBalances {
			if one.Balances, err = f.OpenOf(p.Network); err != nil {
				return err
			}
		}
		if made[i], err = p.Rollforward(c.Context(), one); err != nil {
			return err
		}
	}
	j, err := app.JoinRollforwards(c.Context(), parts, made, notes)
	if err != nil {
		return err
	}
	return f.writeJoined(j)
}
