package reconcile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/wire"
)

// Place is where a transaction stands on the chain.
type Place struct {
	Height uint64
	Index  int // of the extrinsic in its block
}

// String writes the place as the height and the index: 25-7.
func (p Place) String() string { return fmt.Sprintf("%d-%d", p.Height, p.Index) }

// MarshalText writes the place as [Place.String] does.
func (p Place) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// ParsePlace reads a place, such as 25-7.
func ParsePlace(text string) (Place, error) {
	height, index, ok := strings.Cut(text, "-")
	h, err := strconv.ParseUint(height, 10, 32)
	i, wrong := strconv.ParseUint(index, 10, 31)
	if !ok || err != nil || wrong != nil || !allDigits(height) || !allDigits(index) {
		return Place{}, fmt.Errorf("%q is not a height and an index, such as 25-7", wire.Excerpt(text))
	}
	return Place{Height: h, Index: int(i)}, nil
}

// Row is a fee as the company recorded it. At least one of the hashes and the place is
// known.
type Row struct {
	Line          int // of the file, or of the sheet; the first is 1
	Hash          chain.Optional[chain.Hash]
	EVMHash       chain.Optional[chain.Hash]
	ExtrinsicHash chain.Optional[chain.Hash]
	Place         chain.Optional[Place]
	Fee           chain.Wei
	Cut           bool // the file has 15 digits of the fee, as a spreadsheet keeps them: more may be lost
	Account       chain.Optional[chain.Address]
	Date          chain.Optional[chain.Time]
}

// AnyHash is the hash that names the transaction, the EVM transaction's first.
func (r *Row) AnyHash() chain.Optional[chain.Hash] {
	for _, hash := range []chain.Optional[chain.Hash]{r.EVMHash, r.Hash, r.ExtrinsicHash} {
		if hash.Known() {
			return hash
		}
	}
	return chain.Optional[chain.Hash]{}
}

// record is a row as the file has it.
type record struct {
	line  int
	cells []cell
	raw   []byte // of csv, with the empty lines before it; valid until the next record
}

// header are the cells as the names of columns.
func (r *record) header() header {
	h := make(header, len(r.cells))
	for i := range r.cells {
		h[i] = r.cells[i].text
	}
	return h
}

// held is the record for who needs it after the next one, and how long its texts are.
func (r *record) held() (kept *record, size int) {
	for i := range r.cells {
		size += len(r.cells[i].text)
	}
	return &record{line: r.line, cells: r.cells}, size
}

// names is how many texts are in a row that could name columns.
func (r *record) names() (count int) {
	for i := range r.cells {
		if c := &r.cells[i]; !c.number && c.err == nil && strings.TrimSpace(c.text) != "" {
			count++
		}
	}
	return count
}

// cell is what stands in a place of a row.
type cell struct {
	text   string
	number bool  // kept as a number, by a spreadsheet
	err    error // why it cannot be used
}

// blank tells whether nothing is written in a row.
func (r *record) blank() bool {
	for i := range r.cells {
		if r.cells[i].err != nil || strings.TrimSpace(r.cells[i].text) != "" {
			return false
		}
	}
	return true
}

// rowReader makes rows of records.
type rowReader struct {
	options  *Options
	columns  []Column
	header   header
	workbook bool // in which a row ends with its last cell
	amounts  amountForm
	layouts  []string
	from1904 bool
}

// fit gives a row of a workbook as many cells as the header has. What is beyond them stays
// where anything is in it.
func (r *rowReader) fit(rec *record) {
	if !r.workbook {
		return
	}
	width := len(r.header)
	for last := len(rec.cells) - 1; last >= width && rec.cells[last].err == nil && strings.TrimSpace(rec.cells[last].text) == ""; last-- {
		rec.cells = rec.cells[:last]
	}
	for len(rec.cells) < width {
		rec.cells = append(rec.cells, cell{})
	}
}

// place is that of a field's column, the first 1; 0 where there is none.
func (r *rowReader) place(of Field) int {
	for _, c := range r.columns {
		if c.Field == of {
			return c.Place
		}
	}
	return 0
}

