package httpclient

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// interval is the minimum time between adjustments of the pace, given enough requests to judge by.
	interval = time.Second
	// significant is the number of requests that is enough.
	significant = 20
	// below is the factor applied to the accepted rate when slowing down.
	below = 0.95
	// tolerable is the share of accepted requests above which the pace stays unchanged.
	tolerable = 0.9
	// faster is the factor by which the pace grows after an interval without refusals, and again the factor by which it
	// grows up to half of what was accepted before the server refused everything.
	faster, again = 1.1, 2
	// slowest is one request a second.
	slowest = rate.Limit(1)
	// rarest is the time between messages at the slowest pace, if a message has many requests.
	rarest = 4 * time.Second
	// noHelp is how long the pace stays unchanged after slowing down did not help.
	noHelp = 30 * time.Second
)

// pace limits requests per second: to [Options.RPS], and below the accepted rate if the server refuses
// requests as too many. If the share of refusals stays the same at a lower rate, the rate is not the reason,
// and the pace returns to the limit.
type pace struct {
	ceiling rate.Limit
	limiter *rate.Limiter
	turn    chan struct{} // of the message that waits for its requests

	guard          sync.Mutex
	began          time.Time  // start of the interval
	asked, refused int        // requests in the interval
	taken          float64    // the accepted share that caused the last slowdown; else 0
	unhelped       int        // slowdowns in a row without improvement
	gaveUp         time.Time  // when slowing down was last abandoned
	largest        int        // the most requests of a message
	accepted       rate.Limit // in the last interval without refusals
	proven         rate.Limit // half of what was accepted before everything was refused; else 0
}

func newPace(rps float64) *pace {
	ceiling := rate.Inf
	if rps > 0 {
		ceiling = rate.Limit(rps)
	}
	return &pace{ceiling: ceiling, limiter: rate.NewLimiter(ceiling, 1), turn: make(chan struct{}, 1)}
}

// wait waits until that many requests may be sent, after those of earlier messages.
func (p *pace) wait(ctx context.Context, questions int) error {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for range questions {
		if err := p.limiter.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// saw counts requests by whether they were refused as too many. A slow server needs no adjustment, as
// concurrency is limited.
func (p *pace) saw(questions int, err error) {
	refused := FailureOf(err) == Busy
	p.guard.Lock()
	defer p.guard.Unlock()
	now := time.Now()
	p.largest = max(p.largest, questions)
	if p.asked += questions; refused {
		p.refused += questions
	}
	if p.began.IsZero() {
		p.began = now
	}
	length := now.Sub(p.began)
	enough := float64(significant)
	if limit := p.limiter.Limit(); limit < p.proven && !refused {
		if p.refused > 0 { // the server accepts requests again
			p.began, p.asked, p.refused = now, 0, 0
			return
		}
		enough = min(enough, float64(limit)*interval.Seconds()) // no more than so slow a pace permits
	}
	if length >= interval && float64(p.asked) >= enough {
		p.adapt(now, length)
		p.began, p.asked, p.refused = now, 0, 0
	}
}

// adapt adjusts the pace to the results of an interval.
func (p *pace) adapt(now time.Time, length time.Duration) {
	taken := 1 - float64(p.refused)/float64(p.asked)
	switch {
	case p.refused == 0:
		p.accepted = rate.Limit(float64(p.asked) / length.Seconds())
		if limit := p.limiter.Limit(); limit*again <= p.proven {
			p.set(limit*again, 0)
		} else {
			p.set(limit*faster, 0)
		}
		return
	case taken > tolerable: // about right
		return
	case now.Sub(p.gaveUp) < noHelp:
		return
	}
	if p.taken > 0 && taken < p.taken*1.1 {
		p.unhelped++
	} else {
		p.unhelped = 0
	}
	if p.unhelped == 2 { // the first may have followed a permitted burst
		p.gaveUp, p.unhelped = now, 0
		p.set(p.ceiling, 0)
		return
	}
	if p.proven = 0; taken == 0 { // says nothing about the rate
		p.proven = p.accepted / 2
	}
	p.set(rate.Limit(float64(p.asked-p.refused)/length.Seconds()*below), taken)
}

// set sets the pace and the accepted share that caused it.
func (p *pace) set(limit rate.Limit, taken float64) {
	least := max(slowest, rate.Limit(float64(p.largest)/rarest.Seconds()))
	p.limiter.SetLimit(min(max(limit, least), p.ceiling))
	p.taken = taken
}
