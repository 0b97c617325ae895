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

// rows are those of a sheet as they are shown, packed: a page has some of them, in an order of its
// own, and the next page has others.
type rows struct {
	title   string
	columns []table.Column
	heads   []string
	chunks  [][]byte // so many rows each, as [packed] has them
	count   int
	totals  []table.Cell
	size    int // of the chunks, in bytes
}

// keepRows reads a sheet.
func keepRows(from *table.Sheet) (r *rows, err error) {
	r = &rows{title: from.Title, columns: from.Columns, heads: from.Headings()}
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

// packed appends a row: its texts with their lengths, and an exact form where it is another one.
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

// errPacked says that rows are not what was packed: the program is wrong.
var errPacked = errors.New("rows are not what was packed")

// each hands over the rows from one on. One is valid until the next. It ends where do says false.
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

// text1 is the text with which packed text begins, and what comes behind it.
func text1(packed string) (text, rest string, err error) {
	size, n := binary.Uvarint([]byte(packed[:min(len(packed), binary.MaxVarintLen64)]))
	if n <= 0 || uint64(len(packed)-n) < size {
		return "", "", errPacked
	}
	return packed[n : n+int(size)], packed[n+int(size):], nil
}

// page are the rows of a page, in the order that a listing asks for.
func (r *rows) page(l listing) (page [][]table.Cell, err error) {
	keep := func(row []table.Cell) []table.Cell { return slices.Clone(row) }
	if l.Sort == "" {
		err = r.each(l.After, func(row []table.Cell) bool {
			page = append(page, keep(row))
			return len(page) < pageRows
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

// sortKey is what a row is sorted by.
type sortKey struct {
	row    int
	text   string
	number decimal.Decimal
}

// order is where each row of a page stands on it, by its number. What is not known comes last.
func (r *rows) order(l listing) (map[int]int, error) {
	name, down := strings.CutPrefix(l.Sort, "-")
	column := slices.IndexFunc(r.columns, func(c table.Column) bool { return c.Name == name })
	if column < 0 {
		return nil, notUnderstood("sort=%s: there is no such column.", console.Printable(l.Sort))
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
	for i, key := range keys[min(l.After, len(keys)):min(l.After+pageRows, len(keys))] {
		order[key.row] = i
	}
	return order, nil
}
