package reconcile

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
)

// lookedUp is a book that remembers the hashes that it did not find. No total tells how many
// transactions have a hash, so a look-up that has lost one would make it unknown.
type lookedUp struct {
	Book
	unfound map[chain.Hash]bool
}

func (l *lookedUp) TransactionsByHash(ctx context.Context, hash chain.Hash, each func(*ledger.Transaction) error) error {
	found := false
	err := l.Book.TransactionsByHash(ctx, hash, func(t *ledger.Transaction) error {
		found = true
		return each(t)
	})
	if err == nil && !found {
		l.unfound[hash] = true
	}
	return err
}

// check looks through the transactions of the period, once for all hashes that were not found:
// one that has such a hash was lost by the look-up.
func (l *lookedUp) check(ctx context.Context, span chain.Optional[ledger.Span]) error {
	s, some := span.Get()
	if !some || len(l.unfound) == 0 {
		return nil
	}
	return l.Transactions(ctx, s, func(t *ledger.Transaction) error {
		evm, _ := t.EVMHash.Get()
		if l.unfound[t.Hash] || t.EVMHash.Known() && l.unfound[evm] {
			return fmt.Errorf("%w: block %d, table transactions: the look-up by hash does not name it; fees ledger verify names all that is damaged", ledger.ErrDamaged, t.Height)
		}
		return nil
	})
}
