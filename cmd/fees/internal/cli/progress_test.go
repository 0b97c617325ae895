package cli

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func TestProgressLine(t *testing.T) {
	for want, line := range map[string]string{
		"fees: 0 of 500 blocks":                                  progressLine("blocks", 0, 500, 0),
		"fees: 100 of 500 blocks, 50.0 per second, 8s left":      progressLine("blocks", 100, 500, 50),
		"fees: 10 of 86410 blocks, 0.5 per second, 48h0m0s left": progressLine("blocks", 10, 86410, 0.5),
		"fees: 500 of 500 blocks, 50.0 per second":               progressLine("blocks", 500, 500, 50),
		"fees: 1 of 4000000000 blocks, 0.0 per second":           progressLine("blocks", 1, 4000000000, 0.001),
	} {
		require.Equal(t, want, line)
	}
}

// Not every step makes a line, but the last one does.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := &Progress{screen: NewScreen(&out, &out), what: "blocks"}
	p.End()
	require.Empty(t, out.String())
	for done := uint64(1); done <= 1000; done++ {
		p.Show(done, 1000)
	}
	p.End()
	require.Less(t, bytes.Count(out.Bytes(), []byte("\r")), 50)
	require.Contains(t, out.String(), "fees: 1000 of 1000 blocks")
}

// The rate is that of the last half minute: not of what was there at the start.
func TestProgressRate(t *testing.T) {
	begun := time.Now()
	p := &Progress{samples: []sample{{at: begun}}}
	at := func(seconds int, done uint64) float64 {
		return p.rate(sample{begun.Add(time.Duration(seconds) * time.Second), done})
	}
	require.Zero(t, at(0, 0))
	require.Equal(t, 90000.0, at(1, 90000), "all that was there already")
	require.Equal(t, 9008.0, at(10, 90080))
	at(30, 90240)
	require.Equal(t, 8.0, at(35, 90280), "from the 10th second on")
	require.Zero(t, at(36, 90080), "work was repeated")
}

// What has no measure, and what has no end: one line that is written over.
func TestProgressOfSteps(t *testing.T) {
	var out bytes.Buffer
	p := &Progress{screen: NewScreen(&out, &out), what: "blocks", samples: []sample{{at: time.Now()}}}
	p.say("making the look-up transactions_by_hash")
	p.End()
	require.Equal(t, "\r\x1b[Kfees: making the look-up transactions_by_hash\r\x1b[K", out.String())
	out.Reset()
	p.Lag(90, 100)
	p.Lag(91, 100) // at once: not shown
	p.Lag(100, 100)
	p.End()
	require.Equal(t, 3, bytes.Count(out.Bytes(), []byte("\r")), "two lines, and the end of them")
	require.Contains(t, out.String(), "fees: block 90, 10 behind")
	require.Contains(t, out.String(), "fees: block 100, 0 behind")
}

// Only a person at a terminal is told.
func TestProgressIsForTerminals(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, "blocks", false)
	p.Show(1, 1)
	p.say("a step")
	p.Lag(1, 1)
	p.End()
	require.Empty(t, out.String())
}

// What is written at a terminal begins where the line of progress stood, whichever of the two
// outputs it goes to.
func TestProgressIsErased(t *testing.T) {
	var terminal bytes.Buffer
	screen := NewScreen(&terminal, &terminal)
	p := NewProgress(screen.Stderr, "blocks", false)
	p.silent = false
	for _, out := range []io.Writer{screen.Stdout, screen.Stderr} {
		terminal.Reset()
		p.Show(10, 10)
		fmt.Fprintln(out, "Fees of January")
		fmt.Fprintln(out, "1.25 GLMR")
		p.End()
		require.Regexp(t, `^\r\x1b\[Kfees: 10 of 10 blocks[^\r\n]*\r\x1b\[KFees of January\n1.25 GLMR\n$`, terminal.String())
	}
}

// The message after Ctrl-C contains the progress even if none was shown.
func TestStopped(t *testing.T) {
	var out bytes.Buffer
	screen := NewScreen(&out, &out)
	c := &cobra.Command{}
	c.SetErr(screen.Stderr)
	require.Equal(t, "stopped", Stopped(c))
	p := NewProgress(screen.Stderr, "blocks", true)
	p.Show(4000, 10000)
	p.End()
	require.Equal(t, "stopped after 4000 of 10000 blocks", Stopped(c))
	Resumes(c)
	require.Equal(t, "stopped after 4000 of 10000 blocks; run it again to continue", Stopped(c))
	p.Show(10000, 10000)
	require.Equal(t, "stopped; run it again to continue", Stopped(c), "the task was complete")
	require.Empty(t, out.String())
}
