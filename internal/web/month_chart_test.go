package web_test

import (
	"html"
	"math/big"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An account's page draws what it paid in each month: the sums of its transactions in a file. Each month links to its fees
// by day.
func TestMonthChart(t *testing.T) {
	s := view(t, "ours")
	account := s.account.String()
	rows := rowsAt(t, s.url+"/transactions.csv?accounts="+account)
	at, of := slices.Index(rows[0], "time"), slices.Index(rows[0], "fee")
	want := map[string]*big.Int{}
	for _, row := range rows[1:] {
		fee, ok := new(big.Int).SetString(row[of], 10)
		require.True(t, ok)
		month := row[at][:7]
		if want[month] == nil {
			want[month] = new(big.Int)
		}
		want[month].Add(want[month], fee)
	}
	require.Greater(t, len(want), 1)
	page := html.UnescapeString(pageAt(t, s.url+"/account/"+account))
	drawn := regexp.MustCompile(`<a href="([^"]*)" aria-label="[^"]*"><g><title>([A-Z][a-z]+ 2025): ([0-9.]+) GLMR</title>`).FindAllStringSubmatch(page, -1)
	require.Len(t, drawn, len(want))
	for _, bar := range drawn {
		month, err := time.Parse("Jan 2006", bar[2])
		require.NoError(t, err)
		bar[2] = month.Format("2006-01")
		require.Equal(t, tokensOf(want[bar[2]].String()), bar[3], bar[2])
		require.Contains(t, pageAt(t, s.url+"/"+bar[1]), `<data value="`+want[bar[2]].String()+`">`, "it leads to the month's fees")
	}
}
