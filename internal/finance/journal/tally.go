package journal

import (
	"hash/maphash"

	"github.com/feeledger/fees/internal/failure"
)

// ErrChanged reports that the ledger was changed while it was read, so that two passes differ. The output so far
// must be discarded.
var ErrChanged = failure.New(failure.Busy, "the ledger was changed while it was read; try again")

// LedgerError is an error from the ledger, or ErrChanged.
type LedgerError struct{ Err error }

func (e *LedgerError) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *LedgerError) Unwrap() error { return e.Err }

// tally compares two passes without storing them: by the number of records and the sum of their hashes, which are
// specific to this process.
type tally struct{ records, sum uint64 }

var seed = maphash.MakeSeed()

// count adds a record to a tally.
func count[T comparable](t *tally, record T) {
	t.records++
	t.sum += maphash.Comparable(seed, record)
}
