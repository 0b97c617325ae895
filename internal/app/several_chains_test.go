package app_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/money"
)

// Two chains with the same token cannot share a file.
func TestTokensOfSeveralChains(t *testing.T) {
	part := func(network, symbol string) app.Part {
		return app.Part{Network: network, Token: console.Token{Symbol: symbol}}
	}
	require.NoError(t, app.CheckTokens([]app.Part{part("one", "GLMR"), part("two", "MOVR")}))
	require.EqualError(t, app.CheckTokens([]app.Part{part("one", "DEV"), part("two", "MOVR"), part("three", "DEV")}),
		"one and three have the same token DEV, and one file would mix them up. Export each ledger to its own file")
}

// A fee that no rule determines makes the total over chains unknown, and the result does not hold.
func TestUndeterminedFeeOfSeveralChains(t *testing.T) {
	prices, err := money.Read([]byte("# source: X\ndate,price\n2026-01-01,2\n"), "EUR")
	require.NoError(t, err)
	for undetermined, want := range map[uint64]string{0: `(?m)^total +0\.00 +0\.00$`, 1: `(?m)^total +not known +not known$`} {
		var parts []app.Part
		var made []*app.Fees
		for i, network := range []string{"one", "two"} {
			r := &report.Report{Request: report.Request{Network: network, Prices: prices, Choice: report.Choice{By: report.Layer}}}
			none := chain.Some(money.NothingIn("EUR"))
			r.Totals.FeeWorth, r.Totals.ChargedWorth = none, none
			if i == 1 {
				r.Totals.Undetermined = undetermined
			}
			parts = append(parts, app.Part{Network: network, Request: app.Request{Prices: prices}})
			made = append(made, &app.Fees{Result: r, Report: r})
		}
		j := app.JoinFees(parts, made, nil)
		require.Equal(t, undetermined == 0, j.Holds())
		var text bytes.Buffer
		require.NoError(t, j.Write(&text, "table", 80))
		require.Regexp(t, want, text.String())
		require.Equal(t, undetermined > 0, strings.Contains(text.String(), "note: the total is not known: 1 fee of two is undetermined"))
	}
}
