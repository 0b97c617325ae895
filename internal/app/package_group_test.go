package app_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/money"
)

// A group follows from its packages: of one period, with values in one currency, each in the directory of its network. What a
// killed process left is no part of it.
func TestGroupOfPackages(t *testing.T) {
	d := opened(t, copied(t))
	dir := t.TempDir()
	q := question(t)
	q.With, q.Proved, q.Balances, q.Dir = app.WithFees, false, nil, filepath.Join(dir, "moonbeam")
	m := packed(t, d, q)
	g, err := app.MakeGroup(dir, []string{"moonbeam"})
	require.NoError(t, err)
	require.True(t, g.Changed)
	link := g.Chains[0]
	require.Equal(t, m.Sum, link.Manifest)
	require.Equal(t, m.Manifest.Totals.Charged, link.Charged)
	require.Equal(t, chain.Optional[string]{}, g.Total.Charged, "there are no prices")
	require.NotEmpty(t, link.Reconciliation.Headline)
	again, err := app.MakeGroup(dir, []string{"moonbeam"})
	require.NoError(t, err)
	require.False(t, again.Changed)
	require.Equal(t, g.Sum, again.Sum)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "group.json.12.tmp"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "moonbeam.closing"), 0o700))
	_, wrong, err := app.CheckGroup(dir, g.Group)
	require.NoError(t, err)
	require.Empty(t, wrong)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other.tmp"), nil, 0o600))
	_, wrong, err = app.CheckGroup(dir, g.Group)
	require.NoError(t, err)
	require.Equal(t, []string{"other.tmp is not in the group"}, wrong)
	_, _, err = app.CheckGroup(filepath.Join(dir, "none"), g.Group)
	require.ErrorIs(t, err, fs.ErrNotExist)

	_, err = app.MakeGroup(dir, []string{"moonbeam", "none"})
	require.ErrorIs(t, err, fs.ErrNotExist)
	other := filepath.Join(dir, "other")
	require.NoError(t, os.CopyFS(other, os.DirFS(q.Dir)))
	_, err = app.MakeGroup(dir, []string{"moonbeam", "other"})
	require.ErrorIs(t, err, closing.ErrOtherPeriod)
	require.ErrorContains(t, err, "is of moonbeam")
	for name, c := range map[string]struct {
		change func(*app.PackageRequest)
		says   string
	}{
		"zone":   {func(q *app.PackageRequest) { q.Timezone = "Europe/Berlin" }, "is of 2026-01 in Europe/Berlin, the group of 2026-01 in UTC"},
		"priced": {func(q *app.PackageRequest) { q.Prices = pricesInput(t) }, "has values in EUR, and another chain has them in no currency. Close all chains with prices in one currency"},
	} {
		one := q
		one.Dir = filepath.Join(dir, name)
		c.change(&one)
		packed(t, d, one)
		_, err = app.MakeGroup(dir, []string{"moonbeam", name})
		require.ErrorContains(t, err, c.says)
	}

	// Of a package that states no figures, nothing follows.
	for _, file := range []string{"reconciliation.json", "manifest.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(q.Dir, file), []byte("x"), 0o600))
		_, err = app.MakeGroup(dir, []string{"moonbeam"})
		require.Equal(t, failure.Damaged, app.KindOf(err), file)
		_, wrong, err = app.CheckGroup(dir, g.Group)
		require.NoError(t, err)
		require.Contains(t, wrong[len(wrong)-1], file)
	}
}

// The values of a group are those of the report and of the cover. A sum has the rounded values.
func TestValuesOfAGroup(t *testing.T) {
	d := opened(t, copied(t))
	dir := t.TempDir()
	q := question(t)
	q.Prices, q.Dir, q.Partial = pricesInput(t), filepath.Join(dir, "moonbeam"), true
	m := packed(t, d, q)
	g, err := app.MakeGroup(dir, []string{"moonbeam"})
	require.NoError(t, err)
	values := map[string]chain.Optional[string]{}
	for _, f := range m.Manifest.Figures {
		values[f.Name] = f.Value
	}
	v := g.Chains[0].Values
	require.Equal(t, []chain.Optional[string]{values["opening"], values["valuation_difference"], values["closing"]}, []chain.Optional[string]{v.Opening, v.ValuationDifference, v.Closing})
	require.True(t, v.Charged.Known())
	require.False(t, g.Total.Charged.Known(), "the ledger has part of the month")
	require.Contains(t, g.Notes, "fees charged: the total is not known: that of moonbeam is of part of the period")

	require.NoError(t, os.WriteFile(filepath.Join(q.Dir, "report.json"), []byte(`{"totals": {"undetermined": 1, "charged_eur": "1.00"}}`), 0o600))
	g, err = app.MakeGroup(dir, []string{"moonbeam"})
	require.NoError(t, err)
	require.False(t, g.Chains[0].Values.Charged.Known(), "a fee is undetermined")
	for _, text := range []string{"", `{"totals": {"undetermined": 0, "charged_eur": 1}}`} {
		require.NoError(t, os.WriteFile(filepath.Join(q.Dir, "report.json"), []byte(text), 0o600))
		_, err = app.MakeGroup(dir, []string{"moonbeam"})
		require.Equal(t, failure.Damaged, app.KindOf(err), text)
	}
}

// Files of the same name and content are told apart by their pairs.
func TestPricesOfSeveralChains(t *testing.T) {
	const text = "2026-01-01,1\n"
	var paths []string
	for _, name := range []string{"a", "b"} {
		dir := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.Mkdir(dir, 0o755))
		paths = append(paths, filepath.Join(dir, "prices.csv"))
		require.NoError(t, os.WriteFile(paths[len(paths)-1], []byte(text), 0o600))
	}
	in := app.PricesInput{Files: []string{"GLMR/EUR=" + paths[0], "MOVR/EUR=" + paths[1]}}
	sum := sha256.Sum256([]byte(text))
	files, err := in.Of(&money.List{Files: []*money.Origin{{File: "prices.csv", Pair: "MOVR/EUR", SHA256: hex.EncodeToString(sum[:])}}})
	require.NoError(t, err)
	require.Equal(t, in.Files[1:], files)
}

// A request that is not understood divides nothing.
func TestDivideGroupRefusals(t *testing.T) {
	d := opened(t, copied(t))
	for _, change := range []func(*app.PackageRequest){
		func(q *app.PackageRequest) { q.Month = "x" },
		func(q *app.PackageRequest) { q.Accounts = []string{"0x1"} },
		func(q *app.PackageRequest) { q.Prices.Fiat = "EUR" },
	} {
		q := question(t)
		change(&q)
		_, _, _, err := app.DivideGroup(t.Context(), []*app.Ledger{d}, q)
		require.True(t, errors.As(err, new(*app.InputError)), err)
	}
	require.ErrorContains(t, app.PrepareGroup(write(t, "file", ""), nil), "not a directory")
}

func pricesInput(t *testing.T) app.PricesInput {
	return app.PricesInput{Files: []string{write(t, "prices.csv", "# source: X\ndate,price\n2025-12-31,100\n2026-01-01,100\n2026-01-31,100\n")}, Fiat: "EUR"}
}
