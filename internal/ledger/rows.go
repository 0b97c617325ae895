package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Query selects rows. They are returned in chain order.
type Query struct {
	// Accounts selects rows by account: the payer of a transaction, the account of a movement, the sender
	// or recipient of a transfer. Empty selects all rows.
	Accounts []chain.Address
	Span     chain.Heights
	After    chain.Optional[Place] // only rows after this place, for paging
	Limit    int                   // maximum number of rows; 0 means no limit
	// Kinds selects transactions by their kind, and also by an unknown outcome if it names one; other rows ignore it.
	Kinds Kinds
	// Failed selects transactions with failed checks; other rows ignore it.
	Failed bool
	// Progress, if not nil, is called with the height of each block that is read, before its rows are returned.
	Progress func(height uint64)
}

// Place is the position of a row: the height of its block, and the row within the block: the extrinsic index
// of a transaction, the position of another row, or 0 for the block.
type Place struct {
	Height uint64
	Row    int
}

// String returns the place as people write it, such as 25-7.
func (p Place) String() string { return fmt.Sprintf("%d-%d", p.Height, p.Row) }

// Compare orders places as the chain does.
func (p Place) Compare(other Place) int {
	return cmp.Or(cmp.Compare(p.Height, other.Height), cmp.Compare(p.Row, other.Row))
}

// MarshalText returns the place as [Place.String] does.
func (p Place) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// ParsePlace parses a place such as 25-7. Heights are u32 on the chain.
func ParsePlace(text string) (p Place, ok bool) {
	height, row, ok := strings.Cut(text, "-")
	h, badHeight := strconv.ParseUint(height, 10, 32)
	r, badRow := strconv.ParseUint(row, 10, 31)
	if !ok || badHeight != nil || badRow != nil {
		return Place{}, false
	}
	return Place{Height: h, Row: int(r)}, true
}

// errAccounts reports a query by account for rows that have no account.
var errAccounts = errors.New("these rows cannot be filtered by account")

// span returns the heights that can contain the query's rows.
func (q *Query) span() chain.Heights {
	after, _ := q.After.Get()
	return chain.Heights{First: max(q.Span.First, after.Height), Last: q.Span.Last}
}

// takes reports whether the query selects the row at a place, ignoring the limit.
func (q *Query) takes(p Place) bool {
	after, ok := q.After.Get()
	return p.Height >= q.Span.First && p.Height <= q.Span.Last &&
		(!ok || p.Height > after.Height || p.Height == after.Height && p.Row > after.Row)
}

// wants reports whether the query selects a transaction, ignoring its payer and place.
func (q *Query) wants(t *Transaction) bool {
	return q.Kinds.mayHave(&t.Kind) && (!q.Failed || t.Failed != "")
}

// wanted returns the transactions of a block that the query selects, ignoring payers and places.
func (q *Query) wanted(c *Content) []*Transaction { return pointers(c.Transactions, q.wants) }

// heights returns how many blocks with rows suffice for the limit: one of them may have no row after the
// place.
func (q *Query) heights() int {
	if q.Limit == 0 || q.Limit == math.MaxInt {
		return math.MaxInt
	}
	return q.Limit + 1
}

// sequence turns a function that delivers values and returns an error into an iterator. After the consumer
// stops, it delivers nothing more.
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

// pass forwards all values.
func pass[T any](list iter.Seq2[T, error], yield func(T) bool) error {
	for x, err := range list {
		if err != nil || !yield(x) {
			return err
		}
	}
	return nil
}

// placed is a value with a position in the chain.
type placed interface{ Place() Place }

// rowsByAccount returns the rows that match a query. If it names a few accounts, or kinds of transactions, an index finds the
// blocks that contain rows of the kind.
func rowsByAccount[T placed](ctx context.Context, b *Book, q Query, kind uint64, d depth, rows func(*Content) []T) iter.Seq2[T, error] {
	var blocks iter.Seq2[*Content, error]
	switch n := len(q.Accounts); {
	case n > maxAccounts:
		blocks = walk(ctx, b, nil, q.span(), byAccounts(q.Accounts, kind).decoder(d))
	case n > 0:
		blocks = b.lookedUp(ctx, q.span(), byAccounts(q.Accounts, kind), d)
	case kind == hasPaid && q.Kinds != Kinds{}:
		blocks = b.ofKinds(ctx, q.span(), q.Kinds, d)
	default:
		blocks = walk(ctx, b, nil, q.span(), contentOfRow(d))
	}
	q.Accounts = nil // the blocks have only their rows
	return page(q, blocks, rows)
}

// maxAccounts limits the accounts of an index search.
const maxAccounts = 100

// page returns the rows of some blocks that match a query without accounts, up to its limit.
func page[T placed](q Query, blocks iter.Seq2[*Content, error], of func(*Content) []T) iter.Seq2[T, error] {
	return sequence(func(yield func(T) bool) error {
		if len(q.Accounts) > 0 {
			return errAccounts
		}
		taken := 0
		for c, err := range blocks {
			if err != nil {
				return err
			}
			if q.Progress != nil {
				q.Progress(c.Height)
			}
			for _, x := range of(c) {
				if !q.takes(x.Place()) {
					continue
				}
				if taken++; !yield(x) || taken == q.Limit {
					return nil
				}
			}
		}
		return nil
	})
}

// everyBlock spans all heights.
var everyBlock = chain.Heights{Last: math.MaxInt64}

// bounds returns the limits of a span as arguments, capped at what a database can store.
func bounds(s chain.Heights) []any {
	return []any{int64(min(s.First, math.MaxInt64)), int64(min(s.Last, math.MaxInt64))}
}
