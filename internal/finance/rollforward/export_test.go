package rollforward

import (
	"context"

	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
)

// Of returns the class and the line of a movement that a transaction caused, or none.
func (c *Classifier) Of(ctx context.Context, book Book, m *ledger.Movement, cause *ledger.Transaction) (Class, Line, error) {
	r := reading{Classifier: c, book: book}
	class, d, err := r.classify(ctx, &statement.Line{Height: m.Height, Where: m.Where, Cause: cause, Movement: &m.Movement, Free: m.Free, Reserved: m.Reserved})
	i := Item{Class: class, Direction: d}
	i.setLine()
	return i.Class, i.Line, err
}
