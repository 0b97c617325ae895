package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/rpc"
)

// hashesAtOnce is how many hashes of final blocks one request asks for.
const hashesAtOnce = 256

// maxHashes is how many hashes are at least cached.
const maxHashes = 16 * hashesAtOnce

// heights caches the newest final height and hashes of final blocks.
type heights struct {
	finalTurn turn     // held while requesting the newest final block
	lists     [16]turn // held while requesting a list of hashes, by index
	firstTurn turn     // held while requesting the first anchor

	guard      sync.Mutex
	final      chain.Optional[uint64] // the highest known final height
	asked      time.Time              // when the newest final block was requested
	now, older map[uint64]chain.Hash  // of final blocks
	// The blocks that identify the chain: one of its first blocks, and the newest final one.
	first, newest chain.Optional[anchor]
}

func newHeights() *heights {
	h := &heights{finalTurn: newTurn(), firstTurn: newTurn()}
	for i := range h.lists {
		h.lists[i] = newTurn()
	}
	return h
}

// turn is a lock whose waiters can give up.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) leave() { <-t }

// hash returns the hash of the block at a height, and whether it is final. It returns [chain.ErrNoBlock] if the node does
// not have it.
func (g *Gateway) hash(ctx context.Context, height uint64) (hash chain.Hash, final bool, err error) {
	h := g.heights
	if hash, known := h.known(height); known {
		return hash, true, nil
	}
	if kept, limited := g.kept.Get(); limited && (height < kept.First || height > kept.Last) {
		return hash, false, fmt.Errorf("block %d: %w; blocks %d to %d are", height, chain.ErrNotKept, kept.First, kept.Last)
	}
	if !h.isFinal(height) {
		if err := g.learnFinal(ctx); err != nil {
			return hash, false, err
		}
	}
	if !h.isFinal(height) {
		hashes, _, err := g.hashes(ctx, []uint64{height})
		if err != nil {
			return hash, false, err
		}
		hash, there := hashes[0].Get()
		if !there {
			return hash, false, g.noBlock(ctx, height)
		}
		return hash, false, nil
	}
	hash, err = g.findHashes(ctx, height)
	return hash, err == nil, err
}

// learnFinal requests the newest final block, unless another goroutine has done so meanwhile.
func (g *Gateway) learnFinal(ctx context.Context) error {
	h, wanted := g.heights, time.Now()
	if err := h.finalTurn.take(ctx); err != nil {
		return err
	}
	defer h.finalTurn.leave()
	if h.askedSince(wanted) {
		return nil
	}
	_, err := g.finalHead(ctx)
	return err
}

// hashes returns the hashes of blocks. The same request checks that the node's chain is unchanged, and that it
// contains the newest known final block: everything below that block is then final, too.
func (g *Gateway) hashes(ctx context.Context, wanted []uint64) (list []chain.Optional[chain.Hash], upToDate bool, err error) {
	h := g.heights
	if !h.anchored() {
		if err := h.firstTurn.take(ctx); err != nil {
			return nil, false, err
		}
		if h.anchored() { // by now
			h.firstTurn.leave()
		} else {
			defer h.firstTurn.leave()
		}
	}
	anchors := h.anchors()
	all := slices.Clone(wanted)
	for _, a := range anchors {
		all = append(all, a.height)
	}
	hashes, err := g.node.Hashes(ctx, all)
	if err != nil {
		return nil, false, err
	}
	told := hashes[len(wanted):]
	for i, a := range anchors {
		have, there := told[i].Get()
		before, known := a.hash.Get()
		if there && known && have != before {
			return nil, false, anotherChain(a.height, have, before)
		}
	}
	if !anchors[0].hash.Known() {
		err = g.learnFirst(ctx, told[0], told[1])
	}
	return hashes[:len(wanted)], told[len(told)-1].Known(), err
}

// learnFirst remembers block 1, which identifies the chain even if block 0 is the same, as after a restart of a development
// chain; or block 0 if the node has no block 1.
func (g *Gateway) learnFirst(ctx context.Context, block1, block0 chain.Optional[chain.Hash]) error {
	height, found := uint64(1), block1
	if !found.Known() {
		height, found = 0, block0
	}
	hash, there := found.Get()
	if !there {
		return &rpc.DecodeError{What: "list of block hashes", Err: fmt.Errorf("%w for block 0, which every chain has", errNoHash)}
	}
	_, err := g.confirmed(ctx, place{height, hash, true})
	if err == nil {
		g.heights.setFirst(anchor{height, found})
	}
	return err
}

var errNoHash = errors.New("the node returned none")

// findHashes finds the hashes of the final blocks around a height, and returns the one at the height. The block's own header
// must confirm it before any are cached.
func (g *Gateway) findHashes(ctx context.Context, height uint64) (hash chain.Hash, err error) {
	h := g.heights
	turn := h.lists[height/hashesAtOnce%uint64(len(h.lists))]
	if err := turn.take(ctx); err != nil {
		return hash, err
	}
	defer turn.leave()
	if hash, known := h.known(height); known { // found meanwhile, or as the newest final one
		return hash, nil
	}
	wanted := h.around(height)
	hashes, upToDate, err := g.hashes(ctx, wanted)
	if err != nil {
		return hash, err
	}
	hash, there := hashes[slices.Index(wanted, height)].Get()
	if !there {
		return hash, &rpc.DecodeError{What: "list of block hashes", Err: fmt.Errorf(
			"%w for block %d, although block %d is final: the node is behind, or lacks old blocks", errNoHash, height, h.lastFinal())}
	}
	if !upToDate { // the node's block may have been replaced
		return hash, fmt.Errorf("block %d: %w: the node does not have final block %d and is behind", height, chain.ErrWrongBlock, h.lastFinal())
	}
	_, err = g.confirmed(ctx, place{height, hash, true})
	if errors.Is(err, chain.ErrNoBlock) {
		return hash, pruned(height, hash, err)
	}
	if err != nil {
		return hash, err
	}
	for i, found := range hashes {
		if one, there := found.Get(); there {
			h.remember(wanted[i], one)
		}
	}
	return hash, nil
}

