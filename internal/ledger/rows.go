package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Query is a question for rows. They come in the order of the chain.
type Query struct {
	// Accounts are those whose rows are asked for: who paid for a transaction, whose balance
	// a movement changed, who sent or received a transfer. Without any, it is everybody's rows.
	Accounts []chain.Address
	Span     chain.Heights
	After    chain.Optional[Place] // the rows after this place only: the next page of a list
	Limit    int                   // how many rows at most; 0 is no limit
}

// Place is where a row is: the height of its block, and which row of the block it is. That is
// the index of a transaction's extrinsic, the position of another row, and 0 for the block.
type Place struct {
	Height uint64
	Row    int
}

// String is the place as people write it, such as 25-7.
func (p Place) String() string { return fmt.Sprintf("%d-%d", p.Height, p.Row) }

// MarshalText writes the place as [Place.String] does.
func (p Place) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// ParsePlace reads a place, such as 25-7. Heights of the chain are u32.
func ParsePlace(text string) (p Place, ok bool) {
	height, row, ok := strings.Cut(text, "-")
	h, badHeight := strconv.ParseUint(height, 10, 32)
	r, badRow := strconv.ParseUint(row, 10, 31)
	if !ok || badHeight != nil || badRow != nil {
		return Place{}, false
	}
	return Place{Height: h, Row: int(r)}, true
}

// errAccounts says that rows of no account were asked for by account.
var errAccounts = errors.New("these rows are of no account")

// span is where the query's rows can be.
func (q *Query) span() chain.Heights {
	after, _ := q.After.Get()
	return chain.Heights{First: max(q.Span.First, after.Height), Last: q.Span.Last}
}

// takes tells whether the query asks for the row at a place, when no limit is reached.
func (q *Query) takes(p Place) bool {
	after, ok := q.After.Get()
	return p.Height >= q.Span.First && p.Height <= q.Span.Last &&
		(!ok || p.Height > after.Height || p.Height == after.Height && p.Row > after.Row)
}

// pager picks the rows that a query asks for, up to its limit.
type pager struct {
	*Query
	taken int
}

// full tells that no more rows are asked for.
func (p *pager) full() bool { return p.Limit > 0 && p.taken >= p.Limit }

// take tells whether to hand over the row at a place, and counts it.
func (p *pager) take(at Place) bool {
	if p.full() || !p.takes(at) {
		return false
	}
	p.taken++
	return true
}

// pick leaves the rows of a block's table that are asked for.
func (p *pager) pick(r *rowsOf, table int, wanted func(row) bool) {
	r.rows[table] = slices.DeleteFunc(r.rows[table], func(x row) bool {
		return !wanted(x) || !p.take(Place{r.height, rowNumber(table, x)})
	})
}

// rowNumber is which one of its block's rows a row is.
func rowNumber(table int, r row) int {
	if tables[table].key == 1 {
		return 0
	}
	n, _ := r[1].(int64)
	return int(n)
}

// heights is how many blocks that have rows are enough for the limit: one of them may have
// none after the place.
func (q *Query) heights() int {
	if q.Limit == 0 || q.Limit == math.MaxInt {
		return math.MaxInt
	}
	return q.Limit + 1
}

// sequence is what a function hands over, and the error that it ends with. It hands over
// nothing more once that was refused.
func sequence[T any](deliver func(yield func(T) bool) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		wanted := true
		err := deliver(func(x T) bool {
			wanted = yield(x, nil)
			return wanted
		})
		if err != nil && wanted {
			yield(*new(T), err)
		}
	}
}

// pass hands on what comes.
func pass[T any](list iter.Seq2[T, error], yield func(T) bool) error {
	for x, err := range list {
		if err != nil || !yield(x) {
			return err
		}
	}
	return nil
}

// page are blocks with those of a table's rows that a query asks for, up to its limit.
func (q *Query) page(list iter.Seq2[*rowsOf, error], table int, wanted func(row) bool) iter.Seq2[*rowsOf, error] {
	return sequence(func(yield func(*rowsOf) bool) error {
		p := pager{Query: q}
		return pass(list, func(r *rowsOf) bool {
			p.pick(r, table, wanted)
			return yield(r) && !p.full()
		})
	})
}

// rowsIn reads a table's rows that a query asks for, of whatever account. The tables to read
// are that one, and others that go with it.
func (b *Book) rowsIn(ctx context.Context, q Query, wanted func(row) bool, read ...int) iter.Seq2[*rowsOf, error] {
	return q.page(b.walk(ctx, nil, q.span(), read), read[0], wanted)
}

func everyRow(row) bool { return true }

// decoded makes Go values of a table's rows, one by one.
func decoded[T any](list iter.Seq2[*rowsOf, error], table int, read func(of *rowsOf, r row) (*T, error)) iter.Seq2[*T, error] {
	return sequence(func(yield func(*T) bool) error {
		for r, err := range list {
			if err != nil {
				return err
			}
			for _, x := range r.rows[table] {
				v, err := read(r, x)
				if err != nil || !yield(v) {
					return err
				}
			}
		}
		return nil
	})
}

// rowsAs are a table's rows as Go values. What a row says of its block, with sets.
func rowsAs[T any](list iter.Seq2[*rowsOf, error], table int, fields []field[T], with func(*T, *Block)) iter.Seq2[*T, error] {
	return decoded(list, table, func(of *rowsOf, r row) (*T, error) {
		x := new(T)
		if err := readOf(of, table, fields, r, x); err != nil || with == nil {
			return x, err
		}
		block, err := of.block()
		with(x, &block.Block)
		return x, err
	})
}
