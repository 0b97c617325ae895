package reconcile

import (
	"context"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// lookedUp is a book that remembers the hashes that it did not find. No total tells how many
// transactions have a hash, so a look-up that has lost one would make it unknown.
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

// check looks through the transactions of the period, once for all hashes that were not found:
// one that has such a hash was lost by the look-up.
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
			return &ledger.DamageError{What: fmt.Sprintf("block %d, table transactions: the look-up by hash does not name it", t.Height)}
		}
	}
	return nil
}
