package ledger

import (
	"testing"
	"time"
)

// ReadAtOnce sets maxRead in a test.
func ReadAtOnce(t testing.TB, bytes int) {
	kept := maxRead
	maxRead = bytes
	t.Cleanup(func() { maxRead = kept })
}

// Forget clears the tallies of growing days, like reopening a ledger after another writer.
func (b *Book) Forget() { b.tallies = nil }

// SealAtOnce sets how many blocks are sealed at once, in a test.
func SealAtOnce(t testing.TB, blocks int) {
	kept, keptBelow := sealedAtOnce, belowAtOnce
	sealedAtOnce, belowAtOnce = blocks, uint64(blocks)
	t.Cleanup(func() { sealedAtOnce, belowAtOnce = kept, keptBelow })
}

// HoldMoments sets how long a verification holds a snapshot, and how many sealed blocks it reads from the last one.
func HoldMoments(t testing.TB, long time.Duration, atEnd uint64) {
	kept, keptAtEnd := maxMoment, sealedAtEnd
	maxMoment, sealedAtEnd = long, atEnd
	t.Cleanup(func() { maxMoment, sealedAtEnd = kept, keptAtEnd })
}

// ScanFirst sets scannedFirst for all tests: their ledgers have few blocks.
func ScanFirst(blocks uint64) { scannedFirst = blocks }
