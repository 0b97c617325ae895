package app

import (
	"context"
	"errors"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// Upgrade migrates a ledger of an earlier version to the current schema version. Blocks, digests and seals
// stay unchanged. It returns the ledger's location without credentials.
func Upgrade(ctx context.Context, place string) (shown string, err error) {
	d, err := Open(ctx, place, network.Tables{}) // opening to write would create it
	if errors.Is(err, ledger.ErrOlder) {
		d, err = OpenWriter(ctx, place, network.Tables{})
	}
	if err != nil {
		return "", err
	}
	return d.Place, d.Close()
}
