package simulation

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/feeledger/fees/internal/httpclient"
)

// dice are drawn from for one purpose. What they give depends on the seed and on the purpose
// alone, and not on what was drawn for others before: goroutines may come in any order.
type dice struct{ *rand.Rand }

// roll are the dice of a seed for a purpose.
func roll(seed uint64, purpose ...any) dice {
	h := fnv.New64a()
	fmt.Fprintln(h, purpose...)
	return dice{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

// chance is true so many times of a thousand.
func (d dice) chance(perMille int) bool { return d.IntN(1000) < perMille }

// between is a number from low to high, both included.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// time is a duration from low to high, to the nanosecond: no two things happen at one time.
func (d dice) time(low, high time.Duration) time.Duration {
	return low + time.Duration(d.Int64N(int64(high-low)+1))
}

// pick is one of a list.
func pick[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

func init() {
	httpclient.Jitter = func(most time.Duration) time.Duration { // the clock is the world's
		return roll(uint64(time.Now().UnixNano()), "jitter").time(0, most)
	}
}
