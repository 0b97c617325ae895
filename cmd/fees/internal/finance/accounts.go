package finance

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/table"
)

const accountsManual = `Work with a chart of accounts.`

var accountsCheckManual = `Show which rule of a chart of accounts places which fee, and which rules place none.

--chart and --tags are those of fees export. Each fee is listed with its expense account,
its asset account and its cost centre, and the lines of the chart that named them. An
asset account that no row names is that of "# asset:", else that of the address book.

Exit codes: 0 every fee has its accounts, 1 a fee goes to the suspense account, has no
asset account or is not known, 2 usage, or a chart that cannot be read, 4 the ledger.

` + cli.PeriodManual + `

` + cli.LabelsManual

const accountsCheckExamples = `  fees accounts check --chart chart.csv --month 2026-01 --accounts group:company
  fees accounts check --chart chart.csv --month 2026-01 --accounts accounts.csv --format csv`

// accountsFlags are the flags of fees accounts check.
type accountsFlags struct {
	requestFlags
	chart, tags string
}

func newAccounts() *cobra.Command {
	return cli.NewParent(&cobra.Command{Use: "accounts", Short: "Check a chart of accounts", Long: accountsManual}, "fees accounts has no command %q: want check", newAccountsCheck())
}

func newAccountsCheck() *cobra.Command {
	var f accountsFlags
	c := cli.New(&cobra.Command{
		Use: "check --chart FILE --accounts LIST|FILE " + cli.PeriodUse, Short: "Show which rule of the chart places which fee", Long: accountsCheckManual, Example: accountsCheckExamples,
		Args: cobra.MaximumNArgs(1), RunE: f.run,
	}, f.of("who paid"), f.AddTables, f.Forms("table", "csv", "jsonl", "xlsx"), f.AddQuiet)
	addChart(c, &f.chart, &f.tags)
	return c
}

func (f *accountsFlags) run(c *cobra.Command, args []string) error {
	if f.chart == "" {
		return errors.New("--chart: name the file of the chart of accounts")
	}
	q, chosen, err := f.read(c, args)
	if err != nil {
		return err
	}
	if len(q.Accounts) == 0 {
		return errors.New("--accounts: name those who paid, or a file with them" + cli.Offer(chosen.Book))
	}
	in, err := app.ReadChart(f.chart, f.tags)
	if err != nil {
		return err
	}
	return f.Ask(c, func(d *app.Ledger) error {
		x, err := d.Export(c.Context(), app.ExportRequest{Request: q, ChartInput: in, With: app.WithFees})
		if err != nil {
			return err
		}
		check, err := x.CheckChart(c.Context())
		if err != nil {
			return err
		}
		doc := &table.Document{List: check.Sheet(c.Context()), Text: func(w io.Writer, width int) error {
			page := console.NewPage(w, width)
			return cmp.Or(writeCheck(c, page, check), page.Flush())
		}}
		err = f.Stream(func(w io.Writer) error { return doc.Write(w, f.Format, f.Width()) })
		if err != nil {
			return x.Explain(err)
		}
		return cmp.Or(writeUndetermined(c.ErrOrStderr(), x), cli.Found(nil, !check.Holds()))
	})
}

// writeCheck shows people how a chart places fees.
func writeCheck(c *cobra.Command, page *console.Page, check *app.ChartCheck) error {
	page.Line(check.Title, 2)
	page.WriteString("\n")
	t := console.NewTable(
		console.Column{Name: "id"}, console.Column{Name: "payer", Cut: true}, console.Column{Name: "call", Cut: true, Drop: 2}, console.Column{Name: "tag", Cut: true, Drop: 3},
		console.Column{Name: check.Symbol, Right: true, Drop: 1}, console.Column{Name: "account"}, console.Column{Name: "by"}, console.Column{Name: "asset"}, console.Column{Name: "by"},
		console.Column{Name: "cost centre"}, console.Column{Name: "by"},
	)
	shown := 0
	for p, err := range check.Each(c.Context()) {
		if err != nil {
			return err
		}
		if shown++; shown > maxShown {
			break
		}
		costLine := ""
		if line := p.Line(chart.CostCentre); line > 0 {
			costLine = fmt.Sprint(line)
		}
		t.Row(p.Facts.ID, cmp.Or(p.Facts.Label, check.Account(p.Facts.Payer)), p.Facts.Call, p.Facts.Tag, paidTokens(check.Token, p.Paid), p.Expense, p.ExpenseBy, p.Asset, p.AssetBy, p.Value(chart.CostCentre), costLine)
	}
	page.Table(t)
	if more := check.Fees - min(check.Fees, maxShown); more > 0 {
		page.Line(fmt.Sprintf("and %d more; --format csv lists all", more), 2)
	}
	page.WriteString("\n")
	rules := console.NewTable(console.Column{Name: "rule"}, console.Column{Name: "fees", Right: true})
	for _, line := range check.Lines {
		rules.Row(fmt.Sprintf("line %d", line), check.Taken[line])
	}
	page.Table(rules)
	page.WriteString("\n")
	var pairs console.Pairs
	pairs.Add("fees", fmt.Sprint(check.Fees))
	pairs.Add("in suspense", fmt.Sprint(check.Suspense))
	pairs.Add("without an asset account", fmt.Sprint(check.WithoutAsset))
	page.Pairs(pairs)
	return nil
}

func paidTokens(token console.Token, paid chain.Optional[chain.Wei]) string {
	if wei, ok := paid.Get(); ok {
		return token.Tokens(wei)
	}
	return "not known"
}
