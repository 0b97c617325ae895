package finance

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/dataset"
)

// withPeriods are the flags allowed when all accounts are exported.
var withPeriods = []string{"month", "from", "to", "timezone", "partial", "ledger", "network-file"}

// checkFlags rejects flags other than withPeriods and with. what describes the export.
func checkFlags(c *cobra.Command, what string, with ...string) (err error) {
	c.Flags().Visit(func(flag *pflag.Flag) {
		if err == nil && !slices.Contains(withPeriods, flag.Name) && !slices.Contains(with, flag.Name) {
			err = fmt.Errorf("--%s does not apply to %s; leave it out", flag.Name, what)
		}
	})
	return err
}

// checkPartitioned checks the combination of flags for --partitioned.
func (f *exportFlags) checkPartitioned(c *cobra.Command, args []string) error {
	err := checkFlags(c, "--partitioned", "partitioned", "replace", "check")
	if err == nil && f.checks && (f.replace || len(args) > 0 || f.Month != "" || f.From != "" || f.To != "" || f.Partial) {
		err = errors.New("--check compares all files; leave out the period, --replace and --partial")
	}
	return err
}

// exportMonths is fees export --partitioned.
func (f *exportFlags) exportMonths(c *cobra.Command, args []string) error {
	if err := f.checkPartitioned(c, args); err != nil {
		return err
	}
	period, err := f.ParseMonths(args)
	if err != nil {
		return err
	}
	if !f.IsSeveral() {
		return f.Ask(c, func(d *app.Ledger) error { return f.exportMonthsOf(c, args, d, period) })
	}
	ledgers, end, err := f.OpenAll(c.Context(), f.Tables)
	if err != nil {
		return err
	}
	defer end()
	if err := app.CheckDistinct(c.Context(), ledgers); err != nil {
		return err
	}
	for i, d := range ledgers {
		f.At(i)
		found := f.exportMonthsOf(c, args, d, period)
		if found != nil && !errors.Is(found, cli.ErrFinding) {
			return found
		}
		err = cmp.Or(err, found)
	}
	return err
}

// exportMonthsOf exports the months of a ledger, or checks them.
func (f *exportFlags) exportMonthsOf(c *cobra.Command, args []string, d *app.Ledger, period app.Period) error {
	if f.checks {
		return f.checkPartitions(c, d)
	}
	x, err := d.Dataset(c.Context(), app.DatasetRequest{
		Dir: f.partitioned, Period: period, Replace: f.replace, Program: cli.Version(), Progress: f.Progress(c, "blocks").Asked(),
		Done: func(o dataset.Outcome, m *dataset.Manifest) { writeMonth(f.Stdout(), o, m) },
	})
	if err != nil {
		return err
	}
	return writeDatasetNotes(c, args, x)
}

// writeDatasetNotes writes what a dataset lacks or leaves unknown.
func writeDatasetNotes(c *cobra.Command, args []string, x *app.Dataset) error {
	stderr := c.ErrOrStderr()
	for _, note := range x.Notes {
		fmt.Fprintln(stderr, "fees: "+note)
	}
	if x.LeftOut > 0 {
		fmt.Fprintln(stderr, "fees: to write incomplete months, run: "+cli.Again(c, args, cli.Setting{Name: "partial"}))
	}
	if x.Unclassified > 0 {
		fmt.Fprintf(stderr, "fees: %s not recognized: %s in the table unclassified, not in movements\n",
			console.Counted(x.Unclassified, "event")+" "+console.Verb(x.Unclassified, "was", "were"), console.Verb(x.Unclassified, "it is", "they are"))
	}
	if x.Undetermined > 0 {
		fmt.Fprintf(stderr, "fees: %s %s undetermined: %s null\n", console.Counted(x.Undetermined, "fee"), console.Verb(x.Undetermined, "is", "are"),
			console.Verb(x.Undetermined, "it is", "they are"))
	}
	return cli.Found(nil, x.Undetermined > 0)
}

// writeMonth writes what was exported of a month.
func writeMonth(stdout io.Writer, o dataset.Outcome, m *dataset.Manifest) {
	line := fmt.Sprintf("%s  %-9s  blocks %d..%d (%d)", m.Month, o, m.Blocks.First, m.Blocks.Last, m.Blocks.Count)
	for _, f := range m.Files[1:] { // the first has the blocks
		line += fmt.Sprintf(", %d %s", f.Rows, f.Table())
	}
	_ = cli.Say(stdout, "%s", line) // the files exist even if this fails
}

// checkPartitions is fees export --partitioned DIR --check.
func (f *exportFlags) checkPartitions(c *cobra.Command, d *app.Ledger) error {
	progress := f.Progress(c, "months").Asked()
	found, err := d.CheckDataset(c.Context(), f.partitioned, &progress)
	if err != nil {
		return err
	}
	for _, month := range found.NotCompared {
		fmt.Fprintf(c.ErrOrStderr(), "fees: %s was not compared: the ledger has no block of that month\n", month)
	}
	for _, p := range found.Problems {
		fmt.Fprintf(f.Stdout(), "%s: %s\n", p.Path, p.Message)
	}
	fmt.Fprintf(f.Stdout(), "%s, %s, %d bytes: %s\n", console.Counted(found.Months, "month"), console.Counted(found.Files, "file"), found.Bytes,
		console.Counted(len(found.Problems), "problem"))
	if slices.ContainsFunc(found.Problems, func(p dataset.Problem) bool { return p.Damaged }) {
		return fmt.Errorf("%w; export it again with --replace", dataset.ErrDamaged)
	}
	return cli.Found(nil, len(found.Problems) > 0)
}
