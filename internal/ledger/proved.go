package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
)

// provedSpan are blocks that are proved by a trusted block, which none of them is above.
type provedSpan struct {
	chain.Heights
	trusted chain.Anchor
}

var provedFields = []field[provedSpan]{
	{"first", fact, func(s *provedSpan) any { return &s.First }},
	{"last", fact, func(s *provedSpan) any { return &s.Last }},
	{"trusted_height", fact, func(s *provedSpan) any { return &s.trusted.Height }},
	{"trusted_hash", fact, func(s *provedSpan) any { return &s.trusted.Hash }},
}

var provedColumns = signedColumns(provedFields)

// provedSpans are in the order of their heights, and do not overlap. Those that touch have
// other trusted blocks.
type provedSpans []provedSpan

// with has one more. A block that is proved by two trusted blocks is noted with the higher
// one, so that the order in which that is learned does not matter.
func (list provedSpans) with(add provedSpan) provedSpans {
	added, kept := provedSpans{add}, provedSpans{}
	for _, s := range list {
		if s.trusted.Compare(add.trusted) > 0 {
			kept, added = append(kept, s), added.without(s.Heights)
		} else {
			kept = append(kept, s.without(add.Heights)...)
		}
	}
	all := append(kept, added...)
	slices.SortFunc(all, func(a, b provedSpan) int { return cmp.Compare(a.First, b.First) })
	return all.joined()
}

// without leaves out the blocks of a span.
func (list provedSpans) without(span chain.Heights) (left provedSpans) {
	for _, s := range list {
		left = append(left, s.without(span)...)
	}
	return left
}

func (s provedSpan) without(span chain.Heights) (left provedSpans) {
	if span.Last < s.First || s.Last < span.First {
		return provedSpans{s}
	}
	if s.First < span.First {
		left = append(left, provedSpan{chain.Heights{First: s.First, Last: span.First - 1}, s.trusted})
	}
	if span.Last < s.Last {
		left = append(left, provedSpan{chain.Heights{First: span.Last + 1, Last: s.Last}, s.trusted})
	}
	return left
}

// joined makes one of those that touch and have the same trusted block.
func (list provedSpans) joined() (all provedSpans) {
	for _, s := range list {
		if end := len(all) - 1; end >= 0 && all[end].Last+1 == s.First && all[end].trusted == s.trusted {
			all[end].Last = s.Last
		} else {
			all = append(all, s)
		}
	}
	return all
}

// provedAround are the spans that have blocks of a span, or touch it.
func provedAround(ctx context.Context, q querier, span chain.Heights) (provedSpans, error) {
	return readProved(ctx, q, "first <= ? AND last >= ?", int64(min(span.Last, everyBlock.Last-1)+1), int64(max(span.First, 1)-1))
}

// readProved are the spans that a condition takes.
func readProved(ctx context.Context, q querier, where string, arguments ...any) (found provedSpans, err error) {
	err = list(ctx, q, provedColumns, func(r row) error {
		var s provedSpan
		if err := readSigned(provedFields, r, &s); err != nil {
			return fmt.Errorf("%w: table proved: the row of block %v was altered: %w", ErrDamaged, r[0], err)
		}
		if end := len(found) - 1; s.Last < s.First || s.trusted.Height < s.Last || end >= 0 && s.First <= found[end].Last {
			return fmt.Errorf("%w: table proved: blocks %v cannot be, by block %d", ErrDamaged, s.Heights, s.trusted.Height)
		}
		found = append(found, s)
		return nil
	}, selectFrom("proved", provedColumns)+" WHERE "+where+" ORDER BY first", arguments...)
	return found, err
}

// changeProved changes which blocks of a span are proved.
func changeProved(ctx context.Context, tx transaction, span chain.Heights, how func(provedSpans) provedSpans) error {
	if t, ok := tx.(*postgresTransaction); ok { // others may join what touches this at the same time
		if err := t.lock(ctx, lockProved); err != nil {
			return err
		}
	}
	have, err := provedAround(ctx, tx, span)
	if err != nil {
		return err
	}
	now := how(have)
	if slices.Equal(have, now) {
		return nil
	}
	for _, s := range have {
		if err := tx.exec(ctx, "DELETE FROM proved WHERE first = ?", int64(s.First)); err != nil {
			return err
		}
	}
	var rows []row
	for _, s := range now {
		rows = append(rows, signedRow(provedFields, &s))
	}
	return tx.insert(ctx, "proved", provedColumns, rows)
}

