package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"runtime"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// rowsOf are rows that a book has of a block: of the table blocks, and of the tables that
// were asked for.
type rowsOf struct {
	height uint64
	rows   [tableCount][]row
	read   *blockRow // its row, once somebody asked
}

// block is the block's row, of which there is one.
func (r *rowsOf) block() (*blockRow, error) {
	if r.read != nil {
		return r.read, nil
	}
	b := new(blockRow)
	err := readOf(r, blocks, blockFields, r.rows[blocks][0], b)
	if err == nil {
		r.read = b
	}
	return b, err
}

// readOf reads a row of a block's, and says which one is not what its columns hold.
func readOf[T any](of *rowsOf, table int, fields []field[T], r row, into *T) error {
	if err := readRow(fields, r, into); err != nil {
		return fmt.Errorf("block %d, table %s: %w", of.height, tables[table].name, err)
	}
	return nil
}

// time is when the block was made, in milliseconds.
func (r *rowsOf) time() (ms int64, known bool) {
	ms, known = r.rows[blocks][0][timeColumn].(int64)
	return ms, known
}

// readRows reads tables of the blocks that a condition on their heights takes, in the
// order of the heights.
func readRows(ctx context.Context, q querier, wanted []int, where string, arguments ...any) ([]*rowsOf, error) {
	found := map[uint64]*rowsOf{}
	for _, t := range wanted {
		if _, _, err := readTable(ctx, q, t, found, math.MaxInt, where, arguments...); err != nil {
			return nil, err
		}
	}
	return inOrder(found), nil
}

func inOrder(found map[uint64]*rowsOf) []*rowsOf {
	all := make([]*rowsOf, 0, len(found))
	for _, height := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[height])
	}
	return all
}

// readTable adds rows of a table to those found, in the order of its key, and tells how many
// they are and which block the last is of. It stops after so many.
func readTable(ctx context.Context, q querier, t int, found map[uint64]*rowsOf, limit int, where string, arguments ...any) (rows int, last uint64, err error) {
	columns := tables[t].columns
	limited := selectFrom(tables[t].name, columns) + " WHERE " + where + " ORDER BY " + columnList(columns[:tables[t].key]) + " LIMIT ?"
	err = list(ctx, q, columns, func(r row) error {
		height, ok := r[0].(int64)
		if !ok || height < 0 {
			return fmt.Errorf("%w: table %s: a height of %v", ErrDamaged, tables[t].name, r[0])
		}
		last = uint64(height)
		if found[last] == nil {
			found[last] = &rowsOf{height: last}
		}
		found[last].rows[t] = append(found[last].rows[t], r)
		rows++
		return nil
	}, limited, append(slices.Clip(arguments), limit)...)
	return rows, last, err
}

// maxRows is how many rows of a table are held at once, but for those of one block.
var maxRows = 50_000

// readSome is readRows for so many of the blocks, the first ones, as have maxRows rows of
// a table, the first table being that of the blocks. More says that others may follow. A
// first block that has more rows itself is read only where it is wanted whole; there is
// none found otherwise.
func readSome(ctx context.Context, q querier, wanted []int, whole bool, where string, arguments ...any) (list []*rowsOf, more bool, err error) {
	found := map[uint64]*rowsOf{}
	for _, t := range wanted {
		rows, last, err := readTable(ctx, q, t, found, maxRows+1, where, arguments...)
		if err != nil {
			return nil, false, err
		}
		if rows <= maxRows {
			continue
		}
		more = true
		if first := slices.Min(slices.Collect(maps.Keys(found))); first == last && whole {
			found[first].rows[t] = nil
			if _, _, err := readTable(ctx, q, t, found, math.MaxInt, "height = ?", int64(first)); err != nil {
				return nil, false, err
			}
			last++
		}
		for height := range found {
			if height >= last { // which may have more rows
				delete(found, height)
			}
		}
		where, arguments = "("+where+") AND height < ?", append(slices.Clip(arguments), int64(last))
	}
	return inOrder(found), more, nil
}

