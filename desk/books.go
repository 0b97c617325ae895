package desk

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/closing"
	"github.com/feeledger/fees/reconcile"
)

// The fields of a [BooksInput].
const (
	FieldDecimal   Field = "decimal"
	FieldThousands Field = "thousands"
	FieldSeparator Field = "separator"
	FieldTolerance Field = "tolerance"
	FieldMap       Field = "map"
)

// BooksInput says how a company's record of fees is read and compared, as a person names
// it. "" is the default of each.
type BooksInput struct {
	Path               string
	Unit               string   // wei or token
	Decimal, Thousands string   // the separators of numbers
	Separator          string   // of the columns of csv: comma, semicolon or tab
	Sheet              string   // of xlsx
	DateFormat         string   // such as dd.mm.yyyy
	Tolerance          string   // wei
	Columns            []string // FIELD=NAME
}

// Options are what the input comes to. Dates without a zone are of the given one. The
// error is an [InputError].
func (in *BooksInput) Options(zone *time.Location) (o reconcile.Options, err error) {
	o = reconcile.Options{Sheet: in.Sheet, Unit: reconcile.Unit(in.Unit), DateFormat: in.DateFormat, Zone: zone}
	if o.Separator, err = parseSeparator(in.Separator); err != nil {
		return o, err
	}
	if o.Decimal, err = oneCharacter(FieldDecimal, in.Decimal, '.'); err != nil {
		return o, err
	}
	if o.Thousands, err = oneCharacter(FieldThousands, in.Thousands, 0); err != nil {
		return o, err
	}
	if o.Columns, err = parseColumns(in.Columns); err != nil || in.Tolerance == "" {
		return o, err
	}
	if o.Tolerance, err = chain.ParseWei(in.Tolerance); err != nil {
		return o, notUnderstood("%v: %v", FieldTolerance, err)
	}
	return o, nil
}

// RowsError says that rows of a company's record cannot be read.
type RowsError struct {
	Path     string
	Problems *reconcile.ProblemsError
}

func (e *RowsError) Error() string {
	return fmt.Sprintf("%s: %d rows cannot be read", e.Path, e.Problems.Count)
}

// Unwrap has each of the rows.
func (e *RowsError) Unwrap() error { return e.Problems }

// Read reads the record. It is a [RowsError] where rows cannot be read.
func (in *BooksInput) Read(o reconcile.Options) (*reconcile.File, error) {
	file, err := os.Open(in.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	read, err := reconcile.ReadFile(file, o)
	var problems *reconcile.ProblemsError
	switch {
	case errors.As(err, &problems):
		return nil, &RowsError{in.Path, problems}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	return read, nil
}

// kept is how a package keeps the input; nil without a file.
func (in *BooksInput) kept(name string) *closing.Reconciliation {
	if in.Path == "" {
		return nil
	}
	return &closing.Reconciliation{
		Name: name, Unit: in.Unit, Decimal: in.Decimal, Thousands: in.Thousands, Separator: in.Separator,
		Sheet: in.Sheet, DateFormat: in.DateFormat, Tolerance: in.Tolerance, Columns: append([]string{}, in.Columns...),
	}
}

// keptBooks is the input that a package has kept, for its own copy of the file.
func keptBooks(r *closing.Reconciliation, file string) BooksInput {
	return BooksInput{
		Path: file, Unit: r.Unit, Decimal: r.Decimal, Thousands: r.Thousands, Separator: r.Separator,
		Sheet: r.Sheet, DateFormat: r.DateFormat, Tolerance: r.Tolerance, Columns: r.Columns,
	}
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
	return 0, notUnderstood("%v %q: want comma, semicolon or tab", FieldSeparator, text)
}

func oneCharacter(field Field, text string, none rune) (rune, error) {
	if text == "" {
		return none, nil
	}
	r, size := utf8.DecodeRuneInString(text)
	if size != len(text) {
		return 0, notUnderstood("%v %q: want one character", field, text)
	}
	return r, nil
}

// parseColumns reads FIELD=NAME, one for each.
func parseColumns(list []string) (map[reconcile.Field]string, error) {
	columns := map[reconcile.Field]string{}
	for _, text := range list {
		field, name, ok := strings.Cut(text, "=")
		if !ok {
			return nil, notUnderstood("%v %q: want a field and the name of its column, such as fee=Cost", FieldMap, text)
		}
		key := reconcile.Field(strings.TrimSpace(field))
		if _, twice := columns[key]; twice {
			return nil, notUnderstood("%v: %s is there twice", FieldMap, key)
		}
		columns[key] = name
	}
	return columns, nil
}
