package metrics

import (
	"context"
	"sync/atomic"

	"github.com/feeledger/fees/internal/app"
)

// writer is the state that programs share that write a ledger: the open one, and whether they wait.
type writer struct {
	open    atomic.Pointer[app.Ledger]
	waiting atomic.Bool
}

// Opened records the ledger that is written from now on.
func (w *writer) Opened(d *app.Ledger) {
	w.open.Store(d)
	w.waiting.Store(false)
}

// status returns the status of the open ledger.
func (w *writer) status(ctx context.Context) (s app.Status, err error) {
	d := w.open.Load()
	if d == nil {
		return s, ErrNotOpen
	}
	return d.Status(ctx)
}

// isWaiting returns 1 while the program waits for a source or the database.
func (w *writer) isWaiting() float64 {
	if w.waiting.Load() {
		return 1
	}
	return 0
}
