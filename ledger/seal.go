package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// portion is how many blocks are read, sealed or checked at once.
const portion = 250

// Seal seals the blocks that follow the sealed ones without a gap and are final,
// and adds them to the totals. It returns how many there were; 0 at once where
// another program is sealing.
func (b *Book) Seal(ctx context.Context) (blocks uint64, err error) {
	if b.pending != nil {
		blocks = uint64(len(b.pending.seals))
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
	c, err := b.cover(ctx, b.engine)
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
		c, err := b.cover(ctx, tx)
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
func (b *Book) sealNext(ctx context.Context, tx transaction, c *cover) (uint64, error) {
	var ready []row
	var broken error
	finalColumn, next := tables[blocks].of("final"), int64(c.next())
	err := list(ctx, tx, tables[blocks].columns, func(r row) error {
		if broken == nil && r[0] == next+int64(len(ready)) && r[finalColumn] == true {
			ready = append(ready, r)
		}
		return nil
	}, selectFrom("blocks", tables[blocks].columns)+" WHERE height BETWEEN ? AND ? ORDER BY height", next, next+portion-1)
	if err != nil || len(ready) == 0 {
		return 0, err
	}
	byHeight := map[value][]row{}
	err = list(ctx, tx, tables[transactions].columns, func(r row) error {
		byHeight[r[0]] = append(byHeight[r[0]], r)
		return nil
	}, selectFrom("transactions", tables[transactions].columns)+" WHERE height BETWEEN ? AND ? ORDER BY height, extrinsic", next, next+int64(len(ready))-1)
	if err != nil {
		return 0, err
	}
	var before chain.Optional[chain.Hash]
	if c.sealed > 0 {
		var hash []byte
		if _, err := one(ctx, tx, []any{&hash}, "SELECT hash FROM blocks WHERE height = ?", next-1); err != nil {
			return 0, err
		}
		if len(hash) == len(chain.Hash{}) {
			before = chain.Some(chain.Hash(hash))
		}
	}
	p := newSealing(*c)
	for _, r := range ready {
		hash, parent, err := hashesOf(r)
		if err != nil {
			return 0, err
		}
		if want, ok := before.Get(); ok && parent != want {
			return 0, &ForkError{uint64(r[0].(int64)), parent, want}
		}
		before = chain.Some(hash)
		list := byHeight[r[0]]
		sums, err := sumsOfAll(list)
		if err != nil {
			return 0, fmt.Errorf("block %v: %w", r[0], err)
		}
		if err := p.add(r, list, sums); err != nil {
			return 0, err
		}
	}
	return uint64(len(ready)), b.save(ctx, tx, p)
}

var (
	hashColumn   = tables[blocks].of("hash")
	parentColumn = tables[blocks].of("parent_hash")
	digestColumn = tables[blocks].of("digest")
)

// hashesOf are a block's hash and its parent's, the column after it.
func hashesOf(block row) (hash, parent chain.Hash, err error) {
	c := cells{row: block, columns: tables[blocks].columns, next: hashColumn}
	if hash, parent = c.hash(), c.hash(); c.err != nil {
		err = fmt.Errorf("block %v: %w", block[0], c.err)
	}
	return hash, parent, err
}

// sealing is a part of the book that is being sealed.
type sealing struct {
	cover // with the blocks that were added
	tally *tally
	seals []row // of each block, with its height
}

func newSealing(c cover) *sealing { return &sealing{cover: c, tally: newTally()} }

// add adds the next block to the seal and to the totals.
func (s *sealing) add(block row, list []row, sums []Sums) error {
	digest, ok := block[digestColumn].([]byte)
	if !ok || len(digest) != len(Digest{}) {
		return fmt.Errorf("%w: block %v: no digest", ErrDamaged, block[0])
	}
	if err := s.tally.block(block, list, sums); err != nil {
		return fmt.Errorf("block %v: %w", block[0], err)
	}
	s.seal = s.seal.After(Digest(digest))
	s.sealed++
	s.seals = append(s.seals, row{append([]byte{}, s.seal[:]...), block[0]})
	return nil
}

// save writes the seals, the totals, and how far they have come.
func (b *Book) save(ctx context.Context, tx transaction, s *sealing) error {
	if len(s.seals) == 0 {
		return nil
	}
	if err := tx.add(ctx, "UPDATE blocks SET seal = ? WHERE height = ?", s.seals); err != nil {
		return err
	}
	for i := range totals {
		var list []row
		for _, x := range s.tally.sorted(i) {
			list = append(list, append(append(row{}, x.key...), x.Sums.values(&totals[i])...))
		}
		if err := tx.add(ctx, b.plusSQL[i], list); err != nil {
			return fmt.Errorf("table %s: %w", totals[i].name, err)
		}
	}
	return s.cover.keep(ctx, tx)
}
