package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/rollforward"
)

// Statements and rollforwards say what was compared, and what their fees add up to.
func TestAboutBalances(t *testing.T) {
	d := opened(t, copied(t))
	all, _ := charges(t, of(alith))
	q := app.Request{Period: app.Heights(1, 27), Accounts: []chain.Address{address(t, alith)}}
	asked := app.AboutRequest{Program: "a test", Command: "fees statement"}
	made, err := d.Statements(t.Context(), app.StatementRequest{Request: q})
	require.NoError(t, err)
	a, err := made.About(t.Context(), asked)
	require.NoError(t, err)
	pairs := pairsOf(a)
	require.Equal(t, inTokens(t, all), pairs["control total: charged"])
	require.Equal(t, "0 of 1", pairs["statements proved by balances"])
	require.Equal(t, "balances not compared", pairs["parameter"])
	r, err := d.Rollforward(t.Context(), app.RollforwardRequest{Request: q, By: app.ByPeriod, List: chain.Some(rollforward.All)})
	require.NoError(t, err)
	require.Len(t, r.Document(t.Context()).Sheets(), 1)
	a, err = r.About(t.Context(), asked)
	require.NoError(t, err)
	pairs = pairsOf(a)
	require.Equal(t, inTokens(t, all), pairs["control total: charged"])
	require.Contains(t, pairs["parameter"], "list all")

	// A balance that is one wei off is counted, and which balances were compared is stated.
	src := withBalances(t)
	wrong := src
	wrong.balance = func(a chain.Address, height uint64) (chain.Balance, error) {
		b, err := src.balance(a, height)
		if err == nil && height == 27 {
			b.Free, err = b.Free.Add(chain.NewWei(1))
		}
		return b, err
	}
	for _, c := range []struct {
		balances          otherwise
		everyBlock        bool
		proved, differing string
		compared          string
	}{
		{src, false, "1 of 1", "0", "balances compared before and after"},
		{src, true, "1 of 1", "0", "balances compared after each block"},
		{wrong, false, "0 of 1", "1", "balances compared before and after"},
	} {
		made, err := d.Statements(t.Context(), app.StatementRequest{Request: q, Balances: c.balances, EveryBlock: c.everyBlock})
		require.NoError(t, err)
		a, err := made.About(t.Context(), asked)
		require.NoError(t, err)
		pairs := pairsOf(a)
		require.Equal(t, c.proved, pairs["statements proved by balances"])
		require.Equal(t, c.differing, pairs["statements that differ from balances"])
		require.Equal(t, c.compared, pairs["parameter"])
	}
}
