package finance

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/table"
)

const sampleManual = `Select random transactions of your accounts for an audit, with the inputs for
recomputing each fee by hand. The population is the list of fees export --as csv
for the same accounts and period; its count and totals are shown.

The rule: for each transaction, take the SHA-256 of the seed, a colon and the
transaction ID, and select the lowest. The same seed always gives the same
sample, and anybody can check it:
  printf '%s' 'audit 2026:25-4' | sha256sum
The auditor chooses the seed, and discloses it only after the period is sealed.

Each row has block, hashes, payer, gas and gas price. Where it has both, gas ×
gas price is the fee. "fees explain 25-4 --gateway ARCHIVE" computes any
fee step by step from the block.

` + cli.PeriodManual + `

` + cli.LabelsManual + `

` + aboutManual + `

Exit code 1: a fee of the sample is undetermined or not what the chain charged.`

const sampleExamples = `  fees sample --size 25 --seed "audit 2026" --accounts group:company --month 2026-01
  fees sample --size 25 --seed "audit 2026" --accounts accounts.csv \
      --month 2026-01 --format xlsx --about -o sample.xlsx
  fees sample --size 5 --seed test --accounts accounts.csv 1..24 --format csv`

// sampleFlags are the flags of fees sample.
type sampleFlags struct {
	requestFlags // without prices
	aboutFlag
	request app.SampleRequest
}

func newSample() *cobra.Command {
	var f sampleFlags
	return cli.New(&cobra.Command{
		Use: "sample --size N --seed TEXT --accounts LIST|FILE " + cli.PeriodUse, Short: "Select random transactions for an audit", Long: sampleManual, Example: sampleExamples,
		Args: cli.Args(0, 1, "at most one range"), RunE: f.sample,
	}, f.LedgerFlags.Add, f.PeriodFlags.Add, f.LabelFlags.Add, f.AddTables, f.add, f.Forms("table", "csv", "jsonl", "xlsx", "parquet"), f.AddQuiet)
}

func (f *sampleFlags) add(c *cobra.Command) {
	c.Flags().IntVar(&f.request.Size, "size", 0, fmt.Sprintf("how many transactions, at most %d", app.MaxSample))
	c.Flags().StringVar(&f.request.Seed, "seed", "", "a text that decides which transactions; the auditor chooses it")
	c.Flags().StringSliceVar(&f.accounts, "accounts", nil, "the payers"+cli.AccountsUsage)
	f.addAbout(c)
}

// sample runs fees sample.
func (f *sampleFlags) sample(c *cobra.Command, args []string) (err error) {
	if err := f.checkAbout(f.Format, f.File); err != nil {
		return err
	}
	q := f.request
	var chosen *app.Chosen
	if q.Request, chosen, err = f.read(c, args); err != nil {
		return err
	}
	if len(q.Accounts) == 0 {
		return errors.New("--accounts is missing; name the payers or a file of them" + cli.Offer(chosen.Book))
	}
	request, err := f.aboutRequest(c, args, bookPath(chosen))
	if err != nil {
		return err
	}
	return f.Ask(c, func(d *app.Ledger) error {
		s, err := d.Sample(c.Context(), q)
		if err != nil {
			return err
		}
		return cli.Found(f.show(c, s, request, bookPath(chosen)), !s.Holds())
	})
}

// show writes a sample, with the statement of how it was made if that was asked for.
func (f *sampleFlags) show(c *cobra.Command, s *app.Sample, request app.AboutRequest, book string) error {
	doc := &table.Document{List: s.Sheet(c.Context())}
	if !f.about {
		return f.write(c, &f.Output, doc, nil, nil, "")
	}
	a, err := s.About(c.Context(), request)
	if err != nil {
		return err
	}
	return f.write(c, &f.Output, doc, a, request.Inputs, book)
}
