package web

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/klauspost/compress/s2"
	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// rows are a sheet's formatted rows, compressed. Each page of a list takes some of them, in its own sort
// order.
type rows struct {
	title   string
	columns []table.Column
	heads   []string
	chunks  [][]byte // pageRows rows each, encoded by packed
	count   int
	totals  []table.Cell
	used    []bool // columns with a value other than 0
	charged bool   // each fee is what was charged: the column repeats it
	size    int    // of the chunks, in bytes
}

// keepRows reads and compresses a sheet.
func keepRows(from *table.Sheet) (r *rows, err error) {
	r = &rows{title: from.Title, columns: from.Columns, heads: from.Headings(), used: make([]bool, len(from.Columns))}
	fee, charged := columnOf(r, "fee"), columnOf(r, "charged")
	r.charged = fee >= 0 && charged >= 0
	var chunk []byte
	end := func() {
		if len(chunk) > 0 {
			r.chunks = append(r.chunks, s2.Encode(nil, chunk))
			r.size += len(r.chunks[len(r.chunks)-1])
			chunk = chunk[:0]
		}
	}
	totals, err := from.Each(func(row []table.Cell) error {
		chunk = packed(chunk, row)
		for i, c := range row {
			r.used[i] = r.used[i] || c.Text != "" && c.Exact != "0"
		}
		r.charged = r.charged && row[fee].Exact == row[charged].Exact
		if r.count++; r.count%pageRows == 0 {
			end()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	end()
	r.totals = slices.Clone(totals)
	return r, nil
}

// packed appends a row: each text with its length, followed by the exact form if it differs.
func packed(to []byte, row []table.Cell) []byte {
	add := func(text string) {
		to = binary.AppendUvarint(to, uint64(len(text)))
		to = append(to, text...)
	}
	for _, c := range row {
		add(c.Text)
		if c.Exact == c.Text {
			to = append(to, 0)
			continue
		}
		to = append(to, 1)
		add(c.Exact)
	}
	return to
}

// errPacked reports corrupt rows, which is a program error.
var errPacked = errors.New("internal error: packed rows are corrupt")

// each calls do for each row from the given one on until do returns false. A row is valid only during the call.
func (r *rows) each(from int, do func(row []table.Cell) bool) error {
	cells := make([]table.Cell, len(r.columns))
	var plain []byte
	for i := from / pageRows; i < len(r.chunks); i++ {
		var err error
		if plain, err = s2.Decode(plain[:cap(plain)], r.chunks[i]); err != nil {
			return err
		}
		at := i * pageRows
		for rest := string(plain); rest != ""; at++ {
			for c := range cells {
				if cells[c].Text, rest, err = text1(rest); err != nil {
					return err
				}
				cells[c].Exact = cells[c].Text
				if other := rest[0]; other == 1 {
					cells[c].Exact, rest, err = text1(rest[1:])
				} else {
					rest = rest[1:]
				}
				if err != nil {
					return err
				}
			}
			if at >= from && !do(cells) {
				return nil
			}
		}
	}
	return nil
}

// text1 decodes the first text and returns the rest.
func text1(packed string) (text, rest string, err error) {
	size, n := binary.Uvarint([]byte(packed[:min(len(packed), binary.MaxVarintLen64)]))
	if n <= 0 || uint64(len(packed)-n) < size {
		return "", "", errPacked
	}
	return packed[n : n+int(size)], packed[n+int(size):], nil
}

// page returns the rows of a page in the order of the listing.
func (r *rows) page(l listing) (page [][]table.Cell, err error) {
	keep := func(row []table.Cell) []table.Cell { return slices.Clone(row) }
	if l.Sort == "" {
		err = r.each(l.After, func(row []table.Cell) bool {
			page = append(page, keep(row))
			return len(page) < l.rows()
		})
		return page, err
	}
	order, err := r.order(l)
	if err != nil {
		return nil, err
	}
	page = make([][]table.Cell, len(order))
	at, found := 0, 0
	err = r.each(0, func(row []table.Cell) bool {
		if place, wanted := order[at]; wanted {
			page[place] = keep(row)
			found++
		}
		at++
		return found < len(order)
	})
	return page, err
}

// sortKey is the sort key of a row.
type sortKey struct {
	row    int
	text   string
	number decimal.Decimal
}

// order maps row numbers to positions on the page. Unknown values sort last.
func (r *rows) order(l listing) (map[int]int, error) {
	name, down := strings.CutPrefix(l.Sort, "-")
	column := slices.IndexFunc(r.columns, func(c table.Column) bool { return c.Name == name })
	if column < 0 {
		return nil, invalidRequest("sort=%s is not a column of this table.", console.Printable(l.Sort))
	}
	number := r.columns[column].Kind.IsRight()
	keys := make([]sortKey, 0, r.count)
	var wrong error
	err := r.each(0, func(row []table.Cell) bool {
		key := sortKey{row: len(keys), text: row[column].Exact}
		if number && key.text != "" {
			key.number, wrong = decimal.NewFromString(key.text)
		}
		keys = append(keys, key)
		return wrong == nil
	})
	if err := errors.Join(err, wrong); err != nil {
		return nil, err
	}
	slices.SortStableFunc(keys, func(a, b sortKey) int {
		switch {
		case a.text == "" && b.text == "":
			return 0
		case a.text == "":
			return 1
		case b.text == "":
			return -1
		case down:
			a, b = b, a
		}
		if number {
			return a.number.Cmp(b.number)
		}
		return strings.Compare(a.text, b.text)
	})
	order := map[int]int{}
	for i, key := range keys[min(l.After, len(keys)):min(l.After+l.rows(), len(keys))] {
		order[key.row] = i
	}
	return order, nil
}
