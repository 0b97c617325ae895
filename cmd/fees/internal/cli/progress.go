package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/feeledger/fees/internal/app"
)

// Progress shows the progress of a long task in one line of a terminal. The rate covers the last half
// minute, since work found already done would distort it.
type Progress struct {
	screen  *Screen
	silent  bool // shows nothing
	what    string
	shown   time.Time
	samples []sample // the oldest first
}

// sample is the amount done at a time.
type sample struct {
	at   time.Time
	done uint64
}

const rateTime = 30 * time.Second

// progressPause is the minimum time between two updates.
const progressPause = 200 * time.Millisecond

// NewProgress returns a progress that shows nothing if out is not a terminal or quiet is set.
func NewProgress(out io.Writer, what string, quiet bool) *Progress {
	p := &Progress{silent: quiet || !IsTerminal(out), what: what, samples: []sample{{at: time.Now()}}}
	if of, ok := out.(*part); ok {
		p.screen = of.screen
	} else {
		p.screen = NewScreen(io.Discard, out)
	}
	return p
}

// Show updates the amount done.
func (p *Progress) Show(done, total uint64) {
	p.screen.reach(reached{done, total, p.what})
	if p.silent {
		return
	}
	now := time.Now()
	if done != total && now.Sub(p.shown) < progressPause {
		return
	}
	p.shown = now
	p.screen.show(progressLine(p.what, done, total, p.rate(sample{now, done})))
}

// rate returns the recent rate per second, 0 if unknown.
func (p *Progress) rate(now sample) float64 {
	for len(p.samples) > 1 && now.at.Sub(p.samples[0].at) > rateTime {
		p.samples = p.samples[1:]
	}
	p.samples = append(p.samples, now)
	first := p.samples[0]
	if taken := now.at.Sub(first.at); taken > 0 && now.done > first.done {
		return float64(now.done-first.done) / taken.Seconds()
	}
	return 0
}

// End clears the line.
func (p *Progress) End() {
	p.screen.clearLine()
	p.shown = time.Time{}
}

// progressLine formats amount, rate and remaining time.
func progressLine(what string, done, total uint64, rate float64) string {
	line := fmt.Sprintf("fees: %d of %d %s", done, total, what)
	if rate == 0 {
		return line
	}
	line += fmt.Sprintf(", %.1f per second", rate)
	if left := float64(total-done) / rate; left > 0 && left < maxSeconds {
		line += fmt.Sprintf(", %v left", time.Duration(left*float64(time.Second)).Round(time.Second))
	}
	return line
}

// maxSeconds limits the remaining time shown; a time.Duration cannot hold much more.
const maxSeconds = 1e9

// Asked returns the progress as internal/app takes it.
func (p *Progress) Asked() app.Progress {
	return app.Progress{Show: p.Show, Say: p.say, End: p.End}
}

// IsSilent reports whether nothing is shown.
func (p *Progress) IsSilent() bool { return p.silent }

// say shows a step without an amount.
func (p *Progress) say(what string) {
	if p.silent {
		return
	}
	p.shown = time.Now()
	p.screen.show("fees: " + what)
}

// Lag shows the height of an endless task, and how far it is behind.
func (p *Progress) Lag(height, newest uint64) {
	if p.silent || height != newest && time.Since(p.shown) < progressPause {
		return
	}
	line := fmt.Sprintf("block %d, %d behind", height, newest-height)
	if rate := p.rate(sample{time.Now(), height}); rate > 0 {
		line += fmt.Sprintf(", %.1f per second", rate)
	}
	p.say(line)
}
