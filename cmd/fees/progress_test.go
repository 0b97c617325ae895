package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProgressLine(t *testing.T) {
	for want, line := range map[string]string{
		"fees: 0 of 500 blocks":                                progressLine("blocks", 0, 500, time.Second),
		"fees: 1 of 500 blocks":                                progressLine("blocks", 1, 500, 0),
		"fees: 100 of 500 blocks, 50.0 a second, 8s left":      progressLine("blocks", 100, 500, 2*time.Second),
		"fees: 10 of 86410 blocks, 0.5 a second, 48h0m0s left": progressLine("blocks", 10, 86410, 20*time.Second),
		"fees: 500 of 500 blocks, 50.0 a second":               progressLine("blocks", 500, 500, 10*time.Second),
	} {
		require.Equal(t, want, line)
	}
}

// Not every step makes a line, but the last one does.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, "blocks")
	p.end()
	require.Empty(t, out.String())
	for done := uint64(1); done <= 1000; done++ {
		p.show(done, 1000)
	}
	p.end()
	require.Less(t, bytes.Count(out.Bytes(), []byte("\r")), 50)
	require.Contains(t, out.String(), "fees: 1000 of 1000 blocks")
}
