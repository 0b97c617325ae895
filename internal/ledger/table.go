package ledger

import (
	"github.com/feeledger/fees/fee/evidence"
)

// table is one with the rows of blocks: its columns in the order of the digest,
// those of its key first, the height being the first of all.
type table struct {
	name    string
	key     int // how many columns
	columns []column
}

// The tables of a block's rows, in the order of the leaves. From firstOutside on they say
// how well a block is known, which may change, and are outside of its digest.
const (
	blocks = iota
	transactions
	movements
	unclassified
	transfers
	diagnoses
	findings
	unanswered
	tableCount

	firstOutside = diagnoses
)

var tables = [tableCount]table{
	blocks:       {name: "blocks", key: 1, columns: columnsOf(blockFields)},
	transactions: {name: "transactions", key: 2, columns: columnsOf(transactionFields)},
	movements:    {name: "movements", key: 2, columns: columnsOf(movementFields)},
	unclassified: {name: "unclassified", key: 2, columns: columnsOf(unclassifiedFields)},
	transfers:    {name: "transfers", key: 2, columns: columnsOf(transferFields)},
	diagnoses:    {name: "diagnoses", key: 2, columns: columnsOf(diagnosisFields)},
	findings:     {name: "findings", key: 2, columns: columnsOf(findingFields)},
	unanswered:   {name: "unanswered", key: 2, columns: columnsOf(questionFields)},
}

// diagnosis says why a fee drifts.
type diagnosis struct {
	height    uint64
	extrinsic int
	class     evidence.Class
}

var diagnosisFields = []field[diagnosis]{
	{name: "height", mark: fact, at: func(d *diagnosis) any { return &d.height }},
	{name: "extrinsic", mark: fact, at: func(d *diagnosis) any { return &d.extrinsic }},
	{name: "class", mark: judgement, at: func(d *diagnosis) any { return (*string)(&d.class) }},
}

// openQuestion is one that a source did not answer.
type openQuestion struct {
	height   uint64
	position int
	evidence.Question
}

var questionFields = []field[openQuestion]{
	{name: "height", mark: fact, at: func(q *openQuestion) any { return &q.height }},
	{name: "position", mark: fact, at: func(q *openQuestion) any { return &q.position }},
	{name: "about", mark: judgement, at: func(q *openQuestion) any { return (*string)(&q.About) }},
	{name: "at", mark: judgement, at: func(q *openQuestion) any { return &q.At }},
	{name: "why", mark: judgement, at: func(q *openQuestion) any { return &q.Why }},
}

// of is the position of a column, which is there.
func (t *table) of(name string) int {
	for i, c := range t.columns {
		if c.name == name {
			return i
		}
	}
	panic("ledger: no column " + t.name + "." + name)
}

// names are those of all columns.
func names(columns []column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name
	}
	return list
}
