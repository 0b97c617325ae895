package queue

import (
	"context"
	"time"

	"github.com/feeledger/fees/internal/ledger"
)

// SealLast seals like a worker that has finished, with a limit for waiting for others.
func SealLast(ctx context.Context, book *ledger.Book, others time.Duration) error {
	return sealer{book, Options{}, others}.last(ctx)
}