// fieldAt is the field of a column, "" where it has none.
func (r *rowReader) fieldAt(place int) Field {
	for _, c := range r.columns {
		if c.Place == place {
			return c.Field
		}
	}
	return ""
}

// looksLikeTransaction tells whether something in a row begins like a hash or a place.
func (r *rowReader) looksLikeTransaction(rec *record) bool {
	for _, c := range r.columns {
		switch c.Field {
		case Hash, EVMHash, ExtrinsicHash, ID:
		default:
			continue
		}
		if c.Place > len(rec.cells) {
			continue
		}
		if text := strings.TrimSpace(rec.cells[c.Place-1].text); text != "" && text[0] >= '0' && text[0] <= '9' {
			return true
		}
	}
	return false
}

// figure is what stands in the column of fees.
func (r *rowReader) figure(rec *record) (amount, error) {
	place := r.place(Fee)
	if place > len(rec.cells) {
		return amount{}, errors.New("nothing stands in the column of fees")
	}
	return r.fee(&rec.cells[place-1])
}

func (r *rowReader) fee(c *cell) (amount, error) {
	text := strings.TrimSpace(c.text)
	switch {
	case c.err != nil:
		return amount{}, c.err
	case !utf8.ValidString(text):
		return amount{}, fmt.Errorf("it is %w", errNotUTF8)
	case c.number:
		return r.amounts.readNumber(text)
	}
	return r.amounts.read(text)
}

// row reads a record. The problem is that of its first cell that cannot be read.
func (r *rowReader) row(rec *record) (row Row, problem *Problem) {
	row.Line = rec.line
	if len(rec.cells) != len(r.header) {
		return row, &Problem{Line: rec.line, Err: fmt.Errorf("it has %d columns, and the header has %d: a separator inside of a value must be quoted; --skip-rows passes over a row that is no transaction", len(rec.cells), len(r.header))}
	}
	for i := range r.columns {
		c := &r.columns[i]
		if err := r.read(&row, c.Field, &rec.cells[c.Place-1]); err != nil {
			return row, &Problem{Line: rec.line, Column: c.Place, Name: c.Name, Value: strings.TrimSpace(rec.cells[c.Place-1].text), Err: err}
		}
	}
	if !row.Hash.Known() && !row.EVMHash.Known() && !row.ExtrinsicHash.Known() && !row.Place.Known() {
		return row, &Problem{Line: rec.line, Err: errors.New("nothing names its transaction: the columns of hash and place are empty; --skip-rows passes over a row that is no transaction")}
	}
	return row, nil
}

func (r *rowReader) read(row *Row, field Field, c *cell) (err error) {
	text := strings.TrimSpace(c.text)
	switch {
	case c.err != nil:
		return c.err
	case !utf8.ValidString(text):
		return fmt.Errorf("it is %w", errNotUTF8)
	case field == Fee:
		fee, err := r.fee(c)
		row.Fee, row.Cut = fee.wei, fee.cut
		return err
	case text == "":
		return nil
	case field == Date && c.number:
		return known(&row.Date, func() (chain.Time, error) { return dateOfNumber(text, r.from1904, r.options.Zone) })
	case field == Date:
		return known(&row.Date, func() (chain.Time, error) { return parseDate(text, r.layouts, r.options.Zone) })
	case c.number:
		return fmt.Errorf("%q is kept as a number or a date: store it as text", wire.Excerpt(text))
	case field == Account:
		return known(&row.Account, func() (chain.Address, error) { return chain.ParseAddress(text) })
	case field == ID:
		return known(&row.Place, func() (Place, error) { return ParsePlace(text) })
	}
	into := map[Field]*chain.Optional[chain.Hash]{Hash: &row.Hash, EVMHash: &row.EVMHash, ExtrinsicHash: &row.ExtrinsicHash}[field]
	return known(into, func() (chain.Hash, error) { return chain.ParseHash(text) })
}

// known sets a value that could be read.
func known[T any](into *chain.Optional[T], read func() (T, error)) error {
	v, err := read()
	if err == nil {
		*into = chain.Some(v)
	}
	return err
}
