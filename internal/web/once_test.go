package web

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/table"
)

// Concurrent requests share one computation, which is cached for later ones.
func TestOnce(t *testing.T) {
	o := newOnce(10, func(text string) int { return len(text) })
	var made atomic.Int64
	begin := make(chan struct{})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			value, err := o.get(t.Context(), time.Minute, "a", func(context.Context) (string, bool, error) {
				<-begin
				made.Add(1)
				return "alpha", true, nil
			})
			if err != nil || value != "alpha" {
				t.Errorf("%q, %v", value, err)
			}
		})
	}
	waiting := func() int {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		if m := o.making["a"]; m != nil {
			return m.waiting
		}
		return 0
	}
	for waiting() < 20 {
		time.Sleep(time.Millisecond)
	}
	close(begin)
	all.Wait()
	require.EqualValues(t, 1, made.Load())
	kept, found := o.find("a")
	require.True(t, found)
	require.Equal(t, "alpha", kept)
	_, err := o.get(t.Context(), time.Minute, "a", func(context.Context) (string, bool, error) { t.Fatal("it is kept"); return "", false, nil })
	require.NoError(t, err)

	// What is not for good is not kept, nor is an error; a panic is an error.
	for _, c := range []struct {
		make func(context.Context) (string, bool, error)
		want string
	}{
		{func(context.Context) (string, bool, error) { return "b", false, nil }, ""},
		{func(context.Context) (string, bool, error) { return "", true, errors.New("broken") }, "broken"},
		{func(context.Context) (string, bool, error) { panic("oh") }, "internal error: oh"},
	} {
		_, err := o.get(t.Context(), time.Minute, "b", c.make)
		if c.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.want)
		}
		_, found := o.find("b")
		require.False(t, found)
	}

	// The oldest goes first, and what is too large at once.
	o.add("c", "gamma")
	_, found = o.find("a")
	require.True(t, found)
	o.add("d", "d")
	_, found = o.find("c")
	require.False(t, found, "a was asked for later")
	o.add("e", strings.Repeat("e", 11))
	require.Zero(t, o.size)
	o.add("f", "f")
	o.add("f", "ff")
	require.Equal(t, 2, o.size)
}

// A computation without waiting requests is cancelled; the next request starts it again.
func TestOnceGivenUp(t *testing.T) {
	o := newOnce(10, func(string) int { return 1 })
	ctx, leave := context.WithCancel(t.Context())
	working, given := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := o.get(ctx, time.Minute, "a", func(own context.Context) (string, bool, error) {
			close(working)
			<-own.Done()
			given <- own.Err()
			return "", false, own.Err()
		})
		given <- err
	}()
	<-working
	leave()
	require.ErrorIs(t, <-given, context.Canceled)
	require.ErrorIs(t, <-given, context.Canceled)
	value, err := o.get(t.Context(), time.Minute, "a", func(context.Context) (string, bool, error) { return "again", true, nil })
	require.NoError(t, err)
	require.Equal(t, "again", value)

	// One that began long before ends for who came late, too: it is made once more.
	tries := 0
	value, err = o.get(t.Context(), time.Minute, "late", func(context.Context) (string, bool, error) {
		if tries++; tries == 1 {
			return "", false, fmt.Errorf("the ledger: %w", context.DeadlineExceeded)
		}
		return "in time", true, nil
	})
	require.NoError(t, err)
	require.Equal(t, "in time", value)
	require.Equal(t, 2, tries)
}

// A page has its rows, from any row on, in any order.
func TestRows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var all [][]any
	for range 1234 {
		all = append(all, []any{strings.Repeat("é\x00x", random.IntN(5)), random.IntN(50)})
	}
	read := func(l listing) (*rows, error) {
		return readRows(&table.Sheet{
			Name: "x", Title: "a title", Columns: []table.Column{{Name: "what", Kind: table.Text}, {Name: "count", Kind: table.Integer, Total: true}},
			Rows: func(yield func([]any, error) bool) {
				for _, row := range all {
					if !yield(row, nil) {
						return
					}
				}
			},
		}, l, nil)
	}
	rising, falling := slices.Clone(all), slices.Clone(all)
	slices.SortStableFunc(rising, func(a, b []any) int { return a[1].(int) - b[1].(int) })
	slices.SortStableFunc(falling, func(a, b []any) int { return b[1].(int) - a[1].(int) })
	for sort, want := range map[string][][]any{"": all, "count": rising, "-count": falling} {
		for _, after := range []int{0, 1, 99, 100, 101, 500, 1150, 1233, 1234, 5000} {
			r, err := read(listing{Sort: sort, After: after})
			require.NoError(t, err)
			require.Equal(t, len(all), r.count)
			require.Len(t, r.page, max(0, min(pageRows, len(all)-after)))
			for i, row := range r.page {
				require.Equal(t, want[after+i][0], row[0].Exact())
				require.Equal(t, fmt.Sprint(want[after+i][1]), row[1].Exact())
			}
		}
	}
	_, err := read(listing{Sort: "nothing"})
	require.ErrorContains(t, err, "is not a column")
}
