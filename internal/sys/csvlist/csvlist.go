// Package csvlist reads the small lists that people write in an editor or save from a spreadsheet:
// CSV with a line for each thing, with commas, semicolons or tabs, LF or CRLF, and with a byte
// order mark or without. What a line says is for those who know the columns.
package csvlist

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"
)

// TrimMark is a text without the mark that some programs begin UTF-8 with.
func TrimMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// Text is a text without its mark, which has to be UTF-8.
func Text(text []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return nil, errors.New("it is UTF-16: save it as UTF-8")
	case !utf8.Valid(text):
		return nil, errors.New("it is not UTF-8: save it as UTF-8")
	}
	return TrimMark(text), nil
}

// Separator is the first separator of a line, outside of quotes; 0 where it has none of those.
func Separator(line, separators string) rune {
	quoted := false
	for _, r := range line {
		switch {
		case r == '"':
			quoted = !quoted
		case !quoted && strings.ContainsRune(separators, r):
			return r
		}
	}
	return 0
}

// Row is a line's fields, without the blanks around them.
type Row struct {
	Line   int
	Fields []string
}

// Cut returns the fields without the empty ones behind the first count: programs end lines with
// separators, and spreadsheets with empty cells.
func (r Row) Cut(count int) []string {
	last := len(r.Fields)
	for last > count && r.Fields[last-1] == "" {
		last--
	}
	return r.Fields[:last]
}

// FormError says that a line is not CSV. What follows it cannot be told apart.
type FormError struct {
	Line int
	Err  error
}

func (e *FormError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *FormError) Unwrap() error { return e.Err }

// Rows are those of a text. Empty lines are passed over, and those that begin with #. The error is
// a [FormError], and nothing comes after it.
func Rows(text []byte, separator rune) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		in := csv.NewReader(bytes.NewReader(text))
		in.Comma, in.Comment, in.FieldsPerRecord = separator, '#', -1
		in.TrimLeadingSpace = separator != '\t' // it would take the separators of empty fields
		for {
			fields, err := in.Read()
			var form *csv.ParseError
			switch {
			case err == io.EOF:
				return
			case errors.As(err, &form):
				yield(Row{}, &FormError{form.Line, form.Err})
				return
			case err != nil:
				yield(Row{}, err)
				return
			}
			line, _ := in.FieldPos(0)
			for i := range fields {
				fields[i] = strings.TrimSpace(fields[i])
			}
			if !yield(Row{line, fields}, nil) {
				return
			}
		}
	}
}

// FirstLine is the first line of a text that is a row.
func FirstLine(text []byte) string {
	for line := range bytes.Lines(text) {
		if content := bytes.TrimSpace(line); len(content) > 0 && line[0] != '#' {
			return string(content)
		}
	}
	return ""
}
