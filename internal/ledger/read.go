package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// batchSize is the number of blocks read or checked at once.
const batchSize = 250

// firstBatch is the number of blocks in the first batch of a span; each further one has twice as many, up to batchSize. A page
// of rows is in few blocks, and several batches are read ahead.
const firstBatch = 16

// maxRead limits the bytes of records held at once, unless a single block exceeds it.
var maxRead = 16 << 20

// errEnough stops a query.
var errEnough = errors.New("enough was read")

// readRows reads the rows of the first blocks that match a condition, in order of height: at most batchSize of them,
// and up to maxRead bytes. more reports whether others may follow.
func readRows(ctx context.Context, q querier, where string, arguments ...any) (rows []*blockRow, more bool, err error) {
	size := 0
	err = scanRows(ctx, q, func(r *blockRow) error {
		if size += len(r.record); size > maxRead && len(rows) > 0 {
			return errEnough
		}
		rows = append(rows, r)
		return nil
	}, selectFrom("blocks", rowColumns)+" WHERE "+where+" ORDER BY height LIMIT ?", append(arguments, batchSize)...)
	if errors.Is(err, errEnough) {
		return rows, true, nil
	}
	return rows, len(rows) == batchSize, err
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

// maxReaders limits the concurrent readers of a span: SQLite runs a query on one core.
const maxReaders = 4

// readersAtOnce returns how many readers to use on this machine.
func readersAtOnce() int { return min(runtime.GOMAXPROCS(0)+1, maxReaders) }

// coders are reused by one reader after the other; each keeps its buffers.
var coders = sync.Pool{New: func() any { return new(coder) }}

// decoder makes a value of a checked block.
type decoder[T any] func(*coder, *blockRow) (T, error)

// batch is some of the blocks to read: the unsealed ones of a span, or the sealed ones at some heights in it.
type batch struct {
	span    chain.Heights
	heights []uint64                      // nil for unsealed blocks
	sealed  chain.Optional[chain.Heights] // beside unsealed ones
}

// decodedBatch contains the decoded blocks of a batch.
type decodedBatch[T any] struct {
	values []T
	left   *batch // not read yet because there were too many records, or too large ones
	err    error
}

// readBatch reads, checks and decodes a batch. A sealed block that is missing is damage, and one that is not wanted is skipped.
func readBatch[T any](ctx context.Context, q querier, x batch, of decoder[T]) (m decodedBatch[T]) {
	where, arguments := "height >= ? AND height <= ? ORDER BY height", bounds(x.span)
	size, next, wanted := 0, uint64(0), x.heights
	switch {
	case x.heights == nil:
		where, arguments, next = where+" LIMIT ?", append(arguments, batchSize+1), x.span.First
	case x.span.Blocks() > uint64(len(x.heights)+len(x.heights)/8): // otherwise reading the few between is faster
		where, arguments = "height IN "+placesFor(len(x.heights))+" ORDER BY height", nil
		for _, h := range x.heights {
			arguments = append(arguments, int64(h))
		}
	}
	by := coders.Get().(*coder)
	defer coders.Put(by)
	var absent []uint64
	m.err = scanRows(ctx, q, func(r *blockRow) error {
		r.sealed = x.heights != nil
		switch {
		case r.height < next, !r.sealed && r.height > x.span.Last:
			return damagedBlock(r.height, "out of order")
		case r.sealed && (len(wanted) == 0 || r.height < wanted[0]):
			return nil
		case r.sealed && r.height > wanted[0]:
			return cmp.Or(r.checked(), damagedBlock(wanted[0], "missing"))
		}
		if size += len(r.record); len(m.values) == batchSize || size > maxRead && len(m.values) > 0 {
			m.left = &batch{chain.Heights{First: r.height, Last: x.span.Last}, wanted, x.sealed}
			return errEnough
		}
		if r.sealed {
			wanted = wanted[1:]
		} else if r.height > next && next == x.span.First {
			absent = append(absent, next)
		}
		next = r.height + 1
		if err := r.checked(); err != nil {
			return err
		}
		value, err := of(by, r)
		if err == nil {
			m.values = append(m.values, value)
		}
		return err
	}, selectFrom("blocks", rowColumns)+" WHERE "+where, arguments...)
	switch {
	case errors.Is(m.err, errEnough):
		m.err = nil
	case m.err == nil && len(wanted) > 0:
		m.err = damagedBlock(wanted[0], "missing")
	case x.heights == nil && next <= x.span.Last:
		absent = append(absent, next)
	}
	if m.err == nil {
		m.err = checkAbsent(ctx, q, x.sealed, absent)
	}
	return m
}

// checkAbsent checks the blocks on both sides of heights that seem not to be stored, and that no sealed block is missing
// there. Nothing says which unsealed blocks should be there, and one whose height was altered can hide others: a search
// goes past them, or a scan stops before them.
func checkAbsent(ctx context.Context, q querier, sealed chain.Optional[chain.Heights], heights []uint64) error {
	for _, height := range heights {
		lowest, end := uint64(0), uint64(math.MaxUint64) // between the two
		for _, beside := range []string{"height < ? ORDER BY height DESC", "height >= ? ORDER BY height"} {
			err := scanRows(ctx, q, func(r *blockRow) error {
				if r.height < height {
					lowest = r.height + 1
				} else {
					end = r.height
				}
				return r.checked()
			}, selectFrom("blocks", rowColumns)+" WHERE "+beside+" LIMIT 1", int64(min(height, math.MaxInt64)))
			if err != nil {
				return err
			}
		}
		if have, some := sealed.Get(); some && max(lowest, have.First) < min(end, have.Last+1) {
			return damagedBlock(max(lowest, have.First), "missing")
		}
	}
	return nil
}

// walk reads a span's blocks in order of height and applies of to each. Each block is checked, and a missing
// sealed block is an error. Blocks below the sealed ones are skipped: they are not sealed yet, or were detached. If q
// is nil, several batches are read concurrently. No connection is held while a result is delivered.
func walk[T any](ctx context.Context, b *Book, q querier, span chain.Heights, of decoder[T]) iter.Seq2[T, error] {
	return walkBatches(ctx, b, q, of, func(q querier, sealed chain.Optional[chain.Heights]) iter.Seq[batch] {
		return func(yield func(batch) bool) {
			rest := span
			if have, some := sealed.Get(); some {
				within := chain.Heights{First: max(span.First, have.First), Last: min(span.Last, have.Last)}
				for size := uint64(firstBatch); within.First <= within.Last; size = min(2*size, batchSize) {
					part := chain.Heights{First: within.First, Last: min(within.First+size-1, within.Last)}
					if !yield(batch{span: part, heights: heightsIn(part)}) {
						return
					}
					within.First += size
				}
				rest.First = max(span.First, have.Last+1)
			}
			if rest.First <= rest.Last {
				yield(batch{span: rest, sealed: sealed})
			}
		}
	})
}

// maxAtOnce is the number of heights in one query.
const maxAtOnce = batchSize

// batchesAt returns the batches of sealed blocks at given heights.
func batchesAt(heights []uint64) iter.Seq[batch] {
	return func(yield func(batch) bool) {
		for part := range slices.Chunk(heights, maxAtOnce) {
			if !yield(batch{span: chain.Heights{First: part[0], Last: part[len(part)-1]}, heights: part}) {
				return
			}
		}
	}
}

// walkHeights is walk for the sealed blocks at given heights, in their order.
func walkHeights[T any](ctx context.Context, b *Book, q querier, heights []uint64, of decoder[T]) iter.Seq2[T, error] {
	return walkBatches(ctx, b, q, of, func(querier, chain.Optional[chain.Heights]) iter.Seq[batch] { return batchesAt(heights) })
}

// walkSome is walk for some heights, in order, of which any may not be sealed or not be stored. It may deliver other
// unsealed blocks too.
func walkSome[T any](ctx context.Context, b *Book, heights []uint64, of decoder[T]) iter.Seq2[T, error] {
	return walkBatches(ctx, b, nil, of, func(_ querier, sealed chain.Optional[chain.Heights]) iter.Seq[batch] {
		return func(yield func(batch) bool) {
			above := heights
			if have, some := sealed.Get(); some {
				first, _ := slices.BinarySearch(heights, have.First)
				next, _ := slices.BinarySearch(heights, have.Last+1)
				for x := range batchesAt(heights[first:next]) {
					if !yield(x) {
						return
					}
				}
				above = heights[next:]
			}
			if len(above) > 0 {
				yield(batch{span: chain.Heights{First: above[0], Last: above[len(above)-1]}, sealed: sealed})
			}
		}
	})
}

// walkBatches reads the batches that split returns for the sealed blocks.
func walkBatches[T any](ctx context.Context, b *Book, q querier, of decoder[T], split func(querier, chain.Optional[chain.Heights]) iter.Seq[batch]) iter.Seq2[T, error] {
	return sequence(func(yield func(T) bool) (err error) {
		q, readers := q, 1
		if q == nil {
			q, readers = b.engine.shared(), readersAtOnce()
		}
		sealed, err := b.sealedBy(ctx, q)
		if err != nil {
			return err
		}
		defer func() { err = b.orDetached(ctx, sealed, err) }()
		read := func(ctx context.Context, x batch) decodedBatch[T] { return readBatch(ctx, q, x, of) }
		for m := range inorder.Map(ctx, split(q, sealed), readers, read) {
			for {
				for _, x := range m.values {
					if !yield(x) {
						return nil
					}
				}
				if m.err != nil {
					return m.err
				}
				if m.left == nil {
					break
				}
				m = read(ctx, *m.left) // very large records are read by one reader
			}
		}
		return nil
	})
}

// heightsIn returns the heights of a span.
func heightsIn(span chain.Heights) (all []uint64) {
	for h := span.First; h <= span.Last; h++ {
		all = append(all, h)
	}
	return all
}

// heightFields is the column of a query for heights.
var heightFields = []field[uint64]{{"height", fact, func(h *uint64) any { return h }}}

// contents returns the blocks of a span.
func (b *Book) contents(ctx context.Context, q querier, span chain.Heights, d depth) iter.Seq2[*Content, error] {
	return walk(ctx, b, q, span, contentOfRow(d))
}

// contentOfRow decodes blocks up to a depth.
func contentOfRow(d depth) decoder[*Content] {
	return func(by *coder, r *blockRow) (*Content, error) { return r.content(by, d) }
}

// whole returns the row itself.
func whole(_ *coder, r *blockRow) (*blockRow, error) { return r, nil }