// around returns the heights to request together with a height: those of final blocks without a known hash.
func (h *heights) around(height uint64) (wanted []uint64) {
	final := h.lastFinal()
	first := height - height%hashesAtOnce
	for n := first; n < first+hashesAtOnce && n <= final; n++ {
		if _, known := h.known(n); !known {
			wanted = append(wanted, n)
		}
	}
	return wanted
}

func (h *heights) isFinal(height uint64) bool {
	h.guard.Lock()
	defer h.guard.Unlock()
	last, known := h.final.Get()
	return known && height <= last
}

// lastFinal returns the highest known final height.
func (h *heights) lastFinal() uint64 {
	h.guard.Lock()
	defer h.guard.Unlock()
	last, _ := h.final.Get()
	return last
}

func (h *heights) askedSince(when time.Time) bool {
	h.guard.Lock()
	defer h.guard.Unlock()
	return h.asked.After(when)
}

func (h *heights) known(height uint64) (hash chain.Hash, known bool) {
	h.guard.Lock()
	defer h.guard.Unlock()
	if hash, known = h.now[height]; !known {
		hash, known = h.older[height]
	}
	return hash, known
}

func (h *heights) remember(height uint64, hash chain.Hash) {
	h.guard.Lock()
	defer h.guard.Unlock()
	if h.now == nil || len(h.now) >= maxHashes {
		h.now, h.older = map[uint64]chain.Hash{}, h.now
	}
	h.now[height] = hash
}

// forget discards all hashes after one of them proved wrong.
func (h *heights) forget() {
	h.guard.Lock()
	defer h.guard.Unlock()
	h.now, h.older = nil, nil
}

// anchor is a block that identifies the chain.
type anchor struct {
	height uint64
	hash   chain.Optional[chain.Hash] // unknown until the first block was requested
}

func (h *heights) setFirst(a anchor) {
	h.guard.Lock()
	defer h.guard.Unlock()
	h.first = chain.Some(a)
}

func (h *heights) anchored() bool {
	h.guard.Lock()
	defer h.guard.Unlock()
	return h.first.Known()
}

// anchors returns the blocks that identify the chain, the newest last; before the first block is known, those that will
// identify it.
func (h *heights) anchors() []anchor {
	h.guard.Lock()
	defer h.guard.Unlock()
	list := []anchor{{height: 1}, {height: 0}}
	if first, known := h.first.Get(); known {
		list = []anchor{first}
	}
	if newest, known := h.newest.Get(); known {
		list = append(list, newest)
	}
	return list
}

// finalHead returns the newest final block.
func (g *Gateway) finalHead(ctx context.Context) (place, error) {
	asked := time.Now()
	hash, err := g.node.FinalizedHead(ctx)
	if err != nil {
		return place{}, err
	}
	header, err := g.headerOf(ctx, hash)
	if errors.Is(err, chain.ErrNoBlock) {
		err = &rpc.DecodeError{What: "final head", Err: fmt.Errorf("the node named block %v but does not have it", hash)}
	}
	if err != nil {
		return place{}, err
	}
	at, h := place{header.Number, hash, true}, g.heights
	follows := false // whether it follows a known final block
	if at.height > 0 {
		before, known := h.known(at.height - 1)
		follows = known && before == header.ParentHash
	}
	if before, known := h.known(at.height); known && before != at.hash {
		return place{}, anotherChain(at.height, at.hash, before)
	} else if !known && !follows {
		hashes, _, err := g.hashes(ctx, []uint64{at.height})
		if err != nil {
			return place{}, err
		}
		if have, there := hashes[0].Get(); there && have != at.hash {
			return place{}, fmt.Errorf("block %d: %w: the node returned %v, but its newest final block is %v", at.height, chain.ErrWrongBlock, have, at.hash)
		}
	}
	h.isFinalAt(at, asked)
	return at, nil
}

// anotherChain reports that a node has a different block than before.
func anotherChain(height uint64, have, before chain.Hash) error {
	return fmt.Errorf("the node changed its block %d: it is %v now and was %v before, so its chain changed or was restarted; start again: %w",
		height, have, before, chain.ErrWrongBlock)
}

// isFinalAt records a final block. A restarted node, or another one behind the same address, may be behind what is
// known.
func (h *heights) isFinalAt(at place, asked time.Time) {
	h.remember(at.height, at.hash)
	h.guard.Lock()
	defer h.guard.Unlock()
	h.asked = asked
	if last, known := h.final.Get(); !known || last < at.height {
		h.final, h.newest = chain.Some(at.height), chain.Some(anchor{at.height, chain.Some(at.hash)})
	}
}

// place is the position of a block.
type place struct {
	height uint64
	hash   chain.Hash
	final  bool
}
