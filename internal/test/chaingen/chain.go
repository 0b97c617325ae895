package chaingen

import (
	"cmp"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/feeledger/fees/chain"
)

// defaultHead is the newest block where the options name none.
const defaultHead = 100_000

// The runtimes, before and after the upgrade.
const (
	FirstRuntime  = 2302
	SecondRuntime = 2600
)

// Options say which chain it is.
type Options struct {
	// Seed makes it another chain.
	Seed uint64
	// Signed makes the signatures and senders true, and the EVM transactions' hashes and
	// created contracts. It takes most of the time.
	Signed bool
	// UnsignedNatives leaves the native signatures random where the chain is signed, as those
	// of archive/demo/monthend are. Only a node has what they sign.
	UnsignedNatives bool
	// Rooted makes the state root in the headers true: the node proves the state by it, with the
	// balances of the [Chain.Accounts].
	Rooted bool
	// Upgrade is the block that leaves SecondRuntime behind: the next one is the
	// first that is executed by it. 0 is for no upgrade.
	Upgrade uint64
	// Network is what is particular to it; nil stands for [Moonbeam].
	Network *Network
	// Head is the newest block that [Chain.Handler], [Chain.Node] and [Chain.Source] know, where
	// 0 stands for 100,000. [Chain.SetHead] changes it.
	Head uint64
	// Begin is when block 1 is made, and Every is how long each takes: the zero values stand
	// for the beginning of 2025, and 12 seconds.
	Begin time.Time
	Every time.Duration
}

// Chain is a chain that is made up. Any number of goroutines may use it.
type Chain struct {
	options  Options
	network  Network
	treasury *account
	genesis  chain.Hash
	runtimes [2]func() *runtime // read when they are needed
	grounds  [2]func() *ground  // of a rooted chain's states, by the runtime
	followed map[chain.Address]int
	head     head
	accounts [cachedAccounts]atomic.Pointer[account]
	bodies   [cachedBodies]atomic.Pointer[body]
	heights  heights

	mu sync.Mutex // guards history
	history
}

// New returns the chain that the options describe.
func New(o Options) *Chain {
	o.Head = cmp.Or(o.Head, defaultHead)
	o.Every = cmp.Or(o.Every, 12*time.Second)
	if o.Begin.IsZero() {
		o.Begin = time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	c := &Chain{options: o, network: Moonbeam()}
	if o.Network != nil {
		c.network = *o.Network
	}
	c.treasury = &account{address: c.network.Treasury}
	for i, packed := range [][]byte{firstMetadata, secondMetadata} {
		version := [...]uint32{FirstRuntime, SecondRuntime}[i]
		c.runtimes[i] = sync.OnceValue(func() *runtime { return newRuntime(packed, c.network.SpecName, version) })
	}
	for i := range c.grounds {
		c.grounds[i] = sync.OnceValue(func() *ground { return c.newGround(c.runtimes[i]()) })
	}
	c.followed = map[chain.Address]int{}
	for i, a := range c.Accounts() {
		c.followed[a] = i
	}
	first := c.first()
	c.genesis = first.hash
	c.history = history{checkpoints: []state{first}, pages: map[uint64]*page{}}
	c.SetHead(o.Head)
	return c
}

// head is the newest block that others are told of.
type head struct {
	mu     sync.Mutex
	height uint64
	moved  chan struct{} // closed when it is another
}

// Head is the height of the newest block that [Chain.Handler], [Chain.Node] and
// [Chain.Source] know.
func (c *Chain) Head() uint64 {
	c.head.mu.Lock()
	defer c.head.mu.Unlock()
	return c.head.height
}

// SetHead makes it another, as when the chain grows. The other methods answer for
// any height.
func (c *Chain) SetHead(height uint64) {
	c.head.mu.Lock()
	defer c.head.mu.Unlock()
	c.head.height = height
	if c.head.moved != nil {
		close(c.head.moved)
	}
	c.head.moved = make(chan struct{})
}

// moved is closed when the head is another.
func (c *Chain) moved() <-chan struct{} {
	c.head.mu.Lock()
	defer c.head.mu.Unlock()
	return c.head.moved
}

// RuntimeAt is the version of the runtime that the block at a height left behind.
func (c *Chain) RuntimeAt(height uint64) uint32 {
	if c.options.Upgrade > 0 && height >= c.options.Upgrade {
		return SecondRuntime
	}
	return FirstRuntime
}

// runtimeAt is the runtime that the block at a height left behind.
func (c *Chain) runtimeAt(height uint64) *runtime {
	if c.RuntimeAt(height) == FirstRuntime {
		return c.runtimes[0]()
	}
	return c.runtimes[1]()
}

// executing is the runtime that executed a block.
func (c *Chain) executing(height uint64) *runtime { return c.runtimeAt(max(height, 1) - 1) }

// Hash is the hash of the block at a height.
func (c *Chain) Hash(height uint64) chain.Hash { return c.state(height).hash }

// heights finds blocks by their hashes, up to a height that it has come to.
type heights struct {
	mu   sync.Mutex
	next uint64
	of   map[uint64]uint32 // by the first 64 bits of the hash
}

// HeightOf is the height of the block with a hash, if there is one up to the head.
func (c *Chain) HeightOf(hash chain.Hash) (height uint64, found bool) {
	h := &c.heights
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.of = map[uint64]uint32{}
	}
	key := func(hash chain.Hash) uint64 { return binary.BigEndian.Uint64(hash[:]) }
	for head := c.Head(); ; h.next++ {
		if at, known := h.of[key(hash)]; known {
			return uint64(at), uint64(at) <= head && c.Hash(uint64(at)) == hash
		}
		if h.next > head {
			return 0, false
		}
		h.of[key(c.Hash(h.next))] = uint32(h.next)
	}
}

// parentOfGenesis is what a development chain's block 0 has for a parent.
var parentOfGenesis = chain.Hash{
	0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45,
	0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45,
}

// timeOf is when a block was made, in milliseconds; block 0 has no time.
func (c *Chain) timeOf(height uint64) uint64 {
	return uint64(c.options.Begin.UnixMilli()) + (height-1)*uint64(c.options.Every.Milliseconds())
}
