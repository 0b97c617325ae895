package answers

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/jsonscan"
)

// BaseFee returns the base fee per gas after the block at a height, or [chain.ErrNotKept] if it was not recorded.
func (a *Archive) BaseFee(_ context.Context, item string, at uint64) (none chain.AtBlock[chain.GasPrice], err error) {
	path := baseFeePath(at)
	if m := a.manifest; m != nil && m.BaseFeeItem != item {
		return none, fmt.Errorf("%s: %s: %w: recorded with the item %q, not %s", a.name, path, ErrLacks, jsonscan.Excerpt(m.BaseFeeItem), item)
	}
	return readAt(a, path, at, func(text string) (chain.AtBlock[chain.GasPrice], error) {
		return sidecar.DecodeBaseFee(text, item)
	})
}

// baseFee answers a request for a storage item of a pallet, if it is the recorded base fee.
func (g gateway) baseFee(pallet, name string) (answer func(uint64) (string, error), is bool) {
	if !g.archive.hasBaseFees() {
		return nil, false
	}
	item := pallet + "." + name
	if m := g.archive.manifest; m != nil && sidecar.BaseFeePath(m.BaseFeeItem, 0) != sidecar.BaseFeePath(item, 0) {
		return nil, false
	}
	of := g.file(baseFeePath)
	return func(height uint64) (string, error) {
		text, err := of(height)
		if err == nil {
			if _, err = sidecar.DecodeBaseFee(text, item); err != nil {
				return "", unknownStorage(pallet, name)
			}
		}
		return text, err
	}, true
}
