package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/feeledger/fees/internal/ledger"
)

// sealer seals what the workers store.
type sealer struct {
	book *ledger.Book
	Options
}

// run seals when it is woken and at intervals, until its context ends. What fails may
// go better the next time, unless it is permanent.
func (s sealer) run(ctx context.Context, wake <-chan struct{}) error {
	ticker := time.NewTicker(sealing)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-wake:
		case <-ticker.C:
		}
		err := s.all(ctx)
		if err != nil && ctx.Err() == nil {
			if s.Permanent(err) {
				return err
			}
			s.Logger.WarnContext(ctx, "sealing failed", "error", message(err, s.Secrets))
		}
	}
}

// all seals until nothing is left or another one seals.
func (s sealer) all(ctx context.Context) error {
	for {
		blocks, err := s.book.Seal(ctx)
		if err != nil {
			return fmt.Errorf("seal: %w", err)
		}
		if blocks == 0 {
			return nil
		}
	}
}

// last seals when the work is over. Where another one seals, it looks after it until
// all is sealed or that one has had its time: it may have died with the lock, and
// what was stored last it may not have seen. Where the work was to end, it takes only
// a moment: the next worker seals.
func (s sealer) last(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, s.othersSealing())
	if ctx.Err() != nil {
		limited, cancel = context.WithTimeout(context.WithoutCancel(ctx), sealing)
	}
	defer cancel()
	for limited.Err() == nil {
		if err := s.all(limited); err != nil && limited.Err() == nil {
			return err
		}
		if left, err := s.book.Unsealed(limited); err == nil && !left {
			break
		}
		select {
		case <-limited.Done():
		case <-time.After(look):
		}
	}
	if ctx.Err() != nil && s.UntilDone {
		return context.Cause(ctx)
	}
	return nil
}
