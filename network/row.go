package network

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// listed is a row of one of a network's lists.
type listed interface {
	head() rowHead
	check() error
}

// rowHead is what all rows have.
type rowHead struct {
	from    uint32
	unknown bool
	source  string
}

func (r Row) head() rowHead { return rowHead{from: r.FromRuntime, source: r.Source} }

var errNoSource = errors.New("source: none; say where the figures are from")

// checkRows checks the rows of a list and their order. Name begins its errors.
func checkRows[R listed](name string, rows []R) error {
	for i, row := range rows {
		from := row.head().from
		err := row.check()
		if err == nil && row.head().source == "" {
			err = errNoSource
		}
		if err != nil {
			return fmt.Errorf("%s from runtime %d: %w", name, from, err)
		}
		if i > 0 && from <= rows[i-1].head().from {
			return fmt.Errorf("%s from runtime %d: stands after %d; want rows in rising order", name, from, rows[i-1].head().from)
		}
	}
	return nil
}

// lastOf is the runtime that the last row begins with.
func lastOf[R listed](rows []R) uint32 {
	if len(rows) == 0 {
		return 0
	}
	return rows[len(rows)-1].head().from
}

// empty is the check of a row that says nothing.
func empty[V comparable](v V) error {
	var nothing V
	if v != nothing {
		return errors.New("unknown: want no figures beside it")
	}
	return nil
}

// rowFor is the last row that begins at or before runtime.
func rowFor[R listed](rows []R, runtime uint32) (row R, ok bool) {
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i].head().from <= runtime {
			return rows[i], true
		}
	}
	return row, false
}

// known is what a list says for runtime, where it says anything.
func known[R listed, V any](rows []R, runtime uint32, value func(R) V) chain.Optional[V] {
	row, ok := rowFor(rows, runtime)
	if !ok || row.head().unknown {
		return chain.Optional[V]{}
	}
	return chain.Some(value(row))
}
