package source

import (
	"context"

	"github.com/feeledger/fees/chain"
)

// Extrinsics are those of a block as they are encoded, not known where the source does not
// tell. An error says that there is no answer for now, or a wrong one.
func (r *Reader) Extrinsics(ctx context.Context, item Item) (none chain.Optional[[][]byte], err error) {
	encoded, err := r.Source.Extrinsics(ctx, item.Block.Hash)
	switch {
	case err == nil:
		return chain.Some(encoded), nil
	case CannotTell(err):
		return none, nil
	}
	return none, err
}
