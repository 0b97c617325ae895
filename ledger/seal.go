package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
)

// portion is how many blocks are read, sealed or checked at once.
const portion = 250

// Seal seals the blocks that follow the sealed ones without a gap and are final,
// and adds them to the totals. It returns how many there were; 0 at once where
// another program is sealing.
func (b *Book) Seal(ctx context.Context) (blocks uint64, err error) {
	if b.pending != nil {
		blocks = uint64(b.pending.blocks())
	}
	if err := b.sealPending(ctx); err != nil {
		return 0, err
	}
	for {
		n, err := b.sealPortion(ctx)
		blocks += n
		if err != nil || n == 0 {
			return blocks, err
		}
	}
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
	return one(ctx, b.engine, []any{&height}, "SELECT height FROM blocks WHERE height = ? AND final", int64(c.next()))
}

func (b *Book) sealPortion(ctx context.Context) (sealed uint64, err error) {
	err = b.change(ctx, func(tx transaction) error {
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
		sealed, err = b.sealNext(ctx, tx, &c)
		return err
	})
	return sealed, err
}

// sealNext seals what follows, from the rows that are there.
func (b *Book) sealNext(ctx context.Context, tx transaction, c *bookRow) (uint64, error) {
	next := c.next()
	ready, _, err := readSome(ctx, tx, sealedTables, true, "height BETWEEN ? AND ?", int64(next), int64(next+portion-1))
	if err != nil {
		return 0, err
	}
	var before chain.Optional[chain.Hash]
	if c.sealed > 0 {
		var hash []byte
		if _, err := one(ctx, tx, []any{&hash}, "SELECT hash FROM blocks WHERE height = ?", int64(next-1)); err != nil {
			return 0, err
		}
		if len(hash) == len(chain.Hash{}) {
			before = chain.Some(chain.Hash(hash))
		}
	}
	p := newSealing(*c)
	for _, r := range ready {
		if r.height != p.next() || len(r.rows[blocks]) != 1 || r.rows[blocks][0][finalColumn] != true {
			break
		}
		if err := r.checked(sealedTables); err != nil {
			return 0, err
		}
		x, err := r.block()
		if err != nil {
			return 0, err
		}
		if want, ok := before.Get(); ok && x.ParentHash != want {
			return 0, &ForkError{r.height, x.ParentHash, want}
		}
		before = chain.Some(x.Hash)
		costs, err := costsOfRows(r.rows[transactions])
		if err != nil {
			return 0, fmt.Errorf("block %d: %w", r.height, err)
		}
		leaves, err := provedLeaves(r.height, x.leaves, x.costs)
		if err != nil {
			return 0, err
		}
		if err := p.add(&x.Block, costs, &r.rows, leaves.digest()); err != nil {
			return 0, err
		}
	}
	return p.sealed - c.sealed, b.save(ctx, tx, p)
}

// sealedTables are those that the digest is over.
var sealedTables = allTables[:firstOutside]

// sealing is a part of the book that is being sealed.
type sealing struct {
	bookRow        // with the blocks that were added
	from    uint64 // how many were sealed before
	tally   *tally
	seals   stretching
}

func newSealing(c bookRow) *sealing { return &sealing{bookRow: c, from: c.sealed, tally: newTally()} }

// blocks is how many were added.
func (s *sealing) blocks() int { return int(s.sealed - s.from) }

// add adds the next block to the totals, and by its digest to the seals.
func (s *sealing) add(b *Block, costs []Cost, rows *[tableCount][]row, digest Digest) error {
	if err := s.tally.block(b, costs, rows); err != nil {
		return fmt.Errorf("block %d: %w", b.Height, err)
	}
	s.seals.add(b, digest)
	s.sealed++
	return nil
}

// save writes the totals, the seals, and how far they have come.
func (b *Book) save(ctx context.Context, tx transaction, s *sealing) error {
	if s.blocks() == 0 {
		return nil
	}
	for i := range totals {
		if err := b.addTotals(ctx, tx, i, s.tally.sorted(i)); err != nil {
			return fmt.Errorf("table %s: %w", totals[i].name, err)
		}
	}
	if err := s.seals.save(ctx, tx); err != nil {
		return err
	}
	return s.bookRow.keep(ctx, tx)
}

// addTotals adds sums to a table of totals. There may be very many, so their rows are made
// a part at a time.
func (b *Book) addTotals(ctx context.Context, tx transaction, table int, sums []*tallied) error {
	t := &totals[table]
	for part := range slices.Chunk(sums, portion) {
		var whole, counted []row
		for _, x := range part {
			if key, sums := slices.Clone(x.key), x.sums(); sums.EVM+sums.Native > 0 {
				whole = append(whole, append(key, rowOf(t.sums, &sums)...))
			} else { // half of the accounts: they paid no fee
				counted = append(counted, append(key, rowOf(t.leading(), &sums)...))
			}
		}
		if err := tx.add(ctx, b.plusSQL[table], whole); err != nil {
			return err
		}
		if len(counted) == 0 {
			continue // the statement is none where nothing leads
		}
		if err := tx.add(ctx, b.countSQL[table], counted); err != nil {
			return err
		}
	}
	return nil
}

// SealOf is the seal of a span's blocks, those whose time is in the period: it depends on
// nothing but them. All rows of each are read and checked. A block that is missing is an
// error, as one that is not sealed is.
func (b *Book) SealOf(ctx context.Context, p Period, span Span) (seal Seal, err error) {
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
