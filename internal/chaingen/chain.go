package chaingen

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/feeledger/fees/chain"
)

// Year is about how many blocks a year has, at 12 seconds each.
const Year = 2_628_000

// The runtimes, before and after the upgrade.
const (
	FirstRuntime  = 2302
	SecondRuntime = 2501
)

// Options say which chain it is.
type Options struct {
	// Seed makes it another chain.
	Seed uint64
	// Signed makes the EVM transactions' signatures, hashes, senders and created
	// contracts true. It takes most of the time.
	Signed bool
	// Upgrade is the block that leaves SecondRuntime behind: the next one is the
	// first that is executed by it. 0 is for no upgrade.
	Upgrade uint64
	// Network is what is particular to it; nil stands for [Moonbeam].
	Network *Network
	// Head is the newest block that [Chain.Handler] and [Chain.Source] know, where
	// 0 stands for Year. [Chain.SetHead] changes it.
	Head uint64
}

// Chain is a chain that is made up. Any number of goroutines may use it.
type Chain struct {
	options  Options
	network  Network
	treasury *account
	head     atomic.Uint64
	accounts [cachedAccounts]atomic.Pointer[account]

	mu sync.Mutex // guards history
	history
}

// New returns the chain that the options describe.
func New(o Options) *Chain {
	c := &Chain{options: o, network: Moonbeam(), history: newHistory()}
	if o.Network != nil {
		c.network = *o.Network
	}
	c.treasury = &account{address: c.network.Treasury, text: c.network.Treasury.String()}
	if o.Head == 0 {
		o.Head = Year
	}
	c.head.Store(o.Head)
	return c
}

// Head is the height of the newest block that [Chain.Handler] and [Chain.Source]
// know.
func (c *Chain) Head() uint64 { return c.head.Load() }

// SetHead makes it another, as when the chain grows. The other methods answer for
// any height.
func (c *Chain) SetHead(height uint64) { c.head.Store(height) }

// RuntimeAt is the version of the runtime that the block at a height left behind.
func (c *Chain) RuntimeAt(height uint64) uint32 {
	if c.options.Upgrade > 0 && height >= c.options.Upgrade {
		return SecondRuntime
	}
	return FirstRuntime
}

// executedBy is the runtime that executed a block.
func (c *Chain) executedBy(height uint64) uint32 { return c.RuntimeAt(max(height, 1) - 1) }

// Hash is the hash of the block at a height.
func (c *Chain) Hash(height uint64) chain.Hash {
	var h chain.Hash
	first := mix(height ^ c.hashKey())
	binary.BigEndian.PutUint64(h[:], first)
	r := c.random(forBlockHash, first)
	r.fill(h[8:])
	return h
}

// HeightOf is the height of the block with a hash, if there is one up to the head.
func (c *Chain) HeightOf(hash chain.Hash) (height uint64, found bool) {
	height = unmix(binary.BigEndian.Uint64(hash[:])) ^ c.hashKey()
	return height, height <= c.Head() && c.Hash(height) == hash
}

func (c *Chain) hashKey() uint64 {
	r := c.random(forBlockHash, 0)
	return r.next()
}

// parentOfGenesis is what a development chain's block 0 has for a parent.
var parentOfGenesis = chain.Hash{
	0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45,
	0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45,
}

func (c *Chain) parentHash(height uint64) chain.Hash {
	if height == 0 {
		return parentOfGenesis
	}
	return c.Hash(height - 1)
}

func (c *Chain) stateRoot(height uint64) chain.Hash {
	r := c.random(forStateRoot, height)
	return r.word()
}

func (c *Chain) extrinsicsRoot(height uint64) chain.Hash {
	r := c.random(forExtrinsicsRoot, height)
	return r.word()
}

const (
	firstTime   = 1_735_689_600_000 // 2025-01-01T00:00:00Z
	millisecond = 12_000            // from block to block
)

// timeOf is when a block was made, in milliseconds; block 0 has no time.
func timeOf(height uint64) uint64 { return firstTime + (height-1)*millisecond }
