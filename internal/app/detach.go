package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// FieldBefore is the field of the month in [DetachOptions].
const FieldBefore Field = "before"

// DetachOptions state which blocks to move out of a ledger, and where to.
type DetachOptions struct {
	Place  string // path or URL of the ledger
	Before string // a UTC month, such as 2025-01: the blocks before it are moved
	File   string // path of the new ledger
	// Copied, Verified and Removed receive the progress of each step.
	Copied, Verified, Removed Progress
}

// Detachment describes blocks that were or would be moved out of a ledger.
type Detachment struct {
	ledger.Detachment
	Place string // the ledger's location without credentials
	File  bool   // the ledger is a file, which does not shrink
}

// Detach moves the blocks before a month out of a ledger into a new ledger file. It verifies the file
// before it removes anything.
func Detach(ctx context.Context, o DetachOptions) (*Detachment, error) {
	before, err := parseBefore(o.Before)
	if err != nil {
		return nil, err
	}
	there, err := Open(ctx, o.Place, network.Tables{}) // opening to write would create it
	if err != nil {
		return nil, err
	}
	there.Close()
	d, err := OpenWriter(ctx, o.Place, network.Tables{})
	if errors.Is(err, ledger.ErrLocked) {
		err = fmt.Errorf("detaching needs exclusive access, without \"fees follow\" and workers: %w", err)
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	detached, err := d.Book.Detach(ctx, before, o.File, ledger.DetachProgress{Copied: o.Copied.show, Verified: o.Verified.show, Removed: o.Removed.show})
	return &Detachment{detached, d.Place, !ledger.Postgres(o.Place)}, d.wrapErr(err)
}

// Detachable returns what [Detach] would move out of a ledger.
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
	return &Detachment{detachable, d.Place, !ledger.Postgres(place)}, d.wrapErr(err)
}

func parseBefore(text string) (ledger.Month, error) {
	first, err := time.Parse("2006-01", text)
	if err != nil {
		return 0, notUnderstood("%v %q: want a month such as 2026-01", FieldBefore, text)
	}
	return ledger.MonthOf(first), nil
}
