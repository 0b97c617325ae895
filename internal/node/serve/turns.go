package serve

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/feeledger/fees/internal/substrate/render"
)

// turns limits how many requests run at once and how many wait.
type turns struct {
	places  chan struct{}
	waiting atomic.Int64
	most    int64
}

func newTurns(atOnce, waiting int) *turns {
	return &turns{places: make(chan struct{}, atOnce), most: int64(waiting)}
}

var errBusy = render.Refused(http.StatusServiceUnavailable, "Too many clients are waiting. Try again later.")

func (t *turns) take(ctx context.Context) error {
	select {
	case t.places <- struct{}{}:
		return nil
	default:
	}
	defer t.waiting.Add(-1)
	if t.waiting.Add(1) > t.most {
		return errBusy
	}
	select {
	case t.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *turns) leave() { <-t.places }
