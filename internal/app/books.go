package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/reconcile"
)

// BooksInput is a company's record of fees, and how it is read and compared.
type BooksInput struct {
	Path    string
	Content []byte // of a file that is in memory, whose name Path is; nil reads it there
	closing.Reading
	RowsOnly bool // fees that the record lacks are not looked for
}

// Set sets a field of it as a form, or a way of reading the record, has it. The error is an
// [InputError].
func (in *BooksInput) Set(f Field, text string) (err error) {
	texts := map[Field]*string{
		FieldUnit: &in.Unit, FieldDecimal: &in.Decimal, FieldThousands: &in.Thousands, FieldSeparator: &in.Separator, FieldEncoding: &in.Encoding,
		FieldSheet: &in.Sheet, FieldDateFormat: &in.DateFormat, FieldTolerance: &in.Tolerance,
	}
	boxes := map[Field]*bool{FieldNegative: &in.Negative, FieldRowsOnly: &in.RowsOnly}
	switch {
	case texts[f] != nil:
		*texts[f] = text
	case boxes[f] != nil:
		*boxes[f] = text != "0" // a flag without a value is set
		return OneOf(f, text, "", "0", "1")
	case f == FieldMap:
		in.Columns = append(slices.DeleteFunc(slices.Clone(in.Columns), func(other string) bool { return fieldOf(other) == fieldOf(text) }), text)
	case f == FieldHeaderRow:
		in.HeaderRow, err = rowOf(f, text)
	case f == FieldSkipRows:
		for one := range strings.SplitSeq(text, ",") {
			row, err := rowOf(f, strings.TrimSpace(one))
			if err != nil {
				return err
			}
			in.SkipRows = append(slices.Clip(in.SkipRows), row)
		}
	}
	return err
}

// rowOf reads the number of a row.
func rowOf(f Field, text string) (int, error) {
	row, err := strconv.ParseUint(text, 10, 31)
	if err != nil || row == 0 {
		return 0, notUnderstood("%v %q: rows are counted from 1, as a spreadsheet does", f, text)
	}
	return int(row), nil
}

// Options are what the input comes to beside a question. The error is an [InputError].
func (in *BooksInput) Options(q Question) (o reconcile.Options, err error) {
	o = reconcile.Options{Zone: q.Period.Zone, Accounts: q.Accounts, Labels: q.Labels, Prices: q.Prices, RowsOnly: in.RowsOnly}
	return o, in.fill(&o)
}

// fill fills in how the record is read.
func (in *BooksInput) fill(o *reconcile.Options) (err error) {
	o.Sheet, o.Unit, o.DateFormat, o.Encoding = in.Sheet, reconcile.Unit(in.Unit), in.DateFormat, reconcile.Encoding(in.Encoding)
	o.HeaderRow, o.SkipRows, o.Negative = in.HeaderRow, in.SkipRows, in.Negative
	if o.Separator, err = parseSeparator(in.Separator); err != nil {
		return err
	}
	if o.Decimal, err = oneCharacter(FieldDecimal, in.Decimal, '.'); err != nil {
		return err
	}
	if o.Thousands, err = oneCharacter(FieldThousands, in.Thousands, 0); err != nil {
		return err
	}
	if o.Columns, err = parseColumns(in.Columns); err != nil || in.Tolerance == "" {
		return err
	}
	if o.Tolerance, o.ToleranceSymbol, err = reconcile.ParseTolerance(in.Tolerance); err != nil {
		return notUnderstood("%v: %v", FieldTolerance, err)
	}
	return nil
}

// RowsError says that rows of a company's record cannot be read.
type RowsError struct {
	Path     string
	Problems *reconcile.ProblemsError
}

func (e *RowsError) Error() string {
	return fmt.Sprintf("%s: %s cannot be read", e.Path, console.Counted(e.Problems.Count, "row"))
}

// Unwrap has each of the rows.
func (e *RowsError) Unwrap() error { return e.Problems }

// UnreadError says that a company's record cannot be read, and in what ways it can. They are several
// where only people can know which is right.
type UnreadError struct {
	Err  error
	Ways []reconcile.Way
}

func (e *UnreadError) Error() string { return e.Err.Error() }

// Unwrap is why it cannot be read.
func (e *UnreadError) Unwrap() error { return e.Err }

