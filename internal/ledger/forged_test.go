package ledger

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/feeledger/fees/chain"
)

// forge changes a day or a month and recomputes its digest.
func (b *Book) forge(ctx context.Context, u unit, number int64, do func(tx transaction, s *stretch) error) error {
	return b.change(ctx, func(tx transaction) error {
		found, err := readStretches(ctx, tx, u, "number = ?", number)
		if err == nil {
			err = do(tx, found[0])
		}
		if err == nil {
			err = found[0].keep(ctx, tx)
		}
		return err
	})
}

// ForgePart alters a part of a day or a month and recomputes its leaf.
func (b *Book) ForgePart(ctx context.Context, of string, number int64, kind, part int, alter func(body []byte) []byte) error {
	return b.forge(ctx, unit(slices.Index(unitNames[:], of)), number, func(tx transaction, s *stretch) error {
		var body []byte
		for found, err := range readParts(ctx, tx, []*stretch{s}, partKind(kind), []int{part}) {
			if err != nil {
				return err
			}
			body = alter(found)
		}
		place, _ := s.leaf(partKind(kind), part)
		leaf := sha256.Sum256(body)
		copy(s.leaves[place*len(leaf):], leaf[:])
		return tx.exec(ctx, "UPDATE parts SET body = ? WHERE unit = ? AND number = ? AND kind = ? AND part = ?", zip.EncodeAll(body, nil), of, number, int64(kind), int64(part))
	})
}

// ForgeStretch alters a column of a day or a month.
func (b *Book) ForgeStretch(ctx context.Context, of string, number int64, column string) error {
	return b.forge(ctx, unit(slices.Index(unitNames[:], of)), number, func(_ transaction, s *stretch) (err error) {
		for _, f := range stretchFields {
			if f.name != column {
				continue
			}
			switch x := f.at(s).(type) {
			case *uint64:
				*x++
			case *chain.Wei:
				*x, err = x.Add(chain.NewWei(1))
			case *Seal:
				x[0]++
			case *nullable:
				*x += "\nother"
			case *bool:
				*x = !*x
			case *[]byte:
				*x = nil
			}
		}
		return err
	})
}
