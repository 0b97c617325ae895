package source

import (
	"context"

	"github.com/feeledger/fees/chain"
)

// Extrinsics are those of a block as they are encoded, not known where the source does not
// tell. An error says that there is no answer for now, or a wrong one.
func (r *Reader) Extrinsics(ctx context.Context, item Item) (chain.Optional[[][]byte], error) {
	return ifTold(r.Source.Extrinsics(ctx, item.Block.Hash))
}

// ifTold makes an answer that a source will never give one that is not known.
func ifTold[T any](value T, err error) (none chain.Optional[T], _ error) {
	switch {
	case err == nil:
		return chain.Some(value), nil
	case CannotTell(err):
		return none, nil
	}
	return none, err
}

// NativeSigners tells whose keys signed the native extrinsics of a block: a node, or an archive of what one said. A
// genesis that is known may have been signed as well as the source's block 0.
type NativeSigners interface {
	NativeSigners(ctx context.Context, block chain.Hash, genesis chain.Optional[chain.Hash]) ([]chain.NativeSigner, error)
}

// NativeSigners are those of a block's native extrinsics, not known where the source does not tell. An error says that
// there is no answer for now, or a wrong one.
func (r *Reader) NativeSigners(ctx context.Context, item Item) (none chain.Optional[[]chain.NativeSigner], err error) {
	from, offers := r.Source.(NativeSigners)
	if !offers {
		return none, nil
	}
	return r.NativeSignersFrom(ctx, from, item)
}

// NativeSignersFrom is [Reader.NativeSigners] of another source of the same chain.
func (r *Reader) NativeSignersFrom(ctx context.Context, from NativeSigners, item Item) (chain.Optional[[]chain.NativeSigner], error) {
	var genesis chain.Optional[chain.Hash]
	if n, known := r.Tables.Named(item.Rules.Network); known && n.Genesis != nil {
		genesis = chain.Some(*n.Genesis)
	}
	return ifTold(from.NativeSigners(ctx, item.Block.Hash, genesis))
}
