package nodeclient

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// attempts say how often and how fast something is tried again. HTTP requests,
// WebSocket handshakes and subscriptions share them.
type attempts struct {
	more int           // after the first
	wait time.Duration // before the second
}

// do tries until it works, until the error is not worth another attempt, or until
// there is no time left for one. The error is that of the last attempt.
func (a attempts) do(ctx context.Context, try func() error) error {
	for n := 0; ; n++ {
		err := try()
		if err == nil || n == a.more || !temporary(err) {
			return err
		}
		pause := a.pause(n)
		var refused *StatusError
		if errors.As(err, &refused) {
			pause = max(pause, refused.RetryAfter)
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= pause || !sleep(ctx, pause) {
			return err
		}
	}
}

// mostPause is the longest that a pause can be.
const mostPause = 10 * time.Second

// pause is how long to wait after n attempts before the next: doubled each time,
// and less up to a half of it at random, so that many clients of a node that
// comes back do not all come at once.
func (a attempts) pause(n int) time.Duration {
	d := min(min(a.wait, mostPause)<<min(n, 16), mostPause)
	return d - rand.N(d/2+1)
}

// sleep returns false if ctx ended it.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// temporary tells whether the same attempt may succeed later.
func temporary(err error) bool {
	var refused *StatusError
	if errors.As(err, &refused) {
		switch refused.Code {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return false
	}
	var untrusted *tls.CertificateVerificationError
	var unreachable *UnreachableError
	return errors.As(err, &unreachable) && !errors.As(err, &untrusted) && !errors.Is(err, errTooLarge)
}
