package ledger_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// hubBook returns a ledger of a recorded chain with pallet revive.
func hubBook(t *testing.T, name string, last uint64) *ledger.Book {
	t.Helper()
	src, err := answers.OpenDirectory(pairs.Path(t, name, "gateway"))
	require.NoError(t, err)
	book, err := ledger.OpenWriter(t.Context(), filepath.Join(t.TempDir(), "fees.db"))
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	require.NoError(t, book.Begin(t.Context(), ledger.Identity{Network: name}, 0))
	var entries []*ledger.Entry
	prover := prove.Prover{Reader: &source.Reader{Source: src, Tables: pairs.HubTables(t)}}
	for p, err := range prover.Range(t.Context(), chain.Heights{Last: last}, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(t, err)
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		entries = append(entries, e)
	}
	require.NoError(t, book.Write(t.Context(), entries))
	_, err = book.Seal(t.Context())
	require.NoError(t, err)
	return book
}

// The payer's movements of transaction 8-3 of the recording: a fee of 2,262,072,567, and a deposit of 2,220,000,000 that a
// contract holds.
func TestSettled(t *testing.T) {
	ctx := context.Background()
	book := hubBook(t, "stack-template-3", 8)
	settled, plain := 0, 0
	for x, err := range book.Transactions(ctx, ledger.Query{Span: chain.Heights{First: 2, Last: 8}}) {
		require.NoError(t, err)
		list, ok, err := ledger.Settled(ctx, book.Movements, x)
		require.NoError(t, err)
		require.Equal(t, x.HoldsDeposits(), ok, "%d-%d", x.Height, x.Index)
		if !ok {
			plain++
			continue
		}
		settled++
		sum := chain.SignedWei{}
		for _, m := range list {
			free, known := m.Free.Get()
			require.True(t, known)
			sum, err = sum.Add(free)
			require.NoError(t, err)
		}
		want := chain.SignedWei{}
		payer, _ := x.Payer.Get()
		var before []*ledger.Movement
		for m, err := range book.Movements(ctx, ledger.Query{Span: chain.Heights{First: x.Height, Last: x.Height}}) {
			require.NoError(t, err)
			before = append(before, m)
			if free, _ := m.Free.Get(); m.Account == payer && int(m.Where) == x.Index {
				want, err = want.Add(free)
				require.NoError(t, err)
			}
		}
		require.Equal(t, want, sum, "%d-%d: the same change of the payer's balance", x.Height, x.Index)
		replaced := ledger.Replace(before, x, list)
		require.Equal(t, list, replaced[indexOf(replaced, list[0]):][:len(list)])
		if x.Height == 8 && x.Index == 3 {
			amounts := map[string]bool{}
			for _, m := range list {
				amounts[m.Amount.String()] = true
			}
			require.True(t, amounts["2220000000"], "the deposit stands apart")
		}
	}
	require.Positive(t, settled)
	require.Positive(t, plain)
	require.Equal(t, []*ledger.Movement(nil), ledger.Replace(nil, &ledger.Transaction{Cost: ledger.Cost{Height: 1}}, nil))
}

func indexOf(list []*ledger.Movement, m *ledger.Movement) int {
	for i := range list {
		if list[i] == m {
			return i
		}
	}
	return 0
}

// The three transactions of the recording that paid in an asset are found, also by their payer.
func TestPaidInAssets(t *testing.T) {
	book := hubBook(t, "passet-1019002", 39)
	bob, err := chain.ParseAccount("5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty")
	require.NoError(t, err)
	for _, c := range []struct {
		accounts []chain.Address
		want     int
	}{{nil, 3}, {[]chain.Address{bob}, 3}, {[]chain.Address{bob.Hashed(), chain.Address32([32]byte{1})}, 0}} {
		found := 0
		for x, err := range book.PaidInAssets(t.Context(), ledger.Query{Span: chain.Heights{Last: 39}, Accounts: c.accounts}) {
			require.NoError(t, err)
			require.True(t, x.InAsset())
			require.Equal(t, []string{"387766", "388776", "476690"}[found], x.AssetFee.Amount.String())
			found++
		}
		require.Equal(t, c.want, found)
	}
}
