package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// byAccount is a question about the rows of a table that name one of some accounts.
type byAccount struct {
	tables  []int                    // the first is the one, the others are read with it
	columns []int                    // that name an account
	lookup  int64                    // the bit of such rows in the look-up by account
	counted func(c rowCounts) uint64 // how many such rows an account has on a day
}

var (
	ofPayer = byAccount{[]int{transactions, diagnoses}, []int{payerColumn}, hasPaid, func(c rowCounts) uint64 { return c.paid }}
	ofMoved = byAccount{[]int{movements}, []int{movedColumn}, hasMoved, func(c rowCounts) uint64 { return c.moved }}
	ofParty = byAccount{[]int{transfers}, []int{senderColumn, recipientColumn}, hasParty, func(c rowCounts) uint64 { return c.party }}
)

// names are those of the columns.
func (x *byAccount) names() (list []string) {
	for _, place := range x.columns {
		list = append(list, tables[x.tables[0]].columns[place].name)
	}
	return list
}

// maxAccounts is how many accounts a look-up is asked for.
const maxAccounts = 100

// heights are those of a span that the look-up names, the first ones, up to so many.
func (x *byAccount) heights(ctx context.Context, q querier, accounts []chain.Address, span chain.Heights, limit int) (found []uint64, err error) {
	for eras := range erasOf(span, 1) {
		arguments := slices.Clone(eras)
		for _, a := range accounts {
			arguments = append(arguments, a[:])
		}
		query := fmt.Sprintf("SELECT DISTINCT height FROM account_blocks WHERE era IN (%s) AND account IN (%s) AND height >= ? AND height <= ? AND (tables & %d) <> 0",
			placesIn(len(eras)), placesIn(len(accounts)), x.lookup)
		part, err := heightsBy(ctx, q, limit-len(found), query, append(arguments, bounds(span)...)...)
		if err != nil {
			return nil, err
		}
		if found = append(found, part...); len(found) == limit {
			break
		}
	}
	return found, nil
}

// namer tells which rows name one of the accounts.
func (x *byAccount) namer(accounts []chain.Address) func(row) bool {
	set := map[string]bool{}
	for _, a := range accounts {
		set[string(a[:])] = true
	}
	return func(r row) bool {
		for _, place := range x.columns {
			if account, ok := r[place].([]byte); ok && set[string(account)] {
				return true
			}
		}
		return false
	}
}

// rows are the rows that a query asks for, with their blocks.
func (x *byAccount) rows(ctx context.Context, b *Book, q Query) iter.Seq2[*rowsOf, error] {
	switch n := len(q.Accounts); {
	case n == 0:
		return b.rowsIn(ctx, q, everyRow, x.tables...)
	case n > maxAccounts:
		return b.rowsIn(ctx, q, x.namer(q.Accounts), x.tables...)
	}
	return sequence(func(yield func(*rowsOf) bool) error {
		c, all, err := b.daysIn(ctx, q.span())
		if err != nil {
			return err
		}
		s := search{byAccount: x, book: b, query: &q, all: all, have: map[int64]uint64{}, first: c.first, grows: c.next()}
		return s.each(ctx, yield)
	})
}

// search is a query for some accounts' rows. In the day that still grows, and in what is not
// sealed, all rows are looked through; before, they name the blocks.
// That they name all is seen by the totals of the accounts' days, which count their rows. So
// each day is read as a whole, even where only a part of it is asked for.
type search struct {
	*byAccount
	book  *Book
	query *Query
	all   []*stretch       // the days, of which some have blocks of the span
	days  []*stretch       // that are not counted yet, in the order in which they end
	have  map[int64]uint64 // how many rows of a day were read
	first uint64           // the height that the book begins with
	grows uint64           // from this height on no look-up is used
}

func (s *search) each(ctx context.Context, yield func(*rowsOf) bool) error {
	for _, day := range s.all {
		if day.totals == nil {
			s.grows = min(s.grows, day.first)
		}
	}
	span := s.query.span()
	whole := span // with the days that it touches
	for _, day := range s.all {
		if day.number != noTime && day.totals != nil && day.first <= span.Last && day.last >= span.First && max(day.first, span.First) < s.grows {
			s.days = append(s.days, day)
			whole.First, whole.Last = min(whole.First, day.first), max(whole.Last, day.last)
		}
	}
	slices.SortFunc(s.days, func(a, b *stretch) int { return cmp.Compare(a.last, b.last) })
	p := pager{Query: s.query}
	names, last := s.namer(s.query.Accounts), uint64(math.MaxUint64)
	for r, err := range s.blocks(ctx, whole) {
		if err == nil && r.height <= last {
			err = s.count(ctx, r.height)
		}
		if err != nil {
			return err
		}
		if r.height > last {
			break
		}
		if ms, ok := r.time(); ok {
			for _, x := range r.rows[s.tables[0]] {
				if names(x) {
					s.have[daily.number(ms)]++
				}
			}
		}
		full := p.full()
		if p.pick(r, s.tables[0], names); !yield(r) {
			return nil
		}
		if !full && p.full() { // the days that have begun are read to their end
			s.days = slices.DeleteFunc(s.days, func(day *stretch) bool { return day.first > r.height })
			last = r.height
			for _, day := range s.days {
				last = max(last, day.last)
			}
		}
		if r.height == last {
			break
		}
	}
	return s.count(ctx, math.MaxUint64)
}

