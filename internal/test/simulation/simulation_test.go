package simulation

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"
)

// TestMain removes the ledgers of all worlds.
func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(room())
	os.Exit(code)
}

// TestHistories runs the histories of some seeds.
func TestHistories(t *testing.T) {
	quietBooks(t)
	first, seeds := tier.Count[uint64](t, "FEES_SEED_FROM", 1, 1), tier.Count[uint64](t, "FEES_SEEDS", 1, 6)
	if os.Getenv("FEES_SEED") != "" {
		first, seeds = tier.Count[uint64](t, "FEES_SEED", 0, 0), 1
	}
	var next atomic.Uint64
	var sum counts
	var mu sync.Mutex
	began := time.Now()
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for !t.Failed() {
				i := next.Add(1) - 1
				if i >= seeds {
					return
				}
				seed := first + i
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					w := history(t, seed)
					mu.Lock()
					defer mu.Unlock()
					sum.add(&w.seen)
				})
				if (i+1)%500 == 0 {
					fmt.Fprintf(os.Stderr, "%d seeds, %v\n", i+1, time.Since(began).Round(time.Second))
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d seeds from %d on in %v: %+v", seeds, first, time.Since(began).Round(time.Millisecond), sum)
}

func (c *counts) add(other *counts) {
	c.runs += other.runs
	c.deaths += other.deaths
	c.replaced += other.replaced
	c.faults += other.faults
	c.refused += other.refused
	c.spoiled += other.spoiled
	c.acts += other.acts
	c.lies += other.lies
}

// quietBooks creates the ledgers of quiet runs.
func quietBooks(t *testing.T) {
	laidOut()
	for _, s := range stories() {
		synctest.Test(t, func(t *testing.T) {
			_, err := s.quiet()
			require.NoError(t, err)
		})
	}
}

// TestTheSameSeedIsTheSameHistory checks that a history repeats identically, to the nanosecond and in the same order.
// Seeds 1 and 2 have gateways.
func TestTheSameSeedIsTheSameHistory(t *testing.T) {
	quietBooks(t)
	first := tier.Count[uint64](t, "FEES_SEED", 1, 1)
	for seed := first; seed < first+2/uint64(tier.Step(2)); seed++ {
		require.Equal(t, strings.Join(history(t, seed).trace, "\n"), strings.Join(history(t, seed).trace, "\n"))
	}
}

// history runs the history of a seed.
func history(t *testing.T, seed uint64) *world {
	directory := filepath.Join(room(), fmt.Sprint("seed-", seed))
	defer os.RemoveAll(directory)
	w := newWorld(seed, directory)
	synctest.Test(t, func(t *testing.T) {
		err := w.lives()
		if err != nil {
			t.Errorf("%s\nseed %d: %v\nFEES_SEED=%d go test ./internal/simulation -run TestHistories -v", strings.Join(w.trace, "\n"), seed, err, seed)
		}
	})
	return w
}
