package web_test

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A statement draws the free balance at the end of each day: the last one of its rows, carried over days without any.
// Without balances there is no chart.
func TestBalanceChart(t *testing.T) {
	s := view(t, "ours")
	path := "/account/" + s.account.String() + "/statement"
	for _, zone := range []string{"", "&zone=Pacific/Kiritimati"} {
		rows, err := csv.NewReader(strings.NewReader(pageAt(t, s.url+path+".csv?period=2025-02"+zone))).ReadAll()
		require.NoError(t, err)
		at, of := slices.Index(rows[0], "time"), slices.Index(rows[0], "free_balance")
		page := pageAt(t, s.url+path+"?period=2025-02"+zone)
		require.Contains(t, page, "<figcaption>Free balance at the end of each day, GLMR</figcaption>")
		drawn := regexp.MustCompile(`<title>(2025-[0-9-]+): ([0-9.]+) GLMR</title>`).FindAllStringSubmatch(page, -1)
		require.Greater(t, len(drawn), 20)
		ends := map[string]string{}
		for _, row := range rows[1:] {
			day := row[at][:10]
			if zone != "" { // 14 hours ahead
				day = laterBy14Hours(t, row[at])
			}
			ends[day] = tokensOf(row[of])
		}
		last := ""
		for _, bar := range drawn {
			if end, moved := ends[bar[1]]; moved {
				last = end
			}
			require.Equal(t, last, bar[2], bar[1])
		}
		require.Equal(t, ends[drawn[len(drawn)-1][1]], last)
	}
	require.NotContains(t, pageAt(t, s.url+path+"?period=2025-02&balances=none"), "Free balance at the end")
	require.NotContains(t, pageAt(t, s.url+path+"?period=2025-02&part=fees"), "Free balance at the end")
}

// laterBy14Hours returns the day of a time in a zone that is 14 hours ahead.
func laterBy14Hours(t *testing.T, text string) string {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at.UTC().Add(14 * time.Hour).Format(time.DateOnly)
}

// tokensOf writes wei in tokens: the digits before the last 18, a point, the others.
func tokensOf(wei string) string {
	digits := strings.Repeat("0", max(0, 19-len(wei))) + wei
	return digits[:len(digits)-18] + "." + digits[len(digits)-18:]
}
