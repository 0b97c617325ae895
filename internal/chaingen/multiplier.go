package chaingen

import "math/bits"

// one is the multiplier 1, as a FixedU128.
const one = 1_000_000_000_000_000_000

// The figures of runtimes 2302 to 2501 (network/tables/moonbeam.json). They stand
// here once more, and so does the formula, so that a block proves network's.
const (
	firstMultiplier = 8 * one // what Moonbeam began with
	leastMultiplier = one
	adjustment      = 4_000_000_000_000_000
	halfSquare      = 8_000_000_000_000 // adjustment² / 2
)

// mul is the product of two FixedU128. It panics where that has more than 64 bits:
// the chain's multiplier begins at 8 and does not come near 18.
func mul(a, b uint64) uint64 { return mulDiv(a, b, one) }

// mulDiv is floor(a × b / divisor), and panics as [mul] does.
func mulDiv(a, b, divisor uint64) uint64 {
	high, low := bits.Mul64(a, b)
	quotient, _ := bits.Div64(high, low, divisor)
	return quotient
}

// nextMultiplier is what a block stores whose parent stored previous, where class Normal
// may use most. The target is a quarter of that.
func nextMultiplier(previous, refTime, most uint64) uint64 {
	refTime = min(refTime, most)
	target := most / 4
	if refTime < target {
		diff := mulDiv(target-refTime, one, most)
		change := mul(adjustment, diff) - mul(halfSquare, mul(diff, diff))
		return max(previous-mul(change, previous), leastMultiplier)
	}
	diff := mulDiv(refTime-target, one, most)
	change := mul(adjustment, diff) + mul(halfSquare, mul(diff, diff))
	return previous + mul(change, previous)
}

const (
	pageSize  = 1000 // heights
	keptPages = 64
)

// state is what the blocks up to a height add up to.
type state struct {
	multiplier   uint64 // that the block stored
	transactions uint64 // of all of them
}

// page has the states after a thousand blocks.
type page [pageSize]state

// history is what was worked out of the states: that of every thousandth height, as
// far as anybody has asked, and the pages that were asked for last.
type history struct {
	checkpoints []state
	pages       map[uint64]*page
	order       []uint64 // of the pages, the oldest first
}

func newHistory() history {
	return history{checkpoints: []state{{multiplier: firstMultiplier}}, pages: map[uint64]*page{}}
}

// stored is the multiplier that the block at a height stored.
func (c *Chain) stored(height uint64) uint64 { return c.state(height).multiplier }

// state is that after the block at a height.
func (c *Chain) state(height uint64) state {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := height / pageSize
	p := c.pages[n]
	if p == nil {
		p = c.page(n)
		if len(c.order) == keptPages {
			delete(c.pages, c.order[0])
			c.order = append(c.order[:0], c.order[1:]...)
		}
		c.pages[n] = p
		c.order = append(c.order, n)
	}
	return p[height%pageSize]
}

// page works out the nth page, and all checkpoints up to the one after it.
func (c *Chain) page(n uint64) *page {
	var p page
	for at := min(n, uint64(len(c.checkpoints))-1); at <= n; at++ {
		p[0] = c.checkpoints[at]
		first := at * pageSize
		for i := uint64(1); i < pageSize; i++ {
			p[i] = c.after(p[i-1], first+i)
		}
		if at+1 == uint64(len(c.checkpoints)) {
			c.checkpoints = append(c.checkpoints, c.after(p[pageSize-1], first+pageSize))
		}
	}
	return &p
}

// after is the state after the block at a height, given the one before.
func (c *Chain) after(before state, height uint64) state {
	n, refTime := c.load(height)
	return state{nextMultiplier(before.multiplier, refTime, c.network.NormalRefTime), before.transactions + uint64(n)}
}

// baseFee is what gas costs at least in a block: by the multiplier that its parent
// stored.
func (c *Chain) baseFee(height uint64) uint64 {
	return mulDiv(c.stored(max(height, 1)-1), c.network.BaseFeeConstant, one)
}
