package ledger

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/inorder"
)

// rowsOf are rows that a book has of a block: of the table blocks, and of the tables that
// were asked for.
type rowsOf struct {
	height uint64
	rows   [tableCount][]row
}

// readRows reads tables of the blocks that a condition on their heights takes, in the
// order of the heights.
func readRows(ctx context.Context, q querier, wanted []int, where string, arguments ...any) ([]*rowsOf, error) {
	found := map[int64]*rowsOf{}
	for _, t := range wanted {
		columns := tables[t].columns
		err := list(ctx, q, columns, func(r row) error {
			height, ok := r[0].(int64)
			if !ok || height < 0 {
				return fmt.Errorf("%w: table %s: a height of %v", ErrDamaged, tables[t].name, r[0])
			}
			if found[height] == nil {
				found[height] = &rowsOf{height: uint64(height)}
			}
			found[height].rows[t] = append(found[height].rows[t], r)
			return nil
		}, selectFrom(tables[t].name, columns)+" WHERE "+where+" ORDER BY "+columnList(columns[:tables[t].key]), arguments...)
		if err != nil {
			return nil, err
		}
	}
	all := make([]*rowsOf, 0, len(found))
	for _, height := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[height])
	}
	return all, nil
}

// allTables are those of a block's rows.
var allTables = func() (all []int) {
	for t := range tables {
		all = append(all, t)
	}
	return all
}()

// proper wants each value of a row to be of its column's kind.
func proper(columns []column, r row) error {
	for i, c := range columns {
		ok := r[i] == nil
		switch r[i].(type) {
		case int64:
			ok = c.kind == integer
		case string:
			ok = c.kind == text || c.kind == amount
		case []byte:
			ok = c.kind == data
		case bool:
			ok = c.kind == boolean
		}
		if !ok {
			return fmt.Errorf("column %s: %w", c.name, errCell)
		}
	}
	return nil
}

// altered is what is wrong with rows of a block.
type altered struct {
	table   int
	message string
}

// check compares rows with the leaves that the block's row has, and tells where they are
// not what was written.
func (r *rowsOf) check(wanted []int) (found []altered) {
	switch len(r.rows[blocks]) {
	case 0:
		return []altered{{blocks, "missing"}}
	case 1:
	default:
		return []altered{{blocks, fmt.Sprintf("there are %d of it", len(r.rows[blocks]))}}
	}
	block := r.rows[blocks][0]
	for _, t := range wanted {
		for _, x := range r.rows[t] {
			if err := proper(tables[t].columns, x); err != nil {
				return []altered{{t, err.Error()}}
			}
		}
	}
	have, err := readLeaves(block[leavesColumn])
	if err != nil {
		return []altered{{blocks, "its leaves: " + err.Error()}}
	}
	if block[finalColumn] != have.final {
		return []altered{{blocks, fmt.Sprintf("final is %v, not %v", block[finalColumn], have.final)}}
	}
	for _, t := range wanted {
		if sum, _ := sumOfRows(have.layout, t, r.rows[t]); sum != have.of(leafOf(t)) {
			found = append(found, altered{t, fmt.Sprintf("rows of this block were altered: their digest is %v, not %v", sum, have.of(leafOf(t)))})
		}
	}
	return found
}

// checked is check as an error.
func (r *rowsOf) checked(wanted []int) error {
	for _, a := range r.check(wanted) {
		return damagedBlock(r.height, a.table, a.message)
	}
	return nil
}

// checkedLeaves are the block's, when also its packed costs are what was written: what its
// digest is over, where all tables were checked.
func (r *rowsOf) checkedLeaves() (leaves, error) {
	block := r.rows[blocks][0]
	l, err := readLeaves(block[leavesColumn])
	if err != nil {
		return l, damagedBlock(r.height, blocks, "its leaves: "+err.Error())
	}
	costs, _ := block[costsColumn].([]byte)
	return l, l.checkCosts(r.height, costs)
}

// checkCosts compares a block's packed costs with their leaf.
func (l *leaves) checkCosts(height uint64, costs []byte) error {
	if sum, _ := sumOfCosts(int64(height), costs); sum != l.of(costsLeaf) {
		return damagedBlock(height, blocks, alteredCosts)
	}
	return nil
}

const alteredCosts = "its costs are not what was written"

func damagedBlock(height uint64, table int, message string) error {
	return fmt.Errorf("%w: block %d, table %s: %s; fees ledger verify names all that is damaged", ErrDamaged, height, tables[table].name, message)
}

// presence sees that none of a span's sealed blocks is missing.
type presence struct{ next, end uint64 }

func newPresence(span Span, sealed chain.Optional[Span]) *presence {
	s, ok := sealed.Get()
	if !ok {
		return &presence{}
	}
	return &presence{max(span.First, s.First), min(span.Last, s.Last) + 1}
}

