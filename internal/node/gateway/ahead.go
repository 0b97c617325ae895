package gateway

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/rpc"
)

// aheadAtOnce is how many neighbouring blocks are asked for in one message.
const aheadAtOnce = 16

// Portion is how many neighbouring blocks [Gateway.Prepare] asks for in one message, and by
// how many questions: two for each block, and one for what the block before them left
// behind. A list of hashes, for 256 blocks, is not counted.
func (g *Gateway) Portion() chain.Portion {
	if g.batch == nil {
		return chain.Portion{Blocks: 1, Questions: 2}
	}
	return chain.Portion{Blocks: aheadAtOnce, Questions: 2*aheadAtOnce + 1}
}

// usual is what of a block's state prices and proves it or the next one.
var usual = [][2]string{{"transactionPayment", "nextFeeMultiplier"}, {"system", "blockWeight"}}

// Prepare asks, in one message, for neighbouring blocks that are going to be asked for. They
// are then answered from memory. What does not come is asked for again in its turn, which
// says what is wrong with it: an error here says only that there was no answer.
func (g *Gateway) Prepare(ctx context.Context, blocks chain.Heights) error {
	if g.batch == nil {
		return nil
	}
	batch := g.batch()
	var asked []prepared
	for height := blocks.First; height <= blocks.Last; height++ {
		p, err := g.prepare(ctx, batch, height, height == blocks.First)
		if err != nil {
			return err
		}
		if p != nil {
			asked = append(asked, *p)
		}
	}
	if err := batch.Ask(ctx); err != nil {
		return err
	}
	for _, p := range asked {
		p.keep(g)
	}
	return nil
}

// prepared is a block that was asked for.
type prepared struct {
	at, parent   place
	block        rpc.Pending[rpc.Block]
	state        asked
	parentsState asked
}

// asked are places of a block's state that were asked for, none in the zero value.
type asked struct {
	keys   [][]byte
	stored rpc.Pending[[][]byte]
}

// prepare adds the questions of a block to a batch; of one that may be replaced there are none.
func (g *Gateway) prepare(ctx context.Context, batch *rpc.Batch, height uint64, first bool) (*prepared, error) {
	hash, final, err := g.hash(ctx, height)
	if err != nil || !final {
		return nil, err
	}
	p := &prepared{at: place{height, hash, true}}
	if p.parent, err = g.parent(ctx, p.at); err != nil {
		return nil, err
	}
	r, err := g.runtimeAt(ctx, p.parent)
	if err != nil {
		return nil, err
	}
	own, err := r.ownKeys()
	if err != nil {
		return nil, err
	}
	for _, key := range r.usualKeys() {
		g.recent.ask(key)
	}
	wanted := g.recent.wanted()
	p.block = batch.Block(hash)
	p.state = addStorage(batch, hash, append(own, wanted...))
	if first && height > 0 {
		p.parentsState = addStorage(batch, p.parent.hash, wanted)
	}
	return p, nil
}

// addStorage adds the question for what a block's state has under some keys.
func addStorage(batch *rpc.Batch, block chain.Hash, keys [][]byte) asked {
	return asked{keys, batch.Storage(block, keys...)}
}

// keep remembers what has come.
func (p *prepared) keep(g *Gateway) {
	if b, err := p.block.Get(); err == nil {
		g.recent.keepBlock(&b, p.at.hash)
	}
	p.state.keep(g, p.at.hash)
	p.parentsState.keep(g, p.parent.hash)
}

func (a *asked) keep(g *Gateway, block chain.Hash) {
	if len(a.keys) == 0 {
		return
	}
	stored, err := a.stored.Get()
	if err != nil {
		return
	}
	for i, key := range a.keys {
		g.recent.keepStored(block, key, stored[i])
	}
}

// ownKeys are where a block's events are, and what else its answer takes.
func (r *runtime) ownKeys() (keys [][]byte, err error) {
	events, err := r.Item("system", "events", nil)
	if err != nil {
		return nil, err
	}
	keys = append(keys, events.Place())
	if r.Session() {
		validators, err := r.Item("session", "validators", nil)
		if err != nil {
			return nil, err
		}
		keys = append(keys, validators.Place())
	}
	return keys, nil
}

// usualKeys are those of what is usual, as far as the runtime has it.
func (r *runtime) usualKeys() (keys [][]byte) {
	for _, name := range usual {
		if item, err := r.Item(name[0], name[1], nil); err == nil {
			keys = append(keys, item.Place())
		}
	}
	return keys
}
