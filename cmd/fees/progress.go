package main

import (
	"fmt"
	"io"
	"time"
)

// progress tells a person at a terminal how far a long task is, in one line that
// is written over.
type progress struct {
	out   io.Writer
	what  string
	begun time.Time
	shown time.Time
}

// progressPause is the least time between two lines.
const progressPause = 200 * time.Millisecond

func newProgress(out io.Writer, what string) *progress {
	return &progress{out: out, what: what, begun: time.Now()}
}

func (p *progress) show(done, total uint64) {
	if now := time.Now(); done == total || now.Sub(p.shown) >= progressPause {
		p.shown = now
		fmt.Fprintf(p.out, "\r\x1b[K%s", progressLine(p.what, done, total, now.Sub(p.begun)))
	}
}

// end leaves the last line as it is.
func (p *progress) end() {
	if !p.shown.IsZero() {
		fmt.Fprintln(p.out)
	}
}

// progressLine is what is shown: how much, how fast, and how long it may still
// take.
func progressLine(what string, done, total uint64, taken time.Duration) string {
	line := fmt.Sprintf("fees: %d of %d %s", done, total, what)
	if done == 0 || taken <= 0 {
		return line
	}
	rate := float64(done) / taken.Seconds()
	line += fmt.Sprintf(", %.1f a second", rate)
	if done < total {
		left := time.Duration(float64(total-done) / rate * float64(time.Second))
		line += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return line
}
