package gatewayclient

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/sidecar"
)

// FeesTreasuryProportion is that parameter of governance as the block at a height left
// it. It is not known where governance has never set it: the runtime's default holds. Key
// is its key in the storage item parameters.parameters as the chain has it, SCALE in hex,
// such as 0x0000: the gateway refuses a key in JSON, which is an enum.
func (c *Client) FeesTreasuryProportion(ctx context.Context, key string, at uint64) (none chain.AtBlock[chain.Optional[chain.Perbill]], err error) {
	text, err := c.Answer(ctx, sidecar.ProportionPath(key, at))
	p := none
	if err == nil {
		if p, err = sidecar.DecodeProportion(text, key); err == nil {
			err = checkAt(chain.Some(at), p.At)
		}
	}
	if err != nil {
		return none, fmt.Errorf("FeesTreasuryProportion at block %d: %w", at, err)
	}
	return p, nil
}
