package ledger

import (
	"context"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
)

// A book is extended downwards as it is upwards: blocks are stored, in any order, and then they
// are sealed. Those below its first height are in no question and in no total until then. Who
// seals takes the highest of them that lead up to the first height without a gap, and has the
// book begin with the lowest of those, all in one change. So a book is whole at each moment, and
// one that is killed goes on from there.
//
// A seal goes over blocks in the order of their heights. So that of a day or a month that
// had blocks already is made anew from all digests of its blocks. What comes of it is what
// a book has that was begun with the lower height.

// ErrExtended says that blocks were added below the book while it was read.
var ErrExtended = failure.New(failure.Busy, "the ledger was extended downwards meanwhile")

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
	if t, ok := tx.(*postgresTransaction); ok { // others may be sealing
		if err := t.lock(ctx, lockSeal); err != nil {
			return err
		}
	}
	have, err := readBookRow(ctx, tx)
	if err != nil || have.sealed > 0 || first >= have.first {
		return err
	}
	have.first, b.pending = first, nil
	return have.keep(ctx, tx)
}

// room wants no rows of detached blocks to be left where others are to be stored: they would be
// removed, too.
func (c *bookRow) room(ctx context.Context, tx transaction, height uint64) error {
	if height >= c.first {
		return nil
	}
	removed, err := removalOf(ctx, tx, c)
	if err == nil && removed != nil {
		err = fmt.Errorf("%w, and blocks %v are still being removed: run it again", ErrDetached, removed.Heights)
	}
	return err
}

// readyBelow is how many blocks lead up to the book's first height and are final: as many as are
// sealed at once, or fewer.
func (c *bookRow) readyBelow(ctx context.Context, q querier, limit uint64) (count uint64, err error) {
	if c.sealed == 0 || c.first == 0 {
		return 0, nil
	}
	lowest := c.first - min(c.first, limit)
	err = scan(ctx, q, heightFields, func(height *uint64) error {
		if *height == c.first-count-1 {
			count++
		}
		return nil
	}, "SELECT height FROM blocks WHERE height >= ? AND height < ? AND final ORDER BY height DESC", int64(lowest), int64(c.first))
	if err != nil || count == 0 {
		return 0, err
	}
	if removed, err := removalOf(ctx, q, c); err != nil || removed != nil {
		return 0, err
	}
	return count, nil
}

// sealBelow seals blocks that lead up to the book's first height, as many as are sealed at once.
func (b *Book) sealBelow(ctx context.Context) (sealed uint64, err error) {
	err = b.asSealer(ctx, func(tx transaction, c bookRow) error {
		count, err := c.readyBelow(ctx, tx, uint64(sealedAtOnce))
		if err != nil || count == 0 {
			return err
		}
		s, err := c.fillBelow(ctx, tx, count)
		if err == nil {
			err = b.saveBelow(ctx, tx, &c, s)
		}
		if err == nil {
			b.pending = nil
			sealed = uint64(s.blocks())
		}
		return err
	})
	return sealed, err
}

// fillBelow adds the blocks that lead up to the first height: so many, or fewer of them where
// they have very many totals.
func (c *bookRow) fillBelow(ctx context.Context, tx transaction, count uint64) (*sealing, error) {
	for {
		s := newSealing(bookRow{Identity: c.Identity, first: c.first - count})
		s.end = c.first
		if err := s.fill(ctx, tx); err != nil {
			return nil, err
		}
		switch {
		case s.next() == c.first:
			return s, c.seam(ctx, tx, s.hash)
		case s.tally.size() < maxTallied || count == 1:
			return nil, damagedBlock(s.next(), blocks, "missing")
		}
		count = max(1, uint64(s.blocks())/2)
	}
}

