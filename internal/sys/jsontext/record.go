package jsontext

import "io"

// Record is what is known of one thing: its fields in their order. JSON has them as an object.
type Record []Field

// Field is a name, as a key of the JSON, with its value: anything that has a JSON form, nil
// where there is none, or a list of records.
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
	return Object(func(yield func(string, any) bool) {
		for _, f := range r {
			if !yield(f.Name, f.Value) {
				return
			}
		}
	})
}

// WriteJSON writes the record over several lines.
func (r Record) WriteJSON(w io.Writer) error { return Write(w, r) }
