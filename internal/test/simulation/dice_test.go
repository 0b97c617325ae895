package simulation

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/feeledger/fees/internal/httpclient"
)

// dice are random values for one purpose. They depend only on the seed and the purpose, not on other draws, because
// goroutines run in any order.
type dice struct{ *rand.Rand }

// roll returns the dice of a seed for a purpose.
func roll(seed uint64, purpose ...any) dice {
	h := fnv.New64a()
	fmt.Fprintln(h, purpose...)
	return dice{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

// chance is true with the given probability per thousand.
func (d dice) chance(perMille int) bool { return d.IntN(1000) < perMille }

// between returns a number from low to high, inclusive.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// time returns a duration from low to high, to the nanosecond, so that no two events coincide.
func (d dice) time(low, high time.Duration) time.Duration {
	return low + time.Duration(d.Int64N(int64(high-low)+1))
}

// pick returns an element of a list.
func pick[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

func init() {
	httpclient.Jitter = func(limit time.Duration) time.Duration { // the clock is the world's
		return roll(uint64(time.Now().UnixNano()), "jitter").time(0, limit)
	}
}
