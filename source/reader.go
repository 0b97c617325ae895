package source

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// ErrNotFinal means that a block could still be replaced by another.
var ErrNotFinal = failure.New(failure.Unanswered, "not final yet")

// ErrFinalityUnknown means that a source does not report whether a block is final, where only final blocks serve.
var ErrFinalityUnknown = failure.New(failure.Unanswered, "the source does not report whether it is final")

// Reader reads blocks with everything needed to price them.
type Reader struct {
	Source Source
	// Beside is another source of the same chain, nil if there is none. It is read for what Source does not serve: the
	// multiplier, the weight of a block, encoded extrinsics, and what a runtime answers about them.
	Beside Source
	Tables network.Tables
	// Network is the user's choice of network, or "" to use the source's.
	Network string
	// Specification prices by the specification's own table instead of by the runtime that executed the block.
	Specification bool
	// MultiplierAt overrides which block's multiplier the rules use, if not "".
	MultiplierAt network.MultiplierAt
	// Unfinalized accepts blocks that are not final.
	Unfinalized bool
}

// Item is a block with the inputs of pricing, the arguments of fee.Price. Multiplier is unknown for block 0,
// which has no parent.
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
	return r.item(ctx, b, a, func() (network.Rules, error) { return r.rules(a) })
}

// block reads a block, which must be final unless Unfinalized is set.
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
func (r *Reader) item(ctx context.Context, b *chain.Block, a runtimeAt, rulesOf func() (network.Rules, error)) (Item, error) {
	if err := a.check(b); err != nil {
		return Item{}, err
	}
	rules, err := rulesOf()
	if err != nil {
		return Item{}, err
	}
	rules.Notes = slices.Clip(rules.Notes) // other blocks share them
	if !b.Finalized.Known() {
		rules.Notes = append(rules.Notes, "the gateway does not report whether the block is final")
	}
	multiplier, err := r.multiplier(ctx, b, &rules)
	if err = unlessStatic(err, &rules); err != nil {
		return Item{}, err
	}
	if err == nil && !multiplier.Known() && b.Number > 0 && !rules.BaseFee.Static.Known() {
		rules.Notes = append(rules.Notes, "the gateway does not serve the multiplier, so the base fee is unknown, and what follows from the multiplier was not checked; a node serves it")
	}
	return Item{b, rules, multiplier}, nil
}

// unlessStatic ignores the error of a missing multiplier if the base fee does not depend on it.
func unlessStatic(err error, rules *network.Rules) error {
	if errors.Is(err, chain.ErrNotKept) && rules.BaseFee.Static.Known() {
		rules.Notes = append(rules.Notes, "the multiplier is not stored, and not needed: the base fee is static")
		return nil
	}
	return err
}

// Next returns a block with the inputs that will price the next block: the rules of the runtime, and the
// multiplier, after this block.
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
	multiplier, err := r.storedAt(ctx, b.Number, b.Hash, &rules)
	if err = unlessStatic(err, &rules); err != nil {
		return Item{}, err
	}
	return Item{b, rules, multiplier}, nil
}

// Final returns how the source's checkpoint is proved final, if it is.
func (r *Reader) Final() (none evidence.Finality) {
	if archive, err := As[*nodeArchive](r.Source); err == nil {
		return archive.final
	}
	return none
}

// Proved returns the checkpoint that proves the source's data, if any: see [Proofs].
func (r *Reader) Proved() (none chain.Optional[chain.Anchor]) {
	if proofs, err := As[Proofs](r.Source); err == nil {
		return proofs.Proved()
	}
	return none
}

