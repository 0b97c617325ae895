package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/jsontext"
)

// Record is what a command shows of one thing: its fields in their order. JSON
// has them as an object, a table one below the other.
type Record []Field

// Field is a name, as a key of the JSON, with its value: anything that has a JSON
// form, nil where there is none, or a list of records.
type Field = struct {
	Name  string
	Value any
}

// Set replaces the value of a field.
func (r Record) Set(name string, value any) {
	for i := range r {
		if r[i].Name == name {
			r[i].Value = value
		}
	}
}

// MarshalJSON writes the fields in their order.
func (r Record) MarshalJSON() ([]byte, error) {
	return jsontext.Object(func(yield func(string, any) bool) {
		for _, f := range r {
			if !yield(f.Name, f.Value) {
				return
			}
		}
	})
}

// WriteRecord writes a record in the form that was asked for.
func (o *Output) WriteRecord(r Record) error {
	return o.Write(func(w io.Writer) error {
		if o.Format == "json" {
			return jsontext.Write(w, r)
		}
		return r.writeTable(w, o.Width())
	})
}

// WriteJSON writes a record as JSON over several lines.
func (r Record) WriteJSON(w io.Writer) error { return jsontext.Write(w, r) }

// writeTable writes a record for people: lists of records as tables.
func (r Record) writeTable(w io.Writer, width int) error {
	page := console.NewPage(w, width)
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
	return page.Flush()
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
