package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Damage is a difference between a ledger and what was written to it.
type Damage struct {
	Height  chain.Optional[uint64] `json:"block"` // null if it concerns no block
	Table   string                 `json:"table"`
	Message string                 `json:"message"`
}

func (d Damage) String() string {
	if height, ok := d.Height.Get(); ok {
		return fmt.Sprintf("block %d, table %s: %s", height, d.Table, d.Message)
	}
	return fmt.Sprintf("table %s: %s", d.Table, d.Message)
}

// Verify checks the ledger against itself: each block's row by its sum, the blocks by their parent hashes, that
// none is missing, the seals by the digests, the totals by the rows, the indexes by what they index, and the database's
// tables, keys, views, triggers, rules and row security by those that this program creates. It reports damage to found,
// and the number of checked blocks to progress. It returns ErrSchemaUnread, after all else, if a PostgreSQL role may not
// create temporary tables, with which the schema is compared.
//
// The ledger may be written meanwhile, and no snapshot is held for long: a block and its rows come from one
// snapshot, and so do a day or a month and its totals. Blocks sealed meanwhile are verified too. Changes by
// other instances of this program are not damage.
//
// Verify cannot detect rows, leaves, seals and totals that were all altered consistently. A comparison with a
// source (Compare), or with a seal kept elsewhere, does. Nor does it notice lines removed from the end of the audit
// trail; a package that was closed after them does.
func (b *Book) Verify(ctx context.Context, found func(Damage), progress func(done, total uint64)) error {
	unread := b.compareSchema(ctx, found)
	if unread != nil && !errors.Is(unread, ErrSchemaUnread) && !errors.Is(unread, ErrDamaged) {
		return unread
	}
	err := b.engine.checkIndexes(ctx, func(message string) { found(Damage{Table: "indexes", Message: message}) })
	if err == nil {
		err = b.verify(ctx, found, progress)
	}
	if err == nil {
		err = unread
	}
	if errors.Is(err, ErrDamaged) {
		found(Damage{Table: "book", Message: "the rest could not be verified: " + err.Error()})
		return nil
	}
	return err
}

func (b *Book) verify(ctx context.Context, found func(Damage), progress func(done, total uint64)) error {
	m, err := b.moments(ctx)
	if err != nil {
		return err
	}
	defer m.close()
	end, err := heightsEnd(ctx, m.q)
	if err != nil {
		return err
	}
	m.row, err = readBookRow(ctx, m.q)
	switch { // without it, the expected contents are unknown
	case errors.Is(err, ErrDamaged):
		found(Damage{Table: "book", Message: err.Error()})
		return nil
	case errors.Is(err, ErrNone) && end > 0:
		found(Damage{Table: "book", Message: "its row is missing"})
		return nil
	case err != nil:
		return err
	}
	total, err := m.blocks(ctx)
	if err != nil {
		return err
	}
	if _, removing := m.row.removed(); removing { // blocks below no longer belong to the ledger
		m.at = m.row.first
	}
	v := verification{moments: m, book: b, found: found, next: m.row.first}
	v.progress = func(blocks int) {
		v.done += uint64(blocks)
		progress(v.done, max(total, v.done))
	}
	err = v.sealedBlocks(ctx, v.verify)
	for _, check := range []func(context.Context) error{v.ended, v.otherBlocks, v.strays, v.proved, v.rejudgements, v.trail} {
		if err == nil {
			err = check(ctx)
		}
	}
	return err
}

// verification is the state of a ledger's verification, up to a height.
type verification struct {
	*moments
	book     *Book
	found    func(Damage)
	progress func(blocks int)
	done     uint64 // number of blocks
	moment   int    // the snapshot that the last ones were read from
	next     uint64 // the height after the last block, or the ledger's first
	before   *blockRow
	sealing  sealing         // rebuilt from the records
	lost     []chain.Heights // altered or missing blocks: the sums of their days and months are unknown
	coder    coder
}

// unlessDamaged returns other errors than damage, which it reports.
func (v *verification) unlessDamaged(table string, err error) error {
	if errors.Is(err, ErrDamaged) {
		v.found(Damage{Table: table, Message: err.Error()})
		return nil
	}
	return err
}

