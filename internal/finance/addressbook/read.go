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

	"golang.org/x/text/unicode/norm"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/csvlist"
	"github.com/feeledger/fees/internal/sys/disk"
)

// Limits of a file.
const (
	maxBytes     = 64 << 20
	maxLineBytes = 64 << 10
	maxEntries   = 1_000_000
	maxTextBytes = 200 // per label, group or account
	maxErrors    = 100 // errors listed
)

// separators are the possible field separators. A file uses one of them.
const separators = ",;\t"

// Read parses a CSV file with one line per address.
//
// A first line with a field "address" is the header: it names the columns in any order, address, label (or name),
// group and account (or asset account). So is one with account and book_account, as in the lists of fees: they are the
// address and the account. Columns with other names are ignored, but without a column label, they must be
// named note, comment or description. Without a header, or with only
// "address", the columns are address, label and account; groups need a header. All columns except address are
// optional.
//
// The separator is a comma, a semicolon or a tab: that of the header, or of the first line with more than an
// address. Empty lines and lines that start with # are ignored. Fields may be quoted, but may not
// span lines.
//
// A label must not have the form of an address, a hash, a group, a height or a period: it would select something else
// than it seems to.
//
// The error lists all problems with their lines.
func Read(r io.Reader) (*Book, error) {
	text, err := disk.ReadAtMost(r, "the file", maxBytes)
	if err != nil {
		return nil, err
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
			wrong = append(wrong, errors.New("there may be more errors"))
			break
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return &f.Book, nil
}

// file is the state of reading a file.
type file struct {
	Book
	separator rune // 0 until detected
	begun     bool // the first relevant line was read
	columns
	fields []string // of the last entry's line
}

// columns are the positions of the fields; -1 if a column is missing.
type columns struct {
	address, label, group, account int
	count                          int // including ignored ones
	named                          bool
}

func (f *file) read(number int, line string) error {
	line = strings.TrimRight(line, " \r\n")
	if _, remark := csvlist.Remark(line); remark || strings.TrimSpace(line) == "" {
		return nil
	}
	switch {
	case len(line) > maxLineBytes:
		return fmt.Errorf("longer than %d bytes", maxLineBytes)
	case strings.Contains(line, "\r"):
		return errors.New("contains a carriage return; lines must end with LF or CRLF")
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
	short, address, err := ParseAccount(fieldAt(fields, f.address))
	if err != nil {
		return err
	}
	f.onChain(address, short, number)
	f.separator = separator
	e := Entry{address, textAt(fields, f.label), textAt(fields, f.group), textAt(fields, f.account), number}
	if err := f.check(&e, len(fields)); err != nil {
		return err
	}
	f.fields = fields
	return f.Add(e)
}

// split returns the fields of a line, without empty ones at the end.
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

// isHeader reports whether a line names the columns.
func isHeader(fields []string) bool {
	return (hasName(fields, "address") || hasName(fields, "account") && hasName(fields, bookAccount)) &&
		!slices.ContainsFunc(fields, func(text string) bool {
			_, err := chain.ParseAccount(text)
			return strings.HasPrefix(text, "0x") || err == nil
		})
}

// bookAccount is the column of the account in lists of fees, whose column account has the address.
const bookAccount = "book_account"

// hasName reports whether a header has a column with a name in lower case.
func hasName(fields []string, name string) bool {
	return slices.ContainsFunc(fields, func(field string) bool { return strings.EqualFold(field, name) })
}

// name assigns the columns of a header.
func (f *file) name(fields []string) error {
	if len(fields) == 1 {
		return nil // the others are in the default order
	}
	f.columns = columns{-1, -1, -1, -1, len(fields), true}
	names := map[string]*int{
		"address": &f.address, "label": &f.label, "name": &f.label, "group": &f.group, "account": &f.account, "asset account": &f.account, bookAccount: &f.account,
	}
	if !hasName(fields, "address") {
		names["account"] = &f.address
	}
	unknown := ""
	for i, name := range fields {
		column := names[strings.ToLower(name)]
		switch {
		case column == nil && !slices.Contains(ignored, strings.ToLower(name)):
			unknown = cmp.Or(unknown, name)
		case column == nil:
		case *column >= 0:
			return fmt.Errorf("the columns %q and %q contain the same field", fields[*column], name)
		default:
			*column = i
		}
	}
	if f.label < 0 && unknown != "" {
		return fmt.Errorf("no column is named label. Name the column %q label if it has the labels, or note if not", unknown)
	}
	return nil
}

// ignored are the columns that are for people.
var ignored = []string{"", "note", "notes", "comment", "description"}

// textAt returns a field as text whose accents are composed: macOS writes ü as u and a mark, other systems as one letter.
func textAt(fields []string, i int) string { return norm.NFC.String(fieldAt(fields, i)) }

// fieldAt returns "" if a line has no such field.
func fieldAt(fields []string, i int) string {
	if i < 0 || i >= len(fields) {
		return ""
	}
	return fields[i]
}

// check rejects fields that do not fit their columns.
func (f *file) check(e *Entry, fields int) error {
	switch {
	case fields > f.count:
		return fmt.Errorf("%d fields, more than %d; quote text that contains a separator", fields, f.count)
	case !f.named && e.Account != "" && !strings.Contains(e.Account, ":"):
		return fmt.Errorf("%q is not an account such as Assets:Wallet; quote text that contains a separator", e.Account)
	}
	return cmp.Or(checkText("label", e.Label), checkLabel(e.Label), checkText("group", e.Group), checkText("account", e.Account))
}

func checkText(what, text string) error {
	switch {
	case len(text) > maxTextBytes:
		return fmt.Errorf("the %s has %d bytes, more than the limit of %d", what, len(text), maxTextBytes)
	case !utf8.ValidString(text):
		return fmt.Errorf("the %s is not valid UTF-8", what)
	}
	return nil
}
