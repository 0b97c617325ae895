package chaingen

import "math/bits"

// kind is the kind of a transaction.
type kind uint8

const (
	coinTransfer kind = iota
	tokenTransfer
	contractCall
	reverted
	outOfGas
	creation
	revertedCreation
	nativeTransfer
	batch
	interruptedBatch
	failedTransfer
	failedBatch
	remark
	addProxy
	removeProxy
	vote
	kindCount
)

func (k kind) evm() bool { return k < nativeTransfer }

// usual is the number of transactions of each kind per thousand.
var usual = [kindCount]uint64{
	coinTransfer: 240, tokenTransfer: 340, contractCall: 180, reverted: 50, outOfGas: 15, creation: 15, revertedCreation: 5,
	nativeTransfer: 80, batch: 20, interruptedBatch: 5, failedTransfer: 10, failedBatch: 5, remark: 10, addProxy: 10, removeProxy: 10, vote: 5,
}

// kinds is usual as a table of a thousand entries.
var kinds = func() (table [1000]kind) {
	at := 0
	for k, n := range usual {
		for range n {
			table[at] = kind(k)
			at++
		}
	}
	return table
}()

// mood is the level of demand in an hour.
type mood uint8

const (
	calm mood = iota
	busy
	rush // demand exceeds the target: the multiplier rises
)

const hour = 300 // blocks

func (c *Chain) mood(height uint64) mood {
	r := c.random(forHour, height/hour)
	switch n := r.below(100); {
	case n < 80:
		return calm
	case n < 95:
		return busy
	}
	return rush
}

// transaction is a transaction with a known kind and weight. The rest is drawn from random when it is written.
type transaction struct {
	kind    kind
	gas     uint64 // EVM only
	refTime uint64
	random  random
}

const maxTransactions = 12

// transactions returns the transactions of a block.
func (c *Chain) transactions(height uint64) (list [maxTransactions]transaction, n int) {
	if height == 0 {
		return list, 0
	}
	m := c.mood(height)
	n = c.count(height, m)
	for i := range n {
		t := &list[i]
		t.random = c.random(forTransaction, height<<4|uint64(i))
		t.draw(m, c.network.WeightPerGas)
	}
	return list, n
}

// count returns the number of transactions in a block: 3.5, 6 or 10 on average.
func (c *Chain) count(height uint64, m mood) int {
	r := c.random(forBlock, height)
	coins := r.next()
	switch m {
	case calm:
		return bits.OnesCount64(coins >> (64 - 7))
	case busy:
		return bits.OnesCount64(coins >> (64 - maxTransactions))
	}
	return 8 + bits.OnesCount64(coins>>(64-(maxTransactions-8)))
}

// draw draws the values that determine the weight. The twelve transactions of a block never exceed its limit
// of 15,000,000 gas.
func (t *transaction) draw(m mood, weightPerGas uint64) {
	r := &t.random
	t.kind = kinds[r.below(uint64(len(kinds)))]
	if m == rush && r.below(4) > 0 {
		t.kind = contractCall
	}
	switch t.kind {
	case coinTransfer:
		t.gas = 21_000
	case tokenTransfer:
		t.gas = r.between(28_000, 68_000)
	case contractCall:
		if t.gas = r.between(60_000, 300_000); m == rush {
			t.gas = r.between(700_000, 1_100_000)
		}
	case reverted:
		t.gas = r.between(22_000, 80_000)
	case outOfGas:
		t.gas = r.between(50_000, 200_000)
	case creation, revertedCreation:
		t.gas = r.between(300_000, 900_000)
	}
	if t.kind.evm() {
		t.refTime = t.gas * weightPerGas
	} else {
		t.refTime = nativeRefTime[t.kind] + r.below(1000)*1000
	}
}

// nativeRefTime is approximately the weight of the recorded transactions of runtime 2100.
var nativeRefTime = [kindCount]uint64{
	nativeTransfer: 407_760_000, batch: 612_235_000, interruptedBatch: 612_235_000, failedTransfer: 416_860_000,
	failedBatch: 607_990_000, remark: 251_000_000, addProxy: 406_526_000, removeProxy: 406_904_000, vote: 267_470_000,
}