// altered reports a block that is not what was written.
func (v *verification) altered(height uint64, err error) {
	v.report(height, "%v", err)
	v.lost = append(v.lost, chain.Heights{First: height, Last: height})
}

// missing reports that the next blocks are missing, up to a height.
func (v *verification) missing(last uint64) {
	v.report(v.next, "missing, up to block %d", last)
	v.lost = append(v.lost, chain.Heights{First: v.next, Last: last})
}

// knows reports whether no block of a span was lost.
func (v *verification) knows(span chain.Heights) bool {
	return !slices.ContainsFunc(v.lost, func(s chain.Heights) bool { return s.First <= span.Last && s.Last >= span.First })
}

func (v *verification) report(height uint64, format string, arguments ...any) {
	v.found(Damage{chain.Some(height), "blocks", fmt.Sprintf(format, arguments...)})
}

// otherBlocks verifies the blocks above the sealed ones; those below were read first. They are in no seal yet,
// and may be replaced, sealed or removed meanwhile.
func (v *verification) otherBlocks(ctx context.Context) error {
	end, err := heightsEnd(ctx, v.q)
	if err != nil {
		return err
	}
	return v.below(ctx, end, true, v.verify)
}

// verify verifies the next blocks, up to a height.
func (v *verification) verify(ctx context.Context, last uint64) error {
	if v.moment != v.number { // the parent may have been replaced since
		v.moment, v.before = v.number, nil
		if v.at > 0 {
			rows, _, err := readRows(ctx, v.q, "height = ?", int64(v.at-1))
			if err != nil {
				return err
			}
			if len(rows) > 0 && rows[0].check() == nil {
				v.before = rows[0]
			}
		}
	}
	return v.batch(ctx, last, func(list []*blockRow) error {
		shown, err := v.shown(ctx, list)
		if err != nil {
			return err
		}
		for _, r := range list {
			if err := v.block(ctx, r, shown[r.height]); err != nil {
				return err
			}
		}
		v.progress(len(list))
		return nil
	})
}

// shown returns some blocks' rows of the table transactions, by height.
func (v *verification) shown(ctx context.Context, blocks []*blockRow) (map[uint64][]row, error) {
	rows := map[uint64][]row{}
	if len(blocks) == 0 {
		return rows, nil
	}
	first, end := idsOf(chain.Heights{First: blocks[0].height, Last: blocks[len(blocks)-1].height})
	return rows, list(ctx, v.q, shownColumns, func(r row) error {
		id, _ := r[0].(int64)
		rows[uint64(id)>>extrinsicBits] = append(rows[uint64(id)>>extrinsicBits], r)
		return nil
	}, selectFrom("transactions", shownColumns)+" WHERE id >= ? AND id < ? ORDER BY id", first, end)
}

func (v *verification) block(ctx context.Context, r *blockRow, shown []row) error {
	height := r.height
	sealed := height >= v.row.first && height < v.end
	if height > v.next && v.next < v.row.next() {
		v.missing(min(height, v.row.next()) - 1)
	}
	v.next = max(height+1, v.row.first)
	before := v.before
	v.before = nil
	if err := r.check(); err != nil {
		v.altered(height, err)
		return nil
	}
	v.before = r
	if before != nil && before.height+1 == height && r.parentHash() != before.hash() {
		v.report(height, "its parent is %v, but the block before is %v", r.parentHash(), before.hash())
	}
	c := &Content{}
	if err := r.decoded(c, &v.coder, everything, &selection{}); err != nil {
		v.altered(height, err)
		return nil
	}
	v.compareShown(c, shown)
	if !sealed {
		return nil
	}
	if !c.Final {
		v.report(height, "sealed but not final")
	}
	return v.grow(ctx, c, r.flags)
}

// compareShown compares a block's rows for SQL with its record.
func (v *verification) compareShown(c *Content, have []row) {
	if !slices.EqualFunc(have, c.shown(), func(a, b row) bool { return slices.EqualFunc(a, b, equal) }) {
		v.found(Damage{chain.Some(c.Height), "transactions", "the rows of this block differ from its record"})
	}
}

