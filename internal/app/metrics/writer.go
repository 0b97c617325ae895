package metrics

import (
	"context"
	"sync/atomic"

	"github.com/feeledger/fees/internal/app"
)

// writer is what programs share that write a ledger: which one is open, and what they wait for.
type writer struct {
	open    atomic.Pointer[app.Desk]
	waiting atomic.Bool
}

// Opened notes the ledger that is written from now on.
func (w *writer) Opened(d *app.Desk) {
	w.open.Store(d)
	w.waiting.Store(false)
}

// status is that of the ledger that is open.
func (w *writer) status(ctx context.Context) (s app.Status, err error) {
	d := w.open.Load()
	if d == nil {
		return s, ErrNotOpen
	}
	return d.Status(ctx)
}

// isWaiting is 1 while the program waits for what is away.
func (w *writer) isWaiting() float64 {
	if w.waiting.Load() {
		return 1
	}
	return 0
}
