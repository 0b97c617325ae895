// Package csvlist reads small lists that people write in an editor or export from a spreadsheet: CSV with one item
// per line, separated by commas, semicolons or tabs, with LF or CRLF, with or without a byte order mark. Callers
// interpret the columns.
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

// TrimMark returns text without a UTF-8 byte order mark.
func TrimMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// Text returns text without its mark; it must be UTF-8.
func Text(text []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return nil, errors.New("it is UTF-16: save it as UTF-8")
	case !utf8.Valid(text):
		return nil, errors.New("it is not UTF-8: save it as UTF-8")
	}
	return TrimMark(text), nil
}

// Remark returns what follows the # of a line that begins with it. Spreadsheets quote such a line if it contains their
// separator, and write separators after it.
func Remark(line string) (text string, ok bool) {
	content := strings.TrimRight(strings.TrimSpace(line), ",;\t| ")
	if inner, quoted := strings.CutPrefix(content, `"`); quoted {
		inner, quoted = strings.CutSuffix(inner, `"`)
		if !quoted || strings.Contains(strings.ReplaceAll(inner, `""`, ""), `"`) { // more than one cell
			return "", false
		}
		content = strings.ReplaceAll(inner, `""`, `"`)
	}
	return strings.CutPrefix(content, "#")
}

// Separator returns the first separator in a line, outside quotes, or 0.
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

// Row contains a line's fields, without surrounding blanks.
type Row struct {
	Line   int
	Fields []string
}

// Cut returns the fields without empty ones after the first count, which programs and spreadsheets append.
func (r Row) Cut(count int) []string {
	last := len(r.Fields)
	for last > count && r.Fields[last-1] == "" {
		last--
	}
	return r.Fields[:last]
}

// FormError reports a line that is not CSV. The lines after it cannot be parsed.
type FormError struct {
	Line int
	Err  error
}

func (e *FormError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *FormError) Unwrap() error { return e.Err }

// Rows yields the rows of a text. It skips lines that begin with #, as a spreadsheet saves them too (see [Remark]), and
// rows without content. An error is a [FormError] and ends the sequence.
func Rows(text []byte, separator rune) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		in := csv.NewReader(bytes.NewReader(text))
		in.Comma, in.Comment, in.FieldsPerRecord = separator, '#', -1
		in.TrimLeadingSpace = separator != '\t' // it would swallow the separators of empty fields
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
			filled := Row{line, fields}.Cut(0)
			if len(filled) == 0 || len(filled) == 1 && strings.HasPrefix(filled[0], "#") {
				continue
			}
			if !yield(Row{line, fields}, nil) {
				return
			}
		}
	}
}

// FirstLine returns the first line of a text that is a row.
func FirstLine(text []byte) string {
	for line := range bytes.Lines(text) {
		content := strings.TrimSpace(string(line))
		if _, remark := Remark(content); !remark && content != "" {
			return content
		}
	}
	return ""
}
