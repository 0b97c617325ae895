package chaingen

import (
	"math/bits"

	"github.com/feeledger/fees/chain"
)

// one is the multiplier 1, as a FixedU128.
const one = 1_000_000_000_000_000_000

// The figures of runtimes 2302 to 2600 (network/tables/moonbeam.json). They stand
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
	hash         chain.Hash
	balances     *balances // nil where the chain is not rooted
}

// page has the states after a thousand blocks, the first of which are worked out.
type page struct {
	made   uint64
	states [pageSize]state
}

// history is what was worked out of the states: that of every thousandth height, as
// far as anybody has asked, and the pages that were asked for last.
type history struct {
	checkpoints []state
	pages       map[uint64]*page
	order       []uint64 // of the pages, the oldest first
}

// storedMultiplier is the multiplier that the block at a height stored.
func (c *Chain) storedMultiplier(height uint64) uint64 { return c.state(height).multiplier }

// state is that after the block at a height.
func (c *Chain) state(height uint64) state {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.page(height / pageSize)
	c.extend(p, height/pageSize, height%pageSize)
	return p.states[height%pageSize]
}

// page is the nth page, of which the first state is there at least.
func (c *Chain) page(n uint64) *page {
	if p := c.pages[n]; p != nil {
		return p
	}
	for at := uint64(len(c.checkpoints)) - 1; at < n; at++ {
		p := c.pages[at]
		if p == nil {
			p = newPage(c.checkpoints[at])
		}
		c.extend(p, at, pageSize-1)
		c.checkpoints = append(c.checkpoints, c.after(p.states[pageSize-1], (at+1)*pageSize))
	}
	if len(c.order) == keptPages {
		delete(c.pages, c.order[0])
		c.order = append(c.order[:0], c.order[1:]...)
	}
	p := newPage(c.checkpoints[n])
	c.pages[n] = p
	c.order = append(c.order, n)
	return p
}

func newPage(first state) *page {
	p := &page{made: 1}
	p.states[0] = first
	return p
}

// extend works the nth page out up to its ith state.
func (c *Chain) extend(p *page, n, i uint64) {
	for ; p.made <= i; p.made++ {
		p.states[p.made] = c.after(p.states[p.made-1], n*pageSize+p.made)
	}
}

// first is the state after block 0.
func (c *Chain) first() state {
	s := state{multiplier: firstMultiplier}
	if c.options.Rooted {
		s.balances = firstBalances()
	}
	s.hash = c.make(0, s).hash
	return s
}

// after is the state after the block at a height, given the one before.
func (c *Chain) after(before state, height uint64) state {
	b := c.make(height, before)
	_, n := c.transactions(height)
	return state{b.multiplier, before.transactions + uint64(n), b.hash, b.balances}
}

// baseFee is what gas costs at least in a block: by the multiplier that its parent stored.
func (c *Chain) baseFee(parent state) uint64 {
	return mulDiv(parent.multiplier, c.network.BaseFeeConstant, one)
}
