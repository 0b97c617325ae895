package inorder_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/inorder"
)

// TestOrder wants the results in the order of the items, though the later ones are done
// first, and never more at work than asked for.
func TestOrder(t *testing.T) {
	const items, size = 50, 4
	var working, most atomic.Int64
	work := func(i int) int {
		n := working.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(time.Duration(items-i) * 10 * time.Microsecond)
		working.Add(-1)
		return i * i
	}
	var numbers, want []int
	for i := range items {
		numbers, want = append(numbers, i), append(want, i*i)
	}
	got := slices.Collect(inorder.Map(slices.Values(numbers), size, work))
	require.Equal(t, want, got)
	require.LessOrEqual(t, most.Load(), int64(size))
	require.Greater(t, most.Load(), int64(1), "nothing was done at the same time")
}

// TestStop wants that whoever stops taking results waits for what was begun, and that no
// more is begun.
func TestStop(t *testing.T) {
	var begun, ended atomic.Int64
	endless := func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	}
	for result := range inorder.Map(endless, 3, func(i int) int {
		begun.Add(1)
		defer ended.Add(1)
		return i
	}) {
		if result == 5 {
			break
		}
	}
	require.Equal(t, begun.Load(), ended.Load())
	require.LessOrEqual(t, begun.Load(), int64(8))
}

// TestWeighed wants no more weight in the making than allowed, but for a single item that
// is heavier, and the order of the items.
func TestWeighed(t *testing.T) {
	weights := []int{1, 1, 1, 9, 1, 25, 1, 1, 30, 30, 5, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	const size, most = 6, 10
	var now, count, mostAtOnce atomic.Int64
	work := func(weight int) int {
		if n, sum := count.Add(1), now.Add(int64(weight)); n > 1 && sum > most {
			t.Errorf("%d at once weigh %d", n, sum)
		}
		mostAtOnce.Store(max(mostAtOnce.Load(), count.Load()))
		time.Sleep(time.Millisecond)
		now.Add(-int64(weight))
		count.Add(-1)
		return weight
	}
	got := slices.Collect(inorder.Weighed(slices.Values(weights), size, most, func(weight int) int { return weight }, work))
	require.Equal(t, weights, got)
	require.Equal(t, int64(size), mostAtOnce.Load(), "light items are worked on together")
}
