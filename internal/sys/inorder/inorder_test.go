package inorder_test

import (
	"context"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/inorder"
)

// endless are the numbers from 0 on.
func endless(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

// TestOrder wants the results in the order of the items, though the later ones are done
// first, and as many at work as asked for, never more.
func TestOrder(t *testing.T) {
	const items, size = 50, 4
	synctest.Test(t, func(t *testing.T) {
		var working, most atomic.Int64
		work := func(_ context.Context, i int) int {
			most.Store(max(most.Load(), working.Add(1)))
			time.Sleep(time.Duration(items-i) * time.Second)
			working.Add(-1)
			return i * i
		}
		var numbers, want []int
		for i := range items {
			numbers, want = append(numbers, i), append(want, i*i)
		}
		got := slices.Collect(inorder.Map(t.Context(), slices.Values(numbers), size, work))
		require.Equal(t, want, got)
		require.Equal(t, int64(size), most.Load())
	})
}

// TestWorkWhileUsed wants size items worked on while a result is used, and no more.
func TestWorkWhileUsed(t *testing.T) {
	const size = 3
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int64
		for result := range inorder.Map(t.Context(), endless, size, func(_ context.Context, i int) int {
			begun.Add(1)
			return i
		}) {
			time.Sleep(time.Hour)
			require.Equal(t, int64(result+1+size), begun.Load())
			if result == 20 {
				break
			}
		}
	})
}

// TestStop checks that stopping early cancels the rest, then waits for
// it, and that no more is begun. The work ends by being cancelled, and by nothing else.
func TestStop(t *testing.T) {
	const size = 3
	for name, run := range map[string]func(ctx context.Context, items iter.Seq[int], work func(context.Context, int) int) iter.Seq[int]{
		"Map": func(ctx context.Context, items iter.Seq[int], work func(context.Context, int) int) iter.Seq[int] {
			return inorder.Map(ctx, items, size, work)
		},
		"Weighed": func(ctx context.Context, items iter.Seq[int], work func(context.Context, int) int) iter.Seq[int] {
			return inorder.Weighed(ctx, items, size, size, func(int) int { return 1 }, work)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var begun, ended, itemsEnded atomic.Int64
			items := func(yield func(int) bool) {
				defer itemsEnded.Add(1)
				endless(yield)
			}
			for result := range run(t.Context(), items, func(ctx context.Context, i int) int {
				begun.Add(1)
				defer ended.Add(1)
				if i > 5 {
					<-ctx.Done()
					time.Sleep(time.Minute) // it takes its time to end
				}
				return i
			}) {
				if result == 5 {
					break
				}
			}
			require.Equal(t, int64(6+size), begun.Load(), name)
			require.Equal(t, begun.Load(), ended.Load(), "%s: it did not wait", name)
			require.Equal(t, int64(1), itemsEnded.Load(), name)
		})
	}
}

// TestPanic wants that all that was begun has ended, too, where whoever takes the results
// panics.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int64
		require.Panics(t, func() {
			for range inorder.Map(t.Context(), endless, 3, func(ctx context.Context, i int) int {
				running.Add(1)
				defer running.Add(-1)
				if i > 0 {
					<-ctx.Done()
				}
				return i
			}) {
				panic("it was too much")
			}
		})
		require.Zero(t, running.Load())
	})
}

// TestCancelled wants that the end of the caller's context reaches the work.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := slices.Collect(inorder.Map(ctx, slices.Values([]int{1, 2, 3}), 2, func(ctx context.Context, _ int) error { return ctx.Err() }))
	require.Equal(t, []error{context.Canceled, context.Canceled, context.Canceled}, got)
}

// TestNothing wants nothing of no items, and one item at a time where fewer are asked for.
func TestNothing(t *testing.T) {
	work := func(_ context.Context, i int) int { return i }
	require.Empty(t, slices.Collect(inorder.Map(t.Context(), slices.Values([]int{}), 3, work)))
	require.Equal(t, []int{7, 8}, slices.Collect(inorder.Map(t.Context(), slices.Values([]int{7, 8}), 0, work)))
}

// TestWeighed checks that no more weight than allowed is in progress, except a single item that
// is heavier, and the order of the items.
func TestWeighed(t *testing.T) {
	weights := []int{1, 1, 1, 9, 1, 25, 1, 1, 30, 30, 5, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	const size, maxWeight = 6, 10
	synctest.Test(t, func(t *testing.T) {
		var now, count, most atomic.Int64
		work := func(_ context.Context, weight int) int {
			if n, sum := count.Add(1), now.Add(int64(weight)); n > 1 && sum > maxWeight {
				t.Errorf("%d at once weigh %d", n, sum)
			}
			most.Store(max(most.Load(), count.Load()))
			time.Sleep(time.Second)
			now.Add(-int64(weight))
			count.Add(-1)
			return weight
		}
		got := slices.Collect(inorder.Weighed(t.Context(), slices.Values(weights), size, maxWeight, func(weight int) int { return weight }, work))
		require.Equal(t, weights, got)
		require.Equal(t, int64(size), most.Load(), "light items are worked on together")
	})
}
