package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
)

// portion is how many blocks are read or checked at once.
const portion = 250

// Seal seals the blocks that follow the sealed ones without a gap and are final, and those
// that lead up to the book's first one likewise, and adds them to the totals. It returns how many there were; 0 at once where
// another program is sealing.
func (b *Book) Seal(ctx context.Context) (blocks uint64, err error) {
	if b.pending != nil {
		blocks = uint64(b.pending.blocks())
	}
	if err := b.sealPending(ctx); err != nil {
		return 0, err
	}
	for _, portion := range []func(context.Context) (uint64, error){b.sealPortion, b.sealBelow} {
		for more := true; more; {
			n, err := portion(ctx)
			blocks += n
			if err != nil {
				return blocks, err
			}
			more = n > 0
		}
	}
	return blocks, nil
}

// Unsealed tells whether a block that can be sealed is not: what Seal leaves where
// another program is sealing.
func (b *Book) Unsealed(ctx context.Context) (bool, error) {
	c, err := readBookRow(ctx, b.engine)
	if errors.Is(err, ErrNone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var height int64
	if found, err := one(ctx, b.engine, []any{&height}, "SELECT height FROM blocks WHERE height = ? AND final", int64(c.next())); err != nil || found {
		return found, err
	}
	below, err := c.readyBelow(ctx, b.engine, 1)
	return below > 0, err
}

// asSealer does a part of what only one program does at a time, in a change of its own, with what
// the book says of itself. Nothing is done where another is sealing, or where there is no book.
func (b *Book) asSealer(ctx context.Context, do func(tx transaction, c bookRow) error) error {
	return b.change(ctx, func(tx transaction) error {
		if t, ok := tx.(*postgresTransaction); ok {
			if mine, err := t.tryLock(ctx, lockSeal); err != nil || !mine {
				return err
			}
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
}

// sealPortion seals blocks that follow, as many as are sealed at once.
func (b *Book) sealPortion(ctx context.Context) (sealed uint64, err error) {
	err = b.asSealer(ctx, func(tx transaction, c bookRow) error {
		p := newSealing(c)
		failed := p.fill(ctx, tx)
		if failed != nil && !p.keeps(failed) {
			return failed
		}
		if err := b.save(ctx, tx, p); err != nil {
			return cmp.Or(failed, err)
		}
		sealed = uint64(p.blocks())
		return nil
	})
	return sealed, err
}

// sealedTables are those that the digest is over.
var sealedTables = allTables[:firstOutside]

// sealing is a part of the book that is being sealed.
type sealing struct {
	bookRow         // with the blocks that were added
	before  bookRow // without them
	hash    chain.Optional[chain.Hash]
	tally   *tally
	seals   stretching
	lookups lookups
	broken  bool   // a block was added in part
	end     uint64 // the height that none is added from; 0 where there is none

	packed unpacker // of costs, which are used again
	costs  []Cost
}

func newSealing(c bookRow) *sealing { return &sealing{bookRow: c, before: c, tally: newTally()} }

// blocks is how many were added.
func (s *sealing) blocks() int { return int(s.sealed - s.before.sealed) }

// full tells that no more are sealed at once.
func (s *sealing) full() bool {
	return s.blocks() >= sealedAtOnce || s.tally.size() >= maxTallied || s.end > 0 && s.next() >= s.end
}

// keeps tells whether what was added is sealed all the same, where the block that follows is
// wrong: that is told when it comes first.
func (s *sealing) keeps(err error) bool {
	var fork *ForkError
	return s.blocks() > 0 && !s.broken && (errors.Is(err, ErrDamaged) || errors.As(err, &fork))
}

// fill adds the blocks that follow, from what the book has of them.
func (s *sealing) fill(ctx context.Context, tx transaction) error {
	if s.sealed > 0 {
		var hash []byte
		if _, err := one(ctx, tx, []any{&hash}, "SELECT hash FROM blocks WHERE height = ?", int64(s.next()-1)); err != nil {
			return err
		}
		if len(hash) == len(chain.Hash{}) {
			s.hash = chain.Some(chain.Hash(hash))
		}
	}
	for more := true; more && !s.full(); {
		err := s.addUnsealed(ctx, tx)
		if errors.Is(err, errRows) {
			more, err = s.addFromRows(ctx, tx)
		} else if errors.Is(err, errEnd) {
			more, err = false, nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addFromRows adds a few of the blocks that follow, by all rows of them, and tells whether there
// may be more.
func (s *sealing) addFromRows(ctx context.Context, tx transaction) (more bool, err error) {
	first := s.next()
	ready, _, err := readSome(ctx, tx, sealedTables, true, "height BETWEEN ? AND ?", int64(first), int64(first+portion-1))
	if err != nil {
		return false, err
	}
	for _, r := range ready {
		if r.height != s.next() || s.end > 0 && r.height >= s.end || len(r.rows[blocks]) != 1 || r.rows[blocks][0][finalColumn] != true {
			return false, nil
		}
		if err := r.checked(sealedTables); err != nil {
			return false, err
		}
		x, err := r.block()
		if err != nil {
			return false, err
		}
		costs, err := costsOfRows(r.rows[transactions])
		if err != nil {
			return false, fmt.Errorf("block %d: %w", r.height, err)
		}
		leaves, err := provedLeaves(r.height, x.leaves, x.costs)
		if err != nil {
			return false, err
		}
		if err := s.addNext(x, costs, additionsOf(&r.rows), &leaves); err != nil {
			return false, err
		}
	}
	return len(ready) > 0, nil
}

// addNext adds the block that is the next, which must follow the one before.
func (s *sealing) addNext(x *blockRow, costs []Cost, more *additions, l *leaves) error {
	if want, ok := s.hash.Get(); ok && x.ParentHash != want {
		return &ForkError{x.Height, x.ParentHash, want}
	}
	s.hash = chain.Some(x.Hash)
	return s.add(&x.Block, costs, more, l)
}

// add adds the next block to the totals and look-ups, and by its leaves to the seals.
func (s *sealing) add(b *Block, costs []Cost, more *additions, l *leaves) error {
	if err := s.tally.block(b, costs, more); err != nil {
		s.broken = true
		return fmt.Errorf("block %d: %w", b.Height, err)
	}
	s.lookups.add(b.Height, costs, more)
	s.seals.add(b, l)
	s.sealed++
	return nil
}

// save writes the totals, the look-ups, the seals, and how far they have come.
func (b *Book) save(ctx context.Context, tx transaction, s *sealing) error {
	if s.blocks() == 0 {
		return nil
	}
	for i := range totals {
		if err := b.addTotals(ctx, tx, i, s.tally.sorted(i)); err != nil {
			return fmt.Errorf("table %s: %w", totals[i].name, err)
		}
	}
	if err := s.lookups.insert(ctx, tx); err != nil {
		return err
	}
	if err := s.seals.save(ctx, tx); err != nil {
		return err
	}
	if err := dropUnsealed(ctx, tx, chain.Heights{First: s.before.next(), Last: s.next() - 1}); err != nil {
		return err
	}
	return s.bookRow.keep(ctx, tx)
}

// mergedAtOnce is how many rows of totals are made at once.
const mergedAtOnce = 10_000

// addTotals adds sums to a table of totals. There may be very many, so their rows are made
// a part at a time.
func (b *Book) addTotals(ctx context.Context, tx transaction, table int, sums []*tallied) error {
	t := &totals[table]
	for part := range slices.Chunk(sums, mergedAtOnce) {
		var whole, counted []row
		for _, x := range part {
			if key, sums := slices.Clone(x.key), x.sums(); sums.EVM+sums.Native > 0 {
				whole = append(whole, append(key, rowOf(t.sums, &sums)...))
			} else { // half of the accounts: they paid no fee
				counted = append(counted, append(key, rowOf(t.leading(), &sums)...))
			}
		}
		if err := tx.merge(ctx, b.plusSQL[table], t.columns(), whole); err != nil {
			return err
		}
		if len(counted) == 0 {
			continue // the statement is none where nothing leads
		}
		if err := tx.merge(ctx, b.countSQL[table], t.columns()[:len(t.keys)+len(t.leading())], counted); err != nil {
			return err
		}
	}
	return nil
}

// SealOf is the seal of a span's blocks, those whose time is in the period: it depends on
// nothing but them. All rows of each are read and checked. A block that is missing is an
// error, as one that is not sealed is.
func (b *Book) SealOf(ctx context.Context, p Period, span chain.Heights) (seal Seal, err error) {
	have, err := b.sealed(ctx)
	if err != nil {
		return seal, err
	}
	if sealed, ok := have.Get(); !ok || span.First < sealed.First || span.Last > sealed.Last {
		return seal, fmt.Errorf("%w: blocks %v are not all sealed", ErrNone, span)
	}
	for r, err := range b.walk(ctx, nil, span, allTables) {
		if err != nil {
			return seal, err
		}
		x, err := r.block()
		if err != nil {
			return seal, err
		}
		if !p.Has(x.Height, x.Time) {
			continue
		}
		leaves, err := provedLeaves(x.Height, x.leaves, x.costs)
		if err != nil {
			return seal, err
		}
		seal = seal.After(leaves.digest())
	}
	return seal, nil
}
