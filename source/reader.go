package source

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/archive"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/network"
)

// ErrNotFinal says that a block could still be replaced by another.
var ErrNotFinal = errors.New("not final yet")

// Reader reads blocks with all that it takes to price them.
type Reader struct {
	Source Source
	Tables network.Tables
	// Network is the network that the user named, "" to go by the source.
	Network string
	// Specification prices by the specification's own table instead of by the
	// runtime that executed the block.
	Specification bool
	// MultiplierAt overrides which block's multiplier the rules use, if not "".
	MultiplierAt network.MultiplierAt
	// Unfinalized accepts blocks that are not final.
	Unfinalized bool
}

// Item is a block with what it takes to price it, the arguments of fee.Price.
// Multiplier is not known for block 0, which has no parent.
type Item struct {
	Block      *chain.Block
	Rules      network.Rules
	Multiplier chain.Optional[chain.StoredMultiplier]
}

// Read returns one block.
func (r *Reader) Read(ctx context.Context, ref Ref) (Item, error) {
	b, err := r.block(ctx, ref)
	if err != nil {
		return Item{}, err
	}
	final, known := b.Finalized.Get()
	if known && !final && !r.Unfinalized {
		return Item{}, fmt.Errorf("block %d: %w", b.Number, ErrNotFinal)
	}
	rules, err := r.rules(ctx, b)
	if err != nil {
		return Item{}, err
	}
	if !known {
		rules.Notes = append(rules.Notes, "the gateway does not say whether the block is final")
	}
	multiplier, err := r.multiplier(ctx, b, rules.MultiplierAt)
	if errors.Is(err, archive.ErrLacks) && rules.BaseFee.Static.Known() {
		rules.Notes = append(rules.Notes, "the multiplier was not kept; the base fee is static and does not need it")
	} else if err != nil {
		return Item{}, err
	}
	return Item{b, rules, multiplier}, nil
}

func (r *Reader) block(ctx context.Context, ref Ref) (*chain.Block, error) {
	if height, ok := ref.height.Get(); ok {
		return r.Source.Block(ctx, height)
	}
	if hash, ok := ref.hash.Get(); ok {
		return r.Source.BlockByHash(ctx, hash)
	}
	return r.Source.Head(ctx, r.Unfinalized)
}

// rules finds the network, and its rules for the runtime that executed the
// block: the one that its parent left behind. (The runtime that the block itself
// shows is already the next one where it was upgraded.)
func (r *Reader) rules(ctx context.Context, b *chain.Block) (network.Rules, error) {
	parent := max(b.Number, 1) - 1
	runtime, err := r.Source.Runtime(ctx, parent)
	unknown := errors.Is(err, gatewayclient.ErrNoEndpoint)
	if err != nil && !unknown {
		return network.Rules{}, err
	}
	if have, ok := runtime.AtHash.Get(); ok && b.Number > 0 && have != b.ParentHash {
		return network.Rules{}, wrongBlock("runtime", parent, have, b.ParentHash)
	}
	identity := network.Identity{SpecName: runtime.SpecName}
	if unknown {
		node, err := r.Source.NodeVersion(ctx)
		if err != nil && !errors.Is(err, gatewayclient.ErrNoEndpoint) {
			return network.Rules{}, err
		}
		identity.ClientImplName, identity.Chain = node.ClientImplName, node.Chain
	}
	n, note, err := r.Tables.Find(identity, r.Network)
	if err != nil {
		return network.Rules{}, err
	}
	var rules network.Rules
	if unknown || r.Specification {
		rules, err = n.SpecificationRules()
	} else {
		rules, err = n.Rules(runtime.SpecVersion)
	}
	if err != nil {
		return network.Rules{}, err
	}
	if note != "" {
		rules.Notes = append(rules.Notes, note)
	}
	if unknown {
		rules.Notes = append(rules.Notes, "the gateway does not say which runtime executed the block: priced by the specification's table")
	}
	if r.MultiplierAt != "" {
		rules.MultiplierAt = r.MultiplierAt
	}
	return rules, nil
}

// multiplier reads the one in force, and checks that it is of this block or of
// its parent, not of a block that was replaced.
func (r *Reader) multiplier(ctx context.Context, b *chain.Block, where network.MultiplierAt) (none chain.Optional[chain.StoredMultiplier], err error) {
	if b.Number == 0 { // nothing was executed in it
		return none, nil
	}
	at, hash := b.Number, b.Hash
	if where == network.AtParent {
		at, hash = b.Number-1, b.ParentHash
	}
	m, err := r.Source.Multiplier(ctx, at)
	if err != nil {
		return none, err
	}
	if have, ok := m.AtHash.Get(); ok && have != hash {
		return none, wrongBlock("multiplier", at, have, hash)
	}
	return chain.Some(m.StoredMultiplier), nil
}

func wrongBlock(what string, at uint64, have, want chain.Hash) error {
	return fmt.Errorf("%s at block %d: %w: it is of block %v, want %v", what, at, gatewayclient.ErrWrongBlock, have, want)
}
