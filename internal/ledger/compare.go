package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Difference is a value of a stored block that differs when the block is read and judged again.
type Difference struct {
	Height uint64 `json:"block"`
	Table  string `json:"table"`
	// Row is the extrinsic of a transaction, or the position of another row in the block; -1 for the
	// block itself.
	Row    int64  `json:"row"`
	Column string `json:"column"` // "" if one side lacks the row
	Stored string `json:"stored"`
	Now    string `json:"now"`
	// Judgement is true if the chain recorded the same, and only this program's judgement differs.
	Judgement bool `json:"judgement"`
}

func (d Difference) String() string {
	place := fmt.Sprintf("block %d, table %s", d.Height, d.Table)
	if d.Row >= 0 {
		place += fmt.Sprintf(", %s %d", numberedBy(d.Table), d.Row)
	}
	if d.Column == "" {
		return fmt.Sprintf("%s: %s in the ledger, %s now", place, d.Stored, d.Now)
	}
	return fmt.Sprintf("%s: %s is %s in the ledger, %s now", place, d.Column, d.Stored, d.Now)
}

// Compare returns how the ledger differs from consecutive entries. A block that the ledger lacks
// counts as a difference.
func (b *Book) Compare(ctx context.Context, entries []*Entry) (found []Difference, err error) {
	if len(entries) == 0 {
		return nil, nil
	}
	q, end, err := b.engine.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	have, err := b.around(ctx, q, spanOf(entries), readRows)
	if err != nil {
		return nil, err
	}
	by := coders.Get().(*coder)
	defer coders.Put(by)
	for _, e := range entries {
		r := have[e.Height()]
		switch {
		case r == nil:
			found = append(found, Difference{Height: e.Height(), Table: "blocks", Row: -1, Stored: missing, Now: present})
			continue
		case r.check() != nil:
			found = append(found, Difference{Height: e.Height(), Table: "blocks", Row: -1, Column: "record", Stored: "altered", Now: e.Digest().String()})
			continue
		case r.digest() == e.Digest() && r.known == e.row.known:
			continue
		}
		c, err := r.content(by, everything)
		if err != nil {
			return nil, err
		}
		found = append(found, differences(c, e.content)...)
	}
	return found, nil
}

const (
	missing = "missing"
	present = "present"
)

// differences returns how two contents of a block differ.
func differences(have, now *Content) (found []Difference) {
	for _, fields := range [][]field[Block]{headFields, blockFields, sumFields} {
		found = append(found, compareRows(now.Height, "blocks", fields, fact, []Block{*have.Block}, []Block{*now.Block}, func(int, *Block) int64 { return -1 })...)
	}
	found = append(found, compareRows(now.Height, "transactions", slices.Concat(transactionFields, assetFields), fact, have.Transactions, now.Transactions, func(_ int, t *Transaction) int64 { return int64(t.Index) })...)
	found = append(found, compareRows(now.Height, "movements", append(slices.Clip(movementFields), reasonField), fact, have.Movements, now.Movements, inOrder)...)
	found = append(found, compareRows(now.Height, "unclassified", unclassifiedFields, fact, have.Unclassified, now.Unclassified, inOrder)...)
	found = append(found, compareRows(now.Height, "transfers", transferFields, fact, have.Transfers, now.Transfers, inOrder)...)
	found = append(found, compareRows(now.Height, "diagnoses", diagnosisFields, judgement, have.known.Diagnoses, now.known.Diagnoses, func(_ int, d *diagnosis) int64 { return int64(d.Extrinsic) })...)
	found = append(found, compareRows(now.Height, "findings", findingFields, judgement, have.known.Findings, now.known.Findings, inOrder)...)
	return append(found, compareRows(now.Height, "unanswered", requestFields, judgement, have.known.Unanswered, now.known.Unanswered, inOrder)...)
}

// inOrder numbers a row by its position.
func inOrder[T any](i int, _ *T) int64 { return int64(i) }

// compareRows pairs rows by their numbers. If one side lacks a row, the difference has the mark whole.
func compareRows[T any](height uint64, table string, fields []field[T], whole mark, have, now []T, number func(int, *T) int64) (found []Difference) {
	left := map[int64]*T{}
	for i := range now {
		left[number(i, &now[i])] = &now[i]
	}
	difference := func(n int64, column, before, after string, m mark) {
		found = append(found, Difference{height, table, n, column, before, after, m == judgement})
	}
	for i := range have {
		n := number(i, &have[i])
		x := left[n]
		delete(left, n)
		if x == nil {
			difference(n, "", present, missing, whole)
			continue
		}
		for _, f := range fields {
			if a, b := shown(f.at(&have[i])), shown(f.at(x)); a != b {
				difference(n, f.name, a, b, f.mark)
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(left)) {
		difference(n, "", missing, present, whole)
	}
	return found
}

// numberedBy names what the rows of a table are numbered by.
func numberedBy(table string) string {
	if table == "transactions" || table == "diagnoses" {
		return "extrinsic"
	}
	return "position"
}

// Rejudge stores what a later program makes of stored blocks. The rows stay, and with them digests and
// seals, so both judgements can be told apart. Differences in facts are not stored: they are damage.
func (b *Book) Rejudge(ctx context.Context, program string, found []Difference) error {
	var rows []row
	for _, d := range found {
		if d.Judgement {
			rows = append(rows, signedRow(rejudgementFields, &rejudgement{d, program}))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return b.change(ctx, func(tx transaction) error {
		for _, r := range rows {
			if err := tx.exec(ctx, putInto("rejudgements", rejudgementColumns, rejudgementKey), r...); err != nil {
				return err
			}
		}
		return nil
	})
}

// rejudgement is a judgement by a later version of the program.
type rejudgement struct {
	Difference
	program string
}

// rejudgementFields start with the key.
var rejudgementFields = []field[rejudgement]{
	{"height", fact, func(r *rejudgement) any { return &r.Height }},
	{"table_name", fact, func(r *rejudgement) any { return &r.Table }},
	{"row_number", fact, func(r *rejudgement) any { return &r.Row }},
	{"column_name", fact, func(r *rejudgement) any { return &r.Column }},
	{"program", fact, func(r *rejudgement) any { return &r.program }},
	{"before", fact, func(r *rejudgement) any { return &r.Stored }},
	{"after", fact, func(r *rejudgement) any { return &r.Now }},
}

const rejudgementKey = 5 // columns

var rejudgementColumns = signedColumns(rejudgementFields)

// rejudgements finds altered rows, and rows about blocks that the ledger does not contain.
func (v *verification) rejudgements(ctx context.Context) error {
	columns := append(slices.Clip(rejudgementColumns), column{"stored", integer})
	err := list(ctx, v.q, columns, func(r row) error {
		var x rejudgement
		if err := readSigned(rejudgementFields, r[:len(rejudgementColumns)], &x); err != nil {
			v.found(Damage{Table: "rejudgements", Message: fmt.Sprintf("the row of block %v was altered: %v", r[0], err)})
		} else if r[len(rejudgementColumns)] == int64(0) {
			v.found(Damage{Table: "rejudgements", Message: fmt.Sprintf("a row is about block %d, which the ledger does not contain", x.Height)})
		}
		return nil
	}, "SELECT "+columnList(rejudgementColumns)+", (SELECT count(*) FROM blocks b WHERE b.height = r.height) AS stored FROM rejudgements r")
	return v.unlessDamaged("rejudgements", err)
}
