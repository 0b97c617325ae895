package journal_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// byLayer is a chart with an account for each layer.
type byLayer struct{ evm, native, asset string }

func (c byLayer) Place(_ context.Context, p *journal.Payment) (at journal.Placed, err error) {
	at = journal.Placed{Expense: c.native, Asset: c.asset, Tags: [][2]string{{"cost_centre", "100: \"A\"\n; x"}}}
	if p.Layer == fee.EVM {
		at.Expense = c.evm
	}
	if at.Expense == "" {
		err = errors.New("no account")
	}
	return at, err
}

func (c byLayer) PlaceMovement(_ context.Context, m *ledger.Movement) (string, error) {
	if m.Kind == movement.KindTransferIn || m.Kind == movement.KindTransferOut {
		return "Equity:Elsewhere", nil
	}
	return "", nil
}

func (byLayer) Tags() []string { return []string{"cost_centre"} }

// The programs accept a chart's accounts, and add them up to what the chain charged by layer.
func TestChartAddsUp(t *testing.T) {
	s := style()
	s.Chart = byLayer{"Expenses:Gas-and-Co:EVM", "Expenses:Gas-and-Co:Native", "Assets:Pool"}
	forAll(t, func(t *testing.T, recording string, p accounting) {
		text := written(t, feesOf(t, recording, s), p.Program)
		passes(t, p, text)
		require.Contains(t, text, "cost_centre: ")
		have, want := sums(t, p, text), charges(t, recording)
		for account, layer := range map[string]string{"EVM": "Expenses:Fees:EVM", "Native": "Expenses:Fees:Native"} {
			found := false
			for name, sum := range have {
				if len(name) > len(account) && name[len(name)-len(account):] == account {
					require.Equal(t, want[layer].String(), sum.String(), name)
					found = true
				}
			}
			require.True(t, found, account)
		}
	})
}

// A journal of movements keeps its assertions when a chart chooses the accounts: transfers are
// in the chart's account, and fees in its expenses.
func TestChartKeepsAssertions(t *testing.T) {
	s := style()
	s.Chart = byLayer{evm: "Expenses:Gas:EVM", native: "Expenses:Gas:Native"}
	forAll(t, func(t *testing.T, recording string, p accounting) {
		text := written(t, movementsOf(t, recording, 0, lastBlocks[recording], s), p.Program)
		passes(t, p, text)
		have, want := sums(t, p, text), charges(t, recording)
		require.Equal(t, want["Expenses:Fees:EVM"].String(), have["Expenses:Gas:EVM"].String())
		require.Equal(t, want["Expenses:Fees:Native"].String(), have["Expenses:Gas:Native"].String())
		require.Contains(t, text, "Equity:Elsewhere  ")
		require.NotContains(t, text, "Equity:Transfers")
	})
}

// A chart's accounts and tags are in the entries; those that a program does not accept are errors.
func TestChart(t *testing.T) {
	b := &made{payments: []*ledger.Transaction{paid(t, 1, "100", "100")}}
	text := written(t, feesIn(t, b, journal.Style{Token: console.Token{Symbol: "GLMR"}, Chart: byLayer{evm: "6810", asset: "1510"}}), journal.HLedger)
	require.Contains(t, text, "    ; cost_centre: 100 A x\n    6810  0.000000000000000100 GLMR\n    1510  -0.000000000000000100 GLMR\n")
	text = written(t, feesIn(t, b, journal.Style{Token: console.Token{Symbol: "GLMR"}, Chart: byLayer{evm: "Expenses:Gas"}}), journal.Beancount)
	require.Contains(t, text, `  cost_centre: "100 A x"`)
	require.Contains(t, text, "  Expenses:Gas  0.000000000000000100 GLMR\n  Assets:0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac  -0.0")

	j := feesIn(t, b, journal.Style{Token: console.Token{Symbol: "GLMR"}, Chart: byLayer{evm: "6810", asset: "1510"}})
	require.EqualError(t, j.Write(nil, journal.Beancount), `beancount: the account "1510" does not lie below one of Assets, Liabilities, Equity, Income, Expenses; rename it in the chart, such as Expenses:1510`)
	for _, c := range []byLayer{{}, {evm: "Expenses::Gas"}, {evm: "Expenses", asset: ":"}} {
		_, err := journal.FeeJournal(context.Background(), found(t, b), journal.Style{Token: console.Token{Symbol: "GLMR"}, Chart: c})
		require.Error(t, err)
	}
}
