package gatewayclient

import (
	"context"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/jsonscan"
)

// BaseFee returns the base fee per gas after the block at a height, in wei, from a storage item such as
// "BaseFee.BaseFeePerGas".
func (c *Client) BaseFee(ctx context.Context, item string, at uint64) (none chain.AtBlock[chain.GasPrice], err error) {
	if pallet, name, _ := strings.Cut(item, "."); !nameForm.MatchString(pallet) || !nameForm.MatchString(name) {
		return none, fmt.Errorf("base fee: storage item %q: want a name such as BaseFee.BaseFeePerGas", jsonscan.Excerpt(item))
	}
	b, err := read(ctx, c, sidecar.BaseFeePath(item, at), ofHeight(at, func(text string) (chain.AtBlock[chain.GasPrice], error) {
		return sidecar.DecodeBaseFee(text, item)
	}))
	if err != nil {
		return none, fmt.Errorf("base fee at block %d: %w", at, err)
	}
	return b, nil
}
