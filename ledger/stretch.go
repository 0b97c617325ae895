package ledger

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
)

// stretch is a day or a month of UTC, as the table seals has it: the sealed blocks whose
// time is in it, their seal, and, once a later stretch has begun, the leaves of its totals.
type stretch struct {
	unit        unit
	number      int64 // noTime is that of the blocks without a time
	first, last uint64
	blocks      uint64
	seal        Seal
	totals      []byte // nil while it grows
	compared    bool   // by a verification
	altered     bool   // a verification found rows of its blocks that were
}

var stretchFields = []field[stretch]{
	{name: "unit", mark: state, at: func(s *stretch) any { return &s.unit }},
	{name: "number", mark: state, at: func(s *stretch) any { return &s.number }},
	{name: "first", mark: state, at: func(s *stretch) any { return &s.first }},
	{name: "last", mark: state, at: func(s *stretch) any { return &s.last }},
	{name: "blocks", mark: state, at: func(s *stretch) any { return &s.blocks }},
	{name: "seal", mark: state, at: func(s *stretch) any { return &s.seal }},
	{name: "totals", mark: state, at: func(s *stretch) any { return &s.totals }},
}

func unitOf(name string) (unit, error) {
	u := slices.Index(unitNames[:], name)
	if u < 0 {
		return 0, errCell
	}
	return unit(u), nil
}

var stretchColumns = signedColumns(stretchFields)

// digestOfBlocks says which blocks the stretch has.
func (s *stretch) digestOfBlocks() Digest {
	return digestOf(row{s.number, int64(s.blocks), s.seal[:]})
}

// name is the stretch for people.
func (s *stretch) name() string { return s.unit.name(s.number) }

// key orders and finds stretches.
type stretchKey struct {
	unit   unit
	number int64
}

// readStretches reads those of a unit that a condition takes, in the order of their
// numbers, and checks each by its digest.
func readStretches(ctx context.Context, q querier, u unit, where string, arguments ...any) (found []*stretch, err error) {
	err = list(ctx, q, stretchColumns, func(r row) error {
		s := &stretch{}
		if err := readSigned(stretchFields, r, s); err != nil {
			return fmt.Errorf("%w: table seals: %s was altered", ErrDamaged, s.name())
		}
		if len(found) > 0 && s.number <= found[len(found)-1].number {
			return fmt.Errorf("%w: table seals: %s is out of its place", ErrDamaged, s.name())
		}
		found = append(found, s)
		return nil
	}, selectFrom("seals", stretchColumns)+" WHERE unit = ? AND "+where+" ORDER BY number", append([]any{unitNames[u]}, arguments...)...)
	return found, err
}

// sealedStretches are how far the book is, and all stretches of a unit, at one moment.
func (b *Book) sealedStretches(ctx context.Context, u unit) (c bookRow, all []*stretch, err error) {
	q, end, err := b.engine.snapshot(ctx)
	if err != nil {
		return c, nil, err
	}
	defer end()
	if c, err = readBookRow(ctx, q); err == nil {
		all, err = b.stretches(ctx, q, &c, u)
	}
	return c, all, err
}

// stretches are all of a unit. They have all sealed blocks.
func (b *Book) stretches(ctx context.Context, q querier, c *bookRow, u unit) ([]*stretch, error) {
	found, err := readStretches(ctx, q, u, "number >= ?", noTime)
	if err != nil {
		return nil, err
	}
	var blocks uint64
	for _, s := range found {
		blocks += s.blocks
	}
	if blocks != c.sealed {
		return nil, fmt.Errorf("%w: table seals: its %ss have %d blocks, and %d are sealed", ErrDamaged, unitNames[u], blocks, c.sealed)
	}
	return found, nil
}

// keep writes the row.
func (s *stretch) keep(ctx context.Context, tx transaction) error {
	return tx.exec(ctx, putInto("seals", stretchColumns, 2), signedRow(stretchFields, s)...)
}

// grown are the digests that blocks add to a stretch, in the order of their heights.
type grown struct {
	first, last uint64
	digests     []Digest
}

// stretching are the stretches that grow by some blocks.
type stretching struct {
	grown map[stretchKey]*grown
	last  [unitCount]int64 // the number that the last block is of
}

