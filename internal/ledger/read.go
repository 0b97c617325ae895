package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// portion is how many blocks are read or checked at once.
const portion = 250

// maxRead is how many bytes of records are held at once, but for those of one block.
var maxRead = 16 << 20

// errEnough ends a query.
var errEnough = errors.New("enough was read")

// readRows reads the rows of the blocks that a condition takes, in the order of their heights: the
// first ones, up to maxRead. More says that others follow.
func readRows(ctx context.Context, q querier, where string, arguments ...any) (rows []*blockRow, more bool, err error) {
	size := 0
	err = scanRows(ctx, q, func(r *blockRow) error {
		if size += len(r.record); size > maxRead && len(rows) > 0 {
			return errEnough
		}
		rows = append(rows, r)
		return nil
	}, selectFrom("blocks", rowColumns)+" WHERE "+where+" ORDER BY height", arguments...)
	if errors.Is(err, errEnough) {
		return rows, true, nil
	}
	return rows, false, err
}

// scanRows hands over the rows that a query of rowColumns has, as they are.
func scanRows(ctx context.Context, q querier, each func(*blockRow) error, query string, arguments ...any) error {
	return list(ctx, q, rowColumns, func(values row) error {
		r := &blockRow{}
		for i, f := range rowFields {
			switch err := decode(f.at(r), values[i]); {
			case err != nil && i == 0:
				return damaged("table blocks: a height of %v", values[i])
			case err != nil && r.wrong == nil:
				r.wrong = fmt.Errorf("column %s: %w", f.name, err)
			}
		}
		return each(r)
	}, query, arguments...)
}

// readChecked is readRows, of rows that are what was written.
func readChecked(ctx context.Context, q querier, where string, arguments ...any) (rows []*blockRow, more bool, err error) {
	rows, more, err = readRows(ctx, q, where, arguments...)
	for _, r := range rows {
		if err == nil {
			err = r.checked()
		}
	}
	return rows, more, err
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

// unlessDetached does something, of which a damage is none where blocks were detached meanwhile.
func (b *Book) unlessDetached(ctx context.Context, do func() error) error {
	sealed, err := b.sealedBy(ctx, b.engine.shared())
	if err != nil && !errors.Is(err, ErrNone) && !errors.Is(err, ErrDamaged) {
		return err
	}
	return b.blameless(ctx, sealed, do())
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
		return damagedBlock(p.next, "missing")
	case height < p.next:
		return damagedBlock(height, "out of its place")
	}
	p.next = max(p.next, height+1)
	return nil
}

// ended is where the span ends.
func (p *presence) ended() error {
	if p.next < p.end {
		return damagedBlock(p.next, "missing")
	}
	return nil
}

// maxReaders is how many read parts of a span at the same time: SQLite answers a question
// on one core.
const maxReaders = 4

// readersAtOnce is how many of them are worth while here.
func readersAtOnce() int { return min(runtime.GOMAXPROCS(0)+1, maxReaders) }

// coders are used by one reader after the other: each keeps what it has room for.
var coders = sync.Pool{New: func() any { return new(coder) }}

// made is what was made of a part of a span.
type made[T any] struct {
	heights []uint64
	things  []T
	left    chain.Heights // what was not read yet: the records were too large
	err     error
}

// make makes something of each row.
func makeOf[T any](rows []*blockRow, more bool, err error, span chain.Heights, of func(*coder, *blockRow) (T, error)) (m made[T]) {
	by := coders.Get().(*coder)
	defer coders.Put(by)
	m.left, m.err = chain.Heights{First: 1}, err
	for _, r := range rows {
		if m.err != nil {
			return m
		}
		var x T
		if x, m.err = of(by, r); m.err == nil {
			m.heights, m.things = append(m.heights, r.height), append(m.things, x)
		}
	}
	if more {
		m.left = chain.Heights{First: rows[len(rows)-1].height + 1, Last: span.Last}
	}
	return m
}

// walk reads a span's blocks in the order of their heights, and makes something of each. Each is
// what was written, and of the sealed ones none is missing, or the book is damaged. Where nothing
// else reads by q, that may be nil: several parts are read at the same time then. No connection is
// held while something is handed over.
func walk[T any](ctx context.Context, b *Book, q querier, span chain.Heights, of func(*coder, *blockRow) (T, error)) iter.Seq2[T, error] {
	return sequence(func(yield func(T) bool) (err error) {
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
		read := func(ctx context.Context, p part) made[T] {
			if p.err != nil {
				return made[T]{err: p.err}
			}
			rows, more, err := readChecked(ctx, q, "height >= ? AND height <= ?", bounds(p.span)...)
			return makeOf(rows, more, err, p.span, of)
		}
		present := newPresence(span, sealed)
		for m := range inorder.Map(ctx, portions(ctx, q, span), readers, read) {
			for {
				for i, x := range m.things {
					if err := present.at(m.heights[i]); err != nil {
						return err
					}
					if !yield(x) {
						return nil
					}
				}
				if m.err != nil {
					return m.err
				}
				if m.left.First > m.left.Last {
					break
				}
				m = read(ctx, part{span: m.left}) // what is very large is read by one reader
			}
		}
		return present.ended()
	})
}

// part is a part of a span, or why there is none.
type part struct {
	span chain.Heights
	err  error
}

