package ledger

import (
	"context"
	"sync"
	"testing"
	"time"
)

// ReadAtOnce has books hold so many bytes of records at once, in a test.
func ReadAtOnce(t testing.TB, bytes int) {
	kept := maxRead
	maxRead = bytes
	t.Cleanup(func() { maxRead = kept })
}

// Forget has a book know no more of the days that grow, as one that was opened after another
// writer ended.
func (b *Book) Forget() { b.tallies = nil }

// SealAtOnce has books seal so many blocks at once, in a test.
func SealAtOnce(t testing.TB, blocks int) {
	kept, keptBelow := sealedAtOnce, belowAtOnce
	sealedAtOnce, belowAtOnce = blocks, uint64(blocks)
	t.Cleanup(func() { sealedAtOnce, belowAtOnce = kept, keptBelow })
}

// AfterSnapshot has something done once, when a book ends the first snapshot that it takes: a
// question about totals is cut into pieces in it, which are read after that.
func AfterSnapshot(b *Book, do func()) { b.engine = &snapshotEngine{b.engine, sync.OnceFunc(do)} }

type snapshotEngine struct {
	engine
	ended func()
}

func (e *snapshotEngine) snapshot(ctx context.Context) (querier, func(), error) {
	q, end, err := e.engine.snapshot(ctx)
	return q, func() {
		end()
		e.ended()
	}, err
}

// HoldMoments has a verification see the book at another moment after so long, and read no more
// than so many sealed blocks at its end.
func HoldMoments(t testing.TB, long time.Duration, atEnd uint64) {
	kept, keptAtEnd := maxMoment, sealedAtEnd
	maxMoment, sealedAtEnd = long, atEnd
	t.Cleanup(func() { maxMoment, sealedAtEnd = kept, keptAtEnd })
}
