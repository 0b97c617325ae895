package gateway

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/rpc"
)

const (
	maxRecent      = 2048     // blocks
	maxRecentBytes = 64 << 20 // of cached data
	maxPlaces      = 8        // storage keys requested with each block
	widestPlace    = 128      // bytes of a key
)

// recent caches what was read of the latest blocks: of one block several things are requested in sequence, and of the
// next one the same. Data with a hash never changes, whether the block is final or not.
type recent struct {
	guard  sync.Mutex
	blocks map[chain.Hash]*memory
	order  []chain.Hash                 // the oldest first
	size   int                          // bytes
	places [][]byte                     // storage keys requested recently
	making map[chain.Hash]chan struct{} // closed when the answer of the block is made
}

// memory is the cache of one block.
type memory struct {
	block  *rpc.Block        // nil if not read
	stored map[string][]byte // by storage key
	size   int
}

// of returns the memory of a block; the caller holds guard.
func (r *recent) of(block chain.Hash) *memory {
	if m := r.blocks[block]; m != nil {
		return m
	}
	if r.blocks == nil {
		r.blocks = map[chain.Hash]*memory{}
	}
	m := &memory{stored: map[string][]byte{}}
	r.blocks[block] = m
	r.order = append(r.order, block)
	return m
}

// grew counts the growth of a memory, and evicts the oldest if there is too much.
func (r *recent) grew(m *memory, size int) {
	m.size += size
	r.size += size
	for len(r.order) > maxRecent || r.size > maxRecentBytes && len(r.order) > 0 {
		oldest := r.order[0]
		r.size -= r.blocks[oldest].size
		delete(r.blocks, oldest)
		r.order = r.order[1:]
	}
}

func (r *recent) keepBlock(b *rpc.Block, hash chain.Hash) {
	r.guard.Lock()
	defer r.guard.Unlock()
	m := r.of(hash)
	if m.block != nil {
		return
	}
	m.block = b
	size := 256
	for _, x := range b.Extrinsics {
		size += len(x) + 24
	}
	for _, log := range b.Header.Logs {
		size += len(log) + 24
	}
	r.grew(m, size)
}

func (r *recent) block(hash chain.Hash) *rpc.Block {
	r.guard.Lock()
	defer r.guard.Unlock()
	if m := r.blocks[hash]; m != nil {
		return m.block
	}
	return nil
}

// keepStored caches the state of a block at a storage key.
func (r *recent) keepStored(block chain.Hash, place, value []byte) {
	r.guard.Lock()
	defer r.guard.Unlock()
	m := r.of(block)
	if _, known := m.stored[string(place)]; known {
		return
	}
	m.stored[string(place)] = value
	r.grew(m, len(place)+len(value)+64)
}

func (r *recent) stored(block chain.Hash, place []byte) (value []byte, known bool) {
	r.guard.Lock()
	defer r.guard.Unlock()
	if m := r.blocks[block]; m != nil {
		value, known = m.stored[string(place)]
	}
	return value, known
}

// all returns the state of a block at some storage keys, if all of it is cached.
func (r *recent) all(block chain.Hash, places [][]byte) (values [][]byte, known bool) {
	r.guard.Lock()
	defer r.guard.Unlock()
	m := r.blocks[block]
	if m == nil {
		return nil, false
	}
	for _, place := range places {
		value, known := m.stored[string(place)]
		if !known {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

// make marks the answer of a block as being made, which requests all wanted state. Done ends that.
func (r *recent) make(block chain.Hash) (done func()) {
	r.guard.Lock()
	defer r.guard.Unlock()
	if r.making[block] != nil {
		return func() {}
	}
	if r.making == nil {
		r.making = map[chain.Hash]chan struct{}{}
	}
	made := make(chan struct{})
	r.making[block] = made
	return func() {
		r.guard.Lock()
		defer r.guard.Unlock()
		delete(r.making, block)
		close(made)
	}
}

// made waits for a block whose answer is being made.
func (r *recent) made(ctx context.Context, block chain.Hash) {
	r.guard.Lock()
	made := r.making[block]
	r.guard.Unlock()
	if made == nil {
		return
	}
	select {
	case <-made:
	case <-ctx.Done():
	}
}

// ask remembers a requested storage key: it will be requested for the next block, too.
func (r *recent) ask(place []byte) {
	r.guard.Lock()
	defer r.guard.Unlock()
	same := func(p []byte) bool { return bytes.Equal(p, place) }
	if len(place) > widestPlace || slices.ContainsFunc(r.places, same) {
		return
	}
	if len(r.places) >= maxPlaces {
		r.places = slices.Delete(r.places, 0, 1)
	}
	r.places = append(r.places, place)
}

// wanted returns the storage keys to request with a block.
func (r *recent) wanted() [][]byte {
	r.guard.Lock()
	defer r.guard.Unlock()
	return slices.Clone(r.places)
}
