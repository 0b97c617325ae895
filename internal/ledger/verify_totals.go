package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
)

// sealsOf compares the seals of a unit with those that the digests make.
func (v *verification) sealsOf(ctx context.Context, u unit) error {
	damage := func(number int64, format string, arguments ...any) { v.damagedSeal(u, number, format, arguments...) }
	seen := map[int64]bool{}
	err := list(ctx, v.q, stretchColumns[1:2], func(r row) error {
		number, ok := r[0].(int64)
		if !ok {
			damage(noTime, "its number is %v", r[0])
			return nil
		}
		seen[number] = true
		return nil
	}, "SELECT number FROM seals WHERE unit = ?", unitNames[u])
	if err != nil {
		return err
	}
	for _, number := range slices.Sorted(maps.Keys(v.seals[u])) {
		want := v.seals[u][number]
		if !seen[number] {
			damage(number, "missing")
			continue
		}
		delete(seen, number)
		have, err := readStretches(ctx, v.q, u, "number = ?", number)
		switch {
		case errors.Is(err, ErrDamaged):
			damage(number, "%v", err)
		case err != nil:
			return err
		case len(have) == 0:
			damage(number, "it is not found by its number")
		case have[0].blocks != want.blocks || have[0].first != want.first || have[0].last != want.last:
			damage(number, "it has %d blocks, %d..%d, and the ledger %d, %d..%d", have[0].blocks, have[0].first, have[0].last, want.blocks, want.first, want.last)
		case have[0].seal != want.seal:
			damage(number, "the seal is %v, and %v follows from the digests", have[0].seal, want.seal)
		case !v.notedIs(ctx, have[0], want):
			damage(number, "it counts other blocks with findings, unclassified events or unanswered questions than there are, or other rules")
		case want.compared && bytes.Equal(have[0].totals, want.totals): // they were checked when it was whole
		default:
			if err := v.leavesOf(ctx, have[0], want); err != nil {
				return err
			}
		}
	}
	for _, number := range slices.Sorted(maps.Keys(seen)) {
		damage(number, "no block is of it")
	}
	var others int64
	if _, err := one(ctx, v.q, []any{&others}, "SELECT count(*) FROM seals WHERE unit NOT IN ('day', 'month')"); err != nil || others == 0 || u > 0 {
		return err
	}
	v.found(Damage{Table: "seals", Message: fmt.Sprintf("%d rows are of no day and no month", others)})
	return nil
}

// notedIs tells whether a stretch counts the blocks that there are of the tables of which few
// blocks have rows. What is known of a block may have changed since it was verified: then they
// are counted anew.
func (v *verification) notedIs(ctx context.Context, have, want *stretch) bool {
	if want.altered || have.noted == want.noted {
		return true
	}
	var n blockCounts
	if err := leavesIn(ctx, v.q, &piece{stretch: have, span: chain.Heights{First: have.first, Last: have.last}}, &n); err != nil {
		return false
	}
	for i, count := range n.with {
		if have.noted.blocks[i] != count {
			return false
		}
	}
	return have.noted.rules == want.noted.rules
}

func (v *verification) damagedSeal(u unit, number int64, format string, arguments ...any) {
	v.found(Damage{Table: "seals", Message: fmt.Sprintf("the %s %s: ", unitNames[u], u.name(number)) + fmt.Sprintf(format, arguments...)})
}

// leavesOf wants the totals of a stretch to be those that were sealed, as its row has them.
func (v *verification) leavesOf(ctx context.Context, have, want *stretch) error {
	want.totals = have.totals
	if have.totals == nil {
		return nil
	}
	leaves, err := leavesOfTotals(ctx, v.q, want)
	switch {
	case errors.Is(err, ErrDamaged):
		v.damagedSeal(want.unit, want.number, "%v", err)
	case err != nil:
		return err
	case !bytes.Equal(leaves, have.totals):
		v.damagedSeal(want.unit, want.number, "its totals are not those that were sealed")
	}
	return nil
}

