package metrics

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/plain"
)

// writer is the state that programs share that write a ledger: the open one, and what they wait for.
type writer struct {
	open    atomic.Pointer[app.Ledger]
	waiting atomic.Pointer[error] // why; nil while it does not wait
}

// waitFor records why the program waits.
func (w *writer) waitFor(why error) { w.waiting.Store(&why) }

// reason returns why the program waits, and for what: the database, or else another part; nil if it does not wait.
func (w *writer) reason(other string) error {
	why := w.waiting.Load()
	if why == nil {
		return nil
	}
	part := other
	if app.IsOfDatabase(*why) {
		part = "the database"
	}
	return fmt.Errorf("it waits for %s: %s", part, plain.Line((*why).Error()))
}

// Opened records the ledger that is written from now on.
func (w *writer) Opened(d *app.Ledger) {
	w.open.Store(d)
	w.waiting.Store(nil)
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
	if w.waiting.Load() != nil {
		return 1
	}
	return 0
}
