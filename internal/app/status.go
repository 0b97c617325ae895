package app

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
)

// Status is how far a ledger is. A sum with a part that is not known is not known.
type Status struct {
	ledger.Status
	Charged, Burned, Treasury, Author chain.Optional[chain.Wei]
	Jobs                              chain.Optional[queue.Summary] // of a ledger that is shared
}

// Status tells how far the ledger is.
func (d *Desk) Status(ctx context.Context) (s Status, err error) {
	if s.Status, err = d.Book.Status(ctx); err != nil {
		return s, d.of(err)
	}
	t := &s.Totals
	parts := t.Uncharged + t.Unaccounted // of so many transactions it is not known who got what
	s.Charged = knownUnless(t.Uncharged, t.Charged)
	s.Burned, s.Treasury, s.Author = knownUnless(parts, t.Burned), knownUnless(parts, t.Treasury), knownUnless(parts, t.Author)
	if pool := d.Book.Pool(); pool != nil {
		jobs, err := queue.Jobs(ctx, pool)
		if err != nil {
			return s, d.of(err)
		}
		s.Jobs = chain.Some(jobs)
	}
	return s, nil
}

// knownUnless is a sum, not known where a part of it is not.
func knownUnless(unknown uint64, sum chain.Wei) (none chain.Optional[chain.Wei]) {
	if unknown > 0 {
		return none
	}
	return chain.Some(sum)
}

// Backup copies the ledger as it is at this moment into a new file.
func (d *Desk) Backup(ctx context.Context, path string, p Progress) error {
	return d.of(d.Book.Backup(ctx, path, p.show))
}
