package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// FieldBefore is the month of a [DetachOptions].
const FieldBefore Field = "before"

// DetachOptions say what is taken out of a ledger, and where it goes.
type DetachOptions struct {
	Place  string // the ledger's
	Before string // a month of UTC, such as 2025-01: what is before it
	File   string // a new ledger
	// Copied, Verified and Removed are told how far it is.
	Copied, Verified, Removed Progress
}

// Detachment is a part of a ledger that was taken out of it, or would be.
type Detachment struct {
	ledger.Detachment
	Place string // the ledger's, as it may be shown
	File  bool   // it is in a file, which stays as large as it was
}

// Detach takes the blocks before a month out of a ledger, into a file that is one of its own
// and was verified before anything is removed.
func Detach(ctx context.Context, o DetachOptions) (*Detachment, error) {
	before, err := parseBefore(o.Before)
	if err != nil {
		return nil, err
	}
	there, err := Open(ctx, o.Place, network.Tables{}) // one who writes would make it
	if err != nil {
		return nil, err
	}
	there.Close()
	d, err := OpenWriter(ctx, o.Place, network.Tables{})
	if errors.Is(err, ledger.ErrLocked) {
		err = fmt.Errorf("to detach blocks needs the ledger alone, without fees follow and without workers: %w", err)
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	detached, err := d.Book.Detach(ctx, before, o.File, ledger.DetachProgress{Copied: o.Copied.show, Verified: o.Verified.show, Removed: o.Removed.show})
	return &Detachment{detached, d.Place, !ledger.Postgres(o.Place)}, d.of(err)
}

// Detachable tells what Detach would take out of a ledger.
func Detachable(ctx context.Context, place, before string) (*Detachment, error) {
	month, err := parseBefore(before)
	if err != nil {
		return nil, err
	}
	d, err := Open(ctx, place, network.Tables{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	detachable, err := d.Book.Detachable(ctx, month)
	return &Detachment{detachable, d.Place, !ledger.Postgres(place)}, d.of(err)
}

func parseBefore(text string) (ledger.Month, error) {
	first, err := time.Parse("2006-01", text)
	if err != nil {
		return 0, notUnderstood("%v %q: want a month such as 2026-01", FieldBefore, text)
	}
	return ledger.MonthOf(first), nil
}
