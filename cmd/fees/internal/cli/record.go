package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// Record is what a command shows of one thing: JSON has it as an object, a table one field below
// the other.
type Record = jsontext.Record

// Field is one of its fields.
type Field = jsontext.Field

// WriteRecord writes a record in the form that was asked for.
func (o *Output) WriteRecord(r Record) error {
	return o.Show(Answer{JSON: r, Text: RecordText(r)})
}

// RecordText writes a record for people: lists of records as tables.
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

// recordRows is a table of records that have the same fields. Where there is no room, the
// last fields go first.
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

// words is a key of the JSON as people read it.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// shown is a value as people read it: its JSON, a string without quotes, an object in its
// own words where it has some.
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
		return console.Printable(s)
	}
	if words, ok := value.(fmt.Stringer); ok && text[0] == '{' {
		return console.Printable(words.String())
	}
	return console.Printable(string(text))
}
