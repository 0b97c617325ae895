package ledger_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// hubBook returns a ledger of a recorded chain with pallet revive.
func hubBook(t *testing.T, name string, last uint64) *ledger.Book {
	t.Helper()
	return ledgertest.Hub(t, filepath.Join(t.TempDir(), "fees.db"), name, chain.Heights{Last: last})
}

// Movements of accounts have the fee and each deposit of transaction 8-3 apart: a fee of 2,262,072,567, and a deposit of
// 2,220,000,000 that a contract holds. Movements of all accounts are those of the events.
func TestSettled(t *testing.T) {
	ctx, span := t.Context(), chain.Heights{First: 2, Last: 8}
	book := hubBook(t, "stack-template-3", 8)
	changes := map[string]chain.SignedWei{}
	count := func(m *ledger.Movement, sign int) {
		key := fmt.Sprintf("%s %v", m.Where.In(m.Height), m.Account)
		free, known := m.Free.Get()
		require.True(t, known)
		if sign < 0 {
			free = free.Negated()
		}
		sum, err := changes[key].Add(free)
		require.NoError(t, err)
		changes[key] = sum
	}
	accounts := map[chain.Address]bool{}
	for m, err := range book.Movements(ctx, ledger.Query{Span: span}) {
		require.NoError(t, err)
		require.False(t, m.Event == "balances.Deposit" && m.Counterparty.Known())
		count(m, 1)
		accounts[m.Account] = true
	}
	var found []string
	last := ledger.Place{}
	all := slices.SortedFunc(maps.Keys(accounts), chain.Address.Compare)
	for m, err := range book.Movements(ctx, ledger.Query{Accounts: all, Span: span}) {
		require.NoError(t, err)
		count(m, -1)
		require.False(t, m.Place().Height == last.Height && m.Place().Row < last.Row, "in the order of the chain")
		last = m.Place()
		if m.Height == 8 && m.Where == 3 {
			found = append(found, fmt.Sprintf("%s %v", m.Kind, m.Amount))
		}
	}
	for key, rest := range changes {
		require.Zero(t, rest.Sign(), "%s: the same change of the balance", key)
	}
	require.Equal(t, []string{"withdrawal 2262072567", "transfer-out 2220000000", "transfer-in 2220000000", "reserve 2220000000", "burn 1", "burn 8136"}, found)

	// An account's activity has the same movements.
	active := 0
	for _, account := range all {
		var have, want []ledger.Movement
		for block, err := range book.Activity(ctx, account, span, 0) {
			require.NoError(t, err)
			for _, m := range block.Movements {
				have = append(have, *m)
			}
		}
		for m, err := range book.Movements(ctx, ledger.Query{Accounts: []chain.Address{account}, Span: span}) {
			require.NoError(t, err)
			want = append(want, *m)
		}
		require.Equal(t, want, have)
		active += len(have)
	}
	require.Positive(t, active)
}

// Blocks in which events state the reasons of holds are found, and the others are not read.
func TestHolds(t *testing.T) {
	book := hubBook(t, "stack-template-3", 8)
	var want, have []uint64
	for c, err := range book.Contents(t.Context(), chain.Heights{Last: 8}) {
		require.NoError(t, err)
		if slices.ContainsFunc(c.Movements, func(m ledger.Movement) bool { return m.Reason.Known() }) {
			want = append(want, c.Height)
		}
	}
	for c, err := range book.Holds(t.Context(), chain.Heights{Last: 8}) {
		require.NoError(t, err)
		require.NotEmpty(t, c.Movements)
		have = append(have, c.Height)
	}
	require.Equal(t, want, have)
	require.NotEmpty(t, have)
	require.Less(t, len(have), 8)
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

// The view of transactions shows fees that were paid in assets, and their sum is that of the totals by asset. Other
// transactions have none.
func TestAssetFeesInSQL(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := ledgertest.Hub(t, place, "passet-1019002", chain.Heights{Last: 39})
		sum := fee.AssetTotals{}
		for x, err := range book.PaidInAssets(t.Context(), ledger.Query{Span: chain.Heights{Last: 39}}) {
			require.NoError(t, err)
			require.NoError(t, sum.Add(&x.AssetFee))
		}
		const asset = `{"parents":"0","interior":{"x2":[{"palletInstance":"50"},{"generalIndex":"1984"}]}}`
		require.Equal(t, [][]string{
			{"37", asset, "387766", "0", "38660075", "0"}, {"38", asset, "388776", "777", "38760435", "0"}, {"39", asset, "476690", "0", "47459241", "0"},
		}, openSQL(t, place).texts(t, "SELECT CAST(height AS TEXT), fee_asset, asset_fee, asset_fee_tip, asset_fee_equivalent, fee FROM book_transactions WHERE fee_asset IS NOT NULL ORDER BY height"))
		require.Equal(t, [][]string{{sum[0].Asset, fmt.Sprint(sum[0].Transactions), sum[0].Amount.String(), sum[0].Equivalent.String()}},
			openSQL(t, place).texts(t, "SELECT fee_asset, CAST(count(*) AS TEXT), CAST(sum(CAST(asset_fee AS BIGINT)) AS TEXT), CAST(sum(CAST(asset_fee_equivalent AS BIGINT)) AS TEXT) FROM book_transactions WHERE fee_asset IS NOT NULL GROUP BY fee_asset"))
		require.Equal(t, [][]string{{"80", "0", "0", "0"}}, openSQL(t, place).texts(t,
			"SELECT CAST(count(*) AS TEXT), CAST(count(asset_fee) AS TEXT), CAST(count(asset_fee_tip) AS TEXT), CAST(count(asset_fee_equivalent) AS TEXT) FROM book_transactions WHERE fee_asset IS NULL"))
	})
}
