package ledger_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// wantPayments requires the transactions of payers to be those of a span that they paid for: of one payer, of a few, and
// of more than an index search accepts.
func wantPayments(t *testing.T, book *ledger.Book, span chain.Heights) (payers map[chain.Address]bool) {
	t.Helper()
	var want []ledger.Transaction
	byPayer := map[chain.Address][]ledger.Transaction{}
	require.NoError(t, each(book.Transactions(ctx, in(span)), func(x *ledger.Transaction) error {
		want = append(want, *x)
		if payer, ok := x.Payer.Get(); ok {
			byPayer[payer] = append(byPayer[payer], *x)
		}
		return nil
	}))
	of := func(payers map[chain.Address]bool) (list []ledger.Transaction) {
		require.NoError(t, each(book.Transactions(ctx, in(span, slices.Collect(maps.Keys(payers))...)), func(x *ledger.Transaction) error { list = append(list, *x); return nil }))
		return list
	}
	payers = map[chain.Address]bool{}
	for payer, list := range byPayer {
		payers[payer] = true
		require.Equal(t, list, of(map[chain.Address]bool{payer: true}))
	}
	paid := slices.DeleteFunc(slices.Clone(want), func(x ledger.Transaction) bool { return !x.Payer.Known() })
	require.Equal(t, paid, of(payers))
	for i := range 200 {
		payers[chain.Address20([20]byte{0xff, byte(i)})] = true
	}
	require.Equal(t, paid, of(payers))
	return payers
}

func TestPayments(t *testing.T) {
	both(t, func(t *testing.T, r *recording) {
		engines(t, func(t *testing.T, newPlace func() string) {
			book := written(t, newPlace(), r.id, r.entries)
			require.NotEmpty(t, wantPayments(t, book, chain.Heights{Last: r.last}))
			wantPayments(t, book, chain.Heights{First: 3, Last: 9})
			require.Empty(t, wantPayments(t, book, chain.Heights{First: 1_000_000, Last: 1_001_400})[chain.Address{}])
		})
	})
}

// Batches read concurrently are joined in chain order, for any span.
func TestPaymentsInParts(t *testing.T) {
	var entries []*ledger.Entry
	for h := uint64(0); h < 1_300; h++ {
		entries = append(entries, makeBlock(h, hashOf(h, 0), hashOf(max(h, 1)-1, 0), fmt.Sprint(h)).at(h).entry(t))
	}
	book := written(t, t.TempDir()+"/fees.db", madeUpChain, entries)
	for _, span := range []chain.Heights{{First: 0, Last: 1_299}, {First: 1, Last: 199}, {First: 1, Last: 200}, {First: 1, Last: 201}, {First: 1, Last: 401}, {First: 700, Last: 700}, {First: 1_250, Last: 9_999}} {
		wantPayments(t, book, span)
	}
	wantPayments(t, book, chain.Heights{First: 1}) // of a statement that covers only block 0
	enough, n := errors.New("enough"), 0
	require.ErrorIs(t, each(book.Transactions(ctx, in(chain.Heights{Last: 1_299})), func(*ledger.Transaction) error {
		if n++; n == 100 {
			return enough
		}
		return nil
	}), enough)
	require.Equal(t, 100, n)
}
