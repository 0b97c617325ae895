package ledger

import "testing"

// ReadAtOnce has books hold so many rows of a table at once, in a test.
func ReadAtOnce(t testing.TB, rows int) {
	kept := maxRows
	maxRows = rows
	t.Cleanup(func() { maxRows = kept })
}

// Forget has a book know no more of the blocks that wait for their seal, as one that was
// opened after another writer ended.
func (b *Book) Forget() { b.pending = nil }
