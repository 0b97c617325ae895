package jsontext

import "io"

// Record is a list of fields in a fixed order. In JSON it is an object.
type Record []Field

// Field is a JSON key with its value: anything with a JSON form, nil for null, or a list of records.
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

// WriteJSON writes the record on several lines.
func (r Record) WriteJSON(w io.Writer) error { return Write(w, r) }
