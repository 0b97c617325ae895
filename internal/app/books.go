package app

import (
	"bytes"
	"cmp"
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

// BooksInput is a company's record of fees, with the settings for reading and comparing it.
type BooksInput struct {
	Path    string
	Name    string // of the original file; "" is that of Path
	Content []byte // the content of the file named Path; nil reads it from disk
	closing.Reading
	More     []BooksInput           // records compared together with it, such as one for each wallet; only their file and reading count
	RowsOnly bool                   // do not look for fees that the record lacks
	Accepted []reconcile.Acceptance // of differences
	// SomeAccepted lets a package leave out acceptances that fit no difference; otherwise they are an error.
	SomeAccepted bool
}

// Set sets a field from text, as a form or a [reconcile.Way] gives it. Errors are of type [InputError].
func (in *BooksInput) Set(f Field, text string) (err error) {
	texts := map[Field]*string{
		FieldUnit: &in.Unit, FieldDecimal: &in.Decimal, FieldThousands: &in.Thousands, FieldSeparator: &in.Separator, FieldEncoding: &in.Encoding,
		FieldSheet: &in.Sheet, FieldDateFormat: &in.DateFormat, FieldTolerance: &in.Tolerance, FieldProfile: &in.Profile,
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
	case f == FieldCutDecimals:
		in.CutDecimals, err = rowOf(f, text)
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

// rowOf parses a whole number from 1, such as a row number.
func rowOf(f Field, text string) (int, error) {
	row, err := strconv.ParseUint(text, 10, 31)
	if err != nil || row == 0 {
		return 0, notUnderstood("%v %q: want a whole number from 1", f, text)
	}
	return int(row), nil
}

// Options combines the input with a request. Errors are of type [InputError].
func (in *BooksInput) Options(q Request) (o reconcile.Options, err error) {
	o = reconcile.Options{Zone: q.Period.Zone, Accounts: q.Accounts, Labels: q.Labels, Prices: q.Prices, RowsOnly: in.RowsOnly, Accepted: in.Accepted}
	return o, in.fill(&o)
}

// SetToken sets the network's token, in which amounts and the tolerance are read. Errors are of type [InputError].
func (in *BooksInput) SetToken(o *reconcile.Options, token console.Token) (err error) {
	if err := checkChain(o.Labels, token); err != nil {
		return err
	}
	o.ShortName = token.ShortName
	if o.Symbol, o.Decimals, o.SS58Prefix = token.Symbol, token.Decimals, token.SS58Prefix; in.Tolerance == "" {
		return nil
	}
	if o.Tolerance, o.ToleranceSymbol, err = reconcile.ParseTolerance(in.Tolerance, o.Decimals); err != nil {
		return notUnderstood("%v: %v", FieldTolerance, err)
	}
	return nil
}

// fill sets the options for reading the record.
func (in *BooksInput) fill(o *reconcile.Options) (err error) {
	o.Sheet, o.Unit, o.DateFormat, o.Encoding = in.Sheet, reconcile.Unit(in.Unit), in.DateFormat, reconcile.Encoding(in.Encoding)
	o.HeaderRow, o.SkipRows, o.Negative = in.HeaderRow, in.SkipRows, in.Negative
	o.Profile, o.CutDecimals = in.Profile, in.CutDecimals
	if in.OwnProfiles != "" {
		if o.Profiles, err = reconcile.ParseProfiles([]byte(in.OwnProfiles)); err != nil {
			return notUnderstood("%v: %v", FieldProfile, err)
		}
	}
	if o.Separator, err = parseSeparator(in.Separator); err != nil {
		return err
	}
	if o.Decimal, err = oneCharacter(FieldDecimal, in.Decimal, '.'); err != nil {
		return err
	}
	if o.Thousands, err = oneCharacter(FieldThousands, in.Thousands, 0); err != nil {
		return err
	}
	o.Columns, err = parseColumns(in.Columns)
	return err
}

// RowsError reports rows of a company's record that cannot be read.
type RowsError struct {
	Path     string
	Problems *reconcile.ProblemsError
}

func (e *RowsError) Error() string {
	return fmt.Sprintf("%s: %s cannot be read", e.Path, console.Counted(e.Problems.Count, "row"))
}

// Unwrap returns the errors of the rows.
func (e *RowsError) Unwrap() error { return e.Problems }

// UnreadError reports that a company's record cannot be read with these settings, and lists settings that
// read it. Of several, only a person can choose the right one.
type UnreadError struct {
	Err  error
	Ways []reconcile.Way
}

func (e *UnreadError) Error() string { return e.Err.Error() }

// Unwrap returns why the record cannot be read.
func (e *UnreadError) Unwrap() error { return e.Err }

// Read reads the record. It returns a [RowsError] if rows cannot be read, inside an [UnreadError] if
// other settings do read it.
func (in *BooksInput) Read(ctx context.Context, o reconcile.Options) (*reconcile.File, error) {
	read, err := in.readInCurrency(ctx, o)
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
	ways := in.tried(ctx, o, err, maxTries)
	switch {
	case len(ways) == 1 && ways[0].IsForm():
		return in.readBy(ctx, o, ways[0])
	case len(ways) > 0:
		return nil, &UnreadError{named, ways}
	}
	return nil, named
}

// SetPaths names the files to compare together, each read by the settings of the first.
func (in *BooksInput) SetPaths(paths []string) {
	in.Path, in.More = paths[0], nil
	for _, path := range paths[1:] {
		in.More = append(in.More, BooksInput{Path: path, Reading: in.Reading})
	}
}

// all returns the records that are compared together.
func (in *BooksInput) all() []BooksInput { return append([]BooksInput{*in}, in.More...) }

// ReadAll reads the record and those compared with it. Each keeps its own reading: settings that another file needs do not
// hinder one that needs none. Close each file.
func (in *BooksInput) ReadAll(ctx context.Context, o reconcile.Options) (files []reconcile.NamedFile, err error) {
	defer func() {
		if err != nil {
			CloseFiles(files)
			files = nil
		}
	}()
	names := map[string]int{}
	for i, one := range in.all() {
		of := o
		if i > 0 {
			err = one.fill(&of)
		}
		var file *reconcile.File
		if err == nil {
			file, err = one.Read(ctx, of)
		}
		if err != nil && len(in.More) > 0 {
			file, err = one.readByItself(ctx, o, err)
		}
		if err != nil {
			return files, err
		}
		name := cmp.Or(one.Name, filepath.Base(one.Path))
		if names[name]++; names[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, names[name])
		}
		files = append(files, reconcile.NamedFile{Name: name, File: file})
	}
	return files, nil
}

// CloseFiles closes files of [BooksInput.ReadAll].
func CloseFiles(files []reconcile.NamedFile) {
	for _, f := range files {
		f.Close()
	}
}

// readByItself reads one of several records without the settings, if that reads it. Otherwise it returns why the settings
// do not.
func (in *BooksInput) readByItself(ctx context.Context, o reconcile.Options, why error) (*reconcile.File, error) {
	alone := BooksInput{Path: in.Path, Content: in.Content}
	if alone.fill(&o) != nil {
		return nil, why
	}
	file, err := alone.Read(ctx, o)
	if err != nil {
		return nil, why
	}
	file.Notes = append(file.Notes, "The file was read without the settings, which do not read it.")
	return file, nil
}

// readInCurrency reads the record; if all of its fees are in the currency of the prices, as values in it.
func (in *BooksInput) readInCurrency(ctx context.Context, o reconcile.Options) (*reconcile.File, error) {
	read, err := in.read(ctx, o)
	if o.Prices == nil || err == nil && !read.IsAllIn(o.Prices.Currency) || err != nil && !reconcile.IsInCurrency(err, o.Prices.Currency) {
		return read, err
	}
	if err == nil {
		read.Close()
	}
	return in.read(ctx, o.InCurrency())
}

// readBy reads the record with the only settings that read it, and says so in its notes.
func (in *BooksInput) readBy(ctx context.Context, o reconcile.Options, way reconcile.Way) (*reconcile.File, error) {
	as, err := in.with(way)
	if err != nil {
		return nil, err
	}
	if err := as.fill(&o); err != nil {
		return nil, err
	}
	flags := ""
	for _, s := range way.Settings {
		value := s.Value
		if s.Name == string(FieldMap) { // a list
			value = console.InList(value)
		}
		flags += " --" + s.Name + " " + console.Argument(value)
	}
	file, err := as.readInCurrency(ctx, o)
	if err == nil {
		file.Notes = append(file.Notes, "The file was read with"+flags+", because nothing else reads it.")
	}
	return file, err
}

// with returns the input with the settings of a way.
func (in *BooksInput) with(way reconcile.Way) (*BooksInput, error) {
	changed := *in
	for _, s := range way.Settings {
		if err := changed.Set(Field(s.Name), s.Value); err != nil {
			return nil, err
		}
	}
	return &changed, nil
}

// Reads reports whether the record can be read with the settings of a way added.
func (in *BooksInput) Reads(ctx context.Context, o reconcile.Options, way reconcile.Way) bool {
	as, err := in.with(way)
	if err != nil || as.fill(&o) != nil {
		return false
	}
	file, err := as.Read(ctx, o)
	return err == nil && file.Close() == nil
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

// Preview reads the header and the given number of rows below it.
func (in *BooksInput) Preview(ctx context.Context, o reconcile.Options, rows int) (*reconcile.Preview, error) {
	file, err := in.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return reconcile.ReadPreview(ctx, file, o, rows)
}

const (
	// maxTries limits how many settings are changed one after another: one change may reveal that another is needed.
	maxTries = 6
	// maxWays limits how many ways of reading a record are offered.
	maxWays = 4
)

// tried returns the settings that read the record; none if nothing does.
func (in *BooksInput) tried(ctx context.Context, o reconcile.Options, err error, tries int) (list []reconcile.Way) {
	if tries == 0 {
		return nil
	}
	for _, way := range reconcile.Tries(err) {
		as, err := in.with(way)
		if err != nil {
			return nil
		}
		next := o
		if as.fill(&next) != nil {
			continue
		}
		file, err := as.readInCurrency(ctx, next)
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

// WriteFixed writes a copy of the record with the outcome of each row beside it.
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

// CheckFixed refuses an output path that is the record itself, or whose extension belongs to another format.
func (in *BooksInput) CheckFixed(place string) error {
	if in.Content == nil {
		own, err := os.Stat(in.Path)
		if err != nil {
			return err
		}
		if there, err := os.Stat(place); err == nil && os.SameFile(own, there) {
			return notUnderstood("%v %s: this is the record itself. Name another file.", FieldFix, place)
		}
	}
	forms := []string{".csv", ".xlsx"}
	from, to := strings.ToLower(filepath.Ext(in.Path)), strings.ToLower(filepath.Ext(place))
	if from != to && slices.Contains(forms, from) && slices.Contains(forms, to) {
		return notUnderstood("%v %s: the copy has the format of the record. Name a file that ends in %s.", FieldFix, place, from)
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

// fieldOf returns the field in FIELD=NAME.
func fieldOf(text string) reconcile.Field {
	field, _, _ := strings.Cut(text, "=")
	return reconcile.Field(strings.TrimSpace(field))
}

// parseColumns parses FIELD=NAME pairs, at most one for each field.
func parseColumns(list []string) (map[reconcile.Field]string, error) {
	columns := map[reconcile.Field]string{}
	for _, text := range list {
		_, name, ok := strings.Cut(text, "=")
		if !ok {
			return nil, notUnderstood("%v %q: want FIELD=COLUMN, such as fee=Cost", FieldMap, text)
		}
		key := fieldOf(text)
		if _, twice := columns[key]; twice {
			return nil, notUnderstood("%v: %s is given twice", FieldMap, key)
		}
		columns[key] = name
	}
	return columns, nil
}
