package ask

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// stretch is the time after which it is seen what came of the present pace.
	stretch = time.Second
	// below is the part of the answers that came in a second which is asked for afterwards.
	below = 0.95
	// faster is by how much the pace grows after a stretch in which nothing was refused.
	faster = 1.1
	// tolerable is the share of answers from which on the pace stays as it is.
	tolerable = 0.95
	// significant is how many questions it takes to say that slowing down did not help.
	significant = 20
	// slowest is one question a second.
	slowest = rate.Limit(1)
	// noHelp is for how long the pace is left alone once slowing down did not help.
	noHelp = 30 * time.Second
)

// pace is how many questions are asked in a second: as many as [Options.RPS] allows, and
// fewer where a place says that these are too many, or takes too long: then somewhat less
// than it answered. Where it refuses as large a part of fewer questions, their number is not
// the reason, and no fewer are asked.
type pace struct {
	most    rate.Limit
	limiter *rate.Limiter

	guard             sync.Mutex
	until             time.Time // it wants to be left alone
	began             time.Time // the stretch
	answered, refused int       // in it
	share             float64   // of questions answered before the last stretch, if that was slower because of it; else 0
	unhelped          int       // stretches in a row that were slower, and no better
	gaveUp            time.Time // slowing down, for that did not help
}

func newPace(rps float64) *pace {
	most := rate.Inf
	if rps > 0 {
		most = rate.Limit(rps)
	}
	return &pace{most: most, limiter: rate.NewLimiter(most, 1)}
}

// wait waits until so many questions may be asked.
func (p *pace) wait(ctx context.Context, questions int) error {
	p.guard.Lock()
	left := time.Until(p.until)
	p.guard.Unlock()
	if left > 0 && !Sleep(ctx, left) {
		return ctx.Err()
	}
	for range questions {
		if err := p.limiter.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// saw counts questions by what came of them: an answer, or that the place is too busy.
// Other errors say nothing about that.
func (p *pace) saw(questions int, err error) {
	var status *StatusError
	busy := errors.As(err, &status) && (status.Code == http.StatusTooManyRequests || status.Code == http.StatusServiceUnavailable)
	if err != nil && !busy && !errors.As(err, new(*TimeoutError)) {
		return
	}
	p.guard.Lock()
	defer p.guard.Unlock()
	now := time.Now()
	if busy && status.RetryAfter > 0 {
		if until := now.Add(min(status.RetryAfter, maxRetryAfter)); until.After(p.until) {
			p.until = until
		}
	}
	if err == nil {
		p.answered += questions
	} else {
		p.refused += questions
	}
	if p.began.IsZero() {
		p.began = now
	}
	if taken := now.Sub(p.began); taken >= stretch {
		p.adapt(now, min(taken, 2*stretch)) // not what passed while nothing was asked
		p.began, p.answered, p.refused = now, 0, 0
	}
}

// adapt changes the pace by what was seen in a stretch.
func (p *pace) adapt(now time.Time, taken time.Duration) {
	asked := float64(p.answered + p.refused)
	share := float64(p.answered) / asked
	switch {
	case p.refused == 0:
		p.set(p.limiter.Limit()*faster, 0)
		return
	case share > tolerable: // it is about right
		return
	case now.Sub(p.gaveUp) < noHelp:
		return
	}
	if p.share > 0 && share < p.share*1.1 && asked >= significant {
		p.unhelped++
	} else {
		p.unhelped = 0
	}
	if p.unhelped == 2 { // the first may be one that had been allowed more at once
		p.gaveUp, p.unhelped = now, 0
		p.set(p.most, 0)
		return
	}
	p.set(rate.Limit(float64(p.answered)/taken.Seconds()*below), share)
}

// set sets the pace, because of the share that was answered.
func (p *pace) set(limit rate.Limit, share float64) {
	p.limiter.SetLimit(min(max(limit, slowest), p.most))
	p.share = share
}
