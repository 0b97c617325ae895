package app

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// The producer blocks while the load exceeds the limit, and never after the limit is lifted.
func TestLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoad(10)
		passed := 0
		var adding sync.WaitGroup
		adding.Go(func() {
			for _, n := range []int{4, 6, 1, 25, 3, 30, 30} {
				l.add(n)
				passed++
			}
		})
		for _, step := range []struct{ take, passed int }{{0, 2}, {1, 3}, {1, 3}, {25, 4}, {9, 5}} {
			l.take(step.take)
			synctest.Wait()
			require.Equal(t, step.passed, passed)
		}
		l.lift()
		adding.Wait()
		require.Equal(t, 7, passed)
	})
}
