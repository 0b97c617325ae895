package rollforward

import (
	"context"

	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
)

// ClassOf classifies a movement that is not a part of a fee.
func (c *Classifier) ClassOf(ctx context.Context, book Book, m *ledger.Movement) (Class, error) {
	r := reading{Classifier: c, book: book}
	line := &statement.Line{Height: m.Height, Time: m.Time, Where: m.Where, Movement: &m.Movement, Free: m.Free, Reserved: m.Reserved}
	class, direction, _, err := r.classify(ctx, line)
	if err != nil {
		return Unclassified, err
	}
	if row, ok := class.find(); !ok || row.line(direction) == "" {
		return Unclassified, nil
	}
	return class, nil
}