func (s *stretching) add(b *Block, digest Digest) {
	at, timed := b.Time.Get()
	height := b.Height
	if s.grown == nil {
		s.grown = map[stretchKey]*grown{}
	}
	for u := range unitCount {
		s.last[u] = noTime
		if timed {
			s.last[u] = u.number(at.Std().UnixMilli())
		}
		k := stretchKey{u, s.last[u]}
		g := s.grown[k]
		if g == nil {
			g = &grown{first: height, last: height}
			s.grown[k] = g
		}
		g.first, g.last = min(g.first, height), max(g.last, height)
		g.digests = append(g.digests, digest)
	}
}

// save adds to the stretches what they grew by, when the totals are written. All but the
// last one are given the leaves of their totals.
func (s *stretching) save(ctx context.Context, tx transaction) error {
	for u := range unitCount {
		open, err := readStretches(ctx, tx, u, "totals IS NULL")
		if err != nil {
			return err
		}
		touched := map[int64]*stretch{}
		for _, x := range open {
			touched[x.number] = x
		}
		for _, k := range slices.SortedFunc(maps.Keys(s.grown), func(a, b stretchKey) int { return int(a.number - b.number) }) {
			if k.unit != u {
				continue
			}
			g := s.grown[k]
			x := touched[k.number]
			if x == nil { // it is new, or a block of an earlier time came late
				have, err := readStretches(ctx, tx, u, "number = ?", k.number)
				if err != nil {
					return err
				}
				if x = (&stretch{unit: u, number: k.number, first: math.MaxInt64}); len(have) > 0 {
					x = have[0]
				}
				touched[k.number] = x
			}
			x.first, x.last, x.blocks = min(x.first, g.first), max(x.last, g.last), x.blocks+uint64(len(g.digests))
			for _, d := range g.digests {
				x.seal = x.seal.After(d)
			}
		}
		for _, number := range slices.Sorted(maps.Keys(touched)) {
			x := touched[number]
			if x.totals = nil; number != s.last[u] {
				if x.totals, err = leavesOfTotals(ctx, tx, layoutNow, x); err != nil {
					return err
				}
			}
			if err := x.keep(ctx, tx); err != nil {
				return err
			}
		}
	}
	return nil
}

// A table of totals by account has a leaf for each first digit of the address.
const firstDigits = 16

// leavesOfTotals are the layout, and the leaves of a stretch's totals in the order of the
// tables.
func leavesOfTotals(ctx context.Context, q querier, layout byte, s *stretch) ([]byte, error) {
	out := []byte{layout}
	for i := range totals {
		t := &totals[i]
		if t.unit != s.unit {
			continue
		}
		rows, err := readTotals(ctx, q, t, s.number, nil)
		if err != nil {
			return nil, err
		}
		for _, part := range partsOf(t, rows) {
			sum := sumOfTotals(layout, t, part)
			out = append(out, sum[:]...)
		}
	}
	return out, nil
}

// layoutOfTotals is the one that leaves of totals were made in, or that of now where they
// name none that this program knows.
func layoutOfTotals(leaves []byte) byte {
	if len(leaves) == 0 || leaves[0] > layoutNow {
		return layoutNow
	}
	return leaves[0]
}

// partsOf cuts a table's rows as its leaves are.
func partsOf(t *total, rows []row) [][]row {
	if !t.byAccount() {
		return [][]row{rows}
	}
	parts := make([][]row, firstDigits)
	for _, r := range rows {
		digit := firstDigit(r[1])
		parts[digit] = append(parts[digit], r)
	}
	return parts
}

// firstDigit is that of an account.
func firstDigit(account value) int {
	a, _ := account.([]byte)
	if len(a) == 0 {
		return 0
	}
	return int(a[0] >> 4)
}

// sumOfTotals is the leaf of rows of a table of totals.
func sumOfTotals(layout byte, t *total, rows []row) Digest {
	columns := t.columns()
	e := encoder{sum: sha256.New()}
	e.text(t.name)
	e.integer(int64(len(rows)))
	for _, r := range rows {
		for i, v := range r {
			if t.later[columns[i].name] <= layout {
				e.value(v)
			}
		}
		e.flush()
	}
	sum, _ := e.end()
	return sum
}

