package rule

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// listed is the constraint for rows of a network's lists.
type listed interface {
	head() rowHead
	check() error
}

// rowHead is the common part of all rows.
type rowHead struct {
	from    uint32
	unknown bool
	source  string
}

var errNoSource = errors.New("source: missing; name the source of the figures")

// checkRows checks the rows of a list and their order. Errors start with name.
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
			return fmt.Errorf("%s from runtime %d: follows the row from runtime %d; want rows in ascending order", name, from, rows[i-1].head().from)
		}
	}
	return nil
}

// empty checks that an unknown row contains no figures.
func empty[V comparable](v V) error {
	var nothing V
	if v != nothing {
		return errors.New("unknown: want no figures in the same row")
	}
	return nil
}

// rowFor returns the last row that starts at or before runtime.
func rowFor[R listed](rows []R, runtime uint32) (row R, ok bool) {
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i].head().from <= runtime {
			return rows[i], true
		}
	}
	return row, false
}

// known returns the value of a list for runtime, if the list has one.
func known[R listed, V any](rows []R, runtime uint32, value func(R) V) chain.Optional[V] {
	row, ok := rowFor(rows, runtime)
	if !ok || row.head().unknown {
		return chain.Optional[V]{}
	}
	return chain.Some(value(row))
}
