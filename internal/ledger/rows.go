package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
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

// fails is what ends with an error at once.
func fails[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { yield(*new(T), err) }
}

// placed has a place in the chain.
type placed interface{ Place() Place }

// rowsOf are the rows that a query asks for, of all blocks of its span.
func rowsOf[T placed](ctx context.Context, b *Book, q Query, d depth, of func(*Content) []T) iter.Seq2[T, error] {
	return page(q, b.contents(ctx, nil, q.span(), d), of)
}

// rowsByAccount are the rows that a query asks for. Where it names a few accounts, a look-up tells
// in which blocks they have rows of a kind.
func rowsByAccount[T placed](ctx context.Context, b *Book, q Query, kind uint64, d depth, of func(*Content) []T) iter.Seq2[T, error] {
	if n := len(q.Accounts); n == 0 || n > maxAccounts {
		return rowsOf(ctx, b, q, d, of)
	}
	return page(q, b.lookedUp(ctx, q, byAccounts(q.Accounts, kind), d), of)
}

// maxAccounts is how many accounts a look-up is asked for.
const maxAccounts = 100

// page are the rows of some blocks that a query asks for, up to its limit.
func page[T placed](q Query, blocks iter.Seq2[*Content, error], of func(*Content) []T) iter.Seq2[T, error] {
	return sequence(func(yield func(T) bool) error {
		p := pager{Query: &q}
		for c, err := range blocks {
			if err != nil {
				return err
			}
			for _, x := range of(c) {
				if p.take(x.Place()) && !yield(x) || p.full() {
					return nil
				}
			}
		}
		return nil
	})
}

// everyBlock are all heights.
var everyBlock = chain.Heights{Last: math.MaxInt64}

// bounds are those of a span, as arguments: no height is above what a database holds.
func bounds(s chain.Heights) []any {
	return []any{int64(min(s.First, math.MaxInt64)), int64(min(s.Last, math.MaxInt64))}
}
