package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
)

// field is a stored part of a Go value. The list of fields of a type is the only description of its rows:
// records, columns, digests and comparisons use it.
type field[T any] struct {
	name string
	mark mark
	at   func(*T) any // returns a pointer to the value
}

// mark states whether a field can change when a block is judged again.
type mark int

const (
	fact      mark = iota // recorded by the chain: never changes
	judgement             // derived by the rules and the evidence
)

// shown formats a field's value for people.
func shown(cell any) string {
	text, err := json.Marshal(cell)
	if err != nil {
		return fmt.Sprint(cell)
	}
	if s := strings.Trim(string(text), `"`); s != "" {
		return s
	}
	return "null"
}

// kind is the type of a database column, in both engines.
type kind int

const (
	integer kind = iota // int64
	text                // string
	data                // []byte
	amount              // string, a decimal integer
	word                // string: one of a few names, such as a call's
)

// column is a column of a table.
type column struct {
	name string
	kind kind
}

// value is the value of a column: nil, int64, string or []byte.
type value = any

// row contains a value for each column.
type row []value

// nullable is a text that is stored as null if it is "".
type nullable string

// kindOf returns the column type of a Go type.
func kindOf(cell any) kind {
	switch cell.(type) {
	case *string, *nullable, *unit:
		return text
	case *[]byte, *Seal, *chain.Hash, *chain.Optional[chain.Hash]:
		return data
	case *chain.Wei:
		return amount
	}
	return integer
}

// encode returns the column value of a Go value.
func encode(cell any) value {
	switch x := cell.(type) {
	case *string:
		return clean(*x)
	case *nullable:
		if *x == "" {
			return nil
		}
		return clean(string(*x))
	case *unit:
		return unitNames[*x]
	case *[]byte:
		if *x == nil {
			return nil
		}
		return *x
	case *Seal:
		return x[:]
	case *chain.Hash:
		return x[:]
	case *chain.Optional[chain.Hash]:
		return encodeOptional(x)
	case *chain.Wei:
		return x.String()
	case *uint64:
		return int64(*x)
	case *chain.Time:
		return x.Std().UnixMilli()
	case *int64:
		return *x
	case *bool:
		return int64(flag(*x))
	case *chain.Optional[uint64]:
		return encodeOptional(x)
	case *chain.Optional[chain.Time]:
		return encodeOptional(x)
	}
	panic(fmt.Sprintf("ledger: no column type for %T", cell))
}

func encodeOptional[T any](o *chain.Optional[T]) value {
	if x, known := o.Get(); known {
		return encode(&x)
	}
	return nil
}

// clean makes a text acceptable to PostgreSQL: each NUL, and each run of bytes that is not UTF-8,
// becomes U+FFFD.
func clean(s string) string {
	if strings.Contains(s, "\x00") || !utf8.ValidString(s) {
		return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	}
	return s
}

var errCell = errors.New("not a valid value")

// decode reads a column value into a Go value. It returns an error if another program wrote it.
func decode(cell any, v value) (err error) {
	switch x := cell.(type) {
	case *string:
		*x, err = as[string](v)
	case *nullable:
		if *x = ""; v != nil {
			err = decode((*string)(x), v)
		}
	case *unit:
		name, _ := v.(string)
		*x, err = unitOf(name)
	case *[]byte:
		if *x = nil; v != nil {
			*x, err = as[[]byte](v)
		}
	case *Seal:
		err = fill(x[:], v)
	case *chain.Hash:
		err = fill(x[:], v)
	case *chain.Optional[chain.Hash]:
		err = decodeOptional(x, v)
	case *chain.Wei:
		var digits string
		if digits, err = as[string](v); err == nil {
			*x, err = chain.ParseWei(digits)
		}
	case *uint64:
		*x, err = natural(v)
	case *chain.Time:
		var ms uint64
		if ms, err = natural(v); err == nil {
			*x, err = chain.TimeAt(ms)
		}
	case *int64:
		*x, err = as[int64](v)
	case *bool:
		var n uint64
		if n, err = natural(v); n > 1 {
			err = errCell
		}
		*x = n == 1
	case *chain.Optional[uint64]:
		err = decodeOptional(x, v)
	case *chain.Optional[chain.Time]:
		err = decodeOptional(x, v)
	}
	return err
}