// grow adds a sealed block to its day and its month. The parts of days that are complete are then compared
// and forgotten.
func (v *verification) grow(ctx context.Context, c *Content, f flags) error {
	s := &v.sealing
	if s.grown == nil {
		s.grown, s.tallies, s.fresh = map[stretchKey]*stretch{}, tallies{}, true
	}
	before := s.last[daily]
	s.parent = chain.Optional[chain.Hash]{} // already compared
	if err := s.add(ctx, v.q, c, f); err != nil {
		v.altered(c.Height, err)
	}
	if s.last[daily] == before {
		return nil
	}
	for _, number := range slices.Sorted(maps.Keys(s.tallies)) {
		if number == s.last[daily] {
			continue
		}
		if err := v.compareTally(ctx, number); err != nil {
			return err
		}
	}
	return nil
}

// compareTally compares the parts of a day with its tally once it has all blocks of the day, and forgets the tally.
func (v *verification) compareTally(ctx context.Context, number int64) error {
	t := v.sealing.tallies[number]
	if t == nil {
		return nil
	}
	day, err := stretchAt(ctx, v.q, daily, number)
	if errors.Is(err, ErrDamaged) { // which is reported elsewhere
		return nil
	}
	if err != nil || day == nil || !t.has(day) || !day.ended() {
		return err
	}
	delete(v.sealing.tallies, number)
	return v.compareParts(ctx, day, t.bodies())
}

// compare compares a day or month rebuilt from the sealed blocks with the stored one.
func (v *verification) compare(ctx context.Context, want *stretch) error {
	have, err := stretchAt(ctx, v.q, want.unit, want.number)
	switch {
	case errors.Is(err, ErrDamaged):
		v.damaged("stretches", want, "%v", err)
		return nil
	case err != nil:
		return err
	case have == nil:
		v.damaged("stretches", want, "missing")
		return nil
	}
	want.leaves, want.merged = have.leaves, have.merged && want.unit == daily
	if have.flagged != want.flagged {
		if err := v.learn(ctx, want); err != nil {
			return err
		}
	}
	switch {
	case have.heights() != want.heights() || have.sums.Blocks != want.sums.Blocks:
		v.damaged("stretches", want, "it counts %d blocks in %v, but the ledger contains %d in %v", have.sums.Blocks, have.heights(), want.sums.Blocks, want.heights())
	case have.seal != want.seal:
		v.damaged("stretches", want, "the seal is %v, but the digests give %v", have.seal, want.seal)
	case have.digest() != want.digest():
		v.damaged("stretches", want, "its counts or sums differ from its blocks")
	case have.unit == monthly && have.ended() && have.number != noTime:
		of, err := v.book.mergedParts(ctx, v.q, have)
		if err == nil {
			err = v.compareParts(ctx, have, of)
		}
		if err != nil && !errors.Is(err, ErrDamaged) { // damage is reported for the day itself
			return err
		}
	}
	return nil
}

// learn updates the flag counts of a stretch from the stored flags, which may have changed since its blocks were
// verified.
func (v *verification) learn(ctx context.Context, s *stretch) error {
	where, arguments := s.condition()
	for i, few := range fewFlags {
		if _, err := one(ctx, v.q, []any{&s.flagged[i]}, fmt.Sprintf("SELECT count(*) FROM blocks WHERE flags <> 0 AND flags & %d <> 0 AND %s", few.flag, where), arguments...); err != nil {
			return err
		}
	}
	return nil
}

// compareParts compares a stretch's parts with those rebuilt from its blocks or its days.
func (v *verification) compareParts(ctx context.Context, s *stretch, want *bodies) error {
	var there uint64
	if _, err := one(ctx, v.q, []any{&there}, "SELECT count(*) FROM parts WHERE unit = ? AND number = ?", unitNames[s.unit], s.number); err != nil {
		return err
	}
	if wanted := uint64(len(s.leaves) / len(Digest{})); there != wanted {
		v.damaged("parts", s, "%d parts instead of %d", there, wanted)
	}
	for _, kind := range s.kinds() {
		part := 0
		for have, err := range readParts(ctx, v.q, []*stretch{s}, kind, kind.all()) {
			switch {
			case errors.Is(err, ErrDamaged):
				v.damaged("parts", s, "%v", err)
			case err != nil:
				return err
			case !bytes.Equal(have, want[kind][part]):
				v.damaged("parts", s, "part %d of kind %d differs from its blocks", part, kind)
			}
			part++
		}
	}
	return nil
}

