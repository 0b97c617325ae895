package journal_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
)

// charted is a style with a chart of accounts.
func charted(t testing.TB, rows journal.Rows, text string) journal.Request {
	r := style()
	r.Chart, r.Rows = readChart(t, text), rows
	return r
}

// The programs accept a chart's accounts, and add them up to what the chain charged by layer.
func TestChartAddsUp(t *testing.T) {
	s := charted(t, nil, "# asset: Assets:Pool\nlayer,account,cost_centre\nevm,Expenses:Gas-and-Co:EVM,100\nnative,Expenses:Gas-and-Co:Native,200\n")
	forAll(t, func(t *testing.T, recording string, p accounting) {
		text := written(t, feesOf(t, recording, s), p.Format)
		passes(t, p, text)
		require.Contains(t, text, "cost_centre: ")
		have, want := sums(t, p, text), charges(t, recording)
		for _, layer := range []string{"EVM", "Native"} {
			require.Equal(t, want["Expenses:Fees:"+layer], have["Expenses:Gas-and-Co:"+layer])
		}
	})
}

// A journal of movements keeps its assertions when a chart chooses the accounts: transfers are
// in the chart's account, and fees in its expenses.
func TestChartKeepsAssertions(t *testing.T) {
	forAll(t, func(t *testing.T, recording string, p accounting) {
		s := charted(t, bookOf(t, recording), "kind,layer,account\n,evm,Expenses:Gas:EVM\n,native,Expenses:Gas:Native\ntransfer|evm-value,,Equity:Elsewhere\n")
		text := written(t, movementsOf(t, recording, 0, lastBlocks[recording], s), p.Format)
		passes(t, p, text)
		have, want := sums(t, p, text), charges(t, recording)
		for _, layer := range []string{"EVM", "Native"} {
			require.Equal(t, want["Expenses:Fees:"+layer], have["Expenses:Gas:"+layer])
		}
		require.Contains(t, text, "Equity:Elsewhere  ")
		require.NotContains(t, text, "Equity:Transfers")
	})
}

// A chart's accounts and tags are in the entries; those that a program does not accept are errors.
func TestChart(t *testing.T) {
	b := &made{payments: []*ledger.Transaction{paid(t, 1, "100", "100")}}
	numbers := charted(t, nil, "account,asset,cost_centre\n6810,1510,\"100: \"\"A\"\" ; x\"\n")
	text := written(t, feesIn(t, b, numbers), journal.HLedger)
	require.Contains(t, text, "    ; cost_centre: 100 A x\n    6810  0.000000000000000100 GLMR\n    1510  -0.000000000000000100 GLMR\n")
	text = written(t, feesIn(t, b, charted(t, nil, "account,cost_centre\nExpenses:Gas,\"100: \"\"A\"\" ; x\"\n")), journal.Beancount)
	require.Contains(t, text, `  cost_centre: "100 A x"`)
	require.Contains(t, text, "  Expenses:Gas  0.000000000000000100 GLMR\n  Assets:0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac  -0.0")

	require.EqualError(t, feesIn(t, b, numbers).Write(t.Context(), nil, journal.Beancount), `beancount: the account "1510" is not below one of Assets, Liabilities, Equity, Income, Expenses; rename it in the chart, such as Expenses:1510`)
	for _, rows := range []string{"layer,account\nnative,1\n", "account\nExpenses::Gas\n", "account,asset\nExpenses,:\n"} {
		_, err := journal.FeeJournal(context.Background(), found(t, b), charted(t, nil, rows))
		require.Error(t, err)
	}
}
