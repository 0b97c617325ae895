package app

import (
	"context"
	"errors"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
)

// Status describes a ledger. A sum is unknown if any part of it is unknown.
type Status struct {
	ledger.Status
	PriorityFee, Tip, Charged, Burned, Treasury, Author chain.Optional[chain.Wei]

	Jobs    chain.Optional[queue.Summary]    // for a shared ledger
	Trail   chain.Optional[ledger.TrailHead] // unknown if the audit trail was altered
	Altered error                            // how it was altered; nil if it was not
}

// Status returns the status of the ledger.
func (d *Ledger) Status(ctx context.Context) (s Status, err error) {
	if s.Status, err = d.Book.Status(ctx); err != nil {
		return s, d.wrapErr(err)
	}
	t := &s.Totals
	parts := t.Uncharged + t.Unaccounted // transactions with an unknown split of the fee
	s.PriorityFee, s.Tip, s.Charged = knownUnless(t.PriorityUnknown, t.PriorityFee), knownUnless(t.TipUnknown, t.Tip), knownUnless(t.Uncharged, t.Charged)
	s.Burned, s.Treasury, s.Author = knownUnless(parts, t.Burned), knownUnless(parts, t.Treasury), knownUnless(parts, t.Author)
	if trail, err := d.Book.Trail(ctx); err == nil {
		s.Trail = chain.Some(ledger.HeadOf(trail))
	} else if s.Altered = d.wrapErr(err); !errors.Is(err, ledger.ErrDamaged) {
		return s, s.Altered
	}
	if ledger.Postgres(d.Place) {
		jobs, err := queue.Jobs(ctx, d.Book)
		if err != nil {
			return s, d.wrapErr(err)
		}
		s.Jobs = chain.Some(jobs)
	}
	return s, nil
}

// knownUnless returns the sum, or unknown if parts of it are unknown.
func knownUnless(unknown uint64, sum chain.Wei) (none chain.Optional[chain.Wei]) {
	if unknown > 0 {
		return none
	}
	return chain.Some(sum)
}

// Backup copies the current state of the ledger into a new file.
func (d *Ledger) Backup(ctx context.Context, path string, p Progress) error {
	return d.wrapErr(d.Book.Backup(ctx, path, p.show))
}
