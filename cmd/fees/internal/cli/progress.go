package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/feeledger/fees/internal/app"
)

// Progress tells a person at a terminal how far a long task is, in one line that
// is written over. The rate is that of the last half minute: what was done before,
// such as the part of a recording that is there already, says nothing of it.
type Progress struct {
	screen  *Screen
	silent  bool // nobody is told
	what    string
	shown   time.Time
	samples []sample // the oldest first
}

// sample is how much was done at a time.
type sample struct {
	at   time.Time
	done uint64
}

const rateTime = 30 * time.Second

// progressPause is the least time between two lines.
const progressPause = 200 * time.Millisecond

// NewProgress tells nobody where out is no terminal, or quiet is asked for.
func NewProgress(out io.Writer, what string, quiet bool) *Progress {
	p := &Progress{silent: quiet || !IsTerminal(out), what: what, samples: []sample{{at: time.Now()}}}
	if of, ok := out.(*part); ok {
		p.screen = of.screen
	} else {
		p.screen = NewScreen(io.Discard, out)
	}
	return p
}

// Show shows how much is done.
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

// rate is how many were done in a second, lately; 0 where it cannot be told.
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

// End takes the last line away.
func (p *Progress) End() {
	p.screen.clear()
	p.shown = time.Time{}
}

// progressLine is what is shown: how much, how fast, and how long it may still
// take.
func progressLine(what string, done, total uint64, rate float64) string {
	line := fmt.Sprintf("fees: %d of %d %s", done, total, what)
	if rate == 0 {
		return line
	}
	line += fmt.Sprintf(", %.1f a second", rate)
	if left := float64(total-done) / rate; left > 0 && left < maxSeconds {
		line += fmt.Sprintf(", %v left", time.Duration(left*float64(time.Second)).Round(time.Second))
	}
	return line
}

// maxSeconds is more than anybody waits for, and than a time.Duration holds.
const maxSeconds = 1e9

// Asked is the progress of a question.
func (p *Progress) Asked() app.Progress {
	return app.Progress{Show: p.Show, Say: p.say, End: p.End}
}

// IsSilent tells whether nobody is told.
func (p *Progress) IsSilent() bool { return p.silent }

// say shows a step that has no measure.
func (p *Progress) say(what string) {
	if p.silent {
		return
	}
	p.shown = time.Now()
	p.screen.show("fees: " + what)
}

// Lag shows how far a task without an end is, and how far behind.
func (p *Progress) Lag(height, newest uint64) {
	if p.silent || height != newest && time.Since(p.shown) < progressPause {
		return
	}
	line := fmt.Sprintf("block %d, %d behind", height, newest-height)
	if rate := p.rate(sample{time.Now(), height}); rate > 0 {
		line += fmt.Sprintf(", %.1f a second", rate)
	}
	p.say(line)
}
