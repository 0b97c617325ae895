package httpclient

import (
	"context"
	"errors"
	"net"
	"time"
)

const (
	// maxPause is the longest pause between attempts, except when Retry-After asks for more.
	maxPause = 5 * time.Second
	// maxRetryAfter is the longest Retry-After that is honored.
	maxRetryAfter = 30 * time.Second
	// brief is how long a request is retried if the address never answered, so that it may be wrong,
	// or if the caller retries anyway.
	brief = 3 * time.Second
	// maxDoubts limits the retries of failures that may be the request's own fault.
	maxDoubts = 9
)

// Briefly returns a context that limits retries to a few seconds. It is for callers that retry on their own and
// report what they wait for.
func Briefly(ctx context.Context) context.Context { return context.WithValue(ctx, brieflyKey{}, true) }

type brieflyKey struct{}

// Ask sends one request with retries; see [Client.AskAll].
func (c *Client) Ask(ctx context.Context, attempt func(context.Context) error) error {
	return c.AskAll(ctx, 1, attempt)
}

// AskAll sends one message with several requests. It makes attempts until one succeeds or patience runs out, and
// returns the error of the last attempt that was not cut short. The patience depends on the [Failure]:
//
//   - [Busy], [Unavailable] and [NodeLost]: [Options.Total], or three seconds if no connection was
//     ever made.
//   - [Internal] and [QuotaSpent]: a limited number of attempts within that time, or three seconds if
//     the address never answered. Each time the attempts fail, the next request gets fewer of them, but
//     at least one.
//   - [Denied] and [Unusable]: the same, if the address has given valid answers before. Otherwise the
//     address or its key is wrong: none.
//   - [Final] and [Pruned]: none.
//
// While the server reports too many requests, all users of the client slow down: see pace. Resty's own
// retries are not used: they cover one HTTP request before its answer is parsed, are bounded by number rather
// than by time, and do not exist for WebSocket messages.
func (c *Client) AskAll(ctx context.Context, questions int, attempt func(context.Context) error) error {
	select {
	case c.places <- struct{}{}:
		defer func() { <-c.places }()
	case <-ctx.Done():
		return c.Unreachable(ctx, ctx.Err())
	}
	var before error
	doubts := int64(0)      // so far
	left := c.options.Total // for attempts and pauses; waiting for a free slot does not count
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
			err = before // more informative than the cut-short attempt
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

// succeeded records valid answers, and restores the retries of doubtful failures.
func (c *Client) succeeded(questions int, doubts int64) {
	if doubts > 0 {
		c.doubts.Store(maxDoubts)
	}
	for {
		largest := c.answered.Load()
		if int64(questions) <= largest || c.answered.CompareAndSwap(largest, int64(questions)) {
			return
		}
	}
}

// Answered reports whether a message with that many requests has been answered before.
func (c *Client) Answered(questions int) bool { return c.answered.Load() >= int64(questions) }

func (c *Client) once(ctx context.Context, left time.Duration, attempt func(context.Context) error) error {
	limit := min(c.options.Timeout, left)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &TimeoutError{limit})
	defer cancel()
	return attempt(ctx)
}

// patience returns for how long to retry after an error, and whether the number of retries is limited.
func (c *Client) patience(ctx context.Context, questions int, err error) (patience time.Duration, doubt bool) {
	var dial *net.OpError
	patience = c.options.Total
	answered := c.Answered(questions)
	switch failure := FailureOf(err); failure {
	case Final, Pruned:
		return 0, false
	case Denied, Unusable:
		doubt = true
		if !answered || questions > 1 && failure == Unusable { // the caller may split the message
			return 0, false
		}
	case Internal, QuotaSpent:
		doubt = true
		switch {
		case answered:
		case questions > 1 && failure == Internal: // the caller may split the message
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

// Backoff defines pauses between attempts: they double from First to Max.
type Backoff struct{ First, Max time.Duration }

// Pause returns how long to wait after n failures in a row, the last of them err. It subtracts a random part of
// up to half, so that many clients of a recovering server do not return at once; resty's first pause is the
// same for all. A longer Retry-After takes precedence.
func (b Backoff) Pause(n int, err error) time.Duration {
	d := min(min(b.First, b.Max)<<min(n-1, 16), b.Max)
	d -= Jitter(d / 2)
	var status *StatusError
	if errors.As(err, &status) {
		d = max(d, min(status.RetryAfter, maxRetryAfter))
	}
	return d
}

// Sleep waits; it returns false if ctx ends first.
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
