package ask

import (
	"context"
	"errors"
	"net"
	"time"
)

const (
	// maxPause is the longest pause before a further attempt that nobody asked for.
	maxPause = 5 * time.Second
	// maxRetryAfter is the longest pause that a Retry-After can ask for.
	maxRetryAfter = 30 * time.Second
	// brief is how long a question is asked again where nobody ever answered, so that its
	// address may be wrong, or where who asks goes on by himself.
	brief = 3 * time.Second
)

// Briefly returns a context under which a question is asked again for a few seconds only.
// It is for those who go on asking by themselves, and say what they wait for.
func Briefly(ctx context.Context) context.Context { return context.WithValue(ctx, brieflyKey{}, true) }

type brieflyKey struct{}

// Ask asks one question; see [Client.AskAll].
func (c *Client) Ask(ctx context.Context, attempt func(context.Context) error) error {
	return c.AskAll(ctx, 1, attempt)
}

// AskAll asks so many questions by one request. It makes attempts until one succeeds, until
// its error is one that does not pass (see [Passes]), or until the time that it may take is
// over. The error is that of the last attempt that had its time.
//
// All who share a client ask less while the place says that there are too many questions:
// see pace.
func (c *Client) AskAll(ctx context.Context, questions int, attempt func(context.Context) error) error {
	select {
	case c.places <- struct{}{}:
		defer func() { <-c.places }()
	case <-ctx.Done():
		return c.Unreachable(ctx, ctx.Err())
	}
	var before error
	left := c.options.Total // of the time for attempts and pauses: waiting for one's turn is not the place's fault
	for n := 1; ; n++ {
		if err := c.pace.wait(ctx, questions); err != nil {
			return c.Unreachable(ctx, err)
		}
		began := time.Now()
		err := c.once(ctx, left, attempt)
		took := time.Since(began)
		left -= took
		c.observer.Attempted(c.place.What, n, took, err)
		c.pace.saw(questions, err)
		if err == nil {
			return nil
		}
		if before != nil && left <= 0 && ctx.Err() == nil {
			err = before // which says more than that this one was cut short
		}
		if ctx.Err() != nil || !Passes(err) {
			return err
		}
		pause := Backoff{c.options.RetryWait, maxPause}.Pause(n, err)
		if c.options.Total-left+pause >= c.patience(ctx, err) {
			return &timeOverError{err}
		}
		if !Sleep(ctx, pause) {
			return c.Unreachable(ctx, ctx.Err())
		}
		left -= pause
		before = err
	}
}

func (c *Client) once(ctx context.Context, left time.Duration, attempt func(context.Context) error) error {
	limit := min(c.options.Timeout, left)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &TimeoutError{limit})
	defer cancel()
	return attempt(ctx)
}

// patience is for how long further attempts are made after an error.
func (c *Client) patience(ctx context.Context, err error) time.Duration {
	var dial *net.OpError
	nobody := !c.answered.Load() && errors.As(err, &dial) && dial.Op == "dial"
	if nobody || ctx.Value(brieflyKey{}) != nil {
		return min(brief, c.options.Total)
	}
	return c.options.Total
}

// Backoff is the pauses between attempts: doubled from First to Max.
type Backoff struct{ First, Max time.Duration }

// Pause is how long to wait after n failures in a row, of which err is the last. It is
// less up to a half of it at random, so that many who wait for a place that comes back do
// not all come at once. A longer Retry-After takes its place.
func (b Backoff) Pause(n int, err error) time.Duration {
	d := min(min(b.First, b.Max)<<min(n-1, 16), b.Max)
	d -= Jitter(d / 2)
	var status *StatusError
	if errors.As(err, &status) {
		d = max(d, min(status.RetryAfter, maxRetryAfter))
	}
	return d
}

// Sleep waits, and returns false if ctx ended that.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
