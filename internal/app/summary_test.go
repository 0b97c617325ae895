package app_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/reconcile"
)

// A journal is made by a chart, agrees with the report, and the chart's check counts each fee.
func TestSummaryByAChart(t *testing.T) {
	rules := write(t, "chart.csv", "# asset: 1500\n# rounding: 6859\n# suspense: 9999\nlayer,account\nevm,6810\n")
	in, err := app.ReadChart(rules, write(t, "tags.csv", "hash,tag\n25-4,x\n"))
	require.NoError(t, err)
	for _, paths := range [][2]string{{"", rules}, {"none", ""}, {rules, "none"}} {
		_, err := app.ReadChart(paths[0], paths[1])
		require.Error(t, err)
	}
	d := opened(t, copied(t))
	export := func(in app.ChartInput, by journal.By) *app.Export {
		q := app.Request{Period: app.Heights(3, 27), Accounts: []chain.Address{address(t, alith)}, Prices: atPrices(t, "2026-01-01,2\n")}
		return exported(t, d, app.ExportRequest{Request: q, ChartInput: in, With: app.WithFees, Style: journal.Request{By: by}})
	}
	for _, q := range []struct {
		in   app.ChartInput
		form string
		by   journal.By
	}{{app.ChartInput{}, "netsuite", journal.ByDay}, {in, "netsuite", "year"}, {in, "none", journal.ByDay}, {in, "hledger", journal.ByDay}, {in, "xero", journal.ByDay}} {
		_, err := export(q.in, q.by).Summarise(t.Context(), q.form)
		require.Error(t, err)
	}
	x := export(in, journal.ByDay)
	s, err := x.Summarise(t.Context(), "netsuite")
	require.NoError(t, err)
	require.Contains(t, s.Compared, "agrees: ")
	var manifest bytes.Buffer
	require.NoError(t, s.WriteManifest(&manifest, []string{"0"}))
	require.Contains(t, manifest.String(), `"netsuite"`)
	c, err := x.CheckChart(t.Context())
	require.NoError(t, err)
	require.False(t, c.Holds(), "native fees have no rule")
	rows := uint64(0)
	for fee, err := range c.Each(t.Context()) {
		require.NoError(t, err)
		require.NotEmpty(t, fee.ExpenseBy)
		rows++
	}
	require.Equal(t, c.Fees, rows)
	for _, err := range c.Sheet(t.Context()).Rows {
		require.NoError(t, err)
	}
}

// A record that only one form reads is read so, and its notes say it.
func TestRecordReadByItsForm(t *testing.T) {
	in := app.BooksInput{Path: "a.csv", Content: []byte("hash;fee (GLMR)\n0x" + strings.Repeat("ab", 32) + ";0,0021\n"), Reading: closing.Reading{}}
	f, err := in.Read(t.Context(), reconcile.Options{Symbol: "GLMR"})
	require.NoError(t, err)
	defer f.Close()
	require.Contains(t, strings.Join(f.Notes, " "), "--decimal")
}
