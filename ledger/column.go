package ledger

import (
	"database/sql"
	"fmt"
)

// kind is what a column holds, in both engines.
type kind int

const (
	integer kind = iota // int64
	text                // string
	data                // []byte: a hash, an account
	amount              // string, a decimal integer: wei, or a token's smallest unit
	boolean             // bool
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

// scanner takes a value of a kind from PostgreSQL, whose driver has its own types for
// some.
type scanner interface{ value() value }

func (k kind) scanner() scanner {
	switch k {
	case integer:
		return new(integerScanner)
	case text, amount:
		return new(textScanner)
	case data:
		return new(dataScanner)
	case boolean:
		return new(booleanScanner)
	}
	panic(fmt.Sprint("no such kind of column: ", int(k)))
}

type integerScanner struct{ sql.NullInt64 }

func (s *integerScanner) value() value {
	if !s.Valid {
		return nil
	}
	return s.Int64
}

type textScanner struct{ sql.NullString }

func (s *textScanner) value() value {
	if !s.Valid {
		return nil
	}
	return s.String
}

type booleanScanner struct{ sql.NullBool }

func (s *booleanScanner) value() value {
	if !s.Valid {
		return nil
	}
	return s.Bool
}

type dataScanner struct{ sql.Null[[]byte] }

func (s *dataScanner) value() value {
	if !s.Valid {
		return nil
	}
	return append([]byte{}, s.V...)
}