// blocks are those of a span in which rows can be.
func (s *search) blocks(ctx context.Context, span chain.Heights) iter.Seq2[*rowsOf, error] {
	return sequence(func(yield func(*rowsOf) bool) error {
		q := s.book.engine.shared()
		span.First = max(span.First, s.first)
		limit := min(s.query.heights(), maxHeights)
		for span.First < s.grows && span.First <= span.Last {
			part := chain.Heights{First: span.First, Last: min(span.Last, s.grows-1)}
			found, err := s.heights(ctx, q, s.query.Accounts, part, limit)
			if err != nil {
				return err
			}
			if len(found) == limit {
				part.Last = found[len(found)-1]
			}
			timeless, err := s.book.timelessIn(ctx, q, s.all, part)
			if err != nil {
				return err
			}
			for r, err := range s.book.walkHeights(ctx, nil, union(found, timeless), s.tables) {
				if err != nil || !yield(r) {
					return err
				}
			}
			span.First = part.Last + 1
		}
		if span.First > span.Last {
			return nil
		}
		return pass(s.book.walk(ctx, nil, span, s.tables), yield)
	})
}

// maxHeights is how many heights of a look-up are held at once.
const maxHeights = 10_000

// count wants the days that end below a height to have had as many rows as their totals say. The
// totals of several days are read at the same time.
func (s *search) count(ctx context.Context, height uint64) error {
	ended := 0
	for ended < len(s.days) && s.days[ended].last < height {
		ended++
	}
	var days []*stretch
	days, s.days = s.days[:ended], s.days[ended:]
	type counted struct {
		day  *stretch
		want uint64
		err  error
	}
	for c := range inorder.Map(ctx, slices.Values(days), readersAtOnce(), func(ctx context.Context, day *stretch) counted {
		want, err := s.rowsOn(ctx, s.book, s.book.engine.shared(), day, s.query.Accounts)
		return counted{day, want, err}
	}) {
		if errors.Is(c.err, ErrDamaged) && s.book.extendedBelow(ctx, c.day) { // its totals have other blocks, too
			continue
		}
		if c.err != nil {
			return c.err
		}
		if have := s.have[c.day.number]; have != c.want {
			return s.lost(ctx, c.day, c.want, have)
		}
		delete(s.have, c.day.number)
	}
	return nil
}

// lost tells which block of a day has a row that the look-up does not name, or was altered.
func (s *search) lost(ctx context.Context, day *stretch, want, have uint64) error {
	table := s.tables[0]
	found, err := s.heights(ctx, s.book.engine.shared(), s.query.Accounts, chain.Heights{First: day.first, Last: day.last}, math.MaxInt)
	if err != nil {
		return err
	}
	names := s.namer(s.query.Accounts)
	for r, err := range s.book.walk(ctx, nil, chain.Heights{First: day.first, Last: day.last}, s.tables) {
		if err == nil && r.height < s.grows && !slices.Contains(found, r.height) && slices.ContainsFunc(r.rows[table], names) {
			err = damagedBlock(r.height, table, "the look-up by "+strings.Join(s.names(), " and ")+" does not name it")
		}
		if err != nil {
			return err
		}
	}
	return damaged("on %s the accounts have %d rows in table %s, and the look-up by %s found %d",
		day.name(), want, tables[table].name, strings.Join(s.names(), " and "), have)
}

// timelessIn are the sealed blocks of a span that do not say when they were made. No day's
// totals tell how many rows they have, so they are looked through.
func (b *Book) timelessIn(ctx context.Context, q querier, all []*stretch, span chain.Heights) ([]uint64, error) {
	for _, s := range all {
		if s.number != noTime || s.first > span.Last || s.last < span.First {
			continue
		}
		if s.blocks == 1 { // it is block 0
			return []uint64{s.first}, nil
		}
		found, err := heightsBy(ctx, q, math.MaxInt, "SELECT height FROM blocks WHERE height >= ? AND height <= ? AND time_ms IS NULL", bounds(chain.Heights{First: s.first, Last: s.last})...)
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
	list, err := b.countedOn(ctx, q, day, accounts)
	for _, c := range list {
		rows += x.counted(c)
	}
	return rows, err
}
