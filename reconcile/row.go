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
	width    int // how many columns there are
	amounts  amountForm
	layouts  []string
	from1904 bool
}

// row reads a record. The problem is that of its first cell that cannot be read.
func (r *rowReader) row(rec *record) (row Row, problem *Problem) {
	row.Line = rec.line
	if len(rec.cells) != r.width {
		return row, &Problem{Line: rec.line, Err: fmt.Errorf("it has %d columns, and the header has %d: a separator inside of a value must be quoted", len(rec.cells), r.width)}
	}
	for i := range r.columns {
		c := &r.columns[i]
		if err := r.read(&row, c.Field, &rec.cells[c.Place-1]); err != nil {
			return row, &Problem{Line: rec.line, Column: c.Place, Name: c.Name, Err: err}
		}
	}
	if !row.Hash.Known() && !row.EVMHash.Known() && !row.ExtrinsicHash.Known() && !row.Place.Known() {
		return row, &Problem{Line: rec.line, Err: errors.New("nothing names its transaction: the columns of hash and place are empty")}
	}
	return row, nil
}

func (r *rowReader) read(row *Row, field Field, c *cell) (err error) {
	text := strings.TrimSpace(c.text)
	switch {
	case c.err != nil:
		return c.err
	case !utf8.ValidString(text):
		return errors.New("it is not UTF-8: save the file as UTF-8")
	case field == Fee && c.number:
		row.Fee, err = r.amounts.weiOfNumber(text)
		return err
	case field == Fee:
		row.Fee, err = r.amounts.wei(text)
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
