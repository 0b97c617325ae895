package httpclient

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
	// address may be wrong, or where the caller asks again by itself.
	brief = 3 * time.Second
	// maxDoubts is how often a failure is met again that may be the question's own.
	maxDoubts = 9
)

// Briefly returns a context under which a question is asked again for a few seconds only.
// It is for those who go on asking by themselves, and say what they wait for.
func Briefly(ctx context.Context) context.Context { return context.WithValue(ctx, brieflyKey{}, true) }

type brieflyKey struct{}

// Ask asks one question; see [Client.AskAll].
func (c *Client) Ask(ctx context.Context, attempt func(context.Context) error) error {
	return c.AskAll(ctx, 1, attempt)
}

// AskAll asks several questions by one request. It makes attempts until one succeeds or
// patience ends, and returns the error of the last attempt that had its time. How long
// patience is depends on the [Failure]:
//
//   - [Busy], [Unavailable] and [NodeLost] pass: [Options.Total] is over, or three seconds
//     where no connection was ever made.
//   - [Internal] and [QuotaSpent] may repeat: a limited number of attempts within that time, or three
//     seconds where no answer came before. Each time they are in vain there are fewer attempts
//     the next time, but one at least.
//   - [Denied] and [Unusable] are likewise from an address that has answered rightly before. One
//     that has not is wrong, or its key is.
//   - [Final] and [Pruned] do not pass.
//
// All who share a client ask less while the place says that there are too many questions:
// see pace. The attempts are not resty's: those are of one HTTP request, before its answer is
// understood, bounded by number and not by time, and a WebSocket's messages have none.
func (c *Client) AskAll(ctx context.Context, questions int, attempt func(context.Context) error) error {
	select {
	case c.places <- struct{}{}:
		defer func() { <-c.places }()
	case <-ctx.Done():
		return c.Unreachable(ctx, ctx.Err())
	}
	var before error
	doubts := int64(0)      // by now
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
			c.succeeded(questions, doubts)
			return nil
		}
		if before != nil && left <= 0 && ctx.Err() == nil {
			err = before // which says more than that this one was cut short
		}
		patience, doubt := c.patience(ctx, questions, err)
		if ctx.Err() != nil || patience == 0 {
			return err
		}
		if doubt {
			if allowed := c.doubts.Load(); doubts >= allowed {
				c.doubts.CompareAndSwap(allowed, max(allowed/2, 1))
				return err
			}
			doubts++
		}
		pause := Backoff{c.options.RetryWait, maxPause}.Pause(n, err)
		if c.options.Total-left+pause >= patience {
			return &timeOverError{err}
		}
		if !Sleep(ctx, pause) {
			return c.Unreachable(ctx, ctx.Err())
		}
		left -= pause
		before = err
	}
}

// succeeded notes that questions were answered rightly, after failures that were in doubt.
func (c *Client) succeeded(questions int, doubts int64) {
	if doubts > 0 {
		c.doubts.Store(maxDoubts)
	}
	for {
		most := c.answered.Load()
		if int64(questions) <= most || c.answered.CompareAndSwap(most, int64(questions)) {
			return
		}
	}
}

// Answered reports whether one message with that many questions was answered before.
func (c *Client) Answered(questions int) bool { return c.answered.Load() >= int64(questions) }

func (c *Client) once(ctx context.Context, left time.Duration, attempt func(context.Context) error) error {
	limit := min(c.options.Timeout, left)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &TimeoutError{limit})
	defer cancel()
	return attempt(ctx)
}

// patience returns for how long further attempts are made after an error, and whether their
// number is limited.
func (c *Client) patience(ctx context.Context, questions int, err error) (patience time.Duration, doubt bool) {
	var dial *net.OpError
	patience = c.options.Total
	answered := c.Answered(questions)
	switch failure := FailureOf(err); failure {
	case Final, Pruned:
		return 0, false
	case Denied, Unusable:
		doubt = true
		if !answered || questions > 1 && failure == Unusable { // fewer at once may be understood
			return 0, false
		}
	case Internal, QuotaSpent:
		doubt = true
		switch {
		case answered:
		case questions > 1 && failure == Internal: // likewise
			return 0, false
		default:
			patience = brief
		}
	default:
		if !c.reached.Load() && errors.As(err, &dial) && dial.Op == "dial" {
			patience = brief
		}
	}
	if ctx.Value(brieflyKey{}) != nil {
		patience = brief
	}
	return min(patience, c.options.Total), doubt
}

// Backoff is the pauses between attempts: doubled from First to Max.
type Backoff struct{ First, Max time.Duration }

// Pause is how long to wait after n failures in a row, of which err is the last. It is
// less up to a half of it at random, so that many who wait for a place that comes back do
// not all come at once; resty's first pause is the same for all. A longer Retry-After takes
// its place.
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
