package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/reconcile"
)

// Verdicts are colored under the names used where they are defined.
func TestVerdictsHaveColours(t *testing.T) {
	t.Parallel()
	const green, yellow, red, none = "\x1b[32m", "\x1b[33m", "\x1b[31m", ""
	for word, colour := range map[string]string{
		string(evidence.Match): green, string(evidence.Drift): red, string(evidence.NoEvidence): yellow, string(evidence.CashOnly): none,
		string(app.RowProved): green, string(app.RowContradicted): red, string(app.RowUnchecked): yellow, string(app.RowUnseen): none,
		string(reconcile.Matched): green, string(reconcile.WithinRounding): green, string(reconcile.WithinTolerance): green,
		string(reconcile.AmountDiffers): red, string(reconcile.PayerDiffers): red, string(reconcile.PaidByAnother): red, string(reconcile.OutsidePeriod): red,
		string(reconcile.Undetermined): yellow, string(reconcile.Duplicate): red, string(reconcile.Ambiguous): yellow,
		string(reconcile.OnlyInBooks): red, string(reconcile.OnlyOnChain): red,
	} {
		var out strings.Builder
		have := console.NewPage(console.Coloured(&out), 60).Verdict(word)
		if colour == none {
			require.Equal(t, word, have)
		} else {
			require.Equal(t, colour+word+"\x1b[0m", have)
		}
		require.Equal(t, word, console.NewPage(&out, 60).Verdict(word))
	}
}
