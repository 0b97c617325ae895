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
	require.Equal(t, chain.Some(true), total.Reconciled)
	require.EqualValues(t, count, total.Transactions)
	require.Equal(t, sum, total.Books.String())
	require.Empty(t, total.Notes)
	total, err = d.CompareTotal(t.Context(), "1"+inToken(sum), app.Heights(0, 27), o)
	require.NoError(t, err)
	require.NotEqual(t, chain.Some(true), total.Reconciled)
	_, err = d.CompareTotal(t.Context(), "five", app.Heights(0, 27), o)
	require.ErrorContains(t, err, `total "five"`)
	o.Accounts = nil
	_, err = d.CompareTotal(t.Context(), "5", app.Heights(0, 27), o)
	require.ErrorContains(t, err, "Name them with")
}

// The postings to an account of a general ledger are compared with what the accounts paid: debits less credits, of the
// period's days only. In a period of heights, all count.
func TestComparePostings(t *testing.T) {
	d := opened(t, copied(t))
	sum, count := charges(t, of(alith))
	less, err := chain.ParseWei(sum)
	require.NoError(t, err)
	less, err = less.Add(chain.NewWei(5))
	require.NoError(t, err)
	text := "Date,Num,Account,Debit,Credit\n2026-01-31,1,Fees,LESS,\n,,Wallet,,LESS\n2026-01-31,2,Wallet,0.000000000000000005,\n,,Fees,,0.000000000000000005\n"
	text = strings.ReplaceAll(text, "LESS", inToken(less.String()))
	in := app.BooksInput{Path: "gl.csv", Content: []byte(text + "2026-02-01,3,Fees,1,\n,,Wallet,,1\n")}
	o := reconcile.Options{Symbol: "GLMR", Accounts: []chain.Address{address(t, alith)}}
	month, err := app.PeriodInput{Month: "2026-01", Partial: true}.Parse()
	require.NoError(t, err)
	total, err := d.ComparePostings(t.Context(), &in, []string{"Fees"}, month, o)
	require.NoError(t, err)
	require.Equal(t, chain.Some(true), total.Reconciled)
	require.Equal(t, sum, total.Books.String())
	require.EqualValues(t, count, total.Transactions)
	require.Equal(t, []any{"gl.csv", []string{"Fees"}, 2}, []any{total.Postings.File, total.Postings.Accounts, total.Postings.Count})
	require.Equal(t, []string{"1 posting is dated outside the period, and not in the total."}, total.Notes)

	total, err = d.ComparePostings(t.Context(), &in, []string{"Fees"}, app.Heights(0, 27), o)
	require.NoError(t, err)
	require.NotEqual(t, chain.Some(true), total.Reconciled)
	require.Equal(t, "1000000000000000000", known(t, total.Difference))
	require.Equal(t, 3, total.Postings.Count)
	require.Empty(t, total.Notes)

	_, err = d.ComparePostings(t.Context(), &in, []string{"Cost"}, month, o)
	require.ErrorContains(t, err, "gl.csv: the account Cost is not in it")
	o.Accounts = nil
	_, err = d.ComparePostings(t.Context(), &in, []string{"Fees"}, month, o)
	require.ErrorContains(t, err, "Name them with")
}
