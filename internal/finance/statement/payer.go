package statement

import (
	"context"

	"github.com/feeledger/fees/internal/ledger"
)

// countWithoutPayer counts the transactions with unknown payer that may be the account's: it sent them, or the
// sender is unknown too. They are not lines.
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
