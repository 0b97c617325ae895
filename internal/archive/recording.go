package archive

import (
	"fmt"
	"os"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/sys/disk"
)

// ErrNotFinal reports a block that could still be replaced, and is therefore not recorded.
var ErrNotFinal = failure.New(failure.Unanswered, "not final yet")

// ErrFinalityUnknown reports a block that may not be final: the gateway does not say. It is not recorded either, since
// a ledger could not seal it.
var ErrFinalityUnknown = failure.New(failure.Unanswered, "the gateway does not report whether it is final")

// SegmentSize is the number of heights that a segment covers at most.
const SegmentSize = 1000

// maxAccounts limits the accounts whose balances are recorded. It keeps a segment's list of answers below the limit for
// reading, and the proof of a block below what nodes answer.
const maxAccounts = 100

// Accounts returns accounts to record, sorted and without duplicates.
func Accounts(accounts []chain.Address) ([]chain.Address, error) {
	accounts = slices.Clone(accounts)
	slices.SortFunc(accounts, chain.Address.Compare)
	accounts = slices.Compact(accounts)
	if len(accounts) > maxAccounts {
		return nil, fmt.Errorf("%d accounts exceed the limit of %d in an archive", len(accounts), maxAccounts)
	}
	return accounts, nil
}

// CheckRange rejects a range that ends before it begins.
func CheckRange(first, last uint64) error {
	if last < first {
		return fmt.Errorf("blocks %d to %d: the range ends before it begins", first, last)
	}
	return nil
}

// AlreadyContains is the error for a directory whose archive covers another range, or other accounts.
func AlreadyContains(directory string, first, last uint64, accounts []string) error {
	return fmt.Errorf("%s already contains blocks %d to %d with the balances of %d accounts. Record into another directory.",
		directory, first, last, len(accounts))
}

// Split splits a range, ascending: each part ends below a multiple of size.
func Split(h chain.Heights, size uint64) (parts []chain.Heights) {
	for from := h.First; ; {
		to := h.Last
		if end := from - from%size + (size - 1); end >= from { // no overflow
			to = min(end, h.Last)
		}
		parts = append(parts, chain.Heights{First: from, Last: to})
		if to == h.Last {
			return parts
		}
		from = to + 1
	}
}

// Store writes a file of an archive, unless it exists.
func Store(d disk.Disk, path string, content []byte) (Piece, error) {
	piece := PieceOf(path, content)
	if piece.Check(os.DirFS(d.Directory)) == nil {
		return piece, nil
	}
	return piece, d.Write(path, string(content))
}

// Finish writes the manifest of a recording when all files that it lists are on disk.
func Finish(d disk.Disk, manifest string) error {
	if err := d.Flush(); err != nil {
		return err
	}
	if _, err := Store(d, ManifestPath, []byte(manifest)); err != nil {
		return err
	}
	return d.Flush()
}
