package finance

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/reconcile"
)

// booksFlags say how a company's record is read, and compared.
type booksFlags struct{ desk.BooksInput }

// Add adds the flags. Of is what their usage begins with.
func (f *booksFlags) Add(c *cobra.Command, of string) {
	flags := c.Flags()
	flags.StringSliceVar(&f.Columns, "map", nil, of+"the column of a field: fee=\"Network cost\"; with commas between, or once for each")
	flags.StringVar(&f.Unit, "unit", "", of+"what the fees count: wei or token")
	flags.StringVar(&f.Decimal, "decimal", ".", of+"the separator of decimals: a point or a comma")
	flags.StringVar(&f.Thousands, "thousands", "", of+"the separator of thousands (default: none)")
	flags.StringVar(&f.Separator, "separator", "", of+"what separates columns of csv: comma, semicolon or tab (default: as the header says)")
	flags.StringVar(&f.Sheet, "sheet", "", of+"the sheet of xlsx (default: the first)")
	flags.StringVar(&f.DateFormat, "date-format", "", of+"how dates are written, such as dd.mm.yyyy HH:MM (default: RFC 3339 or yyyy-mm-dd)")
	flags.StringVar(&f.Tolerance, "tolerance", "0", of+"differences of so many wei are none")
	cli.Complete(c, "unit", string(reconcile.Wei), string(reconcile.Token))
	cli.Complete(c, "separator", "comma", "semicolon", "tab")
}

// tellRows tells each row of a company's record that cannot be read, on a line of its own.
func tellRows(stderr io.Writer, err error) {
	var rows *desk.RowsError
	if errors.As(err, &rows) {
		for line := range strings.Lines(rows.Problems.Error()) {
			fmt.Fprintln(stderr, "fees: "+console.Printable(strings.TrimSuffix(line, "\n")))
		}
	}
}
