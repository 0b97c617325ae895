package app_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
)

// payersOfTheDemo are all accounts that paid in the demo.
func payersOfTheDemo(t testing.TB, d *app.Ledger, p app.Period) (list []chain.Address) {
	r, err := d.Report(t.Context(), app.Request{Period: p}, report.Choice{By: report.Account})
	require.NoError(t, err)
	for _, g := range r.Groups {
		if a, known := g.Account.Get(); known {
			list = append(list, a)
		}
	}
	require.Greater(t, len(list), 2)
	return list
}

// rowsOf returns the lines of a table's CSV by the names of its columns.
func rowsOf(t testing.TB, s *table.Sheet) (rows []map[string]string) {
	var text bytes.Buffer
	require.NoError(t, table.WriteCSV(&text, s))
	lines, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// The sample is what the rule selects from the exported list, worked out here from the list's IDs; it is the same
// each time, a larger one begins with a smaller one, and the population is the list and the report.
func TestSampleByTheRule(t *testing.T) {
	d := opened(t, copied(t))
	p := app.Heights(3, 27)
	accounts := payersOfTheDemo(t, d, p)
	x, err := d.Export(t.Context(), app.ExportRequest{Request: app.Request{Period: p, Accounts: accounts}, With: app.WithFees})
	require.NoError(t, err)
	list, err := x.List(t.Context())
	require.NoError(t, err)
	fees, charged := map[string]string{}, map[string]string{}
	total := new(big.Int)
	for _, row := range rowsOf(t, list) {
		id := row["block"] + "-" + row["index"]
		fees[id], charged[id] = row["fee"], row["charged"]
		if fee, ok := new(big.Int).SetString(row["fee"], 10); ok {
			total.Add(total, fee)
		}
	}
	r, err := d.Report(t.Context(), app.Request{Period: p, Accounts: accounts}, report.Choice{By: report.Layer})
	require.NoError(t, err)

	for _, seed := range []string{"audit 2026", "a:b", "=1+1", "ü"} {
		var order []string
		for id := range fees {
			order = append(order, fmt.Sprintf("%x %s", sha256.Sum256([]byte(seed+":"+id)), id))
		}
		slices.Sort(order)
		for _, size := range []int{1, 5, len(order) - 1, len(order), len(order) + 1, app.MaxSample} {
			s, err := d.Sample(t.Context(), app.SampleRequest{Request: app.Request{Period: p, Accounts: accounts}, Size: size, Seed: seed})
			require.NoError(t, err)
			require.Equal(t, uint64(len(fees)), s.Population.Count())
			require.Equal(t, total.String(), s.Population.Fee().String())
			require.Equal(t, r.Totals.Fee, s.Population.Fee())
			rows := rowsOf(t, s.Sheet(t.Context()))
			require.Len(t, rows, min(size, len(order)))
			sum := new(big.Int)
			for i, row := range rows {
				key, id, _ := strings.Cut(order[i], " ")
				require.Equal(t, []string{strconv.Itoa(i + 1), id, key, fees[id], charged[id]}, []string{row["number"], row["id"], row["key_sha256"], row["fee"], row["charged"]})
				if row["layer"] == "evm" { // by hand
					product := new(big.Int).Mul(integer(t, row["gas"]), integer(t, row["gas_price"]))
					require.Equal(t, row["fee"], product.String())
					require.Equal(t, row["fee"], row["gas_times_price"])
				} else {
					require.Empty(t, row["gas_times_price"])
				}
				sum.Add(sum, integer(t, row["fee"]))
			}
			require.Equal(t, sum.String(), s.Chosen.Fee().String())
		}
	}
	for _, q := range []app.SampleRequest{{Size: 0, Seed: "a"}, {Size: app.MaxSample + 1, Seed: "a"}, {Size: 1}, {Size: 1, Seed: "a\n"}, {Size: 1, Seed: strings.Repeat("a", 201)}} {
		q.Period, q.Accounts = p, accounts
		_, err := d.Sample(t.Context(), q)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	}
}

func integer(t testing.TB, text string) *big.Int {
	n, ok := new(big.Int).SetString(text, 10)
	require.True(t, ok, text)
	return n
}

// The statement's totals are the report's and the list's, and the hash of the accounts can be computed from them.
func TestAboutAnExport(t *testing.T) {
	d := opened(t, copied(t))
	p := app.Heights(3, 27)
	accounts := payersOfTheDemo(t, d, p)
	q, choice := app.Request{Period: p, Accounts: accounts}, report.Choice{By: report.Account}
	f, err := d.Fees(t.Context(), q, choice, chain.Optional[app.PeriodInput]{})
	require.NoError(t, err)
	asked := app.AboutRequest{Program: "a test", Command: "fees report"}
	a, err := d.About(t.Context(), f, &q, asked)
	require.NoError(t, err)
	have := map[string]string{}
	for _, p := range a.Pairs() {
		have[p.Name] = p.Text
	}
	var lines []string
	for _, account := range accounts {
		lines = append(lines, strings.ToLower(account.String())+"\n")
	}
	slices.Sort(lines)
	require.Equal(t, fmt.Sprintf("%x (lower case, sorted, one per line)", sha256.Sum256([]byte(strings.Join(lines, "")))), have["SHA-256 of the accounts"])
	require.Equal(t, fmt.Sprint(len(f.Report.Groups)), have["rows"])
	require.Equal(t, fmt.Sprint(f.Report.Totals.EVM+f.Report.Totals.Native), have["transactions"])
	require.Contains(t, have["control total: fee"], f.Report.Totals.Fee.String()+" wei (")
	require.Equal(t, "25, 3..27", have["blocks wanted"])
	require.Equal(t, "25", have["blocks present"])
	require.Equal(t, "yes", have["complete"])
	for _, end := range []struct {
		name   string
		height uint64
	}{{"first block", 3}, {"last block", 27}} {
		b, err := d.Book.Predecessor(t.Context(), end.height)
		require.NoError(t, err)
		found, _ := b.Get()
		at, _ := found.Time.Get()
		require.Equal(t, fmt.Sprintf("%d, %v, %v", end.height, found.Hash, at), have[end.name])
	}

	x, err := d.Export(t.Context(), app.ExportRequest{Request: q, With: app.WithFees})
	require.NoError(t, err)
	list, err := x.List(t.Context())
	require.NoError(t, err)
	rows := rowsOf(t, list)
	again, err := x.About(t.Context(), "csv", asked)
	require.NoError(t, err)
	for _, p := range again.Pairs() {
		switch p.Name {
		case "rows", "transactions":
			require.Equal(t, fmt.Sprint(len(rows)), p.Text)
		case "control total: fee", "seal of the blocks", "SHA-256 of the accounts":
			require.Equal(t, have[p.Name], p.Text)
		}
	}

	// What is missing is said, and a question about all blocks names them in the command.
	partial := app.Heights(20, 40)
	partial.Partial = true
	q.Period = partial
	f, err = d.Fees(t.Context(), q, choice, chain.Optional[app.PeriodInput]{})
	require.NoError(t, err)
	a, err = d.About(t.Context(), f, &q, asked)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, a.Write(&text))
	require.Contains(t, text.String(), "no, missing ")
	q.Period = app.Period{All: true, Zone: p.Zone}
	f, err = d.Fees(t.Context(), q, choice, chain.Optional[app.PeriodInput]{})
	require.NoError(t, err)
	a, err = d.About(t.Context(), f, &q, asked)
	require.NoError(t, err)
	require.Regexp(t, `^fees report [0-9]+\.\.27$`, a.Command)
}
