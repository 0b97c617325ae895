package statement

import (
	"context"

	"github.com/feeledger/fees/internal/ledger"
)

// countWithoutPayer counts the transactions of which it is not known who paid, and which
// may be the account's: it sent them, or nobody knows who did. They are no lines.
func (s *Statement) countWithoutPayer(ctx context.Context) error {
	for t, err := range s.book.WithoutPayer(ctx, ledger.Query{Span: s.Span}) {
		if err != nil {
			return ofLedger(err)
		}
		if t.MayBePaidBy(s.Account) {
			s.WithoutPayer++
		}
	}
	return nil
}
