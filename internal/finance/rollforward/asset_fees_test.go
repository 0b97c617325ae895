package rollforward_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// Fees that were paid in assets are in each file, by period and scope, and in no sum. The amounts are those of blocks 37 to 39.
func TestFeesInAssets(t *testing.T) {
	book := ledgertest.Hub(t, filepath.Join(t.TempDir(), "fees.db"), "passet-1019002", chain.Heights{Last: 39})
	accounts := emptyBook()
	for _, text := range []string{"5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty", "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"} {
		a, err := chain.ParseAccount(text)
		require.NoError(t, err)
		require.NoError(t, accounts.Add(entryOf(a)))
	}
	periods := []rollforward.Period{{Name: "one", Span: chain.Heights{First: 30, Last: 37}}, {Name: "two", Span: chain.Heights{First: 38, Last: 39}}}
	r := made(t, book, rollforward.Request{Periods: periods, Accounts: accounts})
	y := rollforward.Style{Token: console.Token{Symbol: "PAS", Decimals: 10}}
	csv := func(s *table.Sheet) []string {
		var out bytes.Buffer
		require.NoError(t, table.WriteCSV(&out, s))
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	want := map[string]string{"one,": "387766", "two,": "865466", "one to two,": "1253232"}
	for name, lines := range map[string][]string{"lines": csv(y.Lines(r)), "summary": csv(y.Summary(r))} {
		require.True(t, strings.HasSuffix(lines[0], ",asset_fees"), name)
		found := 0
		for _, line := range lines[1:] {
			if !strings.Contains(line, "asset") {
				continue
			}
			found++
			require.True(t, strings.Contains(line, ",account,5FHneW46") || strings.Contains(line, ",all,"), line)
			period, _, _ := strings.Cut(line, ",")
			require.Contains(t, line, `"`+want[period+","]+` of the asset {`, name)
			if name == "lines" {
				require.Contains(t, line, ",closing,")
			}
		}
		require.Equal(t, 6, found, "the account and all, in each period and both")
	}
	var out bytes.Buffer
	require.NoError(t, y.WriteJSON(&out, r))
	require.Equal(t, 6, strings.Count(out.String(), `"asset_fees": [`))

	r = made(t, book, rollforward.Request{Periods: []rollforward.Period{{Name: "before", Span: chain.Heights{First: 30, Last: 36}}}, Accounts: accounts})
	require.NotContains(t, csv(y.Lines(r))[0], "asset")
	require.NotContains(t, csv(y.Summary(r))[0], "asset")
}
