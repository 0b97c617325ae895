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

// hashesAtOnce is how many hashes of final blocks are asked for by one question.
const hashesAtOnce = 256

// mostHashes is how many are remembered at least.
const mostHashes = 16 * hashesAtOnce

// heights knows how far there are final blocks, and the hashes of some.
type heights struct {
	finalTurn turn     // who asks for the newest final block
	lists     [16]turn // who asks for a list of hashes, by its place among the lists
	firstTurn turn     // who asks for the first block that the chain is known by

	guard      sync.Mutex
	final      chain.Optional[uint64] // the highest that is known to be
	asked      time.Time              // when the newest final block was asked for
	now, older map[uint64]chain.Hash  // of final blocks
	// What the chain is known by: one of its first blocks, and the newest final one.
	first, newest chain.Optional[anchor]
}

func newHeights() *heights {
	h := &heights{finalTurn: newTurn(), firstTurn: newTurn()}
	for i := range h.lists {
		h.lists[i] = newTurn()
	}
	return h
}

// turn lets one after the other in, for as long as each wants to wait.
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

// hash is the hash of the block at a height, and whether that block is final. It is
// [chain.ErrNoBlock] where the node has none.
func (g *Gateway) hash(ctx context.Context, height uint64) (hash chain.Hash, final bool, err error) {
	h := g.heights
	if hash, known := h.known(height); known {
		return hash, true, nil
	}
	if kept, limited := g.kept.Get(); limited && (height < kept.First || height > kept.Last) {
		return hash, false, fmt.Errorf("block %d: %w: blocks %d to %d are", height, chain.ErrNotKept, kept.First, kept.Last)
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

// learnFinal asks for the newest final block, unless somebody did since it was wanted.
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

// hashes are those of the blocks at some heights. With the same question the node says
// whether its chain is still the one that it was, and whether it has the newest final block that
// is known: what is below that block in its chain is final, too.
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

// learnFirst remembers block 1, which tells the chain from others also where block 0 is the
// same, as of a chain that was begun anew; or block 0 where the node has no block 1.
func (g *Gateway) learnFirst(ctx context.Context, block1, block0 chain.Optional[chain.Hash]) error {
	height, found := uint64(1), block1
	if !found.Known() {
		height, found = 0, block0
	}
	hash, there := found.Get()
	if !there {
		return &rpc.DecodeError{What: "list of block hashes", Err: fmt.Errorf("%w of block 0, which every chain has", errNoHash)}
	}
	_, err := g.confirmed(ctx, place{height, hash, true})
	if err == nil {
		g.heights.setFirst(anchor{height, found})
	}
	return err
}

var errNoHash = errors.New("the node has none")

// findHashes finds the hashes of the final blocks around one, and gives that one's, which
// the block's own header must confirm before any is remembered.
func (g *Gateway) findHashes(ctx context.Context, height uint64) (hash chain.Hash, err error) {
	h := g.heights
	turn := h.lists[height/hashesAtOnce%uint64(len(h.lists))]
	if err := turn.take(ctx); err != nil {
		return hash, err
	}
	defer turn.leave()
	if hash, known := h.known(height); known { // by now, or as the newest final one
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
			"%w of block %d, though block %d is final: it is behind, or was never given its old blocks", errNoHash, height, h.lastFinal())}
	}
	if !upToDate { // its block may be one that was replaced
		return hash, fmt.Errorf("block %d: %w: the node that says which it is does not have block %d, which is final: it is behind", height, chain.ErrWrongBlock, h.lastFinal())
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

// around are the heights whose hashes are asked for together with that of one: those of
// final blocks that are not known.
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

// lastFinal is the height of the highest final block that is known of.
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
	if h.now == nil || len(h.now) >= mostHashes {
		h.now, h.older = map[uint64]chain.Hash{}, h.now
	}
	h.now[height] = hash
}

// forget forgets all hashes, one of which proved wrong.
func (h *heights) forget() {
	h.guard.Lock()
	defer h.guard.Unlock()
	h.now, h.older = nil, nil
}

// anchor is a block that the chain is known by.
type anchor struct {
	height uint64
	hash   chain.Optional[chain.Hash] // not known yet of the first
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

// anchors are the blocks that the chain is known by, the newest one last; before its first block
// is known, those by which it will be.
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

// finalHead is the newest block that is final.
func (g *Gateway) finalHead(ctx context.Context) (place, error) {
	asked := time.Now()
	hash, err := g.node.FinalizedHead(ctx)
	if err != nil {
		return place{}, err
	}
	header, err := g.headerOf(ctx, hash)
	if errors.Is(err, chain.ErrNoBlock) {
		err = &rpc.DecodeError{What: "final head", Err: fmt.Errorf("the node names block %v, and does not have it", hash)}
	}
	if err != nil {
		return place{}, err
	}
	at, h := place{header.Number, hash, true}, g.heights
	follows := false // a final block that is known
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
			return place{}, fmt.Errorf("block %d: %w: the node says that it is %v, and that its newest final block is %v", at.height, chain.ErrWrongBlock, have, at.hash)
		}
	}
	h.isFinalAt(at, asked)
	return at, nil
}

// anotherChain says that a node has another block than it had.
func anotherChain(height uint64, have, before chain.Hash) error {
	return fmt.Errorf("the node says that block %d is %v, and said before that it is %v: it is another chain's now, or its chain was begun anew; start again: %w",
		height, have, before, chain.ErrWrongBlock)
}

// isFinalAt remembers a block that is final. A node that was restarted, or another one behind
// the same address, may be behind what is known.
func (h *heights) isFinalAt(at place, asked time.Time) {
	h.remember(at.height, at.hash)
	h.guard.Lock()
	defer h.guard.Unlock()
	h.asked = asked
	if last, known := h.final.Get(); !known || last < at.height {
		h.final, h.newest = chain.Some(at.height), chain.Some(anchor{at.height, chain.Some(at.hash)})
	}
}

// place is a block.
type place struct {
	height uint64
	hash   chain.Hash
	final  bool
}