// seam wants the book's first block to be on top of the one that comes below it.
func (c *bookRow) seam(ctx context.Context, q querier, below chain.Optional[chain.Hash]) error {
	list, err := readRows(ctx, q, []int{blocks}, "height = ?", int64(c.first))
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return damagedBlock(c.first, blocks, "missing")
	}
	if err := list[0].checked([]int{blocks}); err != nil {
		return err
	}
	first, err := list[0].block()
	if err != nil {
		return err
	}
	if hash, ok := below.Get(); !ok || first.ParentHash != hash {
		return &ForkError{c.first, first.ParentHash, hash}
	}
	return nil
}

// saveBelow writes the totals, the look-ups and the seals of blocks that come below a book, and
// has it begin with them.
func (b *Book) saveBelow(ctx context.Context, tx transaction, c *bookRow, s *sealing) error {
	for i := range totals {
		if err := b.addTotals(ctx, tx, i, s.tally.sorted(i)); err != nil {
			return fmt.Errorf("table %s: %w", totals[i].name, err)
		}
	}
	err := s.lookups.insert(ctx, tx)
	if err == nil {
		err = s.seals.saveBelow(ctx, tx)
	}
	if err == nil {
		err = dropUnsealed(ctx, tx, chain.Heights{First: s.first, Last: s.end - 1})
	}
	if err != nil {
		return err
	}
	return (&bookRow{c.Identity, s.first, c.sealed + s.sealed}).keep(ctx, tx)
}

// saveBelow adds blocks to stretches that lie below all blocks that those have, when the totals
// are written. A stretch that is new has ended: a later one has begun.
func (s *stretching) saveBelow(ctx context.Context, tx transaction) error {
	for k, g := range s.grown {
		have, err := readStretches(ctx, tx, k.unit, "number = ?", k.number)
		if err != nil {
			return err
		}
		x := &stretch{unit: k.unit, number: k.number, last: g.last}
		grows := false
		digests := g.digests
		if len(have) > 0 {
			x = have[0]
			grows = x.totals == nil
			above, err := x.digests(ctx, tx)
			if err != nil {
				return err
			}
			digests = slices.Concat(digests, above)
		}
		x.noted.merge(&g.noted)
		x.first, x.blocks, x.seal = g.first, x.blocks+uint64(len(g.digests)), Seal{}
		for _, d := range digests {
			x.seal = x.seal.After(d)
		}
		if x.totals = nil; !grows {
			if x.totals, err = leavesOfTotals(ctx, tx, x); err != nil {
				return err
			}
		}
		if err := x.keep(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// leavesField is the column of a query for leaves.
var leavesField = []field[[]byte]{{name: "leaves", mark: state, at: func(l *[]byte) any { return l }}}

// digests are those of the stretch's blocks, in the order of their heights. They make its seal,
// or the book is damaged.
func (s *stretch) digests(ctx context.Context, q querier) ([]Digest, error) {
	where, arguments := "time_ms IS NULL", bounds(chain.Heights{First: s.first, Last: s.last})
	if s.number != noTime {
		begin, end := s.unit.times(s.number)
		where, arguments = "time_ms >= ? AND time_ms < ?", append(arguments, begin.UnixMilli(), end.UnixMilli())
	}
	var list []Digest
	var seal Seal
	err := scan(ctx, q, leavesField, func(text *[]byte) error {
		l, err := readLeaves(*text)
		if err != nil {
			return fmt.Errorf("%w: table blocks: leaves: %w", ErrDamaged, err)
		}
		list, seal = append(list, l.digest()), seal.After(l.digest())
		return nil
	}, "SELECT leaves FROM blocks WHERE height >= ? AND height <= ? AND "+where+" ORDER BY height", arguments...)
	if err == nil && (seal != s.seal || uint64(len(list)) != s.blocks) {
		err = damaged("table seals: the %s %s does not have the blocks that were sealed", unitNames[s.unit], s.name())
	}
	return list, err
}

// extendedBelow tells whether a stretch has blocks now that lie below those that it had.
func (b *Book) extendedBelow(ctx context.Context, s *stretch) bool {
	now, err := readStretches(ctx, b.engine.shared(), s.unit, "number = ?", s.number)
	return err == nil && len(now) > 0 && now[0].first < s.first
}