// portions are spans of a few blocks each, in which are all blocks of a span that the book
// has, in the order of their heights.
func portions(ctx context.Context, q querier, span chain.Heights) iter.Seq[part] {
	return func(yield func(part) bool) {
		for from, end := int64(min(span.First, math.MaxInt64)), bounds(span)[1]; ; {
			var last *int64
			_, err := one(ctx, q, []any{&last}, "SELECT max(height) FROM (SELECT height FROM blocks WHERE height >= ? AND height <= ? ORDER BY height LIMIT ?) AS next", from, end, portion)
			if err == nil && last != nil && *last < from {
				err = damagedBlock(uint64(from), "heights are not in their order")
			}
			if err != nil {
				yield(part{err: err})
				return
			}
			if last == nil || !yield(part{span: chain.Heights{First: uint64(from), Last: uint64(*last)}}) || *last == math.MaxInt64 {
				return
			}
			from = *last + 1
		}
	}
}

// heightFields is the column of a query for heights.
var heightFields = []field[uint64]{{"height", fact, func(h *uint64) any { return h }}}

// maxAtOnce is how many heights a database is asked for by name.
const maxAtOnce = 100

// walkHeights reads the blocks at some heights, in their order, and makes something of each. A
// look-up named them, so they are there, or the book is damaged. Where q is nil, several parts are
// read at the same time.
func walkHeights[T any](ctx context.Context, b *Book, q querier, heights []uint64, of func(*coder, *blockRow) (T, error)) iter.Seq2[T, error] {
	readers := 1
	if q == nil {
		q, readers = b.engine.shared(), readersAtOnce()
	}
	return sequence(func(yield func(T) bool) error {
		for m := range inorder.Map(ctx, slices.Chunk(heights, maxAtOnce), readers, func(ctx context.Context, heights []uint64) named[T] {
			return readHeights(ctx, q, heights, of)
		}) {
			for {
				for _, x := range m.things {
					if !yield(x) {
						return nil
					}
				}
				if m.err != nil || len(m.left) == 0 {
					break
				}
				m = readHeights(ctx, q, m.left, of) // what is very large is read by one reader
			}
			if m.err != nil {
				return m.err
			}
		}
		return nil
	})
}

// named is what was made of blocks at some heights.
type named[T any] struct {
	things []T
	left   []uint64 // that were not read yet: the records were too large
	err    error
}

// readHeights reads the blocks at some heights. Where these lie close together, what is between
// them is read, too, and not looked at.
func readHeights[T any](ctx context.Context, q querier, heights []uint64, of func(*coder, *blockRow) (T, error)) (m named[T]) {
	first, last := heights[0], heights[len(heights)-1]
	where, arguments := "height >= ? AND height <= ?", bounds(chain.Heights{First: first, Last: last})
	if last-first >= 4*uint64(len(heights)) {
		where, arguments = "height IN ("+placesIn(len(heights))+")", nil
		for _, h := range heights {
			arguments = append(arguments, int64(h))
		}
	}
	by := coders.Get().(*coder)
	defer coders.Put(by)
	i, size := 0, 0
	m.err = scanRows(ctx, q, func(r *blockRow) error {
		switch {
		case i < len(heights) && r.height > heights[i]:
			return damagedBlock(heights[i], "missing")
		case i == len(heights) || r.height < heights[i]:
			return nil
		}
		if size += len(r.record); size > maxRead && i > 0 {
			m.left = heights[i:]
			return errEnough
		}
		i++
		if err := r.checked(); err != nil {
			return err
		}
		x, err := of(by, r)
		if err == nil {
			m.things = append(m.things, x)
		}
		return err
	}, selectFrom("blocks", rowColumns)+" WHERE "+where+" ORDER BY height", arguments...)
	if errors.Is(m.err, errEnough) {
		m.err = nil
	} else if m.err == nil && i < len(heights) {
		m.err = damagedBlock(heights[i], "missing")
	}
	return m
}

// placesIn are so many places of arguments.
func placesIn(n int) string { return strings.Repeat("?, ", n-1) + "?" }

// contents are the blocks of a span, with what is known of them, and whether they are sealed.
func (b *Book) contents(ctx context.Context, q querier, span chain.Heights, d depth) iter.Seq2[*Content, error] {
	return b.read(ctx, q, d, func(of func(*coder, *blockRow) (*Content, error)) iter.Seq2[*Content, error] {
		return walk(ctx, b, q, span, of)
	})
}

// contentsAt are those at some heights.
func (b *Book) contentsAt(ctx context.Context, q querier, heights []uint64, d depth) iter.Seq2[*Content, error] {
	return b.read(ctx, q, d, func(of func(*coder, *blockRow) (*Content, error)) iter.Seq2[*Content, error] {
		return walkHeights(ctx, b, q, heights, of)
	})
}

// read reads blocks' contents, and says of each whether it is sealed.
func (b *Book) read(ctx context.Context, q querier, d depth, blocks func(of func(*coder, *blockRow) (*Content, error)) iter.Seq2[*Content, error]) iter.Seq2[*Content, error] {
	return sequence(func(yield func(*Content) bool) error {
		if q == nil {
			q = b.engine.shared()
		}
		sealed, err := b.sealedBy(ctx, q)
		if err != nil && !errors.Is(err, ErrNone) {
			return err
		}
		s, any := sealed.Get()
		return pass(blocks(func(by *coder, r *blockRow) (*Content, error) {
			c, err := r.content(by, d)
			if err == nil && any && r.height <= s.Last {
				c.Sealed = true
				for i := range c.Transactions {
					c.Transactions[i].Sealed = true
				}
			}
			return c, err
		}), yield)
	})
}

// whole is the row itself.
func whole(_ *coder, r *blockRow) (*blockRow, error) { return r, nil }
