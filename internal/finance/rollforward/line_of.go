package rollforward

import (
	"context"

	"github.com/feeledger/fees/internal/finance/statement"
)

// LinesOf returns a function that gives the line of a statement's line. It must get them in the order of the statement.
func (c *Classifier) LinesOf(book Book) func(context.Context, *statement.Line) (Line, error) {
	r := reading{Classifier: c, book: book}
	return func(ctx context.Context, l *statement.Line) (Line, error) {
		if l.Movement == nil {
			return Fees, nil
		}
		class, direction, err := r.classify(ctx, l)
		if err != nil {
			return UnclassifiedLine, err
		}
		row, _ := class.find()
		if row.line(direction) == "" {
			return UnclassifiedLine, nil
		}
		return row.line(direction), nil
	}
}