// readSpan reads tables of a span's blocks by readSome, and delivers what it read each
// time. No more than one block's rows is held that has very many.
func readSpan(ctx context.Context, q querier, wanted []int, span chain.Heights) iter.Seq2[[]*rowsOf, error] {
	return sequence(func(yield func([]*rowsOf) bool) error {
		for more := true; more && span.First <= span.Last; {
			var found []*rowsOf
			var err error
			found, more, err = readSome(ctx, q, wanted, true, "height >= ? AND height <= ?", bounds(span)...)
			if err != nil || !yield(found) {
				return err
			}
			if more { // one block at least was found
				span.First = found[len(found)-1].height + 1
			}
		}
		return nil
	})
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
			ok = c.kind == text || c.kind == word || c.kind == amount
		case []byte:
			ok = c.kind == data || c.kind == costData
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
		if sum, _ := sumOfRows(t, r.rows[t]); sum != have.sums[leafOf(t)] {
			found = append(found, altered{t, fmt.Sprintf("rows of this block were altered: their digest is %v, not %v", sum, have.sums[leafOf(t)])})
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

func checkedAll(list []*rowsOf, wanted []int) error {
	for _, r := range list {
		if err := r.checked(wanted); err != nil {
			return err
		}
	}
	return nil
}

// provedLeaves are a block's, when also its packed costs are what was written: what its
// digest is over, where all tables were checked.
func provedLeaves(height uint64, text, costs []byte) (leaves, error) {
	l, err := readLeaves(text)
	if err != nil {
		return l, damagedBlock(height, blocks, "its leaves: "+err.Error())
	}
	return l, l.checkCosts(height, costs)
}

// checkCosts compares a block's packed costs with their leaf.
func (l *leaves) checkCosts(height uint64, costs []byte) error {
	if sum, _ := sumOfCosts(int64(height), costs); sum != l.sums[costsLeaf] {
		return damagedBlock(height, blocks, alteredCosts)
	}
	return nil
}

const alteredCosts = "its costs are not what was written"

func damagedBlock(height uint64, table int, message string) error {
	return damaged("block %d, table %s: %s", height, tables[table].name, message)
}

// since leaves out what lies below the book: rows there are of what was detached.
func since(s chain.Heights, sealed chain.Optional[chain.Heights]) chain.Heights {
	have, _ := sealed.Get()
	s.First = max(s.First, have.First)
	return s
}

// blameless tells of a damage that is none, where blocks were detached while they were read.
func (b *Book) blameless(ctx context.Context, sealed chain.Optional[chain.Heights], err error) error {
	if have, ok := sealed.Get(); ok && errors.Is(err, ErrDamaged) {
		if now, failed := readBookRow(ctx, b.engine.shared()); failed == nil && now.first > have.First {
			return fmt.Errorf("%w, which begins with block %d now: ask again", ErrDetached, now.first)
		}
	}
	return err
}

// presence sees that none of a span's sealed blocks is missing.
type presence struct{ next, end uint64 }

func newPresence(span chain.Heights, sealed chain.Optional[chain.Heights]) *presence {
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

// maxReaders is how many read parts of a span at the same time: SQLite answers a question
// on one core.
const maxReaders = 4

// readersAtOnce is how many of them are worth while here.
func readersAtOnce() int { return min(runtime.GOMAXPROCS(0)+1, maxReaders) }

// walk reads tables of a span's blocks, in the order of the heights. Each block is what was
// written, and of the sealed ones none is missing, or the book is damaged. Where nothing
// else reads by q, that may be nil: several parts are read at the same time then. No
// connection is held while a block is handed over.
func (b *Book) walk(ctx context.Context, q querier, span chain.Heights, wanted []int) iter.Seq2[*rowsOf, error] {
	return sequence(func(yield func(*rowsOf) bool) (err error) {
		readers := 1
		if q == nil {
			q, readers = b.engine.shared(), readersAtOnce()
		}
		sealed, err := b.sealedBy(ctx, q)
		if err != nil {
			return err
		}
		span = since(span, sealed)
		defer func() { err = b.blameless(ctx, sealed, err) }()
		type part struct {
			span chain.Heights
			rows []*rowsOf
			more bool // they are not all
			err  error
		}
		wanted = withBlocks(wanted)
		read := func(ctx context.Context, p part) part {
			if p.err == nil {
				p.rows, p.more, p.err = readSome(ctx, q, wanted, false, "height >= ? AND height <= ?", bounds(p.span)...)
			}
			if p.err == nil {
				p.err = checkedAll(p.rows, wanted)
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
		ended := false
		deliver := func(rows []*rowsOf) error {
			for _, r := range rows {
				if err := present.at(r.height); err != nil {
					return err
				}
				if ended = !yield(r); ended {
					break
				}
			}
			return nil
		}
		for p := range inorder.Map(ctx, parts, readers, read) {
			if p.err == nil {
				p.err = deliver(p.rows)
			}
			if p.err == nil && !ended && p.more { // what is very large is read by one reader
				if n := len(p.rows); n > 0 {
					p.span.First = p.rows[n-1].height + 1
				}
				for rows, err := range readSpan(ctx, q, wanted, p.span) {
					if err == nil {
						err = checkedAll(rows, wanted)
					}
					if err == nil {
						err = deliver(rows)
					}
					if p.err = err; err != nil || ended {
						break
					}
				}
			}
			if p.err != nil || ended {
				return p.err
			}
		}
		return present.ended()
	})
}

// portions are spans of a few blocks each, in which are all blocks of a span that the book
// has, in the order of their heights.
func portions(ctx context.Context, q querier, span chain.Heights) iter.Seq2[chain.Heights, error] {
	return sequence(func(yield func(chain.Heights) bool) error {
		for from, bounds := int64(min(span.First, math.MaxInt64)), bounds(span); ; {
			var last *int64
			_, err := one(ctx, q, []any{&last}, "SELECT max(height) FROM (SELECT height FROM blocks WHERE height >= ? AND height <= ? ORDER BY height LIMIT ?) AS next",
				from, bounds[1], portion)
			if err == nil && last != nil && *last < from {
				err = damagedBlock(uint64(from), blocks, "heights are not in their order")
			}
			if err != nil || last == nil || !yield(chain.Heights{First: uint64(from), Last: uint64(*last)}) || *last == math.MaxInt64 {
				return err
			}
			from = *last + 1
		}
	})
}

// walkHeights reads tables of the blocks at some heights, as walk does: where q is nil, several
// parts at the same time. A look-up named them, so they are there, or the book is damaged.
func (b *Book) walkHeights(ctx context.Context, q querier, heights []uint64, wanted []int) iter.Seq2[*rowsOf, error] {
	wanted = withBlocks(wanted)
	readers := 1
	if q == nil {
		q, readers = b.engine.shared(), readersAtOnce()
	}
	type part struct {
		rows []*rowsOf
		left []uint64 // whose rows were too many to be held with the others'
		err  error
	}
	read := func(ctx context.Context, heights []uint64) (p part) {
		p.rows, p.left, p.err = readHeights(ctx, q, heights, wanted, false)
		return p
	}
	return sequence(func(yield func(*rowsOf) bool) error {
		for p := range inorder.Map(ctx, slices.Chunk(heights, maxAtOnce), readers, read) {
			for {
				if p.err != nil {
					return p.err
				}
				for _, r := range p.rows {
					if !yield(r) {
						return nil
					}
				}
				if len(p.left) == 0 {
					break
				}
				p.rows, p.left, p.err = readHeights(ctx, q, p.left, wanted, true) // what is very large is read by one reader
			}
		}
		return nil
	})
}

// readHeights reads tables of the first of some blocks by readSome, and tells which are left.
func readHeights(ctx context.Context, q querier, heights []uint64, wanted []int, whole bool) (rows []*rowsOf, left []uint64, err error) {
	var arguments []any
	for _, h := range heights {
		arguments = append(arguments, int64(h))
	}
	rows, more, err := readSome(ctx, q, wanted, whole, "height IN ("+placesIn(len(heights))+")", arguments...)
	if err != nil {
		return nil, nil, err
	}
	if more {
		heights, left = heights[:len(rows)], heights[len(rows):]
	}
	for i, h := range heights {
		if i >= len(rows) || rows[i].height != h {
			return nil, nil, damagedBlock(h, blocks, "missing")
		}
	}
	return rows, left, checkedAll(rows, wanted)
}

// maxAtOnce is how many heights a database is asked for by name.
const maxAtOnce = 100

// heightsBy are the heights that a query names, each once, in their order: the first ones, up
// to so many.
func heightsBy(ctx context.Context, q querier, limit int, query string, arguments ...any) (heights []uint64, err error) {
	err = scan(ctx, q, heightFields, func(height *uint64) error {
		heights = append(heights, *height)
		return nil
	}, query+" ORDER BY 1 LIMIT ?", append(slices.Clip(arguments), limit)...)
	return union(heights, nil), err
}

// heightFields is the column of a query for heights.
var heightFields = []field[uint64]{{name: "height", mark: state, at: func(h *uint64) any { return h }}}
