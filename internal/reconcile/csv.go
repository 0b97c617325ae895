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
	// maxHeader is the maximum length of the header, in bytes.
	maxHeader = 64 << 10
	// maxRecord is the maximum length of a row, in bytes.
	maxRecord = 1 << 20
)

// guard limits the size of a file and of each row.
type guard struct {
	ctx        context.Context // cancels the reading
	from       io.Reader
	total, row int
	rowLimited bool // in a csv
}

var (
	errTooLarge = fmt.Errorf("the file is larger than %d MB; split it", MaxBytes>>20)
	errLongRow  = fmt.Errorf("a row is longer than %d KB; check for an unclosed quote", maxRecord>>10)
)

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.from.Read(p)
	g.total += n
	g.row += n
	switch {
	case g.ctx.Err() != nil:
		return 0, g.ctx.Err()
	case g.total > MaxBytes:
		return 0, errTooLarge
	case g.rowLimited && g.row > maxRecord+maxHeader: // read-ahead included
		return 0, errLongRow
	}
	return n, err
}

// openCSV starts reading a CSV file.
func openCSV(ctx context.Context, in *bufio.Reader, o *Options) (*fileTable, error) {
	encoding, mark, err := encodingOf(in, o.Encoding)
	if err != nil {
		return nil, err
	}
	text := bufio.NewReaderSize(decoded(in, encoding, mark), maxHeader)
	start, err := text.Peek(maxHeader)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	separator, head := o.Separator, ""
	if rest, ok := bytes.CutPrefix(start, []byte("sep=")); ok && len(rest) > 1 && strings.ContainsRune(separators, rune(rest[0])) && (rest[1] == '\n' || rest[1] == '\r') {
		// This line tells Excel the separator, and is not shown.
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
					yield(nil, &Problem{Line: line, Column: i + 1, Err: errors.New("it contains a zero byte, which text does not. Save the file as csv in UTF-8, or as xlsx")})
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

// recorder keeps the bytes read from a file until upTo returns them.
type recorder struct {
	from  io.Reader
	kept  []byte
	begin int64 // offset of the first kept byte
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.kept = append(r.kept, p[:n]...)
	return n, err
}

// upTo returns the kept bytes up to an offset in the file. They are valid until the next call.
func (r *recorder) upTo(end int64) []byte {
	length := int(end - r.begin)
	text := r.kept[:length:length]
	r.kept, r.begin = r.kept[length:], end
	return text
}

// emptyLines counts the empty lines before a row. The CSV reader skips them, but a spreadsheet shows them as rows.
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

// csvProblem returns the error for a line after which CSV cannot be read.
func csvProblem(err error, line int) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	why := errors.New("a value contains a quote but does not begin with one")
	if errors.Is(parse.Err, csv.ErrQuote) {
		why = errors.New("a quoted value ends in the wrong place (quotes inside must be doubled)")
	}
	return &Problem{Line: line, Err: fmt.Errorf("%w; the rest was not read. Correct the line, or save the file as csv again", why)}
}

// separators are the possible column separators.
const separators = ",;\t|"

// separatorOf finds the separator: the only one that makes one of the first lines a header. If there is none, it
// returns the one that splits most lines consistently, so that the error about the header shows its columns.
func separatorOf(start []byte, o *Options) (rune, error) {
	whole := start
	if len(start) == maxHeader {
		whole = start[:bytes.LastIndexByte(start, '\n')+1]
	}
	if len(whole) == 0 && len(start) > 0 {
		return 0, fmt.Errorf("the header is longer than %d KB; check that this is a csv file", maxHeader>>10)
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
		return 0, errors.New("the header contains no commas, semicolons, tabs or pipes. Check that this is a csv file with a header")
	case len(found) == 1 && len(fitting) == 0 && likely == 0:
		return rune(found[0]), nil
	case len(fitting) == 0 && likely != 0:
		return likely, nil
	}
	return 0, fmt.Errorf("the header contains each of %q; choose the separator with --separator comma, semicolon, tab or pipe", found)
}

// hasHeader reports whether a separator makes one of the first lines a header.
func hasHeader(start []byte, separator rune, o *Options) bool {
	reader := csv.NewReader(bytes.NewReader(start))
	reader.Comma, reader.FieldsPerRecord = separator, -1
	for range maxLinesAbove + 1 {
		fields, err := reader.Read()
		if err != nil {
			return false
		}
		if o.isHeaderOf(fields) {
			return true
		}
	}
	return false
}

// isHeaderOf reports whether fields are the header of a record, or of what else is read.
func (o *Options) isHeaderOf(fields []string) bool {
	if o.isHeader != nil {
		return o.isHeader(fields)
	}
	_, _, err := header(fields).columns(o)
	return err == nil
}

// likelySeparator returns the separator that occurs most often among the first lines that it splits consistently; 0 if
// there is a tie or none.
func likelySeparator(start []byte) (likely rune) {
	highest, tie := 0, false
	for _, separator := range separators {
		reader := csv.NewReader(bytes.NewReader(start))
		reader.Comma, reader.FieldsPerRecord = separator, -1
		alike := map[int]int{}
		best := 0
		for range maxLinesAbove {
			fields, err := reader.Read()
			if err != nil {
				break
			}
			if len(fields) > 1 {
				alike[len(fields)] += len(fields) - 1
				best = max(best, alike[len(fields)])
			}
		}
		if best > 0 && best == highest {
			tie = true
		}
		if best > highest {
			highest, likely, tie = best, separator, false
		}
	}
	if tie {
		return 0
	}
	return likely
}

// inFirstLine returns the separators outside quotes in the first line that contains any.
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
