package source

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/network"
)

// ErrNotFinal says that a block could still be replaced by another.
var ErrNotFinal = failure.New(failure.Unanswered, "not final yet")

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
	a, err := r.runtimeAt(ctx, parentOf(b.Number))
	if err != nil {
		return Item{}, err
	}
	return r.item(ctx, b, a)
}

// block reads a block, which must be final unless others are accepted.
func (r *Reader) block(ctx context.Context, ref Ref) (*chain.Block, error) {
	b, err := r.find(ctx, ref)
	if err != nil {
		return nil, err
	}
	if final, known := b.Finalized.Get(); known && !final && !r.Unfinalized {
		return nil, fmt.Errorf("block %d: %w", b.Number, ErrNotFinal)
	}
	return b, nil
}

func (r *Reader) find(ctx context.Context, ref Ref) (*chain.Block, error) {
	if height, ok := ref.height.Get(); ok {
		return r.Source.Block(ctx, height)
	}
	if hash, ok := ref.hash.Get(); ok {
		return r.Source.BlockByHash(ctx, hash)
	}
	return r.Source.Head(ctx, r.Unfinalized)
}

// item adds to a block the rules of the runtime that executed it and the multiplier in force.
func (r *Reader) item(ctx context.Context, b *chain.Block, a runtimeAt) (Item, error) {
	if err := a.check(b); err != nil {
		return Item{}, err
	}
	rules, err := r.rules(a)
	if err != nil {
		return Item{}, err
	}
	if !b.Finalized.Known() {
		rules.Notes = append(rules.Notes, "the gateway does not say whether the block is final")
	}
	multiplier, err := r.multiplier(ctx, b, rules.MultiplierAt)
	if err = unlessStatic(err, &rules); err != nil {
		return Item{}, err
	}
	return Item{b, rules, multiplier}, nil
}

// unlessStatic forgives a multiplier that was not kept where the base fee does
// not need it.
func unlessStatic(err error, rules *network.Rules) error {
	if errors.Is(err, chain.ErrNotKept) && rules.BaseFee.Static.Known() {
		rules.Notes = append(rules.Notes, "the multiplier was not kept; the base fee is static and does not need it")
		return nil
	}
	return err
}

// Next returns a block with what the block after it will be priced by: the rules
// of the runtime, and the multiplier, that the block itself left behind.
func (r *Reader) Next(ctx context.Context, ref Ref) (Item, error) {
	b, err := r.block(ctx, ref)
	if err != nil {
		return Item{}, err
	}
	a, err := r.runtimeAt(ctx, b.Number)
	if err != nil {
		return Item{}, err
	}
	runtime, _ := a.runtime.Get()
	if have, ok := runtime.AtHash.Get(); ok && have != b.Hash {
		return Item{}, wrongBlock("runtime", b.Number, have, b.Hash)
	}
	rules, err := r.rules(a)
	if err != nil {
		return Item{}, err
	}
	multiplier, err := r.storedAt(ctx, b.Number, b.Hash)
	if err = unlessStatic(err, &rules); err != nil {
		return Item{}, err
	}
	return Item{b, rules, multiplier}, nil
}

// rules finds the network, and its rules for the runtime that executed a block.
// They are made anew for every block, which may add notes to them.
func (r *Reader) rules(a runtimeAt) (network.Rules, error) {
	n, note, err := r.Tables.Find(a.identity(), r.Network)
	if err != nil {
		return network.Rules{}, err
	}
	var rules network.Rules
	runtime, known := a.runtime.Get()
	if known && !r.Specification {
		rules, err = n.Rules(runtime.Value.SpecVersion)
	} else {
		rules, err = n.SpecificationRules()
	}
	if err != nil {
		return network.Rules{}, err
	}
	if note != "" {
		rules.Notes = append(rules.Notes, note)
	}
	if !known {
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
	if where == network.AtParent {
		return r.storedAt(ctx, b.Number-1, b.ParentHash)
	}
	return r.storedAt(ctx, b.Number, b.Hash)
}

// Stored reads the multiplier that a block left behind, which prices the next one. One
// of another block is [chain.ErrWrongBlock], as it is where it prices one.
func (r *Reader) Stored(ctx context.Context, b *chain.Block) (chain.Optional[chain.StoredMultiplier], error) {
	return r.storedAt(ctx, b.Number, b.Hash)
}

// storedAt reads the multiplier that a block left behind.
func (r *Reader) storedAt(ctx context.Context, at uint64, hash chain.Hash) (none chain.Optional[chain.StoredMultiplier], err error) {
	m, err := r.Source.Multiplier(ctx, at)
	if err != nil {
		return none, err
	}
	if have, ok := m.AtHash.Get(); ok && have != hash {
		return none, wrongBlock("multiplier", at, have, hash)
	}
	return chain.Some(chain.Stored(m)), nil
}

func wrongBlock(what string, at uint64, have, want chain.Hash) error {
	return fmt.Errorf("%s at block %d: %w: it is of block %v, want %v", what, at, chain.ErrWrongBlock, have, want)
}
