package source

import (
	"context"
	"errors"

	"github.com/feeledger/fees/chain"
)

// Extrinsics returns the encoded extrinsics of a block; unknown if the source does not have them. An error
// means that there is no response for now, or a wrong one. A node beside the source is read for them where the formula of a
// fee depends on what only they show: the runtime reclaims proof size.
func (r *Reader) Extrinsics(ctx context.Context, item Item) (none chain.Optional[[][]byte], err error) {
	from, err := As[Extrinsics](r.Source)
	native, known := item.Rules.NativeFee.Get()
	switch {
	case err == nil:
	case r.Beside == nil || !known || !native.Reclaims:
		return none, nil
	default:
		if from, err = As[Extrinsics](r.Beside); err != nil {
			return none, nil
		}
		encoded, err := from.Extrinsics(ctx, item.Block.Hash)
		if errors.Is(err, chain.ErrNoBlock) { // the node is behind, or on another chain
			return none, nil
		}
		return unlessPermanent(encoded, err)
	}
	return unlessPermanent(from.Extrinsics(ctx, item.Block.Hash))
}

// unlessPermanent turns an error that means that the source will never answer into an unknown value.
func unlessPermanent[T any](value T, err error) (none chain.Optional[T], _ error) {
	switch {
	case err == nil:
		return chain.Some(value), nil
	case IsUnsupported(err):
		return none, nil
	}
	return none, err
}

// NativeSigners returns the signers of a block's native extrinsics; unknown if the source does not have them.
// An error means that there is no response for now, or a wrong one.
func (r *Reader) NativeSigners(ctx context.Context, item Item) (none chain.Optional[[]chain.NativeSigner], err error) {
	from, err := As[NativeSigners](r.Source)
	if err != nil {
		return none, nil
	}
	return r.NativeSignersFrom(ctx, from, item)
}

// NativeSignersFrom is like [Reader.NativeSigners], with another source of the same chain.
func (r *Reader) NativeSignersFrom(ctx context.Context, from NativeSigners, item Item) (chain.Optional[[]chain.NativeSigner], error) {
	var genesis chain.Optional[chain.Hash]
	if n, known := r.Tables.Named(item.Rules.Network); known && n.Genesis != nil {
		genesis = chain.Some(*n.Genesis)
	}
	return unlessPermanent(from.NativeSigners(ctx, item.Block.Hash, genesis))
}
