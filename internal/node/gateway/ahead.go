package gateway

import (
	"context"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/rpc"
)

// aheadAtOnce is how many consecutive blocks are requested in one message.
const aheadAtOnce = 16

// BatchSize returns how many consecutive blocks [Gateway.Prepare] requests in one message, and with how many requests:
// two per block, and one for the state after the block before them. A list of hashes, for 256 blocks, is not counted.
func (g *Gateway) BatchSize() (blocks, requests uint64) { return aheadAtOnce, 2*aheadAtOnce + 1 }

// usual lists the storage items that price and prove a block or the next one.
var usual = [][2]string{{"transactionPayment", "nextFeeMultiplier"}, {"system", "blockWeight"}}

// Prepare requests, in one message, consecutive blocks that will be needed; they are then answered from memory. Whatever
// does not arrive is requested again when needed, which then reports the error: an error here only means that there was
// no answer.
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

// prepared is a block that was requested.
type prepared struct {
	at, parent   place
	block        rpc.Pending[rpc.Block]
	state        asked
	parentsState asked
}

// asked contains requested storage keys of a block; the zero value contains none.
type asked struct {
	keys   [][]byte
	stored rpc.Pending[[][]byte]
}

// prepare adds the requests for a block to a batch; none for a block that may be replaced.
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
	p.state = addStorage(batch, hash, slices.Concat(own, wanted))
	if first && height > 0 {
		p.parentsState = addStorage(batch, p.parent.hash, wanted)
	}
	return p, nil
}

// addStorage adds the request for a block's state at some keys.
func addStorage(batch *rpc.Batch, block chain.Hash, keys [][]byte) asked {
	return asked{keys, batch.Storage(block, keys...)}
}

// keep caches what arrived.
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

// findOwnKeys returns the storage keys needed for a block's answer, including its events.
func (r *runtime) findOwnKeys() (keys [][]byte, err error) {
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

// findUsualKeys returns the keys of the usual items that the runtime has.
func (r *runtime) findUsualKeys() (keys [][]byte) {
	for _, name := range usual {
		if item, err := r.Item(name[0], name[1], nil); err == nil {
			keys = append(keys, item.Place())
		}
	}
	return keys
}
