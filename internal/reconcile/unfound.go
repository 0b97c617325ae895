package reconcile

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// No total shows how many transactions have a hash, so a damaged index would otherwise go unnoticed.

// check scans the transactions of the period once for all hashes that were not found. If one has such a hash, the
// index is damaged.
func (l *lookups) check(ctx context.Context, span chain.Optional[chain.Heights], scanned func(done, total uint64)) error {
	s, some := span.Get()
	if !some || len(l.unfound) == 0 {
		return nil
	}
	q := ledger.Query{Span: s}
	if scanned != nil {
		q.Progress = func(height uint64) { scanned(height-s.First+1, s.Blocks()) }
	}
	for t, err := range l.book.Transactions(ctx, q) {
		if err != nil {
			return err
		}
		evm, _ := t.EVMHash.Get()
		if l.unfound[t.Hash] || t.EVMHash.Known() && l.unfound[evm] {
			return &ledger.DamageError{What: fmt.Sprintf("block %d, table transactions: it is missing from the index by hash", t.Height)}
		}
	}
	return nil
}
