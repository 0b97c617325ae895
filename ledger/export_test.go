package ledger

import "testing"

// ReadAtOnce has books hold so many rows of a table at once, in a test.
func ReadAtOnce(t testing.TB, rows int) {
	kept := mostRows
	mostRows = rows
	t.Cleanup(func() { mostRows = kept })
}

// Forget has a book know no more of the blocks that wait for their seal, as one that was
// opened after another writer ended.
func (b *Book) Forget() { b.pending = nil }
