package ledger

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
)

// maxMoment is how long a snapshot is held while a whole ledger is read. The database keeps everything
// that changes while one is held.
var maxMoment = 5 * time.Second

// ErrDetached reports that blocks were detached from the ledger while it was being read.
var ErrDetached = failure.New(failure.Busy, "blocks were detached from the ledger while it was being read")

// moments is a series of snapshots through which a ledger's blocks are read from first to last. Each block
// and its rows come from one snapshot.
type moments struct {
	engine engine
	q      querier // the current snapshot
	row    bookRow // read from it
	at     uint64  // the height that is read next
	end    uint64  // the height after the last sealed block when reading began
	number int     // of the snapshot
	since  time.Time
	leave  func()
}

// moments starts with the first snapshot. The caller reads the row of the table book.
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

// renew takes a new snapshot if the current one is older than maxMoment.
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
		return c.movedFrom(m.row.first, "Run the command again.")
	case c.sealed < m.row.sealed:
		return fmt.Errorf("%w: table book: %d blocks were sealed, now only %d", ErrDamaged, m.row.sealed, c.sealed)
	}
	m.row = c
	return nil
}

// sealedBlocks reads the sealed blocks. Blocks sealed meanwhile are read next: fewer each round, and the last
// few from one snapshot. It ends when every block sealed at that moment has been read.
func (m *moments) sealedBlocks(ctx context.Context, read func(ctx context.Context, last uint64) error) error {
	for left := uint64(math.MaxUint64); ; {
		m.end = m.row.next()
		more := m.end - min(m.at, m.end)
		last := more <= sealedAtEnd || more >= left
		left = more
		if err := m.below(ctx, m.end, !last, read); err != nil || last || m.row.next() == m.end {
			return err
		}
	}
}

// below reads the blocks below a height, from one snapshot or several.
func (m *moments) below(ctx context.Context, end uint64, several bool, read func(ctx context.Context, last uint64) error) error {
	for m.at < end {
		if several {
			if err := m.renew(ctx); err != nil {
				return err
			}
		}
		if err := read(ctx, end-1); err != nil {
			return err
		}
	}
	return nil
}

// sealedAtEnd is how many sealed blocks are read from the last snapshot.
var sealedAtEnd = uint64(20 * batchSize)

// batch reads the rows of the next blocks, up to a height, unchecked.
func (m *moments) batch(ctx context.Context, last uint64, each func([]*blockRow) error) error {
	rows, more, err := readRows(ctx, m.q, "height >= ? AND height <= ?", bounds(chain.Heights{First: m.at, Last: last})...)
	if err != nil {
		return err
	}
	if m.at = last + 1; more {
		m.at = rows[len(rows)-1].height + 1
	}
	return each(rows)
}

// blocks returns the number of blocks. It assumes that no sealed one is missing, which is found when they
// are read.
func (m *moments) blocks(ctx context.Context) (count uint64, err error) {
	_, err = one(ctx, m.q, []any{&count}, "SELECT (SELECT count(*) FROM blocks WHERE height >= ?) + (SELECT count(*) FROM blocks WHERE height < ?)", int64(m.row.next()), int64(m.row.first))
	return m.row.sealed + count, err
}

// heightsEnd returns the height after the highest stored block, 0 if there is none.
func heightsEnd(ctx context.Context, q querier) (end uint64, err error) {
	_, err = one(ctx, q, []any{&end}, "SELECT coalesce(max(height) + 1, 0) FROM blocks")
	return end, err
}
