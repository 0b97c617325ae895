package block

import (
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// field returns the reader of a struct's field, given the field's type.
type field[T any] func(metadata.TypeID) func(*scale.Reader, *T)

// fieldsOf returns the reader of fields in sequence: those in read, by Sidecar's names, and skips the others. Found are
// the names of the fields that are read.
func fieldsOf[T any](t *types, fields []metadata.Field, read map[string]field[T]) (all func(*scale.Reader, *T), found map[string]bool) {
	found = map[string]bool{}
	steps := make([]func(*scale.Reader, *T), len(fields))
	for i, f := range fields {
		name := scalejson.CamelCase(f.Name)
		if of := read[name]; of != nil {
			steps[i], found[name] = of(f.Type), true
		} else {
			steps[i] = func(r *scale.Reader, _ *T) { t.skip(r, f.Type) }
		}
	}
	return func(r *scale.Reader, to *T) {
		for _, step := range steps {
			step(r, to)
		}
	}, found
}

// structOf returns the reader of a struct, as fieldsOf does; found is nil for another type.
func structOf[T any](t *types, id metadata.TypeID, read map[string]field[T]) (all func(*scale.Reader, *T), found map[string]bool) {
	if of := &t.of[t.inner(id)]; of.Kind == metadata.Composite && len(of.Fields) > 0 && of.Fields[0].Name != "" {
		return fieldsOf(t, of.Fields, read)
	}
	return func(r *scale.Reader, _ *T) { t.skip(r, id) }, nil
}

// listOf returns the reader of a list's elements, nil for another type. Element returns the reader of an element.
func listOf[T any](t *types, id metadata.TypeID, element field[T]) func(*scale.Reader) []T {
	of := &t.of[t.inner(id)]
	if of.Kind != metadata.Sequence {
		return nil
	}
	read := element(of.Element)
	return func(r *scale.Reader) (list []T) {
		for range r.Length(t.sizes[of.Element]) {
			var x T
			if read(r, &x); r.Err() != nil {
				return nil
			}
			list = append(list, x)
		}
		return list
	}
}
