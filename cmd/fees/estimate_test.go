package main

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ctrl-C ends the wait for an extrinsic on standard input.
func TestEstimateStopped(t *testing.T) {
	stdin, typed := io.Pipe()
	defer typed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root := newRoot(io.Discard, io.Discard)
	root.SetIn(stdin)
	root.SetArgs([]string{"estimate", "--extrinsic", "-", "--node", "ws://127.0.0.1:1"})
	require.ErrorIs(t, root.ExecuteContext(ctx), context.Canceled)
}
