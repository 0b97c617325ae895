package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/feeledger/fees/internal/ledger"
)

// sealer seals stored blocks.
type sealer struct {
	book *ledger.Book
	Options
	others time.Duration // how long to wait for another sealer
}

// run seals when woken and at intervals, until its context ends. Errors are retried unless they are permanent.
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
		_, err := s.seal(ctx)
		if err != nil && ctx.Err() == nil {
			if s.Permanent(err) {
				return err
			}
			s.Logger.WarnContext(ctx, "sealing failed", "error", message(err, s.Secrets))
		}
	}
}

// seal seals until nothing is left or another program seals, and returns the number of sealed blocks.
func (s sealer) seal(ctx context.Context) (blocks uint64, err error) {
	if blocks, err = s.book.Seal(ctx); err != nil {
		err = fmt.Errorf("seal: %w", err)
	}
	return blocks, err
}

// last seals after the work is over. If the work was cancelled, it is limited to a few seconds: the next
// worker continues.
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

// rest seals what is left. Its own sealing takes as long as needed. While another program seals, it keeps trying
// until everything is sealed or that program's time is over: it may have died with the lock, or may not have
// seen the last stored blocks.
func (s sealer) rest(ctx context.Context) error {
	for waited := time.Now(); ; {
		sealed, err := s.seal(ctx)
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