// unprove takes down that the blocks of a span are not proved: others came in their place,
// or none.
func unprove(ctx context.Context, tx transaction, span chain.Heights) error {
	if have, err := provedAround(ctx, tx, span); err != nil || len(have) == 0 { // which is usual, and needs no lock
		return err
	}
	return changeProved(ctx, tx, span, func(have provedSpans) provedSpans { return have.without(span) })
}

// noteProved takes down which blocks are proved by the entries, which the book has. Where
// those do not prove it, what is added is not proved, whatever was there before.
func noteProved(ctx context.Context, tx transaction, entries, added []*Entry) error {
	for _, run := range runs(added) {
		if err := unprove(ctx, tx, spanOf(run)); err != nil {
			return err
		}
	}
	for _, run := range runs(entries) {
		for len(run) > 0 {
			trusted := run[0].trusted
			n := slices.IndexFunc(run, func(e *Entry) bool { return e.trusted != trusted })
			if n < 0 {
				n = len(run)
			}
			span := spanOf(run[:n])
			run = run[n:]
			by, ok := trusted.Get()
			if !ok {
				continue
			}
			if err := changeProved(ctx, tx, span, func(have provedSpans) provedSpans { return have.with(provedSpan{span, by}) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// spanOf are the heights of entries that follow each other.
func spanOf(entries []*Entry) chain.Heights {
	return chain.Heights{First: entries[0].Height(), Last: entries[len(entries)-1].Height()}
}

// Prove takes down that blocks of the book are proved, where entries of a source that proves
// them have the same digest. Whether the rows of those blocks are what their digests say, Compare
// tells.
func (b *Book) Prove(ctx context.Context, entries []*Entry) error {
	return b.change(ctx, func(tx transaction) error {
		for _, run := range runs(entries) {
			have, err := b.around(ctx, tx, spanOf(run), readChecked)
			if err != nil {
				return err
			}
			same := slices.DeleteFunc(slices.Clone(run), func(e *Entry) bool {
				old, there := have[e.Height()]
				return !there || old.digest() != e.Digest()
			})
			if err := noteProved(ctx, tx, same, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// Evidence is how well the blocks of a span are known, all of which the book has.
func (b *Book) Evidence(ctx context.Context, span chain.Heights) (evidence.Evidence, error) {
	return evidenceOf(ctx, b.engine, span, span.Blocks())
}

// evidenceOf is the evidence of so many blocks, which are those of a span that the book has.
func evidenceOf(ctx context.Context, q querier, span chain.Heights, blocks uint64) (e evidence.Evidence, err error) {
	e = evidence.Recorded(blocks)
	have, err := readProved(ctx, q, "1 = 1") // or one that was altered would not be seen; there are few
	for _, s := range have {
		if first, last := max(s.First, span.First), min(s.Last, span.Last); first <= last {
			e = e.By(s.trusted, last-first+1)
		}
	}
	return e, err
}

// proved finds what cannot be in the table proved.
func (v *verification) proved(ctx context.Context) error {
	have, err := readProved(ctx, v.q, "1 = 1")
	if errors.Is(err, ErrDamaged) {
		v.found(Damage{Table: "proved", Message: err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range have {
		blocks := uint64(0)
		others := provedSpans{s}
		if first, end := max(s.First, v.row.first), min(s.Last+1, v.end); first < end { // a sealed block that is missing was told
			blocks, others = end-first, s.without(chain.Heights{First: first, Last: end - 1})
		}
		for _, part := range others {
			var there uint64
			if _, err := one(ctx, v.q, []any{&there}, "SELECT count(*) FROM blocks WHERE height >= ? AND height <= ?", bounds(part.Heights)...); err != nil {
				return err
			}
			blocks += there
		}
		if blocks != s.Blocks() {
			v.found(Damage{Table: "proved", Message: fmt.Sprintf("blocks %v are proved, and %d of them are there", s.Heights, blocks)})
		}
	}
	return nil
}
