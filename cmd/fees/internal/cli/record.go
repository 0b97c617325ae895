package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

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
		return r.writeTable(w)
	})
}

// WriteJSON writes a record as JSON over several lines.
func (r Record) WriteJSON(w io.Writer) error { return jsontext.Write(w, r) }

// writeTable writes a record for people: lists of records as tables.
func (r Record) writeTable(w io.Writer) error {
	widest := 0
	for _, f := range r {
		if _, list := f.Value.([]Record); !list {
			widest = max(widest, len(f.Name))
		}
	}
	var out strings.Builder
	for _, f := range r {
		if list, ok := f.Value.([]Record); ok {
			out.WriteString("\n" + recordRows(list))
			continue
		}
		fmt.Fprintf(&out, "%-*s  %s\n", widest, f.Name, shown(f.Value))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// maxCell is how long a cell may be: a hash fits.
const maxCell = 66

// recordRows is a table of records that have the same fields.
func recordRows(list []Record) string {
	if len(list) == 0 {
		return ""
	}
	rows := console.NewTable(2)
	var header table.Row
	for _, f := range list[0] {
		header = append(header, f.Name)
	}
	rows.AppendHeader(header)
	for _, r := range list {
		var row table.Row
		for _, f := range r {
			row = append(row, Name(shown(f.Value), maxCell))
		}
		rows.AppendRow(row)
	}
	return rows.Render() + "\n"
}

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
