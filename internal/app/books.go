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
	"strings"
	"time"
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
}

// Options are what the input comes to. Dates without a zone are of the given one. The
// error is an [InputError].
func (in *BooksInput) Options(zone *time.Location) (o reconcile.Options, err error) {
	o = reconcile.Options{Sheet: in.Sheet, Unit: reconcile.Unit(in.Unit), DateFormat: in.DateFormat, Zone: zone,
		Encoding: reconcile.Encoding(in.Encoding), HeaderRow: in.HeaderRow, SkipRows: in.SkipRows, Negative: in.Negative}
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
	if o.Tolerance, o.ToleranceSymbol, err = reconcile.ParseTolerance(in.Tolerance); err != nil {
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
		next := o.With(way.Settings)
		file, err := in.read(ctx, next)
		if err == nil {
			file.Close()
			list = append(list, way)
		} else {
			for _, more := range in.tried(ctx, next, err, tries-1) {
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