// finished compares the totals of the stretches that all blocks were seen of, and forgets
// them, so that what is held does not grow with the book. How many blocks those have, the
// table seals says, which is compared itself at the end. A block of an earlier time that is
// sealed after that, while the verification goes on, changes the leaves: those are checked
// once more then.
func (v *verification) finished(ctx context.Context) error {
	if len(v.tally.sums[days]) < 3 {
		return nil
	}
	for u := range unitCount {
		for _, number := range slices.Sorted(maps.Keys(v.seals[u])) {
			seen := v.seals[u][number]
			if seen.compared {
				continue
			}
			have, err := readStretches(ctx, v.q, u, "number = ?", number)
			if err != nil && !errors.Is(err, ErrDamaged) {
				return err
			}
			if err != nil || len(have) == 0 || have[0].blocks != seen.blocks {
				continue // it is not whole yet, or told at the end
			}
			if err := v.compareStretch(ctx, seen); err != nil {
				return err
			}
			if err := v.leavesOf(ctx, have[0], seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareStretch compares all totals of a stretch, and forgets them.
func (v *verification) compareStretch(ctx context.Context, s *stretch) error {
	for i := range totals {
		t := &totals[i]
		if t.unit != s.unit {
			continue
		}
		want := map[string]*tallied{}
		for k, x := range v.tally.sums[i] {
			if x.key[0].(int64)/t.parts == s.number {
				want[k] = x
				delete(v.tally.sums[i], k)
			}
		}
		first := s.number * t.parts
		if s.altered {
			continue
		}
		if err := v.compare(ctx, i, want, " WHERE "+t.keys[0].name+" BETWEEN ? AND ?", first, first+t.parts-1); err != nil {
			return err
		}
	}
	s.compared = true
	return nil
}

// left compares what is left of a table's totals: of stretches that are not whole, or of
// none.
func (v *verification) left(ctx context.Context, table int) error {
	t := &totals[table]
	for _, number := range slices.Sorted(maps.Keys(v.seals[t.unit])) {
		s := v.seals[t.unit][number]
		if s.compared {
			continue
		}
		if err := v.compareStretch(ctx, s); err != nil {
			return err
		}
	}
	from := int64(math.MinInt64)
	for _, number := range slices.Sorted(maps.Keys(v.seals[t.unit])) {
		if number == noTime {
			continue
		}
		if err := v.ofNoBlock(ctx, t, from, number*t.parts-1); err != nil {
			return err
		}
		from = (number + 1) * t.parts
	}
	return v.ofNoBlock(ctx, t, from, math.MaxInt64)
}

// ofNoBlock finds totals where there is no stretch, by the number that their keys begin with.
func (v *verification) ofNoBlock(ctx context.Context, t *total, from, to int64) error {
	if from > to {
		return nil
	}
	key := t.keys[0]
	return list(ctx, v.q, []column{key}, func(r row) error {
		v.found(Damage{Table: t.name, Message: fmt.Sprintf("%s: a total of no block", keyText(t, r))})
		return nil
	}, "SELECT DISTINCT "+key.name+" FROM "+t.name+" WHERE "+key.name+" >= ? AND "+key.name+" <= ? ORDER BY 1", from, to)
}

// compare wants the rows of a table of totals to be these sums.
func (v *verification) compare(ctx context.Context, table int, want map[string]*tallied, where string, arguments ...any) error {
	t := &totals[table]
	columns := t.columns()
	err := list(ctx, v.q, columns, func(r row) error {
		key := r[:len(t.keys)]
		if err := proper(columns, r); err != nil {
			v.found(Damage{Table: t.name, Message: fmt.Sprintf("%s: %v", keyText(t, key), err)})
			return nil
		}
		k := keyOf(key)
		x := want[k]
		if x == nil {
			v.found(Damage{Table: t.name, Message: fmt.Sprintf("%s: a total of no block", keyText(t, key))})
			return nil
		}
		delete(want, k)
		sums := x.sums()
		have, wanted := r[len(t.keys):], rowOf(t.sums, &sums)
		for i, c := range t.sums {
			if !equal(have[i], wanted[i]) {
				v.found(Damage{Table: t.name, Message: fmt.Sprintf("%s: %s is %v, the rows add up to %v", keyText(t, key), c.name, have[i], wanted[i])})
			}
		}
		return nil
	}, selectFrom(t.name, columns)+where, arguments...)
	if err != nil {
		return err
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		v.found(Damage{Table: t.name, Message: fmt.Sprintf("%s: missing", keyText(t, want[k].key))})
	}
	return nil
}

// keyText names a total for people.
func keyText(t *total, key row) string {
	list := make([]string, len(key))
	for i, v := range key {
		list[i] = fmt.Sprint(v)
		n, number := v.(int64)
		switch {
		case t.keys[i].kind == data:
			list[i] = fmt.Sprintf("%#x", v)
		case !number:
		case t.keys[i].name == "quarter_hour":
			list[i] = time.UnixMilli(n * quarterHourMS).UTC().Format(time.RFC3339)
		case i == 0:
			list[i] = t.unit.name(n)
		}
	}
	return strings.Join(list, " ")
}
