package rollforward

import (
	"context"

	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
)

// ClassOf classifies a movement that is not a part of a fee. cause is its transaction, nil for a hook and for an inherent.
func (c *Classifier) ClassOf(ctx context.Context, book Book, m *ledger.Movement, cause *ledger.Transaction) (Class, error) {
	r := reading{Classifier: c, book: book}
	line := &statement.Line{Height: m.Height, Time: m.Time, Where: m.Where, Cause: cause, Movement: &m.Movement, Free: m.Free, Reserved: m.Reserved}
	class, direction, err := r.classify(ctx, line)
	if err != nil {
		return Unclassified, err
	}
	if row, ok := class.find(); !ok || row.line(direction) == "" {
		return Unclassified, nil
	}
	return class, nil
}
