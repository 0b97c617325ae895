package addressbook

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/csvlist"
)

// What a file may have.
const (
	maxBytes     = 64 << 20
	maxLineBytes = 64 << 10
	maxEntries   = 1_000_000
	maxTextBytes = 200 // of a label, a group or an account
	maxErrors    = 100 // are told
)

// separators are those between fields. A file has one of them.
const separators = ",;\t"

// Read reads a CSV file with a line for each address.
//
// A first line with a field "address" is the header: it names the columns in any order,
// address, label (or name), group and account (or asset account). Columns with other names
// are passed over. Without a header, or with "address" alone, the columns are address, label
// and account: groups need a header. All but the address may be left out.
//
// The separator is a comma, a semicolon or a tab: that of the header, or of the first
// line with an address and more. Empty lines and lines that begin with # are passed
// over. Fields may be quoted, but do not go on in the next line.
//
// All that is wrong is told at once, each with its line.
func Read(r io.Reader) (*Book, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", maxBytes)
	}
	var f file
	var wrong []error
	number := 0
	for line := range bytes.Lines(csvlist.TrimMark(text)) {
		number++
		if err := f.read(number, string(line)); err != nil {
			wrong = append(wrong, fmt.Errorf("line %d: %w", number, err))
		}
		if len(f.entries) > maxEntries {
			return nil, fmt.Errorf("line %d: more than %d addresses", number, maxEntries)
		}
		if len(wrong) == maxErrors {
			wrong = append(wrong, errors.New("and perhaps more"))
			break
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return &f.Book, nil
}

// file is a file while it is read.
type file struct {
	Book
	separator rune // 0 until a line shows it
	begun     bool // the first line that counts was read
	columns
}

// columns are where the fields stand; -1 where there is no such column.
type columns struct {
	address, label, group, account int
	count                          int // with those that are passed over
	named                          bool
}

func (f *file) read(number int, line string) error {
	line = strings.TrimRight(line, " \r\n")
	if text := strings.TrimSpace(line); text == "" || text[0] == '#' {
		return nil
	}
	switch {
	case len(line) > maxLineBytes:
		return fmt.Errorf("it has more than %d bytes", maxLineBytes)
	case strings.Contains(line, "\r"):
		return errors.New("a carriage return within the line: lines end with LF or CRLF")
	}
	separator := f.separator
	if separator == 0 {
		separator = csvlist.Separator(line, separators)
	}
	fields, err := split(line, separator)
	if err != nil || len(fields) == 0 {
		return err
	}
	if !f.begun {
		f.begun, f.columns = true, columns{0, 1, -1, 2, 3, false}
		if isHeader(fields) {
			f.separator = separator
			return f.name(fields)
		}
	}
	address, err := chain.ParseAddress(fieldAt(fields, f.address))
	if err != nil {
		return err
	}
	f.separator = separator
	e := Entry{address, fieldAt(fields, f.label), fieldAt(fields, f.group), fieldAt(fields, f.account), number}
	if err := f.check(&e, len(fields)); err != nil {
		return err
	}
	return f.Add(e)
}

// split is the fields of a line, without the empty ones at its end.
func split(line string, separator rune) (fields []string, err error) {
	for row, err := range csvlist.Rows([]byte(line), cmp.Or(separator, ',')) {
		var form *csvlist.FormError
		if errors.As(err, &form) {
			return nil, form.Err
		}
		if err != nil {
			return nil, err
		}
		return row.Cut(0), nil
	}
	return nil, nil
}

// isHeader tells whether a line names the columns.
func isHeader(fields []string) bool {
	return slices.ContainsFunc(fields, func(name string) bool { return strings.EqualFold(name, "address") }) &&
		!slices.ContainsFunc(fields, func(text string) bool { return strings.HasPrefix(text, "0x") })
}

// name takes the columns of a header.
func (f *file) name(fields []string) error {
	if len(fields) == 1 {
		return nil // the others are in their order
	}
	f.columns = columns{-1, -1, -1, -1, len(fields), true}
	for i, name := range fields {
		column := map[string]*int{
			"address": &f.address, "label": &f.label, "name": &f.label, "group": &f.group, "account": &f.account, "asset account": &f.account,
		}[strings.ToLower(name)]
		switch {
		case column == nil:
		case *column >= 0:
			return fmt.Errorf("the columns %q and %q have the same", fields[*column], name)
		default:
			*column = i
		}
	}
	return nil
}

// fieldAt is "" where a line has no such field.
func fieldAt(fields []string, i int) string {
	if i < 0 || i >= len(fields) {
		return ""
	}
	return fields[i]
}

// check wants the fields of a line to be what their columns are for.
func (f *file) check(e *Entry, fields int) error {
	switch {
	case fields > f.count:
		return fmt.Errorf("%d fields, want at most %d; text with a separator in it stands in quotes", fields, f.count)
	case !f.named && e.Account != "" && !strings.Contains(e.Account, ":"):
		return fmt.Errorf("%q is no account such as Assets:Wallet; text with a separator in it stands in quotes", e.Account)
	}
	return cmp.Or(checkText("label", e.Label), checkText("group", e.Group), checkText("account", e.Account))
}

func checkText(what, text string) error {
	switch {
	case len(text) > maxTextBytes:
		return fmt.Errorf("the %s has %d bytes, want at most %d", what, len(text), maxTextBytes)
	case !utf8.ValidString(text):
		return fmt.Errorf("the %s is no UTF-8", what)
	}
	return nil
}
