package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/feeledger/fees/chain"
)

// Blocks are sealed in order of height: each is added to the seals and sums of its day and its month, by its
// own time. When the next block belongs to another day, the parts of the ended day are written in a separate
// change, and a month's parts are merged from its days likewise. A late block with an earlier time discards the
// parts of its day and month until then.

// sealedAtOnce is the number of stored blocks sealed in one change.
var sealedAtOnce = 1_000

// Seal seals the final blocks that follow the sealed ones without a gap, then those that lead up to the
// ledger's first block, and writes the parts of ended days and months. It returns the number of sealed blocks,
// or 0 immediately while another program is sealing.
func (b *Book) Seal(ctx context.Context) (blocks uint64, err error) {
	for more := true; more; {
		n, err := b.sealBatch(ctx)
		if err == nil && n > 0 {
			err = b.endNext(ctx) // now, to avoid holding the tallies of all days
		}
		if blocks, more = blocks+n, n > 0; err != nil {
			return blocks, err
		}
	}
	for more := true; more; {
		n, err := b.sealBelow(ctx)
		if blocks, more = blocks+n, n > 0; err != nil {
			return blocks, err
		}
	}
	return blocks, b.endNext(ctx)
}

// Unsealed reports whether a block that can be sealed is not: Seal leaves such blocks while another
// program is sealing.
func (b *Book) Unsealed(ctx context.Context) (bool, error) {
	c, err := readBookRow(ctx, b.engine)
	if errors.Is(err, ErrNone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var height int64
	if found, err := one(ctx, b.engine, []any{&height}, fmt.Sprintf("SELECT height FROM blocks WHERE height = ? AND flags & %d = 0", notFinal), int64(c.next())); err != nil || found {
		return found, err
	}
	below, err := c.readyBelow(ctx, b.engine, 1)
	return below > 0, err
}

// asSealer runs one step of sealing in a separate change, with the state of the ledger. It does nothing
// while another program is sealing, or without a ledger.
func (b *Book) asSealer(ctx context.Context, do func(tx transaction, c bookRow) error) error {
	err := b.change(ctx, func(tx transaction) error {
		if mine, err := tx.tryLock(ctx, lockSeal); err != nil || !mine {
			return err
		}
		c, err := readBookRow(ctx, tx)
		if errors.Is(err, ErrNone) {
			return nil
		}
		if err != nil {
			return err
		}
		return do(tx, c)
	})
	if err != nil {
		b.tallies = nil // they may include blocks that were not sealed
	}
	return err
}

// sealBatch seals one batch of blocks. If one is invalid, the blocks before it are sealed; the error is
// returned when it comes first.
func (b *Book) sealBatch(ctx context.Context) (sealed uint64, err error) {
	err = b.asSealer(ctx, func(tx transaction, c bookRow) error {
		s, err := b.beginSealing(ctx, tx, c)
		if err != nil {
			return err
		}
		err = b.addStored(ctx, tx, s, c.next()+uint64(sealedAtOnce)-1)
		var fork *ForkError
		wrong := errors.Is(err, ErrDamaged) || errors.As(err, &fork) // the block is at fault, not the database
		if sealed = s.sealed - c.sealed; sealed == 0 || err != nil && (s.broken || !wrong) {
			sealed = 0
			return err
		}
		return s.keep(ctx, tx)
	})
	return sealed, err
}

// addStored adds the stored blocks that follow, up to a height.
func (b *Book) addStored(ctx context.Context, q querier, s *sealing, last uint64) error {
	by := coders.Get().(*coder)
	defer coders.Put(by)
	for more := true; more && s.next() <= last; {
		rows, left, failed := readRows(ctx, q, "height >= ? AND height <= ?", bounds(chain.Heights{First: s.next(), Last: last})...)
		for _, r := range rows {
			if r.height != s.next() || r.flags&notFinal != 0 {
				return nil
			}
			err := r.checked()
			var c *Content
			if err == nil {
				c, err = r.content(by, everything)
			}
			if err == nil {
				err = s.add(ctx, q, c, r.flags)
			}
			if err != nil {
				return err
			}
		}
		if failed != nil {
			return failed
		}
		more = left
	}
	return nil
}

// sealing is the state of a ledger while it is sealed.
type sealing struct {
	bookRow
	parent  chain.Optional[chain.Hash] // hash of the last block
	last    [unitCount]int64           // its day and month
	grown   map[stretchKey]*stretch
	tallies tallies
	fresh   bool // ignore stretches that the ledger already contains
	broken  bool // a block was added only partly
}

// stretchKey identifies a stretch.
type stretchKey struct {
	unit   unit
	number int64
}

// tallies are the tallies of days whose parts are not written yet, by day number.
type tallies map[int64]*tally

// beginSealing reads the state that the next block is added to.
func (b *Book) beginSealing(ctx context.Context, q querier, c bookRow) (*sealing, error) {
	if b.tallies == nil {
		b.tallies = tallies{}
	}
	s := &sealing{bookRow: c, tallies: b.tallies, grown: map[stretchKey]*stretch{}}
	if c.sealed == 0 {
		return s, nil
	}
	last, err := b.blockAt(ctx, q, c.next()-1)
	if err != nil {
		return nil, err
	}
	s.parent = chain.Some(last.hash())
	return s, nil
}

// add adds the next block. The ledger's day and month for it are read through q.
func (s *sealing) add(ctx context.Context, q querier, c *Content, f flags) (err error) {
	if want, ok := s.parent.Get(); ok && c.ParentHash != want {
		return &ForkError{c.Height, c.ParentHash, want}
	}
	var into [unitCount]*stretch
	for u := range into {
		if into[u], err = s.stretch(ctx, q, unit(u), c); err != nil {
			return err
		}
	}
	s.broken = true
	err = s.tallies.add(into[daily], c)
	for u, x := range into {
		if s.last[u] = x.number; err == nil {
			err = x.add(c, f)
		}
	}
	if err != nil {
		return fmt.Errorf("block %d: %w", c.Height, err)
	}
	s.parent = chain.Some(c.Hash)
	s.sealed++
	s.broken = false
	return nil
}

// stretch returns the day or month that a block is added to: one that has grown, the ledger's, or a new one.
func (s *sealing) stretch(ctx context.Context, q querier, u unit, c *Content) (x *stretch, err error) {
	k := stretchKey{u, u.numberOf(c.Time)}
	if x = s.grown[k]; x == nil && !s.fresh {
		x, err = stretchAt(ctx, q, k.unit, k.number)
	}
	if x == nil {
		x = &stretch{unit: k.unit, number: k.number, first: c.Height}
	}
	if err == nil {
		s.grown[k] = x
	}
	return x, err
}

// add adds a block to the tally of its day, if the tally includes all earlier blocks of the day.
func (t tallies) add(day *stretch, c *Content) error {
	if day.number == noTime {
		return nil
	}
	if day.sums.Blocks == 0 {
		t[day.number] = newTally(c.Height)
	}
	of := t[day.number]
	if of == nil || !of.has(day) { // another program sealed some of them
		delete(t, day.number)
		return nil
	}
	return of.add(c)
}

// keep writes the changed stretches and the state of the ledger.
func (s *sealing) keep(ctx context.Context, tx transaction) error {
	for u := range unitCount { // days first: months are derived from them
		for _, x := range s.ofUnit(u) {
			if u == monthly {
				days, err := daysAt(ctx, tx, x.number)
				if err != nil {
					return err
				}
				x.seal = sealOf(days)
				for _, day := range days {
					if day.merged { // its hashes are in the month's parts, which are dropped
						if err := day.reopen(ctx, tx); err != nil {
							return err
						}
					}
				}
			}
			if err := x.reopen(ctx, tx); err != nil {
				return err
			}
		}
	}
	return s.bookRow.keep(ctx, tx)
}

// reopen writes a stretch without its parts, to be ended again.
func (s *stretch) reopen(ctx context.Context, tx transaction) error {
	s.leaves, s.merged = nil, false
	if err := s.dropParts(ctx, tx); err != nil {
		return err
	}
	return s.keep(ctx, tx)
}

// ofUnit returns the changed stretches of a unit, in order. It skips a stretch created for a block that was
// not added.
func (s *sealing) ofUnit(u unit) (list []*stretch) {
	for k, x := range s.grown {
		if k.unit == u && x.sums.Blocks > 0 {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b *stretch) int { return cmp.Compare(a.number, b.number) })
	return list
}

// endNext writes the parts of all ended days and months that have none, each in a separate change.
func (b *Book) endNext(ctx context.Context) (err error) {
	for more := true; more && err == nil; {
		more = false // stays false while another program is sealing
		err = b.asSealer(ctx, func(tx transaction, c bookRow) (err error) {
			more, err = b.end(ctx, tx, &c)
			return err
		})
	}
	return err
}

// end writes the parts of one ended day or month that has none, and reports whether it found one.
func (b *Book) end(ctx context.Context, tx transaction, c *bookRow) (found bool, err error) {
	if c.sealed == 0 {
		return false, nil
	}
	at, err := b.timeAt(ctx, tx, c.next()-1)
	if err != nil {
		return false, err
	}
	for u := range unitCount {
		open, err := readStretches(ctx, tx, u, "leaves IS NULL AND number <> ?", u.numberOf(at))
		if err != nil {
			return false, err
		}
		if len(open) == 0 {
			continue
		}
		return true, b.endStretch(ctx, tx, open[0])
	}
	maps.DeleteFunc(b.tallies, func(day int64, _ *tally) bool { return day != daily.numberOf(at) }) // other programs ended these days
	return false, nil
}

// endStretch writes the parts of a day or a month that has ended.
func (b *Book) endStretch(ctx context.Context, tx transaction, s *stretch) (err error) {
	of := new(bodies)
	var days []*stretch
	switch {
	case s.number == noTime: // it has no parts
	case s.unit == daily:
		of, err = b.dayParts(ctx, tx, s)
	default:
		if of, err = b.mergedParts(ctx, tx, s); err == nil {
			days, err = daysAt(ctx, tx, s.number)
		}
	}
	if err == nil {
		err = s.writeParts(ctx, tx, of)
	}
	if err != nil {
		return err
	}
	for _, day := range days {
		if day.merged {
			continue
		}
		if err := day.dropHashes(ctx, tx); err != nil {
			return err
		}
	}
	return s.keep(ctx, tx)
}

// dayParts returns the parts of a day, from its tally or else from its blocks.
func (b *Book) dayParts(ctx context.Context, q querier, day *stretch) (_ *bodies, err error) {
	t := b.tallies[day.number]
	if t == nil || !t.has(day) {
		if t, err = b.tallied(ctx, q, day); err != nil {
			return nil, err
		}
	}
	delete(b.tallies, day.number)
	return t.bodies(), nil
}

// dropHashes deletes a day's hashes, which its month now contains.
func (s *stretch) dropHashes(ctx context.Context, tx transaction) error {
	place, _ := s.leaf(hashBlocks, 0)
	s.leaves, s.merged = s.leaves[:place*len(Digest{})], true
	if err := tx.exec(ctx, "DELETE FROM parts WHERE unit = ? AND number = ? AND kind = ?", unitNames[s.unit], s.number, int64(hashBlocks)); err != nil {
		return err
	}
	return s.keep(ctx, tx)
}

// SealOf returns the seal of a span's blocks whose time is in the period. It depends only on those blocks.
// Each is read and checked. It returns an error if a block is missing or not sealed.
func (b *Book) SealOf(ctx context.Context, p Period, span chain.Heights) (none Seal, err error) {
	have, err := b.sealedBy(ctx, b.engine)
	if err != nil {
		return none, err
	}
	if sealed, ok := have.Get(); !ok || span.First < sealed.First || span.Last > sealed.Last {
		return none, fmt.Errorf("%w: not all of blocks %v are sealed", ErrNone, span)
	}
	var seals Seals
	for r, err := range walk(ctx, b, nil, span, whole) {
		if err != nil {
			return none, err
		}
		if p.Has(r.height, r.time) {
			seals.Add(r.time, r.digest())
		}
	}
	return seals.Seal(), nil
}
