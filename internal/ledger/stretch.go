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
	"strings"
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
	noted       stretchNotes
	compared    bool // by a verification
	altered     bool // a verification found rows of its blocks that were
}

// stretchNotes are what is known of a stretch's blocks beside their totals.
type stretchNotes struct {
	blocks [len(fewTables)]uint64 // that have rows of the tables of which few blocks have some
	rules  nullable               // that priced its transactions, a line each, in the order of their names
}

// fewTables are the tables of which few blocks have rows.
var fewTables = [...]int{findings, unclassified, unanswered}

// add adds a block, which has rules where it has transactions.
func (n *stretchNotes) add(there uint16, rules string) {
	for i, t := range fewTables {
		if there&(1<<leafOf(t)) != 0 {
			n.blocks[i]++
		}
	}
	n.addRules(rules)
}

// addRules adds names, a line each.
func (n *stretchNotes) addRules(names string) {
	all := slices.Concat(lines(string(n.rules)), lines(names))
	slices.Sort(all)
	n.rules = nullable(strings.Join(slices.Compact(all), "\n"))
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// merge adds what is known of further blocks.
func (n *stretchNotes) merge(x *stretchNotes) {
	for i := range n.blocks {
		n.blocks[i] += x.blocks[i]
	}
	n.addRules(string(x.rules))
}

var stretchFields = []field[stretch]{
	{name: "unit", mark: state, at: func(s *stretch) any { return &s.unit }},
	{name: "number", mark: state, at: func(s *stretch) any { return &s.number }},
	{name: "first", mark: state, at: func(s *stretch) any { return &s.first }},
	{name: "last", mark: state, at: func(s *stretch) any { return &s.last }},
	{name: "blocks", mark: state, at: func(s *stretch) any { return &s.blocks }},
	{name: "seal", mark: state, at: func(s *stretch) any { return &s.seal }},
	{name: "totals", mark: state, at: func(s *stretch) any { return &s.totals }},
	{name: "findings", mark: state, at: func(s *stretch) any { return &s.noted.blocks[0] }},
	{name: "unclassified", mark: state, at: func(s *stretch) any { return &s.noted.blocks[1] }},
	{name: "unanswered", mark: state, at: func(s *stretch) any { return &s.noted.blocks[2] }},
	{name: "rules", mark: state, at: func(s *stretch) any { return &s.noted.rules }},
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

// stretchKey finds a stretch.
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

// keep writes the row.
func (s *stretch) keep(ctx context.Context, tx transaction) error {
	return tx.exec(ctx, putInto("seals", stretchColumns, 2), signedRow(stretchFields, s)...)
}

// grown are the digests that blocks add to a stretch, in the order of their heights.
type grown struct {
	first, last uint64
	digests     []Digest
	noted       stretchNotes
}

// stretching are the stretches that grow by some blocks.
type stretching struct {
	grown map[stretchKey]*grown
	last  [unitCount]int64 // the number that the last block is of
}

func (s *stretching) add(b *Block, l *leaves) {
	digest, rules := l.digest(), ""
	if b.EVM+b.Native > 0 {
		rules = b.Rules
	}
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
		g.noted.add(l.there, rules)
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
			x.noted.merge(&g.noted)
			x.first, x.last, x.blocks = min(x.first, g.first), max(x.last, g.last), x.blocks+uint64(len(g.digests))
			for _, d := range g.digests {
				x.seal = x.seal.After(d)
			}
		}
		for _, number := range slices.Sorted(maps.Keys(touched)) {
			x := touched[number]
			if x.totals = nil; number != s.last[u] {
				if x.totals, err = leavesOfTotals(ctx, tx, x); err != nil {
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

// leavesOfTotals are their layout, and the leaves of a stretch's totals in the order of the
// tables.
func leavesOfTotals(ctx context.Context, q querier, s *stretch) ([]byte, error) {
	out := []byte{leavesLayout}
	for i := range totals {
		t := &totals[i]
		if t.unit != s.unit {
			continue
		}
		rows, err := readTotals(ctx, q, t, []*stretch{s}, nil)
		if err != nil {
			return nil, err
		}
		for _, part := range partsOf(t, rows[0]) {
			sum := sumOfTotals(t, part)
			out = append(out, sum[:]...)
		}
	}
	return out, nil
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
func sumOfTotals(t *total, rows []row) Digest {
	e := encoder{sum: sha256.New()}
	e.text(t.name)
	e.integer(int64(len(rows)))
	for _, r := range rows {
		for _, v := range r {
			e.value(v)
		}
		e.flush()
	}
	sum, _ := e.end()
	return sum
}

// readTotals reads the rows that a table has of stretches whose numbers follow each other: of
// each, all, or those of the accounts that begin with a digit. They are in the order of their
// keys' encoding, which is one in both engines.
func readTotals(ctx context.Context, q querier, t *total, run []*stretch, digit *int) ([][]row, error) {
	first := run[0].number
	key := t.keys[0].name
	where, arguments := " WHERE "+key+" >= ? AND "+key+" <= ?", []any{first * t.parts, (first+int64(len(run)))*t.parts - 1}
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
	found := make([][]keyed, len(run))
	columns := t.columns()
	err := list(ctx, q, columns, func(r row) error {
		if err := proper(columns, r); err != nil {
			return fmt.Errorf("%w: table %s: %w", ErrDamaged, t.name, err)
		}
		number, ok := r[0].(int64)
		i := number/t.parts - first
		if !ok || number < 0 || i < 0 || i >= int64(len(run)) { // a damaged file delivers what was not asked for
			return fmt.Errorf("%w: table %s: a total of %v, among those of %s", ErrDamaged, t.name, r[0], run[0].name())
		}
		found[i] = append(found[i], keyed{keyOf(r[:len(t.keys)]), r})
		return nil
	}, selectFrom(t.name, columns)+where, arguments...)
	if err != nil {
		return nil, err
	}
	rows := make([][]row, len(run))
	for i := range found {
		slices.SortFunc(found[i], func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
		for _, x := range found[i] {
			rows[i] = append(rows[i], x.row)
		}
	}
	return rows, nil
}

// totalsOf reads the rows that a table has of such stretches, which no longer grow, and checks
// them by their leaves.
func (b *Book) totalsOf(ctx context.Context, q querier, table int, run []*stretch, digit *int) ([][]row, error) {
	t := &totals[table]
	rows, err := readTotals(ctx, q, t, run, digit)
	if err != nil {
		return nil, err
	}
	for i, s := range run {
		parts, place := [][]row{rows[i]}, placeOfLeaf(table)
		if digit != nil {
			place += *digit
		} else {
			parts = partsOf(t, rows[i])
		}
		for n, part := range parts {
			sum := sumOfTotals(t, part)
			if !bytes.Equal(leafAt(s.totals, place+n), sum[:]) {
				return nil, fmt.Errorf("%w: table %s: the totals of %s were altered", ErrDamaged, t.name, s.name())
			}
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
	if len(leaves) < 1+(place+1)*size || leaves[0] != leavesLayout {
		return nil
	}
	return leaves[1+place*size:][:size]
}
