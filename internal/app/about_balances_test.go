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
	q := app.Question{Period: app.Heights(1, 27), Accounts: []chain.Address{address(t, alith)}}
	asked := app.AboutQuestion{Program: "a test", Command: "fees statement"}
	made, err := d.Statements(t.Context(), app.StatementQuestion{Question: q})
	require.NoError(t, err)
	a, err := made.About(t.Context(), asked)
	require.NoError(t, err)
	pairs := pairsOf(a)
	require.Equal(t, inTokens(t, all), pairs["control total: charged"])
	require.Equal(t, "0 of 1", pairs["statements proved by balances"])
	require.Equal(t, "balances not compared", pairs["parameter"])
	r, err := d.Rollforward(t.Context(), app.RollforwardQuestion{Question: q, By: app.ByPeriod, List: chain.Some(rollforward.All)})
	require.NoError(t, err)
	require.Len(t, r.Sheets(t.Context()), 1)
	a, err = r.About(t.Context(), asked)
	require.NoError(t, err)
	pairs = pairsOf(a)
	require.Equal(t, inTokens(t, all), pairs["control total: charged"])
	require.Contains(t, pairs["parameter"], "list all")
}
