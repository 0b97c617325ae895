package chaingen

import (
	"math/bits"

	"github.com/feeledger/fees/chain"
)

// one is the multiplier 1, as a FixedU128.
const one = 1_000_000_000_000_000_000

// The figures of runtimes 2302 to 2600 (network/tables/moonbeam.json). They are repeated here, and so is the
// formula, so that a block tests package rule's.
const (
	firstMultiplier = 8 * one // Moonbeam's initial value
	leastMultiplier = one
	adjustment      = 4_000_000_000_000_000
	halfSquare      = 8_000_000_000_000 // adjustment² / 2
)

// mul returns the product of two FixedU128. It panics above 64 bits: the chain's multiplier starts at 8 and
// stays well below 18.
func mul(a, b uint64) uint64 { return mulDiv(a, b, one) }

// mulDiv returns floor(a × b / divisor), and panics like [mul].
func mulDiv(a, b, divisor uint64) uint64 {
	high, low := bits.Mul64(a, b)
	quotient, _ := bits.Div64(high, low, divisor)
	return quotient
}

// nextMultiplier returns the multiplier that a block stores if its parent stored previous and class Normal may
// use limit. The target is a quarter of limit.
func nextMultiplier(previous, refTime, limit uint64) uint64 {
	refTime = min(refTime, limit)
	target := limit / 4
	if refTime < target {
		diff := mulDiv(target-refTime, one, limit)
		change := mul(adjustment, diff) - mul(halfSquare, mul(diff, diff))
		return max(previous-mul(change, previous), leastMultiplier)
	}
	diff := mulDiv(refTime-target, one, limit)
	change := mul(adjustment, diff) + mul(halfSquare, mul(diff, diff))
	return previous + mul(change, previous)
}

const (
	pageSize  = 1000 // heights
	keptPages = 64
)

// state is the accumulated state after the block at a height.
type state struct {
	multiplier   uint64 // that the block stored
	transactions uint64 // of all of them
	hash         chain.Hash
	balances     *balances // nil if the chain is not rooted
}

// page contains the states after a thousand blocks, of which the first ones are computed so far.
type page struct {
	made   uint64
	states [pageSize]state
}

// history contains the computed states: those of every thousandth height so far, and the most recently used
// pages.
type history struct {
	checkpoints []state
	pages       map[uint64]*page
	order       []uint64 // of the pages, the oldest first
}

// state returns the state after the block at a height.
func (c *Chain) state(height uint64) state {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.page(height / pageSize)
	c.extend(p, height/pageSize, height%pageSize)
	return p.states[height%pageSize]
}

// page returns the nth page, with at least its first state.
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

// extend computes the nth page up to its ith state.
func (c *Chain) extend(p *page, n, i uint64) {
	for ; p.made <= i; p.made++ {
		p.states[p.made] = c.after(p.states[p.made-1], n*pageSize+p.made)
	}
}

// first returns the state after block 0.
func (c *Chain) first() state {
	s := state{multiplier: firstMultiplier}
	if c.options.Rooted {
		s.balances = firstBalances()
	}
	s.hash = c.make(0, s).hash
	return s
}

// after returns the state after the block at a height, from the previous one.
func (c *Chain) after(before state, height uint64) state {
	b := c.make(height, before)
	_, n := c.transactions(height)
	return state{b.multiplier, before.transactions + uint64(n), b.hash, b.balances}
}

// baseFee returns the base fee of a block: by the multiplier that its parent stored.
func (c *Chain) baseFee(parent state) uint64 {
	return mulDiv(parent.multiplier, c.network.BaseFeeConstant, one)
}
