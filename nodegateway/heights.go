package nodegateway

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/nodeclient"
)

// hashesAtOnce is how many hashes of final blocks are asked for by one question.
const hashesAtOnce = 256

// mostHashes is how many are remembered at least.
const mostHashes = 16 * hashesAtOnce

// heights knows how far there are final blocks, and the hashes of some.
type heights struct {
	turn       turn
	final      chain.Optional[uint64] // the highest that is known to be
	now, older map[uint64]chain.Hash  // of final blocks
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
	h := &g.heights
	if err := h.turn.take(ctx); err != nil {
		return hash, false, err
	}
	defer h.turn.leave()
	if hash, known := h.known(height); known {
		return hash, true, nil
	}
	if !h.isFinal(height) {
		newest, err := g.askFinal(ctx)
		if err == nil {
			err = h.isFinalAt(newest)
		}
		if err != nil {
			return hash, false, err
		}
	}
	if !h.isFinal(height) {
		hash, err = g.node.BlockHash(ctx, height)
		return hash, false, err
	}
	hash, err = g.findHashes(ctx, height)
	return hash, err == nil, err
}

var errNoHash = errors.New("the node has none")

// findHashes finds the hashes of the final blocks around one, and gives that one's, which
// the block's own header must confirm before any is remembered.
func (g *Gateway) findHashes(ctx context.Context, height uint64) (hash chain.Hash, err error) {
	h := &g.heights
	if hash, known := h.known(height); known { // the newest final one
		return hash, nil
	}
	wanted := h.around(height)
	hashes, err := g.node.Hashes(ctx, wanted)
	if err != nil {
		return hash, err
	}
	for i := range wanted {
		one, there := hashes[i].Get()
		if wanted[i] != height {
			continue
		}
		if !there {
			last, _ := h.final.Get()
			return hash, &nodeclient.DecodeError{What: "list of block hashes", Err: fmt.Errorf(
				"%w of block %d, though block %d is final: it is behind, or was never given its old blocks", errNoHash, height, last)}
		}
		hash = one
	}
	header, err := g.headerOf(ctx, hash)
	if errors.Is(err, chain.ErrNoBlock) {
		return hash, pruned(height, hash, err)
	}
	if err == nil {
		err = wrongHeight(hash, height, header.Number)
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
	final, _ := h.final.Get()
	first := height - height%hashesAtOnce
	for n := first; n < first+hashesAtOnce && n <= final; n++ {
		if _, known := h.known(n); !known {
			wanted = append(wanted, n)
		}
	}
	return wanted
}

func (h *heights) isFinal(height uint64) bool {
	last, known := h.final.Get()
	return known && height <= last
}

// lastFinal is the height of the highest final block that is known of.
func (h *heights) lastFinal(ctx context.Context) (uint64, error) {
	if err := h.turn.take(ctx); err != nil {
		return 0, err
	}
	defer h.turn.leave()
	last, _ := h.final.Get()
	return last, nil
}

func (h *heights) known(height uint64) (hash chain.Hash, known bool) {
	if hash, known = h.now[height]; !known {
		hash, known = h.older[height]
	}
	return hash, known
}

func (h *heights) remember(height uint64, hash chain.Hash) {
	if h.now == nil || len(h.now) >= mostHashes {
		h.now, h.older = map[uint64]chain.Hash{}, h.now
	}
	h.now[height] = hash
}

// forget forgets all hashes, one of which proved wrong.
func (h *heights) forget(ctx context.Context) error {
	if err := h.turn.take(ctx); err != nil {
		return err
	}
	defer h.turn.leave()
	h.now, h.older = nil, nil
	return nil
}

// finalHead is the newest block that is final.
func (g *Gateway) finalHead(ctx context.Context) (place, error) {
	at, err := g.askFinal(ctx)
	if err != nil {
		return place{}, err
	}
	if err := g.heights.turn.take(ctx); err != nil {
		return place{}, err
	}
	defer g.heights.turn.leave()
	return at, g.heights.isFinalAt(at)
}

func (g *Gateway) askFinal(ctx context.Context) (place, error) {
	hash, err := g.node.FinalizedHead(ctx)
	if err != nil {
		return place{}, err
	}
	header, err := g.headerOf(ctx, hash)
	return place{header.Number, hash, true}, err
}

// isFinalAt remembers a block that the node says is final. A node that was restarted, or
// another one behind the same address, may be behind what is known.
func (h *heights) isFinalAt(at place) error {
	if before, known := h.known(at.height); known && before != at.hash {
		return fmt.Errorf("the node says that block %d is %v and final, and said before that it is %v: it is another chain's now, or its chain was begun anew; start again: %w",
			at.height, at.hash, before, chain.ErrWrongBlock)
	}
	if !h.isFinal(at.height) {
		h.final = chain.Some(at.height)
	}
	h.remember(at.height, at.hash)
	return nil
}

// place is a block.
type place struct {
	height uint64
	hash   chain.Hash
	final  bool
}
