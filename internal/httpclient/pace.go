package httpclient

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// stretch is the time after which it is seen what came of the present pace, once
	// there are enough questions to tell by.
	stretch = time.Second
	// significant is how many questions are enough.
	significant = 20
	// below is the part of the questions taken in a second that is asked afterwards.
	below = 0.95
	// tolerable is the share of questions taken from which on the pace stays as it is.
	tolerable = 0.9
	// faster is by how much the pace grows after a stretch in which nothing was refused.
	faster = 1.1
	// slowest is one question a second.
	slowest = rate.Limit(1)
	// noHelp is for how long the pace is left alone once slowing down did not help.
	noHelp = 30 * time.Second
)

// pace is how many questions are asked in a second: as many as [Options.RPS] allows, and
// fewer where a place says that these are too many: then somewhat less than it took. Where it
// refuses as large a part of fewer questions, their number is not the reason, and no fewer
// are asked.
type pace struct {
	most    rate.Limit
	limiter *rate.Limiter

	guard          sync.Mutex
	began          time.Time // the stretch
	asked, refused int       // questions, in it
	taken          float64   // the share that was not refused before the last stretch, if that was slower because of it; else 0
	unhelped       int       // stretches in a row that were slower, and no better
	gaveUp         time.Time // slowing down, for that did not help
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
	for range questions {
		if err := p.limiter.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// saw counts questions by what came of them: that there were too many, or anything else. A
// place that is slow is asked less by itself, because only so many are under way.
func (p *pace) saw(questions int, err error) {
	refused := FailureOf(err) == Busy
	p.guard.Lock()
	defer p.guard.Unlock()
	now := time.Now()
	if p.asked += questions; refused {
		p.refused += questions
	}
	if p.began.IsZero() {
		p.began = now
	}
	if length := now.Sub(p.began); length >= stretch && p.asked >= significant {
		p.adapt(now, length)
		p.began, p.asked, p.refused = now, 0, 0
	}
}

// adapt changes the pace by what was seen in a stretch.
func (p *pace) adapt(now time.Time, length time.Duration) {
	taken := 1 - float64(p.refused)/float64(p.asked)
	switch {
	case p.refused == 0:
		p.set(p.limiter.Limit()*faster, 0)
		return
	case taken > tolerable: // it is about right
		return
	case now.Sub(p.gaveUp) < noHelp:
		return
	}
	if p.taken > 0 && taken < p.taken*1.1 {
		p.unhelped++
	} else {
		p.unhelped = 0
	}
	if p.unhelped == 2 { // the first may be one that had been allowed more at once
		p.gaveUp, p.unhelped = now, 0
		p.set(p.most, 0)
		return
	}
	p.set(rate.Limit(float64(p.asked-p.refused)/length.Seconds()*below), taken)
}

// set sets the pace, because of the share of questions that was not refused.
func (p *pace) set(limit rate.Limit, taken float64) {
	p.limiter.SetLimit(min(max(limit, slowest), p.most))
	p.taken = taken
}