// Read reads the record. It is a [RowsError] where rows cannot be read, and in an [UnreadError]
// where other settings read it: these were tried.
func (in *BooksInput) Read(ctx context.Context, o reconcile.Options) (*reconcile.File, error) {
	read, err := in.read(ctx, o)
	if err == nil {
		return read, nil
	}
	var problems *reconcile.ProblemsError
	named := fmt.Errorf("%s: %w", in.Path, err)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, err
	case errors.As(err, &problems):
		named = &RowsError{in.Path, problems}
	}
	if ways := in.tried(ctx, o, err, maxTries); len(ways) > 0 {
		return nil, &UnreadError{named, ways}
	}
	return nil, named
}

func (in *BooksInput) read(ctx context.Context, o reconcile.Options) (*reconcile.File, error) {
	file, err := in.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return reconcile.ReadFile(ctx, file, o)
}

func (in *BooksInput) open() (io.ReadCloser, error) {
	if in.Content != nil {
		return io.NopCloser(bytes.NewReader(in.Content)), nil
	}
	return os.Open(in.Path)
}

// Preview reads how the record begins, with so many rows below its header.
func (in *BooksInput) Preview(ctx context.Context, o reconcile.Options, rows int) (*reconcile.Preview, error) {
	file, err := in.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return reconcile.ReadPreview(ctx, file, o, rows)
}

const (
	// maxTries is how often other settings are tried one after another: what one of them makes
	// readable may show that another one is wanted.
	maxTries = 6
	// maxWays is how many ways of reading a record are offered.
	maxWays = 4
)

// tried returns the ways that read the record; none where nothing does.
func (in *BooksInput) tried(ctx context.Context, o reconcile.Options, err error, tries int) (list []reconcile.Way) {
	if tries == 0 {
		return nil
	}
	for _, way := range reconcile.Tries(err) {
		as, next := *in, o
		for _, s := range way.Settings {
			if err := as.Set(Field(s.Name), s.Value); err != nil {
				return nil
			}
		}
		if as.fill(&next) != nil {
			continue
		}
		file, err := as.read(ctx, next)
		if err == nil {
			file.Close()
			list = append(list, way)
		} else {
			for _, more := range as.tried(ctx, next, err, tries-1) {
				list = append(list, way.And(more))
			}
		}
		if len(list) >= maxWays {
			break
		}
	}
	return list[:min(len(list), maxWays)]
}

// WriteFixed writes the record again with what became of each row beside it.
func (in *BooksInput) WriteFixed(ctx context.Context, w io.Writer, result *reconcile.Result) error {
	file, err := in.open()
	if err != nil {
		return err
	}
	defer file.Close()
	if err := result.WriteFixed(ctx, w, file); err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	return nil
}

// CheckFixed refuses a place for the record with its outcomes that is the record's own, or whose
// name says that it is of another form.
func (in *BooksInput) CheckFixed(place string) error {
	own, err := os.Stat(in.Path)
	if err != nil {
		return err
	}
	if there, err := os.Stat(place); err == nil && os.SameFile(own, there) {
		return notUnderstood("%v %s: it is the record itself, which is never written over: name another file", FieldFix, place)
	}
	forms := []string{".csv", ".xlsx"}
	from, to := strings.ToLower(filepath.Ext(in.Path)), strings.ToLower(filepath.Ext(place))
	if from != to && slices.Contains(forms, from) && slices.Contains(forms, to) {
		return notUnderstood("%v %s: it is written in the form of the record, %s: name it so", FieldFix, place, from)
	}
	return nil
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
	case "|", "pipe":
		return '|', nil
	}
	return 0, notUnderstood("%v %q: want comma, semicolon, tab or pipe", FieldSeparator, text)
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

// fieldOf is the field in FIELD=NAME.
func fieldOf(text string) reconcile.Field {
	field, _, _ := strings.Cut(text, "=")
	return reconcile.Field(strings.TrimSpace(field))
}

// parseColumns reads FIELD=NAME, one for each.
func parseColumns(list []string) (map[reconcile.Field]string, error) {
	columns := map[reconcile.Field]string{}
	for _, text := range list {
		_, name, ok := strings.Cut(text, "=")
		if !ok {
			return nil, notUnderstood("%v %q: want a field and the name of its column, such as fee=Cost", FieldMap, text)
		}
		key := fieldOf(text)
		if _, twice := columns[key]; twice {
			return nil, notUnderstood("%v: %s is there twice", FieldMap, key)
		}
		columns[key] = name
	}
	return columns, nil
}
