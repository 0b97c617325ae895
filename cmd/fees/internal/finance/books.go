package finance

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/plain"
)

// addBooks adds the flags for reading and comparing a company's record. of is the prefix of their usage.
func addBooks(c *cobra.Command, f *app.BooksInput, of string) {
	flags := c.Flags()
	flags.StringSliceVar(&f.Columns, "map", nil, of+"map a field to a column: fee=\"Network cost\", or fee=#3 by number; comma-separated or repeated")
	flags.StringVar(&f.Unit, "unit", "", of+"the unit of fees: wei (the smallest), gwei, token or evm-wei (default: from the column or each amount)")
	flags.StringVar(&f.Decimal, "decimal", ".", of+"the decimal separator: . or ,")
	flags.StringVar(&f.Thousands, "thousands", "", of+"the thousands separator (default: none)")
	flags.StringVar(&f.Separator, "separator", "", of+"the csv separator: comma, semicolon, tab or pipe (default: from the header)")
	flags.StringVar(&f.Sheet, "sheet", "", of+"the sheet of xlsx (default: the first)")
	flags.StringVar(&f.DateFormat, "date-format", "", of+"the date format, such as dd.mm.yyyy HH:MM, mm/dd/yyyy, unix, unix-ms or excel (default: yyyy-mm-dd, or with the month's name)")
	flags.StringVar(&f.Tolerance, "tolerance", "0", of+"accept differences up to this amount, such as \"1 Gwei\" or \"0.000001 token\" (default unit: wei)")
	flags.BoolVar(&f.Negative, "negative", false, of+"fees are negative amounts: -5, 5-, (5)")
	flags.IntVar(&f.HeaderRow, "header-row", 0, of+"the row number of the header (default: the first row that names a fee and a transaction)")
	flags.IntSliceVar(&f.SkipRows, "skip-rows", nil, of+"row numbers to skip, comma-separated")
	flags.StringVar(&f.Profile, "profile", "", of+"the product that wrote the file: a name from --profiles, a JSON file with your own, or none (default: recognised)")
	flags.IntVar(&f.CutDecimals, "cut-decimals", 0, of+"accept fees cut or rounded after this many decimals of the token")
	flags.StringVar(&f.Encoding, "encoding", "", of+"the csv encoding: utf-8 or windows-1252 (default: utf-8, or UTF-16 by its byte order mark)")
	cli.CompleteBy(c, "profile", func() []string { return append(reconcile.ProfileNames(), reconcile.NoProfile) })
	cli.Complete(c, "unit", string(reconcile.Wei), string(reconcile.Gwei), string(reconcile.Token))
	cli.Complete(c, "encoding", string(reconcile.UTF8), string(reconcile.Windows1252))
	cli.Complete(c, "separator", "comma", "semicolon", "tab", "pipe")
}

// addStrict adds the flag for accepted differences.
func addStrict(c *cobra.Command, strict *bool) {
	c.Flags().BoolVar(strict, "strict", false, "exit with 1 also if all differences are accepted")
}

// withCommand adds to an error on an unreadable record the command line that reads it. Several command
// lines are printed, each with its meaning.
func withCommand(c *cobra.Command, args []string, err error) error {
	var unread *app.UnreadError
	if !errors.As(err, &unread) {
		return err
	}
	if len(unread.Ways) == 1 {
		for _, s := range unread.Ways[0].Settings {
			if s.Name == "unit" {
				fmt.Fprintln(c.ErrOrStderr(), "fees: the file does not state the unit of its fees, or states another; the command below assumes "+unitName(s.Value))
			}
		}
		return fmt.Errorf("%w. Read it with: %s", err, again(c, args, unread.Ways[0]))
	}
	for _, way := range unread.Ways {
		fmt.Fprintf(c.ErrOrStderr(), "fees: if %s: %s\n", plain.Line(way.Means), again(c, args, way))
	}
	return fmt.Errorf("%w. Run the command above that fits your file", err)
}

// again returns the command line with the settings of a way added.
func again(c *cobra.Command, args []string, way reconcile.Way) string {
	settings := make([]cli.Setting, len(way.Settings))
	for i, s := range way.Settings {
		settings[i] = cli.Setting(s)
	}
	return cli.Again(c, args, settings...)
}

// unitName returns a unit for use in a sentence.
func unitName(unit string) string {
	if unit == string(reconcile.Token) {
		return "the network's token"
	}
	return unit
}

// writeRowErrors writes one line per row of a company's record that cannot be read.
func writeRowErrors(stderr io.Writer, err error) {
	var rows *app.RowsError
	if errors.As(err, &rows) {
		for line := range strings.Lines(rows.Problems.Error()) {
			fmt.Fprintln(stderr, "fees: "+plain.Line(strings.TrimSuffix(line, "\n")))
		}
	}
}
