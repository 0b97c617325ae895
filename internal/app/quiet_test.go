package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// A day within the ledger in which the chain made no block is known to be empty: its figures are 0, and a comparison states
// the other side's.
func TestADayWithoutBlocks(t *testing.T) {
	made := chaingen.New(chaingen.Options{Seed: 11, Head: 12, Begin: time.Date(2025, 1, 10, 0, 0, 0, 0, time.UTC), Every: 72 * time.Hour})
	place := file(t)
	_, err := app.Sync(t.Context(), place, blocks(t, "0..12"), app.FillOptions{Reader: &source.Reader{Source: made.Source(), Tables: network.BuiltIn()}})
	require.NoError(t, err)
	d := opened(t, place)
	all, err := d.Report(t.Context(), app.Request{Period: app.Heights(2, 2)}, report.Choice{By: report.Account})
	require.NoError(t, err)
	require.Positive(t, all.Totals.Fee.Big().Sign())
	payer, known := all.Groups[0].Account.Get()
	require.True(t, known)

	in := app.PeriodInput{From: "2025-01-14", To: "2025-01-15"} // block 2 is of 13 January, block 3 of 16 January
	quiet := parsed(t, in)
	list, err := d.Transactions(t.Context(), app.TransactionsRequest{Period: quiet})
	require.NoError(t, err)
	require.Empty(t, list.List)
	require.Empty(t, list.Notes())
	require.NoError(t, d.CountWithoutPayer(t.Context(), list, []chain.Address{payer}))
	require.Zero(t, list.WithoutPayer)
	calls, err := d.CallingsOf(t.Context(), quiet, []chain.Address{payer})
	require.NoError(t, err)
	require.Empty(t, calls)
	f, err := d.FiguresOf(t.Context(), []chain.Address{payer}, quiet)
	require.NoError(t, err)
	require.Equal(t, chain.Some(chain.Wei{}), f.Fees[payer].Fee)
	require.True(t, f.Last[payer].Known(), "it paid on other days")
	r, err := d.Report(t.Context(), app.Request{Period: quiet}, report.Choice{By: report.Day})
	require.NoError(t, err)
	require.Zero(t, r.Totals.Fee.Big().Sign())
	require.Empty(t, r.Part)
	require.Contains(t, r.Notes, "the ledger contains no blocks of this period")
	for _, accounts := range [][]chain.Address{nil, {payer}} {
		v, err := d.Variance(t.Context(), app.VarianceRequest{Request: app.Request{Period: quiet, Accounts: accounts}, Against: app.PeriodInput{From: "2025-01-12", To: "2025-01-13"}})
		require.NoError(t, err)
		want := all.Totals.Fee
		if accounts != nil {
			want = all.Groups[0].Fee
		}
		require.Zero(t, v.Now.Fee.Big().Sign())
		require.Equal(t, want, v.Before.Fee)
	}
}

// Nothing of a period is in a ledger without a sealed block, and no figure is stated.
func TestALedgerWithoutBlocks(t *testing.T) {
	w, err := app.OpenWriter(t.Context(), file(t), network.BuiltIn())
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.Book.Begin(t.Context(), ledger.Identity{Network: "moonbeam"}, 5))
	for _, text := range []string{"2025-01", "3..9"} {
		in := app.PeriodInput{Partial: true}
		in.Set(text)
		r, err := w.Report(t.Context(), app.Request{Period: parsed(t, in)}, report.Choice{By: report.Day})
		require.NoError(t, err, text)
		require.Equal(t, "nothing of it is in the ledger", r.Part)
		require.Empty(t, r.Groups)
		_, err = w.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: parsed(t, in), Accounts: []chain.Address{address(t, alith)}}})
		require.ErrorAs(t, err, new(*app.NotHeldError))
	}
	_, err = w.FiguresOf(t.Context(), []chain.Address{address(t, alith)}, parsed(t, app.PeriodInput{Month: "2025-01", Partial: true}))
	require.ErrorIs(t, err, ledger.ErrNone)
}
