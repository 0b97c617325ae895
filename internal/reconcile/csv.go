package reconcile

import (
	"bufio"
	"bytes"
	"context"
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
	ctx        context.Context // whose end ends the reading
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
	case g.ctx.Err() != nil:
		return 0, g.ctx.Err()
	case g.total > mostBytes:
		return 0, errTooLarge
	case g.rowLimited && g.row > mostRecord+mostHeader: // that much is read ahead
		return 0, errLongRow
	}
	return n, err
}

// openCSV begins to read csv.
func openCSV(ctx context.Context, in *bufio.Reader, o *Options) (*fileTable, error) {
	encoding, mark, err := encodingOf(in, o.Encoding)
	if err != nil {
		return nil, err
	}
	text := bufio.NewReaderSize(decoded(in, encoding), mostHeader)
	start, err := text.Peek(mostHeader)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	separator, head := o.Separator, ""
	if rest, ok := bytes.CutPrefix(start, []byte("sep=")); ok && len(rest) > 1 && strings.ContainsRune(separators, rune(rest[0])) && (rest[1] == '\n' || rest[1] == '\r') {
		// How Excel is told the separator. It does not show this line.
		if separator == 0 {
			separator = rune(rest[0])
		}
		if head, err = text.ReadString('\n'); err != nil {
			return nil, errors.New("the file has no header")
		}
	}
	if separator == 0 {
		if separator, err = separatorOf(start, o); err != nil {
			return nil, err
		}
	}
	limits := &guard{ctx: ctx, from: text, rowLimited: true}
	source := &recorder{from: limits}
	reader := csv.NewReader(bufio.NewReaderSize(source, 4096))
	reader.Comma = separator
	reader.FieldsPerRecord = -1 // checked with a better message
	reader.ReuseRecord = true
	t := &fileTable{form: "csv", separator: string(separator), encoding: encoding, start: mark + string(encoded([]byte(head), encoding)), close: func() {}}
	t.records = func(yield func(*record, error) bool) {
		line := 0
		for {
			limits.row = 0
			fields, err := reader.Read()
			raw := source.upTo(reader.InputOffset())
			if errors.Is(err, io.EOF) {
				t.end = raw
				return
			}
			line += 1 + emptyLines(raw)
			if err != nil {
				yield(nil, csvProblem(err, line))
				return
			}
			rec := &record{line: line, raw: raw, cells: make([]cell, len(fields))}
			for i, text := range fields {
				rec.cells[i].text = text
				if strings.IndexByte(text, 0) >= 0 {
					yield(nil, &Problem{Line: line, Column: i + 1, Err: errors.New("a byte of 0 is in it: it is no text, or not UTF-8")})
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

// recorder keeps what was read of a file until it is asked for.
type recorder struct {
	from  io.Reader
	kept  []byte
	begin int64 // of what is kept
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.kept = append(r.kept, p[:n]...)
	return n, err
}

// upTo is what was not asked for yet, up to a place in the file. It is valid until the next.
func (r *recorder) upTo(end int64) []byte {
	length := int(end - r.begin)
	text := r.kept[:length:length]
	r.kept, r.begin = r.kept[length:], end
	return text
}

// emptyLines are those before a row, of which csv has no record, and a spreadsheet has a row.
func emptyLines(raw []byte) (count int) {
	for {
		rest, ok := bytes.CutPrefix(raw, []byte("\n"))
		if !ok {
			if rest, ok = bytes.CutPrefix(raw, []byte("\r\n")); !ok {
				return count
			}
		}
		raw = rest
		count++
	}
}

// csvProblem says where csv cannot be read any further.
func csvProblem(err error, line int) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	why := errors.New("a quote stands inside of a value that does not begin with one")
	if errors.Is(parse.Err, csv.ErrQuote) {
		why = errors.New("a quoted value does not end where it should: a quote inside of it must be doubled")
	}
	return &Problem{Line: line, Err: fmt.Errorf("%w; what comes after it was not read: open the file in a spreadsheet and save it as csv again, or correct the line", why)}
}

// separators are what can stand between the columns of csv.
const separators = ",;\t|"

// separatorOf finds the separator: the only one by which one of the first lines is a header. Where
// there is none, the columns are not known by their names, and the error that says so is of the one
// that divides most lines alike.
func separatorOf(start []byte, o *Options) (rune, error) {
	whole := start
	if len(start) == mostHeader {
		whole = start[:bytes.LastIndexByte(start, '\n')+1]
	}
	if len(whole) == 0 && len(start) > 0 {
		return 0, fmt.Errorf("the header is longer than %d KB: is it a csv file?", mostHeader>>10)
	}
	var fitting []rune
	for _, separator := range separators {
		if hasHeader(whole, separator, o) {
			fitting = append(fitting, separator)
		}
	}
	if len(fitting) == 1 {
		return fitting[0], nil
	}
	found := inFirstLine(whole)
	switch likely := likelySeparator(whole); {
	case len(found) == 0:
		return 0, errors.New("the header has neither commas, semicolons, tabs nor pipes: is it a csv file with a header?")
	case len(found) == 1 && len(fitting) == 0 && likely == 0:
		return rune(found[0]), nil
	case len(fitting) == 0 && likely != 0:
		return likely, nil
	}
	return 0, fmt.Errorf("the header has each of %q, and which separates is not clear: declare the separator, with --separator comma, semicolon, tab or pipe", found)
}

// hasHeader tells whether one of the first lines is a header by a separator.
func hasHeader(start []byte, separator rune, o *Options) bool {
	reader := csv.NewReader(bytes.NewReader(start))
	reader.Comma, reader.FieldsPerRecord = separator, -1
	for range mostAbove + 1 {
		fields, err := reader.Read()
		if err != nil {
			return false
		}
		if _, _, err := header(fields).columns(o); err == nil {
			return true
		}
	}
	return false
}

// likelySeparator is the one that stands most often in lines of the first ones which it divides
// alike; 0 where there is no such one.
func likelySeparator(start []byte) (likely rune) {
	most, tie := 0, false
	for _, separator := range separators {
		reader := csv.NewReader(bytes.NewReader(start))
		reader.Comma, reader.FieldsPerRecord = separator, -1
		alike := map[int]int{}
		best := 0
		for range mostAbove {
			fields, err := reader.Read()
			if err != nil {
				break
			}
			if len(fields) > 1 {
				alike[len(fields)] += len(fields) - 1
				best = max(best, alike[len(fields)])
			}
		}
		if best > 0 && best == most {
			tie = true
		}
		if best > most {
			most, likely, tie = best, separator, false
		}
	}
	if tie {
		return 0
	}
	return likely
}

// inFirstLine are the separators in the first line with any, outside of quotes.
func inFirstLine(start []byte) (found []byte) {
	quoted := false
	for _, c := range start {
		switch {
		case c == '\n' && !quoted && len(found) > 0:
			return found
		case c == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(separators, c) >= 0 && bytes.IndexByte(found, c) < 0:
			found = append(found, c)
		}
	}
	return found
}
