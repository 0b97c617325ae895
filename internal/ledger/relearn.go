package ledger

import (
	"context"
)

// Relearn updates the findings, diagnoses and unanswered questions of stored blocks, where the entries have
// fewer unanswered questions. Digests and seals do not change. It returns how many questions were answered.
// A block with another digest is skipped; Compare reports it.
func (b *Book) Relearn(ctx context.Context, entries []*Entry) (answered int, err error) {
	type relearned struct {
		*Entry
		was flags
	}
	var list []relearned
	questions := 0
	for _, e := range entries {
		rows, _, err := readChecked(ctx, b.engine, "height = ?", int64(e.Height()))
		if err != nil {
			return 0, err
		}
		if len(rows) == 0 || rows[0].flags&hasUnanswered == 0 || rows[0].digest() != e.Digest() {
			continue
		}
		had, err := readKnown(rows[0].known)
		if err != nil {
			return 0, damagedBlock(e.Height(), "column known: %v", err)
		}
		if n := len(had.Unanswered) - len(e.content.known.Unanswered); n > 0 {
			questions += n
			list = append(list, relearned{e, rows[0].flags})
		}
	}
	if len(list) == 0 {
		return 0, nil
	}
	err = b.change(ctx, func(tx transaction) error {
		if err := tx.lock(ctx, lockSeal); err != nil { // sealing counts the flags
			return err
		}
		c, err := readBookRow(ctx, tx)
		if err != nil {
			return err
		}
		for _, e := range list {
			now := e.row
			now.flags = now.flags&^notFinal | e.was&notFinal // finality does not change
			sum := now.sumOf(e.Digest())
			if err := tx.exec(ctx, "UPDATE blocks SET flags = ?, known = ?, sum = ? WHERE height = ?", int64(now.flags), encode(&now.known), sum[:], int64(e.Height())); err != nil {
				return err
			}
			if e.Height() >= c.first && e.Height() < c.next() {
				if err := noteAgain(ctx, tx, e.content.Block, e.was, now.flags); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return questions, nil
}

// noteAgain updates the flag counts of a sealed block's day and month.
func noteAgain(ctx context.Context, tx transaction, b *Block, was, now flags) error {
	for u := range unitCount {
		s, err := stretchAt(ctx, tx, u, u.numberOf(b.Time))
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		for i, few := range fewFlags {
			s.flagged[i] += flag(now&few.flag != 0) - flag(was&few.flag != 0)
		}
		if err := s.keep(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}
