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
	others time.Duration // how long another one that seals is waited for
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
		_, err := s.all(ctx)
		if err != nil && ctx.Err() == nil {
			if s.Permanent(err) {
				return err
			}
			s.Logger.WarnContext(ctx, "sealing failed", "error", message(err, s.Secrets))
		}
	}
}

// all seals until nothing is left or another one seals, and returns how many blocks it sealed.
func (s sealer) all(ctx context.Context) (sealed uint64, err error) {
	for {
		blocks, err := s.book.Seal(ctx)
		sealed += blocks
		if err != nil {
			return sealed, fmt.Errorf("seal: %w", err)
		}
		if blocks == 0 {
			return sealed, nil
		}
	}
}

// last seals when the work is over. Where the work was to end, it takes only a moment: the next
// worker seals.
func (s sealer) last(ctx context.Context) error {
	err := s.rest(ctx)
	if ctx.Err() == nil {
		return err
	}
	moment, cancel := context.WithTimeout(context.WithoutCancel(ctx), sealing)
	defer cancel()
	if err := s.rest(moment); err != nil && moment.Err() == nil {
		return err
	}
	if s.UntilDone {
		return context.Cause(ctx)
	}
	return nil
}

// rest seals what is left. Its own sealing takes the time it needs. Where another one seals, it
// looks after it until all is sealed or that one has had its time: it may have died with the
// lock, and what was stored last it may not have seen.
func (s sealer) rest(ctx context.Context) error {
	for waited := time.Now(); ; {
		sealed, err := s.all(ctx)
		if err != nil {
			return err
		}
		if sealed > 0 {
			waited = time.Now()
		}
		if left, err := s.book.Unsealed(ctx); err == nil && !left || time.Since(waited) > s.others {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
	}
}
