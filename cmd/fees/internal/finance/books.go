package finance

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/reconcile"
)

// addBooks adds the flags for how a company's record is read, and compared. Of is what their usage
// begins with.
func addBooks(c *cobra.Command, f *app.BooksInput, of string) {
	flags := c.Flags()
	flags.StringSliceVar(&f.Columns, "map", nil, of+"the column of a field: fee=\"Network cost\", or fee=#3 by its place; with commas between, or once for each")
	flags.StringVar(&f.Unit, "unit", "", of+"what the fees count: wei, gwei or token (default: as the column or each amount says)")
	flags.StringVar(&f.Decimal, "decimal", ".", of+"the separator of decimals: a point or a comma")
	flags.StringVar(&f.Thousands, "thousands", "", of+"the separator of thousands (default: none)")
	flags.StringVar(&f.Separator, "separator", "", of+"what separates columns of csv: comma, semicolon, tab or pipe (default: as the header says)")
	flags.StringVar(&f.Sheet, "sheet", "", of+"the sheet of xlsx (default: the first)")
	flags.StringVar(&f.DateFormat, "date-format", "", of+"how dates are written, such as dd.mm.yyyy HH:MM or mm/dd/yyyy, or unix, unix-ms or excel (default: yyyy-mm-dd, or with the name of the month)")
	flags.StringVar(&f.Tolerance, "tolerance", "0", of+"differences up to this amount are within_tolerance: \"1 Gwei\", \"0.000001 token\"; without a unit, wei")
	flags.BoolVar(&f.Negative, "negative", false, of+"fees are written as negative amounts: -5, 5-, (5)")
	flags.IntVar(&f.HeaderRow, "header-row", 0, of+"the row of the header, as a spreadsheet counts (default: the first that names a fee and a transaction)")
	flags.IntSliceVar(&f.SkipRows, "skip-rows", nil, of+"rows that are passed over, as a spreadsheet counts, with commas between")
	flags.StringVar(&f.Encoding, "encoding", "", of+"of csv: utf-8 or windows-1252 (default: utf-8, or UTF-16 where the file has its mark)")
	cli.Complete(c, "unit", string(reconcile.Wei), string(reconcile.Gwei), string(reconcile.Token))
	cli.Complete(c, "encoding", string(reconcile.UTF8), string(reconcile.Windows1252))
	cli.Complete(c, "separator", "comma", "semicolon", "tab", "pipe")
}

// withCommand adds the command lines that read a company's record to the error that it cannot be
// read. Where there are several, each is printed with what it means.
func withCommand(c *cobra.Command, args []string, err error) error {
	var unread *app.UnreadError
	if !errors.As(err, &unread) {
		return err
	}
	again := func(way reconcile.Way) string {
		settings := make([]cli.Setting, len(way.Settings))
		for i, s := range way.Settings {
			settings[i] = cli.Setting(s)
		}
		return cli.Again(c, args, settings...)
	}
	if len(unread.Ways) == 1 {
		for _, s := range unread.Ways[0].Settings {
			if s.Name == "unit" {
				fmt.Fprintln(c.ErrOrStderr(), "fees: nothing states the unit of the fees: the command takes them to be in "+unitName(s.Value)+", so make sure that they are")
			}
		}
		return fmt.Errorf("%w; this reads it: %s", err, again(unread.Ways[0]))
	}
	for _, way := range unread.Ways {
		fmt.Fprintf(c.ErrOrStderr(), "fees: if %s: %s\n", console.Printable(way.Means), again(way))
	}
	return fmt.Errorf("%w; only you can know what it means: run one of the commands above", err)
}

// unitName is a unit in a sentence.
func unitName(unit string) string {
	if unit == string(reconcile.Token) {
		return "the network's token"
	}
	return unit
}

// tellRows tells each row of a company's record that cannot be read, on a line of its own.
func tellRows(stderr io.Writer, err error) {
	var rows *app.RowsError
	if errors.As(err, &rows) {
		for line := range strings.Lines(rows.Problems.Error()) {
			fmt.Fprintln(stderr, "fees: "+console.Printable(strings.TrimSuffix(line, "\n")))
		}
	}
}
