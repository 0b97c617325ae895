package endpoints

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
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := readExtrinsic(ctx, "-", stdin)
	require.ErrorIs(t, err, context.Canceled)
}
