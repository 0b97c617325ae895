package reconcile

import (
	"context"
	"iter"

	"github.com/feeledger/fees/chain"
)

// PortionRows sets the number of rows whose transactions are looked up at once, until restore is called.
func PortionRows(rows int) (restore func()) {
	before := portionRows
	portionRows = rows
	return func() { portionRows = before }
}

// Match compares one record, see [MatchAll].
func Match(ctx context.Context, book Book, rows iter.Seq2[*Row, error], o Options) (*Result, error) {
	return MatchAll(ctx, book, []Record{{Rows: rows, Options: o}})
}

// SlipOf exports slipOf.
func SlipOf(books, fee string) string { return slipOf(books, fee) }

// Shown exports shown.
func Shown(o *Options, amount chain.Wei) string { return o.shown(amount) }
