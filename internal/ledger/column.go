package ledger

import (
	"context"
	"fmt"
)

// kind is what a column holds, in both engines.
type kind int

const (
	integer  kind = iota // int64
	text                 // string
	word                 // string: a name out of a few, such as a call's
	data                 // []byte: a hash, an account
	costData             // []byte: a block's costs
	amount               // string, a decimal integer: wei, or a token's smallest unit
	boolean              // bool
)

// column is one of a table.
type column struct {
	name string
	kind kind
	mark mark
}

// mark tells columns apart by what happens to them when a block is judged again.
type mark int

const (
	fact      mark = iota // what the chain recorded: never another
	judgement             // what the rules and the evidence make of it
	state                 // what only the book knows of the row: not in the digest
)

// value is what a row holds in a column: nil, int64, string, []byte or bool.
type value = any

// row is a row of a table: a value for each column.
type row []value

// field is a column, and the part of a Go value that it holds. What a table has is said in
// its list of fields and nowhere else: statements, digests and comparisons go by the columns,
// and rows are made and read by the fields.
type field[T any] struct {
	name string
	mark mark
	at   func(*T) any    // a pointer to one of the types that a cell can be of
	cost func(*Cost) any // the same of a cost, where the column is packed
}

// columnsOf are the columns of fields.
func columnsOf[T any](fields []field[T]) []column {
	list := make([]column, len(fields))
	for i, f := range fields {
		list[i] = column{f.name, kindOf(f.at(new(T))), f.mark}
	}
	return list
}

// rowOf makes a row.
func rowOf[T any](fields []field[T], x *T) row {
	r := make(row, len(fields))
	for i := range fields {
		r[i] = encode(fields[i].at(x))
	}
	return r
}

// readRow reads a row. The first value that is not what its column holds is the error:
// somebody else wrote it.
func readRow[T any](fields []field[T], r row, into *T) (first error) {
	for i := range fields {
		if err := decode(fields[i].at(into), r[i]); err != nil && first == nil {
			first = fmt.Errorf("%w: column %s: %w", ErrDamaged, fields[i].name, err)
		}
	}
	return first
}

// scan hands over what a query has in these columns.
func scan[T any](ctx context.Context, q querier, fields []field[T], each func(*T) error, query string, arguments ...any) error {
	return list(ctx, q, columnsOf(fields), func(r row) error {
		x := new(T)
		if err := readRow(fields, r, x); err != nil {
			return err
		}
		return each(x)
	}, query, arguments...)
}

// signedColumns are those of a table whose rows have a digest of their own, over the others.
func signedColumns[T any](fields []field[T]) []column {
	return append(columnsOf(fields), column{"digest", data, state})
}

// signedRow makes a row of such a table.
func signedRow[T any](fields []field[T], x *T) row {
	r := rowOf(fields, x)
	digest := digestOf(r)
	return append(r, digest[:])
}

// readSigned reads a row of such a table, which is what was written.
func readSigned[T any](fields []field[T], r row, into *T) error {
	last := len(fields)
	if err := readRow(fields, r[:last], into); err != nil {
		return err
	}
	if digest := digestOf(r[:last]); !equal(r[last], digest[:]) {
		return fmt.Errorf("its digest is %v, not %x", digest, r[last])
	}
	return nil
}