func decodeOptional[T any](o *chain.Optional[T], v value) (err error) {
	if v != nil {
		var x T
		err = decode(&x, v)
		*o = chain.Some(x)
	}
	return err
}

// as returns a value that must exist and have the type K.
func as[K any](v value) (K, error) {
	k, ok := v.(K)
	switch {
	case ok:
		return k, nil
	case v == nil:
		return k, chain.ErrMissing
	}
	return k, errCell
}

// natural returns a number, which must not be negative.
func natural(v value) (uint64, error) {
	n, err := as[int64](v)
	if err == nil && n < 0 {
		err = errCell
	}
	return uint64(max(n, 0)), err
}

// fill copies data of the expected length.
func fill(to []byte, v value) error {
	from, err := as[[]byte](v)
	if err == nil && len(from) != len(to) {
		err = errCell
	}
	copy(to, from)
	return err
}

// columnsOf returns the columns of fields.
func columnsOf[T any](fields []field[T]) []column {
	list := make([]column, len(fields))
	for i, f := range fields {
		list[i] = column{f.name, kindOf(f.at(new(T)))}
	}
	return list
}

// names returns the names of columns.
func names(columns []column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name
	}
	return list
}

// rowOf returns the row of a value.
func rowOf[T any](fields []field[T], x *T) row {
	r := make(row, len(fields), len(fields)+1)
	for i := range fields {
		r[i] = encode(fields[i].at(x))
	}
	return r
}

// readRow reads a row. It returns an error at the first invalid value, which another program wrote.
func readRow[T any](fields []field[T], r row, into *T) error {
	for i := range fields {
		if err := decode(fields[i].at(into), r[i]); err != nil {
			return fmt.Errorf("%w: column %s: %w", ErrDamaged, fields[i].name, err)
		}
	}
	return nil
}

// scan calls each for every row of a query with the columns of fields.
func scan[T any](ctx context.Context, q querier, fields []field[T], each func(*T) error, query string, arguments ...any) error {
	return list(ctx, q, columnsOf(fields), func(r row) error {
		x := new(T)
		if err := readRow(fields, r, x); err != nil {
			return err
		}
		return each(x)
	}, query, arguments...)
}

// dataField describes a single column of bytes.
func dataField(name string) []field[[]byte] {
	return []field[[]byte]{{name, fact, func(b *[]byte) any { return b }}}
}

// signedColumns returns the columns of a table whose rows end with a digest of the others.
func signedColumns[T any](fields []field[T]) []column {
	return append(columnsOf(fields), column{"digest", data})
}

// signedRow returns a row of such a table.
func signedRow[T any](fields []field[T], x *T) row {
	digest := digestOf(fields, x)
	return append(rowOf(fields, x), digest[:])
}

// readSigned reads a row of such a table and checks its digest.
func readSigned[T any](fields []field[T], r row, into *T) error {
	return readSignedBy(fields, r, into, fields)
}

// readSignedBy is readSigned for a digest that covers other fields.
func readSignedBy[T any](fields []field[T], r row, into *T, covered []field[T]) error {
	last := len(fields)
	if err := readRow(fields, r[:last], into); err != nil {
		return err
	}
	var have Digest
	if err := fill(have[:], r[last]); err != nil {
		return fmt.Errorf("its digest: %w", err)
	}
	if digest := digestOf(covered, into); digest != have {
		return fmt.Errorf("its digest is %v, not %v", digest, have)
	}
	return nil
}

// maxHeight is the limit of heights: a transaction's key needs 20 bits more.
const maxHeight = math.MaxInt64 >> extrinsicBits
