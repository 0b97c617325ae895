package ledger

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/feeledger/fees/internal/failure"
)

// A book is extended downwards as it is upwards: blocks are stored, in any order, and then they
// are sealed. Those below its first height are in no question and in no total until then. Who
// seals takes the highest of them that lead up to the first height without a gap, and has the
// book begin with the lowest of those, all in one change. So a book is whole at each moment, and
// one that is killed goes on from there.
//
// A day's seal covers its blocks in the order of their heights, so the seal of a day that had blocks
// is computed again from all their digests, and that of its month from its days. The result is the
// same as a book that started with the lower height.

// ErrExtended says that blocks were added below the book, or to a day of it that had ended, while it
// was read.
var ErrExtended = failure.New(failure.Busy, "earlier blocks were added to the ledger meanwhile")

// movedFrom says what became of a book that began with another height before.
func (c *bookRow) movedFrom(first uint64, then string) error {
	err := ErrDetached
	if c.first < first {
		err = ErrExtended
	}
	return fmt.Errorf("%w, which begins with block %d now: %s", err, c.first, then)
}

// lower has a book in which nothing is sealed begin with a lower height.
func (b *Book) lower(ctx context.Context, tx transaction, first uint64) error {
	if err := lockSealing(ctx, tx); err != nil {
		return err
	}
	have, err := readBookRow(ctx, tx)
	if err != nil || have.sealed > 0 || first >= have.first {
		return err
	}
	have.first = first
	return have.keep(ctx, tx)
}

// room wants no rows of detached blocks to be left where others are to be stored: they would be
// removed, too.
func (c *bookRow) room(height uint64) error {
	if height >= c.first {
		return nil
	}
	if removed, removing := c.removed(); removing {
		return fmt.Errorf("%w, and blocks %v are still being removed: run it again", ErrDetached, removed)
	}
	return nil
}

// belowAtOnce is how many blocks are sealed below the book in one change: the day and the month that
// they share with blocks above are made anew each time.
var belowAtOnce uint64 = 5_000

// readyBelow is how many blocks lead up to the book's first height and are final: up to a limit.
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

// sealBelow seals blocks that lead up to the book's first height, as many as are sealed at once.
func (b *Book) sealBelow(ctx context.Context) (sealed uint64, err error) {
	err = b.asSealer(ctx, func(tx transaction, c bookRow) error {
		count, err := c.readyBelow(ctx, tx, belowAtOnce)
		if err != nil || count == 0 {
			return err
		}
		s := &sealing{bookRow: bookRow{Identity: c.Identity, first: c.first - count}, tallies: tallies{}, grown: map[stretchKey]*stretch{}, alone: true}
		if err := b.addStored(ctx, tx, s, c.first-1); err != nil {
			return err
		}
		if s.next() != c.first {
			return damagedBlock(s.next(), "missing")
		}
		if err := b.seam(ctx, tx, s); err != nil {
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

// seam wants the book's first block to be on top of the one that comes below it.
func (b *Book) seam(ctx context.Context, q querier, s *sealing) error {
	first, err := b.blockAt(ctx, q, s.next())
	if err != nil {
		return err
	}
	if want, _ := s.parent.Get(); first.parentHash() != want {
		return &ForkError{first.height, first.parentHash(), want}
	}
	return nil
}

// join adds to a stretch the blocks that the book has of it above: it has no parts until it is ended
// anew.
func (s *stretch) join(ctx context.Context, tx transaction) error {
	found, err := readStretches(ctx, tx, s.unit, "number = ?", s.number)
	if err != nil || len(found) == 0 {
		return err
	}
	above := found[0]
	if s.unit == daily {
		var have Seal
		if s.seal, have, err = sealsOn(ctx, tx, s.seal, above); err != nil {
			return err
		}
		if have != above.seal {
			return damaged("table stretches: the day %s does not have the blocks that were sealed", above.name())
		}
	}
	s.first, s.last = min(s.first, above.first), max(s.last, above.last)
	return s.merge(above)
}

// sealsOn are a seal that a day's blocks are added to, and that of those blocks alone.
func sealsOn(ctx context.Context, q querier, on Seal, day *stretch) (all, alone Seal, err error) {
	all = on
	where, arguments := day.condition()
	err = scan(ctx, q, dataField("record"), func(record *[]byte) error {
		digest := sha256.Sum256(*record)
		all, alone = all.After(digest), alone.After(digest)
		return nil
	}, "SELECT record FROM blocks WHERE "+where+" ORDER BY height", arguments...)
	return all, alone, err
}

// changed tells whether a stretch is another one now: blocks were added below it, or a late one.
func (b *Book) changed(ctx context.Context, s *stretch) bool {
	now, err := s.now(ctx, b.engine.shared())
	return err == nil && now.digest() != s.digest()
}
