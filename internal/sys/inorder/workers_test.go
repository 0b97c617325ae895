package inorder_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/inorder"
)

// TestWorkers wants as many goroutines as there were things to do at once, that all is
// done when Wait returns, and that the workers can be used again.
func TestWorkers(t *testing.T) {
	const atOnce = 3
	var workers inorder.Workers
	workers.Wait() // of none
	for range 2 {
		before := runtime.NumGoroutine()
		var done atomic.Int64
		release := make(chan struct{})
		for range atOnce {
			workers.Go(func() { <-release; done.Add(1) })
		}
		require.Equal(t, before+atOnce, runtime.NumGoroutine())
		close(release)
		workers.Wait()
		require.Equal(t, int64(atOnce), done.Load())
		for range 1000 { // they end a moment later than they say
			if runtime.NumGoroutine() == before {
				break
			}
			time.Sleep(time.Millisecond)
		}
		require.Equal(t, before, runtime.NumGoroutine())
	}
}
