package reconcile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// mostHeader is how long the header may be, in bytes.
	mostHeader = 64 << 10
	// mostRecord is how long a row may be, in bytes.
	mostRecord = 1 << 20
)

// guard bounds what is read of a file, and of each of its rows.
type guard struct {
	from       io.Reader
	total, row int
	rowLimited bool // in a csv
}

var (
	errTooLarge = fmt.Errorf("the file is larger than %d MB: split it", mostBytes>>20)
	errLongRow  = fmt.Errorf("a row is longer than %d KB: is a quote never closed?", mostRecord>>10)
)

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.from.Read(p)
	g.total += n
	g.row += n
	switch {
	case g.total > mostBytes:
		return 0, errTooLarge
	case g.rowLimited && g.row > mostRecord+mostHeader: // that much is read ahead
		return 0, errLongRow
	}
	return n, err
}

// openCSV begins to read csv.
func openCSV(in *bufio.Reader, o *Options) (*table, error) {
	start, err := in.Peek(mostHeader)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	separator, skipped := o.Separator, 0
	if rest, ok := bytes.CutPrefix(start, []byte("sep=")); ok && len(rest) > 1 && strings.ContainsRune(",;\t", rune(rest[0])) && (rest[1] == '\n' || rest[1] == '\r') {
		// How Excel is told the separator.
		if separator == 0 {
			separator = rune(rest[0])
		}
		if _, err := in.ReadString('\n'); err != nil {
			return nil, errors.New("the file has no header")
		}
		skipped = 1
	}
	if separator == 0 {
		if separator, err = separatorOf(start); err != nil {
			return nil, err
		}
	}
	limits := &guard{from: in, rowLimited: true}
	reader := csv.NewReader(bufio.NewReaderSize(limits, 4096))
	reader.Comma = separator
	reader.FieldsPerRecord = -1 // checked with a better message
	reader.ReuseRecord = true
	t := &table{form: "csv", separator: string(separator), close: func() {}}
	t.records = func(yield func(*record, error) bool) {
		for {
			limits.row = 0
			fields, err := reader.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, csvProblem(err, skipped))
				return
			}
			line, _ := reader.FieldPos(0)
			rec := &record{line: line + skipped, cells: make([]cell, len(fields))}
			for i, text := range fields {
				rec.cells[i].text = text
				if strings.IndexByte(text, 0) >= 0 {
					yield(nil, &Problem{Line: line + skipped, Column: i + 1, Err: errors.New("a byte of 0 is in it: it is no text, or not UTF-8")})
					return
				}
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
	return t, nil
}

// csvProblem says where csv cannot be read any further.
func csvProblem(err error, skipped int) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	why := errors.New("a quote stands inside of a value that does not begin with one")
	if errors.Is(parse.Err, csv.ErrQuote) {
		why = errors.New("a quoted value does not end where it should: a quote inside of it must be doubled")
	}
	return &Problem{Line: parse.StartLine + skipped, Err: fmt.Errorf("%w; what comes after it was not read", why)}
}

// separatorOf finds the separator in the header: the only one of the three that
// stands there, outside of quotes.
func separatorOf(start []byte) (rune, error) {
	quoted := false
	var found []byte
	ended := false
	for _, c := range bytes.TrimLeft(start, "\r\n") {
		if ended = c == '\n' && !quoted; ended {
			break
		}
		switch {
		case c == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(",;\t", c) >= 0 && bytes.IndexByte(found, c) < 0:
			found = append(found, c)
		}
	}
	switch {
	case !ended && len(start) == mostHeader:
		return 0, fmt.Errorf("the header is longer than %d KB: is it a csv file?", mostHeader>>10)
	case len(found) == 1:
		return rune(found[0]), nil
	case len(found) == 0:
		return 0, errors.New("the header has neither commas, semicolons nor tabs: is it a csv file with a header?")
	}
	return 0, fmt.Errorf("the header has each of %q, and which separates is not clear: declare the separator", found)
}
