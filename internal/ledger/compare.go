package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Difference is a value that a block has in the book, and not when it is read and
// judged again.
type Difference struct {
	Height uint64 `json:"block"`
	Table  string `json:"table"`
	// Row is the extrinsic of a transaction, or the position of another row in the
	// block; -1 for the block itself.
	Row    int64  `json:"row"`
	Column string `json:"column"` // "" where one side lacks the row
	Stored string `json:"stored"`
	Now    string `json:"now"`
	// Judgement tells that only the judgement differs: what the chain recorded is the
	// same, what this program makes of it is another.
	Judgement bool `json:"judgement"`
}

func (d Difference) String() string {
	place := fmt.Sprintf("block %d, table %s", d.Height, d.Table)
	if d.Row >= 0 {
		place += fmt.Sprintf(", %s %d", secondKey(d.Table), d.Row)
	}
	if d.Column == "" {
		return fmt.Sprintf("%s: %s in the ledger, %s now", place, d.Stored, d.Now)
	}
	return fmt.Sprintf("%s: %s is %s in the ledger, %s now", place, d.Column, d.Stored, d.Now)
}

// Compare tells what the book has otherwise than entries that follow each other.
// Blocks that the book lacks are a difference too.
func (b *Book) Compare(ctx context.Context, entries []*Entry) (found []Difference, err error) {
	if len(entries) == 0 {
		return nil, nil
	}
	q, end, err := b.engine.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	list, err := readRows(ctx, q, allTables, "height BETWEEN ? AND ?", int64(entries[0].Height()), int64(entries[len(entries)-1].Height()))
	if err != nil {
		return nil, err
	}
	have := map[uint64]*rowsOf{}
	for _, r := range list {
		have[r.height] = r
	}
	for _, e := range entries {
		r := have[e.Height()]
		if r == nil || r.rows[blocks] == nil {
			found = append(found, Difference{Height: e.Height(), Table: tables[blocks].name, Row: -1, Stored: missing, Now: present})
			continue
		}
		for t := range tables {
			found = append(found, compareRows(&tables[t], e.Height(), r.rows[t], e.rows[t])...)
		}
	}
	return found, nil
}

const (
	missing = "missing"
	present = "there"
)

// compareRows pairs rows by their key.
func compareRows(t *table, height uint64, have, now []row) (found []Difference) {
	difference := func(r row, column, before, after string, mark mark) {
		number := int64(-1)
		if t.key > 1 {
			number, _ = r[1].(int64)
		}
		found = append(found, Difference{height, t.name, number, column, before, after, mark == judgement})
	}
	whole := fact
	if slices.ContainsFunc(tables[firstOutside:], func(x table) bool { return x.name == t.name }) { // they are judgements, also whether there is one
		whole = judgement
	}
	left := map[string]row{}
	for _, r := range now {
		left[keyOf(r[:t.key])] = r
	}
	for _, r := range have {
		key := keyOf(r[:t.key])
		x := left[key]
		delete(left, key)
		if x == nil {
			difference(r, "", present, missing, whole)
			continue
		}
		for c, column := range t.columns {
			if column.mark != state && !equal(r[c], x[c]) {
				difference(x, column.name, shown(r[c]), shown(x[c]), column.mark)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(left)) {
		difference(left[key], "", missing, present, whole)
	}
	return found
}

// shown is a value for people.
func shown(v value) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case []byte:
		return fmt.Sprintf("%#x", v)
	}
	return fmt.Sprint(v)
}

// secondKey is what a row of a table is numbered by.
func secondKey(name string) string {
	for _, t := range tables {
		if t.name == name && t.key > 1 {
			return t.columns[1].name
		}
	}
	return "row"
}

// Rejudge keeps what a later program makes of blocks that are in the book. The rows
// stay, and with them digests and seals: the judgement of then can be told from that
// of now. Differences of facts are not kept: they are damage.
func (b *Book) Rejudge(ctx context.Context, program string, found []Difference) error {
	var rows []row
	for _, d := range found {
		if d.Judgement {
			rows = append(rows, row{int64(d.Height), d.Table, d.Row, d.Column, program, d.Stored, d.Now})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return b.change(ctx, func(tx transaction) error {
		return tx.add(ctx, putInto("rejudgements", rejudgementColumns, 5), rows)
	})
}

// rejudgementColumns begin with the key.
var rejudgementColumns = []column{
	{"height", integer, state}, {"table_name", text, state}, {"row_number", integer, state}, {"column_name", text, state}, {"program", text, state},
	{"before", text, state}, {"after", text, state},
}
