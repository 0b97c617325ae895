package httpclient_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/feeledger/fees/internal/httpclient"
)

// asks16 asks so many questions, 16 at once, of a place that refuses some. It tells how long
// that took, and which share of them was refused.
func asks16(t *testing.T, questions int, o httpclient.Options, refuses func() bool) (taken time.Duration, refused float64) {
	t.Helper()
	o.Concurrency = 16
	c, err := httpclient.New(httpclient.Node, "http://127.0.0.1:1", o, "http")
	require.NoError(t, err)
	c.Reached()
	began, asked, said := time.Now(), 0, 0
	var guard sync.Mutex
	attempt := func(context.Context) error {
		time.Sleep(10 * time.Millisecond)
		guard.Lock()
		defer guard.Unlock()
		if asked++; !refuses() {
			return nil
		}
		said++
		return &httpclient.StatusError{Place: c.Place(), Code: http.StatusTooManyRequests}
	}
	var all sync.WaitGroup
	next := make(chan bool)
	for range 16 {
		all.Go(func() {
			for range next {
				if err := c.Ask(context.Background(), attempt); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range questions {
		next <- true
	}
	close(next)
	all.Wait()
	return time.Since(began), float64(said) / float64(asked)
}

// A place that allows a number of questions in a second is soon asked not many more.
func TestTooMany(t *testing.T) {
	for name, allowed := range map[string]*rate.Limiter{
		"evenly":       rate.NewLimiter(50, 1),
		"some at once": rate.NewLimiter(50, 100),
		"few":          rate.NewLimiter(5, 5),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				questions := int(60 * allowed.Limit())
				taken, refused := asks16(t, questions, httpclient.Options{}, func() bool { return !allowed.Allow() })
				t.Logf("%v, %.3f refused", taken, refused)
				require.Less(t, taken, 2*time.Minute, "60 seconds are what it takes at least")
				require.Less(t, refused, 0.25)
			})
		})
	}
}

// Where what is refused has nothing to do with how much is asked, all is asked at the speed
// that there is.
func TestRefusedAtRandom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dice := rand.New(rand.NewPCG(4, 10))
		refuses := func() bool { return dice.IntN(10) < 4 }
		taken, _ := asks16(t, 5000, httpclient.Options{RetryWait: time.Millisecond}, refuses)
		t.Logf("%v", taken)
		require.Less(t, taken, 10*time.Second, "5.2 seconds are what it takes without any pause")
	})
}

// Each question of a request counts.
func TestQuestionsOfARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := httpclient.New(httpclient.Node, "http://127.0.0.1:1", httpclient.Options{RPS: 10}, "http")
		require.NoError(t, err)
		began := time.Now()
		for range 5 {
			require.NoError(t, c.AskAll(context.Background(), 20, func(context.Context) error { return nil }))
		}
		require.InDelta(t, 10, time.Since(began).Seconds(), 0.2)
	})
}

// After a place has refused everything for some seconds, it is soon asked as much as before, also in messages of many
// requests.
func TestRefusedForSomeSeconds(t *testing.T) {
	for name, questions := range map[string]int{"one each": 1, "many each": 50} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, err := httpclient.New(httpclient.Node, "http://127.0.0.1:1", httpclient.Options{Concurrency: 16}, "http")
				require.NoError(t, err)
				c.Reached()
				began := time.Now()
				var answered [60]atomic.Int64 // by second
				attempt := func(context.Context) error {
					time.Sleep(100 * time.Millisecond)
					at := int(time.Since(began).Seconds())
					if 10 <= at && at < 15 {
						return &httpclient.StatusError{Place: c.Place(), Code: http.StatusTooManyRequests}
					}
					answered[min(at, 59)].Add(1)
					return nil
				}
				var all sync.WaitGroup
				for range 16 {
					all.Go(func() {
						for time.Since(began) < time.Minute {
							if c.AskAll(httpclient.Briefly(context.Background()), questions, attempt) != nil {
								time.Sleep(time.Second)
							}
						}
					})
				}
				all.Wait()
				var list []int64
				for i := range answered {
					list = append(list, answered[i].Load())
				}
				t.Log(list)
				require.InDelta(t, 160, answered[5].Load(), 1)
				require.GreaterOrEqual(t, answered[45].Load(), int64(80), "half a minute after the refusals")
			})
		})
	}
}
