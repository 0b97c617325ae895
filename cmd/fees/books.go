package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/closing"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/reconcile"
)

// booksFlags say how a company's record is read, and compared.
type booksFlags struct {
	path                     string
	unit, decimal, thousands string
	separator, sheet         string
	dateFormat, tolerance    string
	columns                  []string
}

// add adds the flags. Of is what their usage begins with.
func (f *booksFlags) add(c *cobra.Command, of string) {
	flags := c.Flags()
	flags.StringSliceVar(&f.columns, "map", nil, of+"the column of a field: fee=\"Network cost\"; with commas between, or once for each")
	flags.StringVar(&f.unit, "unit", "", of+"what the fees count: wei or token")
	flags.StringVar(&f.decimal, "decimal", ".", of+"the separator of decimals: a point or a comma")
	flags.StringVar(&f.thousands, "thousands", "", of+"the separator of thousands (default: none)")
	flags.StringVar(&f.separator, "separator", "", of+"what separates columns of csv: comma, semicolon or tab (default: as the header says)")
	flags.StringVar(&f.sheet, "sheet", "", of+"the sheet of xlsx (default: the first)")
	flags.StringVar(&f.dateFormat, "date-format", "", of+"how dates are written, such as dd.mm.yyyy HH:MM (default: RFC 3339 or yyyy-mm-dd)")
	flags.StringVar(&f.tolerance, "tolerance", "0", of+"differences of so many wei are none")
	complete(c, "unit", string(reconcile.Wei), string(reconcile.Token))
	complete(c, "separator", "comma", "semicolon", "tab")
}

// options are what the flags say. Dates without a zone are of the given one.
func (f *booksFlags) options(zone *time.Location) (o reconcile.Options, err error) {
	o = reconcile.Options{Sheet: f.sheet, Unit: reconcile.Unit(f.unit), DateFormat: f.dateFormat, Zone: zone}
	if o.Separator, err = parseSeparator(f.separator); err != nil {
		return o, err
	}
	if o.Decimal, err = oneCharacter("--decimal", f.decimal); err != nil {
		return o, err
	}
	if f.thousands != "" {
		if o.Thousands, err = oneCharacter("--thousands", f.thousands); err != nil {
			return o, err
		}
	}
	if o.Columns, err = parseColumns(f.columns); err != nil {
		return o, err
	}
	if o.Tolerance, err = chain.ParseWei(f.tolerance); err != nil {
		return o, fmt.Errorf("--tolerance: %w", err)
	}
	return o, nil
}

// kept is how a package keeps the flags; nil without a file.
func (f *booksFlags) kept() *closing.Reconciliation {
	if f.path == "" {
		return nil
	}
	return &closing.Reconciliation{
		Name: filepath.Base(f.path), Unit: f.unit, Decimal: f.decimal, Thousands: f.thousands, Separator: f.separator,
		Sheet: f.sheet, DateFormat: f.dateFormat, Tolerance: f.tolerance, Columns: append([]string{}, f.columns...),
	}
}

// keptBooks are the flags that a package has kept, for its own copy of the file.
func keptBooks(r *closing.Reconciliation, file string) booksFlags {
	return booksFlags{
		path: file, unit: r.Unit, decimal: r.Decimal, thousands: r.Thousands, separator: r.Separator,
		sheet: r.Sheet, dateFormat: r.DateFormat, tolerance: r.Tolerance, columns: r.Columns,
	}
}

// read reads the file. Each row that cannot be read is told on a line of its own.
func (f *booksFlags) read(options reconcile.Options, stderr io.Writer) (*reconcile.File, error) {
	in, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	file, err := reconcile.ReadFile(in, options)
	var problems *reconcile.ProblemsError
	if errors.As(err, &problems) {
		for line := range strings.Lines(problems.Error()) {
			fmt.Fprintln(stderr, "fees: "+console.Printable(strings.TrimSuffix(line, "\n")))
		}
		return nil, fmt.Errorf("%s: %d rows cannot be read", f.path, problems.Count)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return file, nil
}

func parseSeparator(text string) (rune, error) {
	switch text {
	case "":
		return 0, nil
	case ",", "comma":
		return ',', nil
	case ";", "semicolon":
		return ';', nil
	case "\t", "tab", `\t`:
		return '\t', nil
	}
	return 0, fmt.Errorf("--separator %q: want comma, semicolon or tab", text)
}

func oneCharacter(flag, text string) (rune, error) {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 || size != len(text) {
		return 0, fmt.Errorf("%s %q: want one character", flag, text)
	}
	return r, nil
}

// parseColumns reads FIELD=NAME, one for each.
func parseColumns(list []string) (map[reconcile.Field]string, error) {
	columns := map[reconcile.Field]string{}
	for _, text := range list {
		field, name, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--map %q: want a field and the name of its column, such as fee=Cost", text)
		}
		key := reconcile.Field(strings.TrimSpace(field))
		if _, twice := columns[key]; twice {
			return nil, fmt.Errorf("--map: %s is there twice", key)
		}
		columns[key] = name
	}
	return columns, nil
}
