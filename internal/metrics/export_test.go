package metrics

import (
	"context"
	"time"

	"github.com/feeledger/fees/desk"
)

// LedgerAt is Ledger with a clock.
func (m *Metrics) LedgerAt(status func(context.Context) (desk.Status, error), now func() time.Time) {
	m.registry.MustRegister(&ledger{status: status, now: now})
}
