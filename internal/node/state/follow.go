package state

import (
	"context"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/render"
)

// Follow yields a storage item at once and after each change, in the form of [View.Query], on the node's best branch,
// which may be reverted. After a runtime upgrade, it is read with the new runtime.
func (v *View) Follow(ctx context.Context, name string, keys []string) iter.Seq2[jsonscan.Value, error] {
	return func(yield func(jsonscan.Value, error) bool) {
		item, err := v.item(name, keys)
		if err != nil {
			yield(jsonscan.Value{}, err)
			return
		}
		for stored, err := range v.node.SubscribeStorage(ctx, item.Place()) {
			var value jsonscan.Value
			if err == nil {
				value, err = v.changed(ctx, name, keys, stored.Block, stored.Value)
			}
			if !yield(value, err) || err != nil {
				return
			}
		}
	}
}

// changed returns an item at a block that the node announced.
func (v *View) changed(ctx context.Context, name string, keys []string, block chain.Hash, stored []byte) (jsonscan.Value, error) {
	header, err := v.node.Header(ctx, chain.Some(block))
	if err != nil {
		return jsonscan.Value{}, err
	}
	parent := header.ParentHash
	if header.Number == 0 {
		parent = block
	}
	before, err := v.node.Runtime(ctx, chain.Some(v.parent))
	if err != nil {
		return jsonscan.Value{}, err
	}
	now, err := v.node.Runtime(ctx, chain.Some(parent))
	if err != nil {
		return jsonscan.Value{}, err
	}
	if now != before {
		if v.Metadata, err = v.node.Metadata(ctx, parent); err != nil {
			return jsonscan.Value{}, err
		}
		if err := v.compile(); err != nil {
			return jsonscan.Value{}, err
		}
	}
	v.parent = parent
	item, err := v.item(name, keys)
	if err != nil {
		return jsonscan.Value{}, err
	}
	return answered(item, render.At{Hash: block, Height: header.Number}, stored)
}
