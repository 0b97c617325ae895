package reconcile

import (
	"context"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// lookedUp wraps a Book and remembers the hashes that it did not find. No total shows how many transactions have a hash,
// so a damaged index would otherwise go unnoticed.
type lookedUp struct {
	Book
	unfound map[chain.Hash]bool
}

func (l *lookedUp) TransactionsByHash(ctx context.Context, hash chain.Hash) iter.Seq2[*ledger.Transaction, error] {
	return func(yield func(*ledger.Transaction, error) bool) {
		found := false
		for t, err := range l.Book.TransactionsByHash(ctx, hash) {
			if !yield(t, err) || err != nil {
				return
			}
			found = true
		}
		if !found {
			l.unfound[hash] = true
		}
	}
}

// check scans the transactions of the period once for all hashes that were not found. If one has such a hash, the
// index is damaged.
func (l *lookedUp) check(ctx context.Context, span chain.Optional[chain.Heights]) error {
	s, some := span.Get()
	if !some || len(l.unfound) == 0 {
		return nil
	}
	for t, err := range l.Transactions(ctx, ledger.Query{Span: s}) {
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
