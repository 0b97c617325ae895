package ledger

import (
	"context"
	"fmt"
)

// Relearn takes over how well blocks are known now, where the book has questions about
// them that nobody had answered and the entries have fewer: findings, diagnoses and open
// questions. The blocks' digests, and with them all seals, stay as they are. It returns
// how many questions were answered, and what was found since. A block that the book has
// otherwise is left alone: Compare tells of it.
func (b *Book) Relearn(ctx context.Context, entries []*Entry) (answered int, err error) {
	if err := b.sealPending(ctx); err != nil { // which has the leaves that they had
		return 0, err
	}
	open := map[uint64]int{}
	before := map[uint64]leaves{}
	for _, e := range entries {
		found, err := readRows(ctx, b.engine, allTables, "height = ?", int64(e.Height()))
		if err != nil {
			return 0, err
		}
		if len(found) == 0 || len(found[0].rows[unanswered]) <= len(e.rows[unanswered]) {
			continue
		}
		if err := found[0].checked(allTables); err != nil {
			return 0, err
		}
		have, _ := readLeaves(found[0].rows[blocks][0][leavesColumn])
		if before[e.Height()] = have; have.digest() == e.digest {
			open[e.Height()] = len(found[0].rows[unanswered]) - len(e.rows[unanswered])
		}
	}
	if len(open) == 0 {
		return 0, nil
	}
	err = b.change(ctx, func(tx transaction) error {
		c, err := readBookRow(ctx, tx)
		if err != nil {
			return err
		}
		for _, e := range entries {
			n := open[e.Height()]
			if n == 0 {
				continue
			}
			for t := firstOutside; t < tableCount; t++ {
				if err := tx.exec(ctx, "DELETE FROM "+tables[t].name+" WHERE height = ?", int64(e.Height())); err != nil {
					return err
				}
				if err := tx.insert(ctx, &tables[t], e.rows[t]); err != nil {
					return fmt.Errorf("table %s: %w", tables[t].name, err)
				}
			}
			was, now := before[e.Height()], e.leaves
			now.final = was.final // as it stays
			if err := tx.exec(ctx, "UPDATE blocks SET leaves = ? WHERE height = ?", now.encoded(), int64(e.Height())); err != nil {
				return err
			}
			if e.Height() < c.next() {
				if err := noteAgain(ctx, tx, &e.block.Block, was.there, now.there); err != nil {
					return err
				}
			}
			answered += n
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return answered, nil
}

// noteAgain keeps count of a sealed block in its day and its month, when other tables than
// before have rows of it.
func noteAgain(ctx context.Context, tx transaction, b *Block, was, now uint16) error {
	for u := range unitCount {
		number := int64(noTime)
		if at, ok := b.Time.Get(); ok {
			number = u.number(at.Std().UnixMilli())
		}
		found, err := readStretches(ctx, tx, u, "number = ?", number)
		if err != nil {
			return err
		}
		for _, s := range found {
			for i, t := range fewTables {
				switch bit := uint16(1) << leafOf(t); {
				case was&bit == now&bit:
				case now&bit != 0:
					s.noted.blocks[i]++
				default:
					s.noted.blocks[i]--
				}
			}
			if err := s.keep(ctx, tx); err != nil {
				return err
			}
		}
	}
	return nil
}
