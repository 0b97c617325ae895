package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// byAccount is a question about the rows of a table that name one of some accounts.
type byAccount struct {
	tables  []int                // the first is the one, the others are read with it
	columns []string             // that name an account, with a look-up for each
	counted func(s *Sums) uint64 // how many such rows an account has on a day
}

var (
	ofPayer = byAccount{[]int{transactions, diagnoses}, []string{"payer"}, func(s *Sums) uint64 { return s.EVM + s.Native }}
	ofMoved = byAccount{[]int{movements}, []string{"account"}, func(s *Sums) uint64 { return s.Movements }}
	ofParty = byAccount{[]int{transfers}, []string{"sender", "recipient"}, func(s *Sums) uint64 { return s.Transfers }}
)

// mostAccounts is how many accounts a look-up is asked for.
const mostAccounts = 100

// heights are those of a span that the look-ups name.
func (x *byAccount) heights(ctx context.Context, q querier, accounts []chain.Address, span Span) ([]uint64, error) {
	var queries []string
	var arguments []any
	places := strings.TrimSuffix(strings.Repeat("?, ", len(accounts)), ", ")
	for _, column := range x.columns {
		queries = append(queries, "SELECT height FROM "+tables[x.tables[0]].name+" WHERE "+column+" IN ("+places+") AND height >= ? AND height <= ?")
		for _, a := range accounts {
			arguments = append(arguments, a[:])
		}
		arguments = append(arguments, span.bounds()...)
	}
	return heightsBy(ctx, q, strings.Join(queries, " UNION "), arguments...)
}

// namer tells which rows name one of the accounts.
func (x *byAccount) namer(accounts []chain.Address) func(row) bool {
	set := map[string]bool{}
	for _, a := range accounts {
		set[string(a[:])] = true
	}
	var places []int
	for _, c := range x.columns {
		places = append(places, tables[x.tables[0]].of(c))
	}
	return func(r row) bool {
		for _, place := range places {
			if account, ok := r[place].([]byte); ok && set[string(account)] {
				return true
			}
		}
		return false
	}
}

// each reads the rows that name one of the accounts, in the order of the chain. In the day
// that still grows, and in what is not sealed, all rows are looked through; before, look-ups
// name the blocks. That they name all is seen by the totals of the accounts' days, which
// count their rows. Such a day is read as a whole, also where only a part of it is in the
// span.
func (x *byAccount) each(ctx context.Context, b *Book, accounts []chain.Address, span Span, each func(of *rowsOf, r row) error) error {
	q := b.engine.shared()
	c, all, err := b.sealedStretches(ctx, daily)
	if err != nil {
		return err
	}
	grows := c.next() // from here on no look-up is used
	for _, s := range all {
		if s.totals == nil {
			grows = min(grows, s.first)
		}
	}
	var days []*stretch
	whole := span // with the days that it touches
	want := map[int64]uint64{}
	for _, s := range all {
		if s.number == noTime || s.totals == nil || s.first > span.Last || s.last < span.First || max(s.first, span.First) >= grows {
			continue
		}
		days = append(days, s)
		whole.First, whole.Last = min(whole.First, s.first), max(whole.Last, s.last)
		if want[s.number], err = x.rowsOn(ctx, b, q, s, accounts); err != nil {
			return err
		}
	}
	have := map[int64]uint64{}
	names := x.namer(accounts)
	take := func(r *rowsOf) error {
		block := r.rows[blocks][0]
		for _, t := range r.rows[x.tables[0]] {
			if !names(t) {
				continue
			}
			if ms, ok := block[timeColumn].(int64); ok {
				have[daily.number(ms)]++
			}
			if r.height >= span.First && r.height <= span.Last {
				if err := each(r, t); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if whole.First < grows {
		looked := Span{whole.First, min(whole.Last, grows-1)}
		found, err := x.heights(ctx, q, accounts, looked)
		if err != nil {
			return err
		}
		timeless, err := b.timelessIn(ctx, q, all, looked)
		if err != nil {
			return err
		}
		if err := b.walkHeights(ctx, q, union(found, timeless), x.tables, take); err != nil {
			return err
		}
	}
	if whole.Last >= grows {
		if err := b.walk(ctx, nil, Span{max(whole.First, grows), whole.Last}, x.tables, take); err != nil {
			return err
		}
	}
	for _, s := range days {
		if have[s.number] != want[s.number] {
			return x.lost(ctx, b, accounts, s, want[s.number], have[s.number])
		}
	}
	return nil
}

// lost tells which block of a day has a row that the look-ups do not name, or was altered.
func (x *byAccount) lost(ctx context.Context, b *Book, accounts []chain.Address, day *stretch, want, have uint64) error {
	q, table := b.engine.shared(), x.tables[0]
	found, err := x.heights(ctx, q, accounts, Span{day.first, day.last})
	if err != nil {
		return err
	}
	names := x.namer(accounts)
	err = b.walk(ctx, nil, Span{day.first, day.last}, x.tables, func(r *rowsOf) error {
		if !slices.Contains(found, r.height) && slices.ContainsFunc(r.rows[table], names) {
			return damagedBlock(r.height, table, "the look-up by "+strings.Join(x.columns, " and ")+" does not name it")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: on %s the accounts have %d rows in table %s, and the look-up by %s found %d; fees ledger verify names all that is damaged",
		ErrDamaged, day.name(), want, tables[table].name, strings.Join(x.columns, " and "), have)
}

// timelessIn are the sealed blocks of a span that do not say when they were made. No day's
// totals tell how many rows they have, so they are looked through.
func (b *Book) timelessIn(ctx context.Context, q querier, all []*stretch, span Span) ([]uint64, error) {
	for _, s := range all {
		if s.number != noTime || s.first > span.Last || s.last < span.First {
			continue
		}
		if s.blocks == 1 { // it is block 0
			return []uint64{s.first}, nil
		}
		found, err := heightsBy(ctx, q, "SELECT height FROM blocks WHERE height >= ? AND height <= ? AND time_ms IS NULL", Span{s.first, s.last}.bounds()...)
		if err == nil && uint64(len(found)) != s.blocks {
			err = b.blamed(ctx, q, blocks, fmt.Errorf("%w: table blocks: %d of %d..%d have no time, and %d were sealed so", ErrDamaged, len(found), s.first, s.last, s.blocks))
		}
		return slices.DeleteFunc(found, func(height uint64) bool { return height < span.First || height > span.Last }), err
	}
	return nil, nil
}

// union are heights of two lists, each once, in their order.
func union(a, b []uint64) []uint64 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// rowsOn is how many rows of the table name the accounts on a day, by its totals.
func (x *byAccount) rowsOn(ctx context.Context, b *Book, q querier, day *stretch, accounts []chain.Address) (rows uint64, err error) {
	byDigit := [digits][]chain.Address{}
	for _, a := range accounts {
		byDigit[firstDigit(a[:])] = append(byDigit[firstDigit(a[:])], a)
	}
	for digit, list := range byDigit {
		if len(list) == 0 {
			continue
		}
		found, err := b.totalsOf(ctx, q, accountDays, day, &digit)
		if err != nil {
			return 0, err
		}
		for _, r := range found {
			if !slices.ContainsFunc(list, func(a chain.Address) bool { return equal(r[1], a[:]) }) {
				continue
			}
			sums, err := sumsOf(&totals[accountDays], r[2:])
			if err != nil {
				return 0, fmt.Errorf("%w: %w", ErrDamaged, err)
			}
			rows += x.counted(&sums)
		}
	}
	return rows, nil
}
