package ledger

import (
	"context"
	"sync"
	"testing"
	"time"
)

// ReadAtOnce has books hold so many rows of a table at once, in a test.
func ReadAtOnce(t testing.TB, rows int) {
	kept := maxRows
	maxRows = rows
	t.Cleanup(func() { maxRows = kept })
}

// Forget has a book know no more of the blocks that wait for their seal, as one that was
// opened after another writer ended.
func (b *Book) Forget() { b.pending = nil }

// SealAtOnce has books seal so many blocks at once, in a test.
func SealAtOnce(t testing.TB, blocks int) {
	kept := sealedAtOnce
	sealedAtOnce = blocks
	t.Cleanup(func() { sealedAtOnce = kept })
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

// EraHeights is how many heights are an era of the look-ups.
const EraHeights = eraHeights

// HoldMoments has a verification see the book at another moment after so long, and read no more
// than so many sealed blocks at its end.
func HoldMoments(t testing.TB, long time.Duration, atEnd uint64) {
	kept, keptAtEnd := maxMoment, sealedAtEnd
	maxMoment, sealedAtEnd = long, atEnd
	t.Cleanup(func() { maxMoment, sealedAtEnd = kept, keptAtEnd })
}
