package ledger

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/feeledger/fees/internal/failure"
)

// A ledger is extended downwards like upwards: blocks are stored in any order, then sealed. Blocks below
// its first height are in no query and no total until then. The sealer takes the highest of them that lead
// up to the first height without a gap, and moves the first height to the lowest of those, in one change.
// So the ledger is complete at any moment, and an interrupted run continues from there.
//
// A day's seal covers its blocks in order of height, so the seal of a day that already had blocks is
// recomputed from all their digests, and its month's from its days. The result is the same as for a
// ledger that started at the lower height.

// ErrExtended reports that blocks were added below the ledger, or to one of its ended days, while it
// was being read.
var ErrExtended = failure.New(failure.Busy, "earlier blocks were added to the ledger while it was being read")

// movedFrom returns the error for a ledger that started at another height before.
func (c *bookRow) movedFrom(first uint64, then string) error {
	err := ErrDetached
	if c.first < first {
		err = ErrExtended
	}
	return fmt.Errorf("%w; it now starts at block %d. %s", err, c.first, then)
}

// lower moves the first height down while nothing is sealed, and returns the state of the ledger.
func lower(ctx context.Context, tx transaction, first uint64) (c bookRow, err error) {
	if err := tx.lock(ctx, lockSeal); err != nil {
		return c, err
	}
	if c, err = readBookRow(ctx, tx); err != nil || c.sealed > 0 || first >= c.first {
		return c, err
	}
	c.first = first
	return c, c.keep(ctx, tx)
}

// checkRemoved returns an error while rows of detached blocks are being removed where others are to be
// stored: those would be removed as well.
func (c *bookRow) checkRemoved(height uint64) error {
	if height >= c.first {
		return nil
	}
	if removed, removing := c.removed(); removing {
		return fmt.Errorf("%w, and blocks %v are still being removed. Run the command again.", ErrDetached, removed)
	}
	return nil
}

// belowAtOnce is how many blocks are sealed below the ledger in one change. Each change recomputes the
// day and the month that they share with the blocks above.
var belowAtOnce uint64 = 5_000

// readyBelow counts the final blocks that lead up to the ledger's first height, up to a limit.
func (c *bookRow) readyBelow(ctx context.Context, q querier, limit uint64) (count uint64, err error) {
	if _, removing := c.removed(); c.sealed == 0 || c.first == 0 || removing {
		return 0, nil
	}
	err = scan(ctx, q, heightFields, func(height *uint64) error {
		if *height == c.first-count-1 {
			count++
		}
		return nil
	}, fmt.Sprintf("SELECT height FROM blocks WHERE height >= ? AND height < ? AND flags & %d = 0 ORDER BY height DESC", notFinal), int64(c.first-min(c.first, limit)), int64(c.first))
	return count, err
}

// sealBelow seals one batch of blocks that lead up to the ledger's first height.
func (b *Book) sealBelow(ctx context.Context) (sealed uint64, err error) {
	err = b.asSealer(ctx, func(tx transaction, c bookRow) error {
		count, err := c.readyBelow(ctx, tx, belowAtOnce)
		if err != nil || count == 0 {
			return err
		}
		s := &sealing{bookRow: bookRow{Identity: c.Identity, first: c.first - count}, tallies: tallies{}, grown: map[stretchKey]*stretch{}, fresh: true}
		if err := b.addStored(ctx, tx, s, c.first-1); err != nil {
			return err
		}
		if s.next() != c.first {
			return damagedBlock(s.next(), "missing")
		}
		if err := b.checkSeam(ctx, tx, s); err != nil {
			return err
		}
		for _, x := range s.grown {
			if err := x.join(ctx, tx); err != nil {
				return err
			}
		}
		s.sealed += c.sealed
		sealed = count
		return s.keep(ctx, tx)
	})
	return sealed, err
}

// checkSeam checks that the ledger's first block is the child of the block below it.
func (b *Book) checkSeam(ctx context.Context, q querier, s *sealing) error {
	first, err := b.blockAt(ctx, q, s.next())
	if err != nil {
		return err
	}
	if want, _ := s.parent.Get(); first.parentHash() != want {
		return &ForkError{first.height, first.parentHash(), want}
	}
	return nil
}

// join adds the blocks that the ledger already has in a stretch, above the new ones. The stretch has
// no parts until it is ended again.
func (s *stretch) join(ctx context.Context, tx transaction) error {
	above, err := stretchAt(ctx, tx, s.unit, s.number)
	if err != nil || above == nil {
		return err
	}
	if s.unit == daily {
		var have Seal
		if s.seal, have, err = extendSeal(ctx, tx, s.seal, above); err != nil {
			return err
		}
		if have != above.seal {
			return damaged("table stretches: the blocks of %s are not the ones that were sealed", above.name())
		}
	}
	s.first, s.last = min(s.first, above.first), max(s.last, above.last)
	return s.merge(above)
}

// extendSeal returns the seal on extended by a day's blocks, and the seal of those blocks only.
func extendSeal(ctx context.Context, q querier, on Seal, day *stretch) (all, own Seal, err error) {
	all = on
	where, arguments := day.condition()
	err = scan(ctx, q, dataField("record"), func(record *[]byte) error {
		digest := sha256.Sum256(*record)
		all, own = all.After(digest), own.After(digest)
		return nil
	}, "SELECT record FROM blocks WHERE "+where+" ORDER BY height", arguments...)
	return all, own, err
}

// changed returns a stretch as it is now if blocks were added to it since it was read: below it, or a late block.
func (s *stretch) changed(ctx context.Context, q querier) (now *stretch) {
	now, err := stretchAt(ctx, q, s.unit, s.number)
	if err != nil || now == nil || now.digest() == s.digest() {
		return nil
	}
	return now
}