// readTotals reads a stretch's rows of a table in the order of their keys' encoding, which
// is one in both engines: all, or those of the accounts that begin with a digit.
func readTotals(ctx context.Context, q querier, t *total, number int64, digit *int) ([]row, error) {
	key := t.keys[0].name
	where, arguments := " WHERE "+key+" >= ? AND "+key+" <= ?", []any{number * t.parts, number*t.parts + t.parts - 1}
	if digit != nil {
		where += " AND account >= ?"
		arguments = append(arguments, []byte{byte(*digit << 4)})
		if *digit < firstDigits-1 {
			where += " AND account < ?"
			arguments = append(arguments, []byte{byte((*digit + 1) << 4)})
		}
	}
	type keyed struct {
		key string
		row row
	}
	var found []keyed
	columns := t.columns()
	err := list(ctx, q, columns, func(r row) error {
		if err := proper(columns, r); err != nil {
			return fmt.Errorf("%w: table %s: %w", ErrDamaged, t.name, err)
		}
		found = append(found, keyed{keyOf(r[:len(t.keys)]), r})
		return nil
	}, selectFrom(t.name, columns)+where, arguments...)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	rows := make([]row, len(found))
	for i := range found {
		rows[i] = found[i].row
	}
	return rows, nil
}

// totalsOf reads a stretch's rows of a table, and checks them by their leaf. Those of the
// stretch that still grows have none, and are added up from its blocks.
func (b *Book) totalsOf(ctx context.Context, q querier, table int, s *stretch, digit *int) ([]row, error) {
	t := &totals[table]
	if len(s.totals) == 0 {
		return b.addedUp(ctx, q, table, s, digit)
	}
	rows, err := readTotals(ctx, q, t, s.number, digit)
	if err != nil {
		return nil, err
	}
	parts := [][]row{rows}
	if digit == nil {
		parts = partsOf(t, rows)
	}
	place := placeOfLeaf(table)
	if digit != nil {
		place += *digit
	}
	for i, part := range parts {
		sum := sumOfTotals(layoutOfTotals(s.totals), t, part)
		if !bytes.Equal(leafAt(s.totals, place+i), sum[:]) {
			return nil, fmt.Errorf("%w: table %s: the totals of %s were altered", ErrDamaged, t.name, s.name())
		}
	}
	return rows, nil
}

// placeOfLeaf is where a table's first leaf is among those of its unit.
func placeOfLeaf(table int) (place int) {
	for i := range table {
		switch {
		case totals[i].unit != totals[table].unit:
		case totals[i].byAccount():
			place += firstDigits
		default:
			place++
		}
	}
	return place
}

// leafAt is a leaf of a stretch's totals, nil where there is none.
func leafAt(leaves []byte, place int) []byte {
	const size = len(Digest{})
	if len(leaves) < 1+(place+1)*size || leaves[0] != layoutOfTotals(leaves) {
		return nil
	}
	return leaves[1+place*size:][:size]
}

// addedUp makes a stretch's rows of a table from its blocks.
func (b *Book) addedUp(ctx context.Context, q querier, table int, s *stretch, digit *int) ([]row, error) {
	t := &totals[table]
	sums := newTally()
	needed := []int{transactions}
	if table == accountDays {
		needed = append(needed, movements, transfers)
	}
	for r, err := range b.walk(ctx, q, Span{s.first, s.last}, needed) {
		if err != nil {
			return nil, err
		}
		if ms, ok := r.time(); !ok || s.unit.number(ms) != s.number {
			continue
		}
		b, err := r.block()
		if err != nil {
			return nil, err
		}
		costs, err := costsOfRows(r.rows[transactions])
		if err == nil {
			err = sums.block(&b.Block, costs, &r.rows)
		}
		if err != nil {
			return nil, fmt.Errorf("block %d: %w", r.height, err)
		}
	}
	var rows []row
	for _, x := range sums.sorted(table) {
		if digit == nil || firstDigit(x.key[1]) == *digit {
			each := x.sums()
			rows = append(rows, append(slices.Clone(x.key), rowOf(t.sums, &each)...))
		}
	}
	return rows, nil
}
