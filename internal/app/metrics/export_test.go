package metrics

import (
	"context"
	"time"

	"github.com/feeledger/fees/internal/app"
)

// LedgerAt is Ledger with a clock.
func (m *Metrics) LedgerAt(status func(context.Context) (app.Status, error), now func() time.Time) {
	m.Collect((&ledger{status: status, now: now}).collect)
}
