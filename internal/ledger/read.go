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

// batchSize is the number of blocks read or checked at once.
const batchSize = 250

// maxRead limits the bytes of records held at once, unless a single block exceeds it.
var maxRead = 16 << 20

// errEnough stops a query.
var errEnough = errors.New("enough was read")

// readRows reads the rows of the blocks that match a condition, in order of height, up to maxRead bytes.
// more reports whether others follow.
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

// scanRows calls each for every row of a query for rowColumns, unchecked.
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

// readChecked is readRows with every row checked.
func readChecked(ctx context.Context, q querier, where string, arguments ...any) (rows []*blockRow, more bool, err error) {
	rows, more, err = readRows(ctx, q, where, arguments...)
	for _, r := range rows {
		if err == nil {
			err = r.checked()
		}
	}
	return rows, more, err
}

// since removes heights below the ledger: rows there belong to detached blocks.
func since(s chain.Heights, sealed chain.Optional[chain.Heights]) chain.Heights {
	have, _ := sealed.Get()
	s.First = max(s.First, have.First)
	return s
}

// orDetached replaces a damage error with ErrDetached if blocks were detached while they were read.
func (b *Book) orDetached(ctx context.Context, sealed chain.Optional[chain.Heights], err error) error {
	if have, ok := sealed.Get(); ok && errors.Is(err, ErrDamaged) {
		if now, failed := readBookRow(ctx, b.engine.shared()); failed == nil && now.first > have.First {
			return fmt.Errorf("%w; it now starts at block %d. Try again.", ErrDetached, now.first)
		}
	}
	return err
}

// watchDetaching calls do, and replaces a damage error with ErrDetached if blocks were detached meanwhile.
func (b *Book) watchDetaching(ctx context.Context, do func() error) error {
	sealed, err := b.sealedBy(ctx, b.engine.shared())
	if err != nil && !errors.Is(err, ErrNone) && !errors.Is(err, ErrDamaged) {
		return err
	}
	return b.orDetached(ctx, sealed, do())
}

// presence checks that none of a span's sealed blocks is missing.
type presence struct{ next, end uint64 }

func newPresence(span chain.Heights, sealed chain.Optional[chain.Heights]) *presence {
	s, ok := sealed.Get()
	if !ok {
		return &presence{}
	}
	return &presence{max(span.First, s.First), min(span.Last, s.Last) + 1}
}

// at checks the next stored block, in order of height.
func (p *presence) at(height uint64) error {
	switch {
	case p.next < min(height, p.end):
		return damagedBlock(p.next, "missing")
	case height < p.next:
		return damagedBlock(height, "out of order")
	}
	p.next = max(p.next, height+1)
	return nil
}

// ended checks the end of the span.
func (p *presence) ended() error {
	if p.next < p.end {
		return damagedBlock(p.next, "missing")
	}
	return nil
}

// maxReaders limits the concurrent readers of a span: SQLite runs a query on one core.
const maxReaders = 4

// readersAtOnce returns how many readers to use on this machine.
func readersAtOnce() int { return min(runtime.GOMAXPROCS(0)+1, maxReaders) }

// coders are reused by one reader after the other; each keeps its buffers.
var coders = sync.Pool{New: func() any { return new(coder) }}

// decodedRows is the result of decoding a batch of rows.
type decodedRows[T any] struct {
	heights []uint64
	values  []T
	left    chain.Heights // not read yet because the records were too large
	err     error
}

// decodeRows applies of to each row.
func decodeRows[T any](rows []*blockRow, more bool, err error, span chain.Heights, of func(*coder, *blockRow) (T, error)) (m decodedRows[T]) {
	by := coders.Get().(*coder)
	defer coders.Put(by)
	m.left, m.err = chain.Heights{First: 1}, err
	for _, r := range rows {
		if m.err != nil {
			return m
		}
		var x T
		if x, m.err = of(by, r); m.err == nil {
			m.heights, m.values = append(m.heights, r.height), append(m.values, x)
		}
	}
	if more {
		m.left = chain.Heights{First: rows[len(rows)-1].height + 1, Last: span.Last}
	}
	return m
}

// walk reads a span's blocks in order of height and applies of to each. Each block is checked, and a missing
// sealed block is an error. If q is nil, several batches are read concurrently. No connection is held while
// a result is delivered.
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
		defer func() { err = b.orDetached(ctx, sealed, err) }()
		read := func(ctx context.Context, p part) decodedRows[T] {
			if p.err != nil {
				return decodedRows[T]{err: p.err}
			}
			rows, more, err := readChecked(ctx, q, "height >= ? AND height <= ?", bounds(p.span)...)
			return decodeRows(rows, more, err, p.span, of)
		}
		present := newPresence(span, sealed)
		for m := range inorder.Map(ctx, batches(ctx, q, span), readers, read) {
			for {
				for i, x := range m.values {
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
				m = read(ctx, part{span: m.left}) // very large records are read by one reader
			}
		}
		return present.ended()
	})
}

