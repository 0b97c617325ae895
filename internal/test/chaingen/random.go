package chaingen

import "math/bits"

// random is a sequence of numbers: SplitMix64.
type random uint64

// topic is a purpose of random numbers, so that no two purposes share them.
type topic uint64

const (
	forBlockHash topic = iota + 1
	forStateRoot
	_ // unused; the ones below keep their numbers, and the chains their transactions
	forHour
	forBlock
	forTransaction
	forAccount
	forInherent
	forRound
	forEthereumHash
	forHolder
	forCode
)

const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio

// random returns the sequence for the nth item of a topic.
func (c *Chain) random(of topic, n uint64) random {
	return random(mix(mix(mix(c.options.Seed)+uint64(of)*golden) + n*golden))
}

func (r *random) next() uint64 {
	*r += golden
	return mix(uint64(*r))
}

// below returns a number from 0 to n-1.
func (r *random) below(n uint64) uint64 {
	high, _ := bits.Mul64(r.next(), n)
	return high
}

// between returns a number from a to b, both included.
func (r *random) between(a, b uint64) uint64 { return a + r.below(b-a+1) }

// oneIn returns true once in n times.
func (r *random) oneIn(n uint64) bool { return r.below(n) == 0 }

// fill fills p with random bytes.
func (r *random) fill(p []byte) {
	for len(p) > 0 {
		n := r.next()
		for i := range min(8, len(p)) {
			p[i] = byte(n >> (8 * i))
		}
		p = p[min(8, len(p)):]
	}
}

func (r *random) word() (w [32]byte) {
	r.fill(w[:])
	return w
}

// mix spreads each bit of z over all bits.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
