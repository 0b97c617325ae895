package app_test

import (
	"math/big"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
)

// A file that is there and right is read; one that is too large, no CSV, or not there is an
// error of the field that names it. No file is nothing, and no error.
func TestReadFiles(t *testing.T) {
	reads := map[app.Field]func(path string) (there bool, err error){
		app.FieldNetworkFile: func(path string) (bool, error) {
			tables, err := app.ReadTables(path)
			_, there := tables.Named("mine")
			return there, err
		},
		app.FieldNames: func(path string) (bool, error) { names, err := app.ReadNames(path); return names != nil, err },
		app.FieldPrices: func(path string) (bool, error) {
			in := app.PricesInput{}
			if path != "" {
				in = app.PricesInput{Files: []string{path}, Fiat: "EUR"}
			}
			p, err := app.ReadPrices(in)
			return p != nil, err
		},
		app.FieldLabels: func(path string) (bool, error) { book, err := app.ReadAddressBook(path); return book != nil, err },
	}
	right := map[app.Field]string{
		app.FieldNetworkFile: `{"networks": [{"name": "mine", "symbol": "ME", "last_runtime": 1, "rows": [{"from_runtime": 1, "static_base_fee": "1", "source": "me"}]}]}`,
		app.FieldNames:       "address,account\n" + accountOne + ",Assets:One\n",
		app.FieldPrices:      "# source: X\ndate,price\n2026-01-01,0.25\n",
		app.FieldLabels:      "address,label\n" + accountOne + ",One\n",
	}
	large := write(t, "large", strings.Repeat("# nothing"+strings.Repeat(" ", 1000)+"\n", 67_000)) // 67 MB
	wrong := write(t, "wrong", "\"a quote that never ends\n")
	for field, read := range reads {
		t.Run(string(field), func(t *testing.T) {
			there, err := read("")
			require.NoError(t, err)
			require.False(t, there)
			there, err = read(write(t, "right", right[field]))
			require.NoError(t, err)
			require.True(t, there)
			for _, path := range []string{large, wrong, filepath.Join(t.TempDir(), "nowhere"), t.TempDir()} {
				_, err := read(path)
				require.Equal(t, failure.NotUnderstood, app.KindOf(err), "%s: %v", path, err)
				require.Equal(t, []app.Field{field}, fieldsOf(t, err))
				require.Regexp(t, "^"+string(field)+":? "+regexp.QuoteMeta(path)+"(: | does not exist$| is a directory$)", err.Error())
			}
		})
	}
}

// Errors of a ledger in a database show neither user nor password.
func TestShownLedger(t *testing.T) {
	require.Equal(t, "fees.db", app.ShownLedger("fees.db"))
	require.Equal(t, "postgres://db.example:5432/fees", app.ShownLedger("postgres://me:sesame@db.example:5432/fees?sslmode=disable"))
	require.Equal(t, "the database", app.ShownLedger("postgres://me:ses%ame@db.example/fees"))
}

// A ledger's status has the sums of what was sent, and a backup is the same ledger.
func TestStatusAndBackup(t *testing.T) {
	d := opened(t, copied(t))
	s, err := d.Status(t.Context())
	require.NoError(t, err)
	sum, _ := charges(t, func(sent) bool { return true })
	require.Equal(t, sum, known(t, s.Charged))
	parts := new(big.Int)
	for _, text := range []string{known(t, s.Burned), known(t, s.Treasury), known(t, s.Author)} {
		n, ok := new(big.Int).SetString(text, 10)
		require.True(t, ok)
		parts.Add(parts, n)
	}
	require.Equal(t, sum, parts.String())
	require.False(t, s.Jobs.Known())
	token, err := d.Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "GLMR", token.Symbol)

	backup := file(t)
	require.NoError(t, d.Backup(t.Context(), backup, app.Progress{}))
	require.Equal(t, sealOf(t, d.Place), sealOf(t, backup))
	err = d.Backup(t.Context(), backup, app.Progress{})
	require.Error(t, err, "over a file that is there")
	require.Contains(t, err.Error(), "ledger "+d.Place+": ")
}

// Of a fee that is not known, no sum is known.
func TestStatusWithoutASum(t *testing.T) {
	place := file(t)
	o := otherwise{Source: demo(t).Source, block: withoutWithdraws(25)}
	reader := demo(t)
	reader.Source = o
	_, err := app.Sync(t.Context(), place, blocks(t, "23..26"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	s := statusOf(t, place)
	for _, sum := range []bool{s.Charged.Known(), s.Burned.Known(), s.Treasury.Known(), s.Author.Known()} {
		require.False(t, sum)
	}
}

// A ledger of a network that no table knows has no symbol, and gives no report.
func TestANetworkThatNoTableKnows(t *testing.T) {
	tables, err := app.ReadTables(write(t, "mine.json", `{"networks": [{"name": "mine", "spec_name": "moonbeam", "symbol": "ME", "last_runtime": 4500,
		"first_withdraw_event": 1201, "first_fee_event": 1801, "rows": [{"from_runtime": 900, "static_base_fee": "100000000000", "source": "me"}]}]}`))
	require.NoError(t, err)
	reader := demo(t)
	reader.Tables, reader.Network = tables, "mine"
	place := file(t)
	_, err = app.Sync(t.Context(), place, blocks(t, "1..3"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	d := opened(t, place)
	token, err := d.Token(t.Context())
	require.NoError(t, err)
	require.Empty(t, token)
	_, err = d.Report(t.Context(), app.Request{Period: app.Heights(1, 3)}, report.Choice{})
	require.ErrorContains(t, err, "the ledger's network mine is not in any table: ")
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	_, err = d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(1, 3)}})
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	_, err = d.Export(t.Context(), app.ExportRequest{Request: app.Request{Period: app.Heights(1, 3)}})
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	d.Tables = tables
	token, err = d.Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "ME", token.Symbol)
}