// rules returns the network's rules for the runtime that executed a block.
func (r *Reader) rules(a runtimeAt) (network.Rules, error) {
	var version chain.Optional[uint32]
	runtime, known := a.runtime.Get()
	if known && !r.Specification {
		version = chain.Some(runtime.Value.SpecVersion)
	}
	rules, note, err := r.Tables.Rules(a.identity(), r.Network, version)
	if err != nil {
		return network.Rules{}, err
	}
	if final := r.Final(); final.Known() {
		n, _ := r.Tables.Named(rules.Network) // it was found there
		if err := n.CheckParachain(final.Para); err != nil {
			return network.Rules{}, err
		}
	}
	if note != "" {
		rules.Notes = append(rules.Notes, note)
	}
	if !known {
		rules.Notes = append(rules.Notes, "the gateway does not report the runtime that executed the block. The specification's table was used.")
	}
	if r.MultiplierAt != "" {
		rules.MultiplierAt = r.MultiplierAt
	}
	return rules, nil
}

// multiplier reads the multiplier in force, and checks that it belongs to this block or its parent, not to a
// block that was replaced.
func (r *Reader) multiplier(ctx context.Context, b *chain.Block, rules *network.Rules) (multiplier chain.Optional[chain.StoredMultiplier], err error) {
	if b.Number == 0 { // nothing was executed in it
		return multiplier, nil
	}
	at, hash := b.Number, b.Hash
	if rules.MultiplierAt == network.AtParent {
		at, hash = b.Number-1, b.ParentHash
	}
	multiplier, err = r.storedAt(ctx, at, hash, rules)
	m, known := multiplier.Get()
	if item, ok := rules.BaseFee.Stored.Get(); ok && item.AtBlock() && known && err == nil {
		m.BaseFee, err = r.baseFeeAt(ctx, item, b.Number, b.Hash)
		return chain.Some(m), err
	}
	return multiplier, err
}

// StoredMultiplier reads the multiplier that a block stored, which prices the next one. If it belongs to a different
// block, StoredMultiplier returns [chain.ErrWrongBlock].
func (r *Reader) StoredMultiplier(ctx context.Context, item Item) (chain.Optional[chain.StoredMultiplier], error) {
	return r.storedAt(ctx, item.Block.Number, item.Block.Hash, &item.Rules)
}

// storedAt reads the multiplier that a block stored, and the base fee if the rules name its storage. The multiplier is
// unknown if no source serves it and the chain states each fee itself.
func (r *Reader) storedAt(ctx context.Context, at uint64, hash chain.Hash, rules *network.Rules) (none chain.Optional[chain.StoredMultiplier], err error) {
	m, err := r.Source.Multiplier(ctx, at)
	if errors.Is(err, chain.ErrNotOffered) {
		switch {
		case r.Beside != nil:
			m, err = r.Beside.Multiplier(ctx, at)
		case rules.EVM != rule.Frontier: // the chain states each fee
			return none, nil
		}
	}
	if err != nil {
		return none, err
	}
	if have, ok := m.AtHash.Get(); ok && have != hash {
		return none, wrongBlock("multiplier", at, have, hash)
	}
	stored := chain.StoredMultiplierOf(m)
	if item, ok := rules.BaseFee.Stored.Get(); ok && !item.AtBlock() {
		if stored.BaseFee, err = r.baseFeeAt(ctx, item, at, hash); err != nil {
			return none, err
		}
	}
	return chain.Some(stored), nil
}

// baseFeeAt reads the base fee in the state of a block.
func (r *Reader) baseFeeAt(ctx context.Context, item rule.StoredBaseFee, at uint64, hash chain.Hash) (none chain.Optional[chain.GasPrice], err error) {
	base, err := r.baseFee(ctx, item, at)
	if err != nil {
		return none, err
	}
	if have, ok := base.AtHash.Get(); ok && have != hash {
		return none, wrongBlock("base fee", at, have, hash)
	}
	return chain.Some(base.Value), nil
}

func (r *Reader) baseFee(ctx context.Context, item rule.StoredBaseFee, at uint64) (none chain.AtBlock[chain.GasPrice], err error) {
	from, err := As[BaseFees](r.Source)
	if err != nil {
		return none, fmt.Errorf("base fee: %w", err)
	}
	return from.BaseFee(ctx, item.Name(), at)
}

func wrongBlock(what string, at uint64, have, want chain.Hash) error {
	return fmt.Errorf("%s at block %d: %w: it is for block %v, want %v", what, at, chain.ErrWrongBlock, have, want)
}
