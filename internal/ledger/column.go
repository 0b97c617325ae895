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

// field is a part of a Go value that is stored. What a row has is said in its list of fields and
// nowhere else: records, columns, digests and comparisons go by it.
type field[T any] struct {
	name string
	mark mark
	at   func(*T) any // a pointer to what a coder or a column takes
}

// mark tells fields apart by what happens to them when a block is judged again.
type mark int

const (
	fact      mark = iota // what the chain recorded: never another
	judgement             // what the rules and the evidence make of it
)

// shown is a value of a field for people.
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

// kind is what a column of a database holds, in both engines.
type kind int

const (
	integer kind = iota // int64
	text                // string
	data                // []byte
	amount              // string, a decimal integer
	word                // string: a name out of a few, such as a call's
)

// column is one of a table.
type column struct {
	name string
	kind kind
}

// value is what a row holds in a column: nil, int64, string or []byte.
type value = any

// row is a row of a table: a value for each column.
type row []value

// nullable is a text that is null where it is "".
type nullable string

// kindOf is what a column of a Go type holds.
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

// encode is what a column has of a Go value.
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
		if h, ok := x.Get(); ok {
			return h[:]
		}
		return nil
	case *chain.Wei:
		return x.String()
	case *uint64:
		return int64(*x)
	case *int64:
		return *x
	case *bool:
		return int64(flag(*x))
	case *chain.Optional[uint64]:
		if n, ok := x.Get(); ok {
			return int64(n)
		}
		return nil
	}
	panic(fmt.Sprintf("ledger: no column holds a %T", cell))
}

// clean makes a text such as PostgreSQL takes it: each NUL, and each run of bytes that are no
// UTF-8, becomes U+FFFD.
func clean(s string) string {
	if strings.Contains(s, "\x00") || !utf8.ValidString(s) {
		return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	}
	return s
}

var errCell = errors.New("not what the column holds")

// decode reads what a column has into a Go value. What somebody else wrote there is an error.
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
		if v != nil {
			var h chain.Hash
			err = fill(h[:], v)
			*x = chain.Some(h)
		}
	case *chain.Wei:
		var digits string
		if digits, err = as[string](v); err == nil {
			*x, err = chain.ParseWei(digits)
		}
	case *uint64:
		*x, err = natural(v)
	case *int64:
		*x, err = as[int64](v)
	case *bool:
		var n uint64
		if n, err = natural(v); n > 1 {
			err = errCell
		}
		*x = n == 1
	case *chain.Optional[uint64]:
		if v != nil {
			var n uint64
			n, err = natural(v)
			*x = chain.Some(n)
		}
	}
	return err
}

// as is a value that must be there, and be of a kind.
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

// natural is a number that is not negative: another one would be taken for some other.
func natural(v value) (uint64, error) {
	n, err := as[int64](v)
	if err == nil && n < 0 {
		err = errCell
	}
	return uint64(max(n, 0)), err
}

// fill takes data of one length.
func fill(to []byte, v value) error {
	from, err := as[[]byte](v)
	if err == nil && len(from) != len(to) {
		err = errCell
	}
	copy(to, from)
	return err
}

// columnsOf are the columns of fields.
func columnsOf[T any](fields []field[T]) []column {
	list := make([]column, len(fields))
	for i, f := range fields {
		list[i] = column{f.name, kindOf(f.at(new(T)))}
	}
	return list
}

// names are those of columns.
func names(columns []column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name
	}
	return list
}

// readRow reads a row. The first value that is not what its column holds is the error:
// somebody else wrote it.
func readRow[T any](fields []field[T], r row, into *T) error {
	for i := range fields {
		if err := decode(fields[i].at(into), r[i]); err != nil {
			return fmt.Errorf("%w: column %s: %w", ErrDamaged, fields[i].name, err)
		}
	}
	return nil
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

// dataField is a single column of bytes.
func dataField(name string) []field[[]byte] {
	return []field[[]byte]{{name, fact, func(b *[]byte) any { return b }}}
}

// signedColumns are those of a table whose rows have a digest of their own, over the others.
func signedColumns[T any](fields []field[T]) []column {
	return append(columnsOf(fields), column{"digest", data})
}

// signedRow makes a row of such a table.
func signedRow[T any](fields []field[T], x *T) row {
	r := make(row, len(fields), len(fields)+1)
	for i := range fields {
		r[i] = encode(fields[i].at(x))
	}
	digest := digestOf(fields, x)
	return append(r, digest[:])
}

// readSigned reads a row of such a table, which is what was written.
func readSigned[T any](fields []field[T], r row, into *T) error {
	last := len(fields)
	if err := readRow(fields, r[:last], into); err != nil {
		return err
	}
	var have Digest
	if err := fill(have[:], r[last]); err != nil {
		return fmt.Errorf("its digest is %w", err)
	}
	if digest := digestOf(fields, into); digest != have {
		return fmt.Errorf("its digest is %v, not %v", digest, have)
	}
	return nil
}

// maxHeight is the highest that a ledger can hold: a transaction's key has 20 bits more.
const maxHeight = math.MaxInt64 >> extrinsicBits