// damaged reports damage of a day or a month in a table.
func (v *verification) damaged(table string, s *stretch, format string, arguments ...any) {
	v.found(Damage{Table: table, Message: fmt.Sprintf("the %s %s: ", unitNames[s.unit], s.name()) + fmt.Sprintf(format, arguments...)})
}

// ended compares the days and months, and the parts of days that were not compared yet.
func (v *verification) ended(ctx context.Context) error {
	if v.next < v.end {
		v.missing(v.end - 1)
		v.next = v.end
	}
	s := &v.sealing
	for u := range unitCount {
		seen := map[int64]bool{}
		for _, want := range s.ofUnit(u) {
			if seen[want.number] = true; u == monthly {
				want.seal = sealOf(slices.DeleteFunc(s.ofUnit(daily), func(day *stretch) bool {
					return day.number == noTime != (want.number == noTime) || day.number != noTime && monthly.number(day.number*dayMS) != want.number
				}))
			}
			if !v.knows(want.heights()) {
				continue
			}
			if err := v.compare(ctx, want); err != nil {
				return err
			}
			if u == daily {
				if err := v.compareTally(ctx, want.number); err != nil {
					return err
				}
			}
		}
		there, err := readStretches(ctx, v.q, u, "1 = 1")
		if errors.Is(err, ErrDamaged) {
			v.found(Damage{Table: "stretches", Message: strings.TrimPrefix(err.Error(), ErrDamaged.Error()+": table stretches: ")})
		} else if err != nil {
			return err
		}
		for _, x := range there {
			if !seen[x.number] && v.knows(x.heights()) {
				v.damaged("stretches", x, "none of the blocks belong to it")
			}
		}
	}
	return nil
}

// strays reports rows that belong to nothing.
func (v *verification) strays(ctx context.Context) error {
	months, err := v.book.months(ctx, v.q, &v.row)
	for i := 0; err == nil && i < len(months); i++ {
		_, err = v.book.daysOf(ctx, v.q, months[i])
	}
	if err := v.unlessDamaged("stretches", err); err != nil {
		return err
	}
	if _, file := v.book.engine.(*sqliteEngine); file {
		if err := v.words(ctx); err != nil {
			return err
		}
	}
	for _, x := range []struct{ table, query string }{
		{"stretches", "SELECT count(*) FROM stretches WHERE unit NOT IN ('day', 'month')"},
		{"parts", "SELECT count(*) FROM parts p WHERE NOT EXISTS (SELECT 1 FROM stretches s WHERE s.unit = p.unit AND s.number = p.number AND s.leaves IS NOT NULL)"},
		{"blocks", "SELECT count(*) FROM blocks WHERE height < 0"},
		{"transactions", "SELECT count(*) FROM transactions t WHERE NOT EXISTS (SELECT 1 FROM blocks b WHERE b.height = t.id / 1048576)"},
	} {
		var count int64
		if _, err := one(ctx, v.q, []any{&count}, x.query); err != nil {
			return err
		}
		if count > 0 {
			v.found(Damage{Table: x.table, Message: fmt.Sprintf("%d rows belong to nothing in the ledger", count)})
		}
	}
	return nil
}

// words compares the table words with usualTexts.
func (v *verification) words(ctx context.Context) error {
	var have []string
	err := list(ctx, v.q, []column{{"number", integer}, {"word", text}}, func(r row) error {
		word, _ := r[1].(string)
		if r[0] != int64(len(have)) {
			word = ""
		}
		have = append(have, word)
		return nil
	}, "SELECT number, word FROM words ORDER BY number")
	if err == nil && !slices.Equal(have, usualTexts) {
		v.found(Damage{Table: "words", Message: "they differ from the words that this program uses"})
	}
	return err
}

// equal compares two values of a column.
func equal(a, b value) bool {
	if x, ok := a.([]byte); ok {
		y, ok := b.([]byte)
		return ok && bytes.Equal(x, y)
	}
	return a == b
}
