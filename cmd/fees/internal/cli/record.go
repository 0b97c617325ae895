package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/sys/plain"
)

// Record is one result: an object in JSON, one line per field in text.
type Record = jsontext.Record

// Field is a field of a record.
type Field = jsontext.Field

// WriteRecord writes a record in the selected format.
func (o *Output) WriteRecord(r Record) error {
	return o.Show(Answer{JSON: r, Text: RecordText(r)})
}

// RecordText returns a function that writes a record as text, with lists of records as tables.
func RecordText(r Record) func(*console.Page) {
	return func(page *console.Page) {
		var pairs console.Pairs
		for _, f := range r {
			if _, list := f.Value.([]Record); !list {
				pairs.Add(words(f.Name), shown(f.Value))
			}
		}
		page.Pairs(pairs)
		for _, f := range r {
			if list, ok := f.Value.([]Record); ok && len(list) > 0 {
				page.WriteString("\n")
				page.Table(recordRows(list))
			}
		}
	}
}

// recordRows returns a table of records with the same fields. On narrow output the last fields are
// dropped first.
func recordRows(list []Record) *console.Table {
	var columns []console.Column
	for i, f := range list[0] {
		columns = append(columns, console.Column{Name: words(f.Name), Cut: true, Drop: i})
	}
	rows := console.NewTable(columns...)
	for _, r := range list {
		var row []any
		for _, f := range r {
			row = append(row, shown(f.Value))
		}
		rows.Row(row...)
	}
	return rows
}

// words returns a JSON key as a label.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// shown returns a value as text: its JSON, strings without quotes, objects by their String method if any.
func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // all that records hold has a JSON form
	}
	var s string
	switch {
	case string(text) == "null":
		return "-"
	case json.Unmarshal(text, &s) == nil:
		return plain.Line(s)
	}
	if words, ok := value.(fmt.Stringer); ok && text[0] == '{' {
		return plain.Line(words.String())
	}
	return plain.Line(string(text))
}
