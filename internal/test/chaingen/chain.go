package chaingen

import (
	"cmp"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/feeledger/fees/chain"
)

// defaultHead is the newest block if the options do not set one.
const defaultHead = 100_000

// The runtimes, before and after the upgrade.
const (
	FirstRuntime  = 2302
	SecondRuntime = 2600
)

// Options selects the chain.
type Options struct {
	// Seed selects a different chain.
	Seed uint64
	// Signed makes the signatures and senders valid, and the EVM transactions' hashes and created contracts right.
	// It takes most of the time.
	Signed bool
	// UnsignedNatives leaves the native signatures random on a signed chain, as in archive/demo/monthend. Only a
	// node serves the signed data.
	UnsignedNatives bool
	// Rooted makes the state root in the headers right: the node proves the state with it, including the balances
	// of the [Chain.Accounts].
	Rooted bool
	// Upgrade is the block that ends with SecondRuntime in force: the next block is the first that it executes. 0
	// means no upgrade.
	Upgrade uint64
	// Network contains the network's parameters; nil means [Moonbeam].
	Network *Network
	// Cached is the number of generated blocks that stay in memory, some 12 kB each; 0 means 1,024.
	Cached uint64
	// Head is the newest block of [Chain.Handler], [Chain.Node] and [Chain.Source]; 0 means 100,000.
	// [Chain.SetHead] changes it.
	Head uint64
	// Begin is the time of block 1, and Every is the block time: the zero values mean the start of 2025, and 12
	// seconds.
	Begin time.Time
	Every time.Duration
}

// Chain is a generated chain. It is safe for concurrent use.
type Chain struct {
	options  Options
	network  Network
	treasury *account
	genesis  chain.Hash
	runtimes [2]func() *runtime // loaded on demand
	grounds  [2]func() *ground  // of a rooted chain's states, by runtime
	followed map[chain.Address]int
	head     head
	accounts [cachedAccounts]atomic.Pointer[account]
	bodies   []atomic.Pointer[body] // each block is requested more than once
	heights  heights

	mu sync.Mutex // guards history
	history
}

// New returns the chain that the options describe.
func New(o Options) *Chain {
	o.Head = cmp.Or(o.Head, defaultHead)
	o.Every = cmp.Or(o.Every, 12*time.Second)
	o.Cached = cmp.Or(o.Cached, 1<<10)
	if o.Begin.IsZero() {
		o.Begin = time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	c := &Chain{options: o, network: Moonbeam(), bodies: make([]atomic.Pointer[body], o.Cached)}
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

// head is the newest block that is served.
type head struct {
	mu     sync.Mutex
	height uint64
	moved  chan struct{} // closed when the head changes
}

// Head returns the height of the newest block of [Chain.Handler], [Chain.Node] and [Chain.Source].
func (c *Chain) Head() uint64 {
	c.head.mu.Lock()
	defer c.head.mu.Unlock()
	return c.head.height
}

// SetHead changes the head, as when the chain grows. The other methods respond for any height.
func (c *Chain) SetHead(height uint64) {
	c.head.mu.Lock()
	defer c.head.mu.Unlock()
	c.head.height = height
	if c.head.moved != nil {
		close(c.head.moved)
	}
	c.head.moved = make(chan struct{})
}

// moved returns a channel that is closed when the head changes.
func (c *Chain) moved() <-chan struct{} {
	c.head.mu.Lock()
	defer c.head.mu.Unlock()
	return c.head.moved
}

// RuntimeAt returns the version of the runtime after the block at a height.
func (c *Chain) RuntimeAt(height uint64) uint32 {
	if c.options.Upgrade > 0 && height >= c.options.Upgrade {
		return SecondRuntime
	}
	return FirstRuntime
}

// runtimeAt returns the runtime after the block at a height.
func (c *Chain) runtimeAt(height uint64) *runtime {
	if c.RuntimeAt(height) == FirstRuntime {
		return c.runtimes[0]()
	}
	return c.runtimes[1]()
}

// executing returns the runtime that executed a block.
func (c *Chain) executing(height uint64) *runtime { return c.runtimeAt(max(height, 1) - 1) }

// Hash returns the hash of the block at a height.
func (c *Chain) Hash(height uint64) chain.Hash { return c.state(height).hash }

// heights maps hashes to blocks, up to a height so far.
type heights struct {
	mu   sync.Mutex
	next uint64
	of   map[uint64]uint32 // by the first 64 bits of the hash
}

// HeightOf returns the height of the block with a hash, if there is one up to the head.
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

// parentOfGenesis is the parent hash of a development chain's block 0.
var parentOfGenesis = chain.Hash{
	0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45,
	0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45, 0x45,
}

// timeOf returns the time of a block in milliseconds; block 0 has none.
func (c *Chain) timeOf(height uint64) uint64 {
	return uint64(c.options.Begin.UnixMilli()) + (height-1)*uint64(c.options.Every.Milliseconds())
}
