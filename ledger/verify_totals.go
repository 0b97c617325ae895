package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// finishedDays compares the totals of the days of which all blocks were seen, and
// forgets them, so that what is held does not grow with the book. Which days they
// are, the table days says; it is compared itself at the end.
func (v *verification) finishedDays(ctx context.Context) error {
	if len(v.tally.sums[days]) < 3 {
		return nil
	}
	for _, k := range slices.Sorted(maps.Keys(v.tally.sums[days])) {
		d := v.tally.sums[days][k]
		day := d.key[0].(int64)
		if v.done[day] {
			continue
		}
		var expected int64
		if _, err := one(ctx, v.q, []any{&expected}, "SELECT blocks FROM days WHERE day = ?", day); err != nil {
			return err
		}
		if expected != int64(d.Blocks) {
			continue
		}
		for _, w := range wholes {
			t := w.byDay
			part := map[string]*tallied{}
			for k, x := range v.tally.sums[t] {
				if x.key[0] == day {
					part[k] = x
					delete(v.tally.sums[t], k)
				}
			}
			if err := v.compare(ctx, t, part, " WHERE day = ?", day); err != nil {
				return err
			}
		}
		v.done[day] = true
	}
	return nil
}

// compare wants the rows of a table of totals to be these sums.
func (v *verification) compare(ctx context.Context, table int, want map[string]*tallied, where string, arguments ...any) error {
	t := &totals[table]
	seen := map[string]bool{}
	err := list(ctx, v.q, t.columns(), func(r row) error {
		key := r[:len(t.keys)]
		if where == "" && isByDay(table) && v.done[key[0].(int64)] {
			return nil
		}
		k := keyOf(key)
		seen[k] = true
		x := want[k]
		if x == nil {
			v.found(Damage{Table: t.name, Message: fmt.Sprintf("%s: a total of no block", keyText(t, key))})
			return nil
		}
		v.sums(t, key, r[len(t.keys):], x.Sums.values(t))
		return nil
	}, selectFrom(t.name, t.columns())+where, arguments...)
	if err != nil {
		return err
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if !seen[k] {
			v.found(Damage{Table: t.name, Message: fmt.Sprintf("%s: missing", keyText(t, want[k].key))})
		}
	}
	return nil
}

// sums compares the columns of a total.
func (v *verification) sums(t *total, key, have, want row) {
	for i, c := range t.sums {
		if !equal(have[i], want[i]) {
			v.found(Damage{Table: t.name, Message: fmt.Sprintf("%s: %s is %v, the rows add up to %v", keyText(t, key), c.name, have[i], want[i])})
		}
	}
}

// whole wants the totals of a table to be the sums of those by day.
func (v *verification) whole(ctx context.Context, table, byDay int) error {
	t, n := &totals[table], len(totals[table].keys)
	var key row
	var sum, have Sums
	var there bool
	check := func() {
		switch {
		case key == nil:
		case !there:
			v.found(Damage{Table: t.name, Message: keyText(t, key) + ": missing"})
		default:
			v.sums(t, key, have.values(t), sum.values(t))
		}
	}
	var same []string
	for _, k := range t.keys {
		same = append(same, "w."+k.name+" = d."+k.name)
	}
	// Both tables by key, each row of the days' beside the whole's.
	query := "SELECT " + columnsOf("d", t.columns()) + ", " + columnsOf("w", t.sums) +
		" FROM " + totals[byDay].name + " d LEFT JOIN " + t.name + " w ON " + strings.Join(same, " AND ") + " ORDER BY " + columnsOf("d", t.keys)
	err := list(ctx, v.q, append(t.columns(), t.sums...), func(r row) error {
		if key == nil || keyOf(r[:n]) != keyOf(key) {
			check()
			whole := r[n+len(t.sums):]
			key, sum, there = r[:n], Sums{}, whole[0] != nil
			if there {
				var err error
				if have, err = sumsOf(t, whole); err != nil {
					v.found(Damage{Table: t.name, Message: fmt.Sprintf("%s: %v", keyText(t, key), err)})
				}
			}
		}
		x, err := sumsOf(t, r[n:])
		if err != nil {
			return nil // named already, where the days were compared
		}
		if err := sum.add(&x); err != nil {
			v.found(Damage{Table: t.name, Message: fmt.Sprintf("%s: the sum over its days: %v", keyText(t, key), err)})
		}
		return nil
	}, query)
	if err != nil {
		return err
	}
	check()
	return list(ctx, v.q, t.keys, func(r row) error {
		v.found(Damage{Table: t.name, Message: keyText(t, r) + ": a total of no day"})
		return nil
	}, selectFrom(t.name, t.keys)+" EXCEPT "+selectFrom(totals[byDay].name, t.keys)+" ORDER BY "+columnList(t.keys))
}

// columnsOf names columns of one of several tables.
func columnsOf(table string, columns []column) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = table + "." + c.name
	}
	return strings.Join(list, ", ")
}

// keyText names a total for people.
func keyText(t *total, key row) string {
	list := make([]string, len(key))
	for i, v := range key {
		list[i] = fmt.Sprint(v)
		switch {
		case t.keys[i].kind == data:
			list[i] = fmt.Sprintf("%#x", v)
		case t.keys[i].name == "day":
			list[i] = time.UnixMilli(v.(int64) * dayMS).UTC().Format(time.DateOnly)
		case t.keys[i].name == "quarter_hour":
			list[i] = time.UnixMilli(v.(int64) * quarterHourMS).UTC().Format(time.RFC3339)
		}
	}
	return strings.Join(list, " ")
}
