package app

import (
	"context"
	"errors"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// Upgrade brings a ledger that an earlier version wrote to the layout of this one, and makes the
// look-ups that it lacks. Blocks, digests and seals stay as they are. Who is stopped goes on
// where it was, when it is run again. It returns the ledger's place, as it may be shown.
func Upgrade(ctx context.Context, place string, p Progress) (shown string, err error) {
	d, err := Open(ctx, place, network.Tables{}) // one who writes would make it
	if err == nil {
		d.Close()
	} else if !errors.Is(err, ledger.ErrOlder) {
		return "", err
	}
	if d, err = OpenWriter(ctx, place, network.Tables{}); err != nil {
		return "", err
	}
	defer d.Close()
	err = d.Book.BuildLookups(ctx, p.show)
	p.end()
	return d.Place, d.of(err)
}
