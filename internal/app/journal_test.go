package app_test

import (
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/source"
)

func exported(t *testing.T, d *app.Ledger, q app.ExportRequest) *app.Export {
	t.Helper()
	x, err := d.Export(t.Context(), q)
	require.NoError(t, err)
	return x
}

// posted is the sum of a journal's postings to accounts that begin so, in wei.
func posted(t *testing.T, x *app.Export, account string) string {
	t.Helper()
	j, err := x.Journal(t.Context())
	require.NoError(t, err)
	p, ok := app.Program("hledger")
	require.True(t, ok)
	var text strings.Builder
	require.NoError(t, x.Explain(j.Write(t.Context(), &text, p)))
	sum := new(big.Rat)
	for _, found := range regexp.MustCompile(`(?m)^ +`+account+`\S*  +(-?[0-9.]+) GLMR`).FindAllStringSubmatch(text.String(), -1) {
		n, ok := new(big.Rat).SetString(found[1])
		require.True(t, ok)
		sum.Add(sum, n)
	}
	sum.Mul(sum, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)))
	require.True(t, sum.IsInt())
	return sum.Num().String()
}

// A journal's expenses are what the account's balance lost; a list has a row for each.
func TestExportOfFees(t *testing.T) {
	d := opened(t, copied(t))
	sum, count := charges(t, of(alith))
	x := exported(t, d, app.ExportRequest{Request: app.Request{Period: app.Heights(1, 27), Accounts: []chain.Address{address(t, alith)}}, With: app.WithFees})
	require.Equal(t, sum, posted(t, x, "Expenses:"))
	require.Empty(t, x.Notes)
	require.Equal(t, "GLMR", x.Style().Symbol)
	require.Equal(t, "Fees of moonbeam, blocks 1..27, accounts: 1", x.Style().Title)
	var list strings.Builder
	fees, err := x.List(t.Context())
	require.NoError(t, err)
	require.NoError(t, table.WriteCSV(&list, fees))
	require.EqualValues(t, count+1, strings.Count(list.String(), "\n"), "with a header")
	for _, s := range allSent(t) {
		if of(alith)(s) {
			require.Contains(t, list.String(), s.Hash)
		}
	}
	_, ok := app.Program("none")
	require.False(t, ok)
}

// Notes mention an account that paid nothing, and an unknown fee.
func TestExportNotes(t *testing.T) {
	d := opened(t, changed(t, func(b *chain.Block) (err error) {
		if b.Number == 25 {
			b.Extrinsics[4].Payload = otherPayload()
		}
		return errors.Join(err, withoutWithdraws(25)(b))
	}))
	idle := address(t, accountOne)
	x := exported(t, d, app.ExportRequest{Request: app.Request{Period: parsed(t, app.PeriodInput{Month: "2026-01", Partial: true}), Accounts: []chain.Address{address(t, alith), idle}}})
	require.Equal(t, console.Token{}.PaidNothing([]chain.Address{idle}), x.Notes[len(x.Notes)-1])
	require.True(t, strings.HasPrefix(x.Notes[0], "Known part: "))
	// The other fees of block 25 follow from their rules.
	require.Contains(t, x.Style().Notes, "Undetermined: 1 fee is unknown and is excluded from all sums")
	require.NotContains(t, x.Notes, "Undetermined: 1 fee is unknown and is excluded from all sums", "the front counts them itself")
	require.True(t, slices.Contains(x.Style().Notes, x.Notes[0]))
	n, _ := x.Payments.Undetermined()
	require.EqualValues(t, 1, n)

	found, err := d.Findings(t.Context(), spanOf(0, 27))
	require.NoError(t, err)
	require.EqualValues(t, 1, found.Kinds[app.Undetermined])
}

// A journal of movements ends with the balance that the gateway reports, or there is none.
func TestExportOfMovements(t *testing.T) {
	d, src := opened(t, copied(t)), withBalances(t)
	q := app.ExportRequest{Request: app.Request{Period: app.Heights(1, 27), Accounts: []chain.Address{address(t, alith)}}, With: app.WithMovements, Balances: opens(src)}
	x := exported(t, d, q)
	require.Equal(t, "Movements of the native balance of moonbeam, blocks 1..27, accounts: 1", x.Style().Title)
	last := recordedBalances()[address(t, alith)][27]
	whole, err := last.Free.Add(last.Reserved)
	require.NoError(t, err)
	require.Equal(t, whole.String(), posted(t, x, "Assets:"))

	right := src.balance
	off := src
	off.balance = func(account chain.Address, height uint64) (chain.Balance, error) {
		b, err := right(account, height)
		if height == 27 && err == nil {
			b.Free, err = b.Free.Add(chain.NewWei(1))
		}
		return b, err
	}
	q.Balances = opens(off)
	_, err = exported(t, d, q).Journal(t.Context())
	var differs *journal.DifferenceError
	require.ErrorAs(t, err, &differs)
	require.Equal(t, failure.DoesNotHold, app.KindOf(err))
	require.Equal(t, "1", differs.Free.String())

	q.Balances = func() (source.Source, error) { return nil, errAway }
	_, err = exported(t, d, q).Journal(t.Context())
	require.ErrorIs(t, err, errAway)
	_, another := made(11, 40)
	q.Balances = opens(another.Source)
	_, err = exported(t, d, q).Journal(t.Context())
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))

	q.Period = parsed(t, app.PeriodInput{Month: "2031-01", Partial: true})
	_, err = d.Export(t.Context(), q)
	require.ErrorContains(t, err, "no blocks of 2031-01; the ledger contains blocks 0..27 (2026-")
	_, err = d.Export(t.Context(), app.ExportRequest{Request: app.Request{Period: app.Heights(1, 99)}})
	require.Equal(t, failure.NotCovered, app.KindOf(err))
}
