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
	open := map[uint64]int{}
	final := map[uint64]bool{}
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
		if final[e.Height()] = have.final; have.digest() == e.digestIn(have.layout) {
			open[e.Height()] = len(found[0].rows[unanswered]) - len(e.rows[unanswered])
		}
	}
	if len(open) == 0 {
		return 0, nil
	}
	err = b.change(ctx, func(tx transaction) error {
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
			now := e.leaves
			now.final = final[e.Height()] // as it stays
			if err := tx.exec(ctx, "UPDATE blocks SET leaves = ? WHERE height = ?", now.encoded(), int64(e.Height())); err != nil {
				return err
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
