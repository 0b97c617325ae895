package journal

import (
	"hash/maphash"

	"github.com/feeledger/fees/internal/failure"
)

// ErrChanged says that the book was changed while it was read: what was read later is not
// what was read first. What was written until then is to be thrown away.
var ErrChanged = failure.New(failure.Busy, "the ledger was changed while it was read: try again")

// LedgerError is an error that the book gave, or ErrChanged.
type LedgerError struct{ Err error }

func (e *LedgerError) Error() string { return e.Err.Error() }

// Unwrap is the error itself.
func (e *LedgerError) Unwrap() error { return e.Err }

// tally tells two readings apart, without holding them: how many records there were, and
// the sum of their hashes, which are of this process.
type tally struct{ records, sum uint64 }

var seed = maphash.MakeSeed()

// count adds a record to a tally.
func count[T comparable](t *tally, record T) {
	t.records++
	t.sum += maphash.Comparable(seed, record)
}
