package ledger

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
)

// maxMoment is how long a snapshot is held by who reads a whole book. While one is held, the
// database keeps all that was changed since.
var maxMoment = 5 * time.Second

// ErrDetached says that blocks were taken out of the book while they were read.
var ErrDetached = failure.New(failure.Busy, "blocks were detached from the ledger meanwhile")

// moments are snapshots of a book, one after the other, by which its blocks are read from the
// first to the last. A block and its rows are seen at one moment.
type moments struct {
	engine engine
	q      querier // the book at the moment
	row    bookRow // likewise
	at     uint64  // the height that is read next
	end    uint64  // the height after the last block that was sealed at its moment
	number int     // of the moment
	since  time.Time
	leave  func()
}

// moments begins with the first one. Whoever asks reads the row of the table book.
func (b *Book) moments(ctx context.Context) (*moments, error) {
	m := &moments{engine: b.engine, leave: func() {}}
	return m, m.take(ctx)
}

func (m *moments) take(ctx context.Context) error {
	m.close()
	q, leave, err := m.engine.snapshot(ctx)
	if err == nil {
		m.q, m.leave, m.since, m.number = q, leave, time.Now(), m.number+1
	}
	return err
}

func (m *moments) close() {
	m.leave()
	m.leave = func() {}
}

// renew goes on to a later moment where this one has lasted.
func (m *moments) renew(ctx context.Context) error {
	if time.Since(m.since) < maxMoment {
		return nil
	}
	if err := m.take(ctx); err != nil {
		return err
	}
	c, err := readBookRow(ctx, m.q)
	switch {
	case err != nil:
		return err
	case c.first != m.row.first:
		return c.movedFrom(m.row.first, "run it again")
	case c.sealed < m.row.sealed:
		return fmt.Errorf("%w: table book: %d blocks were sealed, and now %d are", ErrDamaged, m.row.sealed, c.sealed)
	}
	m.row = c
	return nil
}

// sealedBlocks reads the sealed blocks. While that is done more may be sealed, which are read
// next: there are fewer of them each time, and the last few are read at one moment. It ends at
// a moment at which no more are sealed than were read.
func (m *moments) sealedBlocks(ctx context.Context, read func(ctx context.Context, last uint64) error) error {
	for left := uint64(math.MaxUint64); ; {
		m.end = m.row.next()
		more := m.end - min(m.at, m.end)
		last := more <= sealedAtEnd || more >= left
		for left = more; m.at < m.end; {
			if !last {
				if err := m.renew(ctx); err != nil {
					return err
				}
			}
			if err := read(ctx, m.end-1); err != nil {
				return err
			}
		}
		if last || m.row.next() == m.end {
			return nil
		}
	}
}

// sealedAtEnd is how many sealed blocks are read at the last moment.
var sealedAtEnd = uint64(20 * portion)

// portion reads the rows of the next blocks, up to a height, as they are.
func (m *moments) portion(ctx context.Context, last uint64, each func([]*blockRow) error) error {
	span := chain.Heights{First: m.at, Last: last}
	for p := range portions(ctx, m.q, span) {
		if p.err != nil {
			return p.err
		}
		span.Last = p.span.Last
		break
	}
	rows, more, err := readRows(ctx, m.q, "height >= ? AND height <= ?", bounds(span)...)
	if err != nil {
		return err
	}
	if more {
		span.Last = rows[len(rows)-1].height
	}
	m.at = span.Last + 1
	return each(rows)
}

// blocks is how many the book has. Of the sealed ones none is missing, or that is found where
// they are read.
func (m *moments) blocks(ctx context.Context) (count uint64, err error) {
	_, err = one(ctx, m.q, []any{&count}, "SELECT (SELECT count(*) FROM blocks WHERE height >= ?) + (SELECT count(*) FROM blocks WHERE height < ?)", int64(m.row.next()), int64(m.row.first))
	return m.row.sealed + count, err
}

// highestBlock is the height of the highest block that is stored, nil where none is.
func highestBlock(ctx context.Context, q querier) (highest *int64, err error) {
	_, err = one(ctx, q, []any{&highest}, "SELECT max(height) FROM blocks")
	return highest, err
}
