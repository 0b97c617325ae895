package app

import (
	"context"
	"errors"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// Upgrade brings a ledger that an earlier version wrote to the layout of this one. Blocks, digests
// and seals stay as they are. It returns the ledger's place, as it may be shown.
func Upgrade(ctx context.Context, place string) (shown string, err error) {
	d, err := Open(ctx, place, network.Tables{}) // one who writes would make it
	if errors.Is(err, ledger.ErrOlder) {
		d, err = OpenWriter(ctx, place, network.Tables{})
	}
	if err != nil {
		return "", err
	}
	return d.Place, d.Close()
}