// at is the next block that is there, in the order of the heights.
func (p *presence) at(height uint64) error {
	switch {
	case p.next < min(height, p.end):
		return damagedBlock(p.next, blocks, "missing")
	case height < p.next:
		return damagedBlock(height, blocks, "out of its place")
	}
	p.next = max(p.next, height+1)
	return nil
}

// ended is where the span ends.
func (p *presence) ended() error {
	if p.next < p.end {
		return damagedBlock(p.next, blocks, "missing")
	}
	return nil
}

// withBlocks are tables to read, that of the blocks among them: it has the leaves.
func withBlocks(wanted []int) []int {
	if slices.Contains(wanted, blocks) {
		return wanted
	}
	return append([]int{blocks}, wanted...)
}

// mostReaders is how many read parts of a span at the same time: SQLite answers a question
// on one core.
const mostReaders = 4

// walk reads tables of a span's blocks, in the order of the heights. Each block is what was
// written, and of the sealed ones none is missing, or the book is damaged. Where nothing
// else reads by q, that may be nil: several parts are read at the same time then.
func (b *Book) walk(ctx context.Context, q querier, span Span, wanted []int, each func(*rowsOf) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // what is read ahead
	readers := 1
	if q == nil {
		q, readers = b.engine.shared(), min(runtime.GOMAXPROCS(0)+1, mostReaders)
	}
	sealed, err := b.sealedBy(ctx, q)
	if err != nil {
		return err
	}
	type part struct {
		span Span
		rows []*rowsOf
		err  error
	}
	wanted = withBlocks(wanted)
	read := func(p part) part {
		if p.err == nil {
			p.rows, p.err = readRows(ctx, q, wanted, "height >= ? AND height <= ?", p.span.bounds()...)
		}
		for _, r := range p.rows {
			if p.err == nil {
				p.err = r.checked(wanted)
			}
		}
		return p
	}
	parts := func(yield func(part) bool) {
		for s, err := range portions(ctx, q, span) {
			if !yield(part{span: s, err: err}) {
				return
			}
		}
	}
	present := newPresence(span, sealed)
	for p := range inorder.Map(parts, readers, read) {
		for _, r := range p.rows {
			if p.err != nil {
				break
			}
			if p.err = present.at(r.height); p.err == nil {
				p.err = each(r)
			}
		}
		if p.err != nil {
			cancel()
			return p.err
		}
	}
	return present.ended()
}

// portions are spans of a few blocks each, in which are all blocks of a span that the book
// has, in the order of their heights.
func portions(ctx context.Context, q querier, span Span) iter.Seq2[Span, error] {
	return func(yield func(Span, error) bool) {
		for from, bounds := int64(span.First), span.bounds(); ; {
			var last *int64
			_, err := one(ctx, q, []any{&last}, "SELECT max(height) FROM (SELECT height FROM blocks WHERE height >= ? AND height <= ? ORDER BY height LIMIT ?) AS next",
				from, bounds[1], portion)
			if err != nil {
				yield(Span{}, err)
				return
			}
			if last != nil && *last < from {
				yield(Span{}, damagedBlock(uint64(from), blocks, "heights are not in their order"))
				return
			}
			if last == nil || !yield(Span{uint64(from), uint64(*last)}, nil) || *last == math.MaxInt64 {
				return
			}
			from = *last + 1
		}
	}
}

// walkHeights reads tables of the blocks at some heights, as walk does. A look-up named
// them, so they are there, or the book is damaged.
func (b *Book) walkHeights(ctx context.Context, q querier, heights []uint64, wanted []int, each func(*rowsOf) error) error {
	wanted = withBlocks(wanted)
	for part := range slices.Chunk(heights, mostAtOnce) {
		var arguments []any
		for _, h := range part {
			arguments = append(arguments, int64(h))
		}
		rows, err := readRows(ctx, q, wanted, "height IN ("+strings.TrimSuffix(strings.Repeat("?, ", len(part)), ", ")+")", arguments...)
		if err != nil {
			return err
		}
		for i, h := range part {
			if i >= len(rows) || rows[i].height != h {
				return damagedBlock(h, blocks, "missing")
			}
			if err := rows[i].checked(wanted); err != nil {
				return err
			}
			if err := each(rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostAtOnce is how many heights a database is asked for by name.
const mostAtOnce = 100

// heightsBy are the heights that a query names, each once, in their order.
func heightsBy(ctx context.Context, q querier, query string, arguments ...any) (heights []uint64, err error) {
	columns := []column{{"height", integer, fact}}
	err = list(ctx, q, columns, func(r row) error {
		c := cells{row: r, columns: columns}
		heights = append(heights, c.number())
		return c.err
	}, query, arguments...)
	return union(heights, nil), err
}

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
