package app_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/reconcile"
)

// inToken returns an amount of wei in the token.
func inToken(wei string) string {
	padded := strings.Repeat("0", max(0, 19-len(wei))) + wei
	return padded[:len(padded)-18] + "." + padded[len(padded)-18:]
}

// A total is compared with the sum of what the accounts paid, as the recording's balances show it.
func TestCompareTotal(t *testing.T) {
	d := opened(t, copied(t))
	sum, count := charges(t, func(s sent) bool { return s.Charged != "0" })
	var accounts []chain.Address
	for _, s := range allSent(t) {
		account, err := chain.ParseAddress(s.From)
		require.NoError(t, err)
		accounts = append(accounts, account)
	}
	o := reconcile.Options{Symbol: "GLMR", Accounts: accounts}
	total, err := d.CompareTotal(t.Context(), inToken(sum), app.Heights(0, 27), o)
	require.NoError(t, err)
	require.True(t, total.Reconciled)
	require.EqualValues(t, count, total.Transactions)
	require.Equal(t, sum, total.Books.String())
	require.Empty(t, total.Notes)
	total, err = d.CompareTotal(t.Context(), "1"+inToken(sum), app.Heights(0, 27), o)
	require.NoError(t, err)
	require.False(t, total.Reconciled)
	_, err = d.CompareTotal(t.Context(), "five", app.Heights(0, 27), o)
	require.ErrorContains(t, err, `total "five"`)
	o.Accounts = nil
	_, err = d.CompareTotal(t.Context(), "5", app.Heights(0, 27), o)
	require.ErrorContains(t, err, "Name them with")
}
