package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
)

// provedSpan is a span of blocks proved by a checkpoint at or above the last of them.
type provedSpan struct {
	chain.Heights
	by evidence.Checkpoint
}

var provedFields = []field[provedSpan]{
	{"first", fact, func(s *provedSpan) any { return &s.First }},
	{"last", fact, func(s *provedSpan) any { return &s.Last }},
	{"trusted_height", fact, func(s *provedSpan) any { return &s.by.Height }},
	{"trusted_hash", fact, func(s *provedSpan) any { return &s.by.Hash }},
	{"final_set", fact, func(s *provedSpan) any { return (*nullable)(&s.by.Final.Set) }},
	{"final_root", fact, func(s *provedSpan) any { return (*nullable)(&s.by.Final.Root) }},
	{"final_root_hash", fact, func(s *provedSpan) any { return &s.by.Final.RootHash }},
	{"final_para", fact, func(s *provedSpan) any { return (*nullable)(&s.by.Final.Para) }},
}

var provedColumns = signedColumns(provedFields)

// provedSpans are ordered by height and do not overlap. Adjacent ones have different checkpoints.
type provedSpans []provedSpan

// with adds a span. A block proved by two checkpoints is stored with the greater one, so that the order of proving does
// not matter: a final one, else the higher one.
func (list provedSpans) with(add provedSpan) provedSpans {
	added, kept := provedSpans{add}, provedSpans{}
	for _, s := range list {
		if s.by.Compare(add.by) > 0 {
			kept, added = append(kept, s), added.without(s.Heights)
		} else {
			kept = append(kept, s.without(add.Heights)...)
		}
	}
	all := append(kept, added...)
	slices.SortFunc(all, func(a, b provedSpan) int { return cmp.Compare(a.First, b.First) })
	return all.joined()
}

// without removes the blocks of a span.
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
		left = append(left, provedSpan{chain.Heights{First: s.First, Last: span.First - 1}, s.by})
	}
	if span.Last < s.Last {
		left = append(left, provedSpan{chain.Heights{First: span.Last + 1, Last: s.Last}, s.by})
	}
	return left
}

// joined merges adjacent spans with the same checkpoint.
func (list provedSpans) joined() (all provedSpans) {
	for _, s := range list {
		if end := len(all) - 1; end >= 0 && all[end].Last+1 == s.First && all[end].by == s.by {
			all[end].Last = s.Last
		} else {
			all = append(all, s)
		}
	}
	return all
}

// provedAround returns the spans that overlap or touch a span.
func provedAround(ctx context.Context, q querier, span chain.Heights) (provedSpans, error) {
	return readProved(ctx, q, "first <= ? AND last >= ?", int64(min(span.Last, everyBlock.Last-1)+1), int64(max(span.First, 1)-1))
}

// readProved returns the spans that match a condition.
func readProved(ctx context.Context, q querier, where string, arguments ...any) (found provedSpans, err error) {
	err = list(ctx, q, provedColumns, func(r row) error {
		var s provedSpan
		if err := readSigned(provedFields, r, &s); err != nil {
			return fmt.Errorf("%w: table proved: the row starting at block %v was altered: %w", ErrDamaged, r[0], err)
		}
		if end := len(found) - 1; s.Last < s.First || s.by.Height < s.Last || end >= 0 && s.First <= found[end].Last {
			return fmt.Errorf("%w: table proved: blocks %v cannot be proved by block %d", ErrDamaged, s.Heights, s.by.Height)
		}
		found = append(found, s)
		return nil
	}, selectFrom("proved", provedColumns)+" WHERE "+where+" ORDER BY first", arguments...)
	return found, err
}

// changeProved changes which blocks of a span are proved.
func changeProved(ctx context.Context, tx transaction, span chain.Heights, how func(provedSpans) provedSpans) error {
	if err := tx.lock(ctx, lockProved); err != nil { // others may merge an adjacent span concurrently
		return err
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

// unprove records that the blocks of a span are not proved, because they were replaced or removed.
func unprove(ctx context.Context, tx transaction, span chain.Heights) error {
	if have, err := provedAround(ctx, tx, span); err != nil || len(have) == 0 { // the usual case, which needs no lock
		return err
	}
	return changeProved(ctx, tx, span, func(have provedSpans) provedSpans { return have.without(span) })
}

// noteProved records which stored blocks the entries prove. Added blocks that their entries do not prove
// become not proved.
func noteProved(ctx context.Context, tx transaction, entries, added []*Entry) error {
	for _, run := range runs(added, nil) {
		if err := unprove(ctx, tx, spanOf(run)); err != nil {
			return err
		}
	}
	for _, run := range runs(entries, func(a, b *Entry) bool { return a.provedBy == b.provedBy }) {
		by, proved := run[0].provedBy.Get()
		if !proved {
			continue
		}
		span := spanOf(run)
		if err := changeProved(ctx, tx, span, func(have provedSpans) provedSpans { return have.with(provedSpan{span, by}) }); err != nil {
			return err
		}
	}
	return nil
}

// spanOf returns the heights of consecutive entries.
func spanOf(entries []*Entry) chain.Heights {
	return chain.Heights{First: entries[0].Height(), Last: entries[len(entries)-1].Height()}
}

// Prove marks stored blocks as proved if entries from a source that proves them have the same digest.
// It does not check the rows against the digests; Compare does.
func (b *Book) Prove(ctx context.Context, entries []*Entry) error {
	return b.change(ctx, func(tx transaction) error {
		for _, run := range runs(entries, nil) {
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

// Evidence returns the evidence for the blocks of a span, all of which must be stored.
func (b *Book) Evidence(ctx context.Context, span chain.Heights) (evidence.Evidence, error) {
	return evidenceOf(ctx, b.engine, span, span.Blocks())
}

// evidenceOf returns the evidence for a number of blocks: those of a span that are stored.
func evidenceOf(ctx context.Context, q querier, span chain.Heights, blocks uint64) (e evidence.Evidence, err error) {
	e = evidence.Recorded(blocks)
	have, err := readProved(ctx, q, "1 = 1") // all rows, so that an altered one is noticed; there are few
	for _, s := range have {
		if first, last := max(s.First, span.First), min(s.Last, span.Last); first <= last {
			e = e.Add(evidence.Trusted{Checkpoint: s.by, Blocks: last - first + 1})
		}
	}
	return e, err
}

// proved finds impossible rows in the table proved.
func (v *verification) proved(ctx context.Context) error {
	have, err := readProved(ctx, v.q, "1 = 1")
	if err != nil {
		return v.unlessDamaged("proved", err)
	}
	for _, s := range have {
		blocks := uint64(0)
		others := provedSpans{s}
		if first, end := max(s.First, v.row.first), min(s.Last+1, v.end); first < end { // missing sealed blocks were already reported
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
			v.found(Damage{Table: "proved", Message: fmt.Sprintf("blocks %v are marked as proved, but only %d of them are stored", s.Heights, blocks)})
		}
	}
	return nil
}