// part is a part of a span, or an error.
type part struct {
	span chain.Heights
	err  error
}

// batches splits a span into batches of a few stored blocks each, in order of height.
func batches(ctx context.Context, q querier, span chain.Heights) iter.Seq[part] {
	return func(yield func(part) bool) {
		for from, end := int64(min(span.First, math.MaxInt64)), bounds(span)[1]; ; {
			var last *int64
			_, err := one(ctx, q, []any{&last}, "SELECT max(height) FROM (SELECT height FROM blocks WHERE height >= ? AND height <= ? ORDER BY height LIMIT ?) AS next", from, end, batchSize)
			if err == nil && last != nil && *last < from {
				err = damagedBlock(uint64(from), "the heights are out of order")
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

// maxAtOnce is the number of heights in one query.
const maxAtOnce = 100

// walkHeights reads the blocks at given heights, in their order, and applies of to each. An index named the
// heights, so a missing block is damage. If q is nil, several batches are read concurrently.
func walkHeights[T any](ctx context.Context, b *Book, q querier, heights []uint64, of func(*coder, *blockRow) (T, error)) iter.Seq2[T, error] {
	readers := 1
	if q == nil {
		q, readers = b.engine.shared(), readersAtOnce()
	}
	return sequence(func(yield func(T) bool) error {
		for m := range inorder.Map(ctx, slices.Chunk(heights, maxAtOnce), readers, func(ctx context.Context, heights []uint64) decodedHeights[T] {
			return readHeights(ctx, q, heights, of)
		}) {
			for {
				for _, x := range m.values {
					if !yield(x) {
						return nil
					}
				}
				if m.err != nil || len(m.left) == 0 {
					break
				}
				m = readHeights(ctx, q, m.left, of) // very large records are read by one reader
			}
			if m.err != nil {
				return m.err
			}
		}
		return nil
	})
}

// decodedHeights is the result of decoding blocks at given heights.
type decodedHeights[T any] struct {
	values []T
	left   []uint64 // not read yet because the records were too large
	err    error
}

// readHeights reads the blocks at given heights. If these are close together, it also reads the blocks in
// between and skips them.
func readHeights[T any](ctx context.Context, q querier, heights []uint64, of func(*coder, *blockRow) (T, error)) (m decodedHeights[T]) {
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
			m.values = append(m.values, x)
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

// placesIn returns n placeholders.
func placesIn(n int) string { return strings.Repeat("?, ", n-1) + "?" }

// contents returns the blocks of a span, with their findings and whether they are sealed.
func (b *Book) contents(ctx context.Context, q querier, span chain.Heights, d depth) iter.Seq2[*Content, error] {
	return b.read(ctx, q, untrimmed(d), func(of func(*coder, *blockRow) (*Content, error)) iter.Seq2[*Content, error] {
		return walk(ctx, b, q, span, of)
	})
}

// contentsAt returns the blocks at given heights, like contents.
func (b *Book) contentsAt(ctx context.Context, q querier, heights []uint64, d depth) iter.Seq2[*Content, error] {
	return b.read(ctx, q, untrimmed(d), func(of func(*coder, *blockRow) (*Content, error)) iter.Seq2[*Content, error] {
		return walkHeights(ctx, b, q, heights, of)
	})
}

// untrimmed decodes blocks with all rows.
func untrimmed(d depth) func(*coder, *blockRow) (*Content, error) {
	return func(by *coder, r *blockRow) (*Content, error) { return r.content(by, d) }
}

// read reads blocks' contents and marks sealed ones.
func (b *Book) read(ctx context.Context, q querier, decode func(*coder, *blockRow) (*Content, error), blocks func(of func(*coder, *blockRow) (*Content, error)) iter.Seq2[*Content, error]) iter.Seq2[*Content, error] {
	return sequence(func(yield func(*Content) bool) error {
		if q == nil {
			q = b.engine.shared()
		}
		sealed, err := b.sealedBy(ctx, q)
		if err != nil && !errors.Is(err, ErrNone) {
			return err
		}
		s, some := sealed.Get()
		return pass(blocks(func(by *coder, r *blockRow) (*Content, error) {
			c, err := decode(by, r)
			if err == nil && some && r.height <= s.Last {
				c.Sealed = true
				for i := range c.Transactions {
					c.Transactions[i].Sealed = true
				}
			}
			return c, err
		}), yield)
	})
}

// whole returns the row itself.
func whole(_ *coder, r *blockRow) (*blockRow, error) { return r, nil }
