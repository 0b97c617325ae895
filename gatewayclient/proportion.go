package gatewayclient

import (
	"cmp"
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

// FeesTreasuryProportion returns that governance parameter after the block at a height. It is unknown if
// governance has never set it: the runtime's default applies. Key is its key in the storage item
// parameters.parameters in the chain's encoding, SCALE in hex, such as 0x0000: the gateway does not accept the
// JSON form of this key, an enum.
func (c *Client) FeesTreasuryProportion(ctx context.Context, key string, at uint64) (none chain.AtBlock[chain.Optional[chain.Perbill]], err error) {
	p, err := read(ctx, c, sidecar.ProportionPath(key, at), func(text string) (chain.AtBlock[chain.Optional[chain.Perbill]], error) {
		p, err := sidecar.DecodeProportion(text, key)
		return p, cmp.Or(err, checkAt(chain.Some(at), p.At))
	})
	if err != nil {
		return none, fmt.Errorf("FeesTreasuryProportion at block %d: %w", at, err)
	}
	return p, nil
}
