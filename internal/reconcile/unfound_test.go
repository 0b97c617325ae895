package reconcile_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
)

// forgetful is a ledger whose index by hash lacks a transaction.
type forgetful struct {
	reconcile.Book
	lost string
}

func (f *forgetful) TransactionsByHash(ctx context.Context, hashes ...chain.Hash) iter.Seq2[*ledger.Transaction, error] {
	return f.Book.TransactionsByHash(ctx, slices.DeleteFunc(hashes, func(h chain.Hash) bool { return h.String() == f.lost })...)
}

// A transaction missing from the index is reported as damage. A hash of no transaction is still unknown.
func TestALookupThatLostAHash(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	o := reconcile.Options{Accounts: payers(t, list)}
	rows := weiGrid(list)
	unknown := []string{"0x" + fmt.Sprintf("%064d", 7), "1", list[0].From, "of another chain"}
	r := match(t, book(t, "moonbeam-2100"), read(t, append(rows, unknown).csv(','), o), o)
	require.EqualValues(t, 1, sum(t, r, reconcile.OnlyInBooks).Count)
	for _, s := range []*sent{list[0], list[len(list)-1], native(list)[0]} {
		_, err := reconcile.Match(context.Background(), &forgetful{book(t, "moonbeam-2100"), s.hash()}, each(read(t, rows.csv(','), o)), o)
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, fmt.Sprintf("block %d, table transactions: it is missing from the index by hash", s.Height))
	}
}
