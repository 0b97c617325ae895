package rollforward

import (
	"context"

	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
)

// Of returns the class and the line of a movement.
func (c *Classifier) Of(ctx context.Context, book Book, m *ledger.Movement) (Class, Line, error) {
	r := reading{Classifier: c, book: book}
	class, d, _, err := r.classify(ctx, &statement.Line{Height: m.Height, Where: m.Where, Movement: &m.Movement, Free: m.Free, Reserved: m.Reserved})
	i := Item{Class: class, Direction: d}
	i.setLine()
	return i.Class, i.Line, err
}
