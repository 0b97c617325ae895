package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
)

// The accounts of a chart have what reports with the rules' own conditions have.
func TestReportByAccountCode(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	d := opened(t, copied(t))
	fees := func(q app.Request, c report.Choice) *report.Report {
		q.Period = app.Heights(3, 27)
		r, err := d.Report(t.Context(), q, c)
		require.NoError(t, err)
		return r
	}
	payer, err := chain.ParseAddress(alith)
	require.NoError(t, err)
	native := fees(app.Request{}, report.Choice{By: report.Layer, Only: onlyOf(t, "layer=native")}).Totals.Fee
	own := fees(app.Request{Accounts: []chain.Address{payer}}, report.Choice{By: report.Layer, Only: onlyOf(t, "layer=evm")}).Totals.Fee
	all := fees(app.Request{}, report.Choice{By: report.Layer}).Totals
	others, err := all.Fee.Sub(native)
	require.NoError(t, err)
	others, err = others.Sub(own)
	require.NoError(t, err)
	require.False(t, own.IsZero() || native.IsZero() || others.IsZero())

	for suspense, setting := range map[string]string{"9999": "# suspense: 9999\n", report.NoAccountCode: ""} {
		rules := file("chart.csv", setting+"layer,payer,account\nnative,,6811\nevm,"+alith+",6810\n")
		choice := report.Choice{By: report.AccountCode}
		require.NoError(t, app.ReadMarks(&choice, rules, ""))
		r := fees(app.Request{}, choice)
		require.Equal(t, all, r.Totals)
		have := map[string]chain.Wei{}
		for _, g := range r.Groups {
			have[g.Name(console.Token{})] = g.Fee
		}
		require.Equal(t, map[string]chain.Wei{"6811": native, "6810": own, suspense: others}, have)
		require.Contains(t, r.Notes[0], "Suspense: ")
		require.Contains(t, r.Notes[0], console.Token{}.Tokens(others))
	}

	tags := file("tags.csv", "25-4,Project X\n")
	choice := report.Choice{By: report.Tag}
	require.NoError(t, app.ReadMarks(&choice, "", tags))
	r := fees(app.Request{}, choice)
	require.Equal(t, all, r.Totals)
	one, err := d.Report(t.Context(), app.Request{Period: app.Heights(25, 25)}, choice)
	require.NoError(t, err)
	found := false
	for _, g := range one.Groups {
		if g.Name(console.Token{}) == "Project X" {
			found = true
			require.Equal(t, uint64(1), g.EVM+g.Native)
		}
	}
	require.True(t, found)

	// The tag of one transaction by its two names must agree.
	hash := ""
	for x, err := range d.Book.Transactions(t.Context(), ledger.Query{Span: chain.Heights{First: 25, Last: 25}}) {
		require.NoError(t, err)
		if x.Index == 4 {
			hash = x.Hash.String()
		}
	}
	require.NoError(t, app.ReadMarks(&choice, "", file("two.csv", "25-4,A\n"+hash+",B\n")))
	_, err = d.Report(t.Context(), app.Request{Period: app.Heights(3, 27)}, choice)
	require.EqualError(t, err, `transaction 25-4 has the tag "A" on line 1, and "B" on line 2 of the tag file`)
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))

	rules := file("chart.csv", "account\n1\n")
	for _, c := range []struct {
		by          report.By
		chart, tags string
	}{{report.Tag, "", ""}, {report.Tag, rules, tags}, {report.AccountCode, "", ""}, {report.AccountCode, "", tags}, {report.Day, rules, ""}, {report.Day, "", tags}} {
		err := app.ReadMarks(&report.Choice{By: c.by}, c.chart, c.tags)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err), fmt.Sprint(c))
	}
	for _, by := range report.MarkedGroupings() {
		_, err := d.Report(t.Context(), app.Request{Period: app.Heights(3, 27)}, report.Choice{By: by})
		require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	}
}

func onlyOf(t testing.TB, condition string) report.Only {
	o, err := report.ParseOnly([]string{condition})
	require.NoError(t, err)
	return o
}
