package web_test

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
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
		rows := rowsAt(t, s.url+path+".csv?period=2025-02"+zone)
		at, of := slices.Index(rows[0], "time"), slices.Index(rows[0], "free_balance")
		page := pageAt(t, s.url+path+"?period=2025-02"+zone)
		requireProportional(t, page)
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

// captions matches the chart's caption; the scale starts at 0 where it does not say.
var captions = regexp.MustCompile(`<figcaption>Free balance at the end of each day, GLMR(?:; the scale starts at ([0-9.]+M?))?</figcaption>`)

// requireProportional requires the height of each bar to be that of its balance between the lowest and the highest tick.
func requireProportional(t *testing.T, page string) (from string) {
	t.Helper()
	caption := captions.FindStringSubmatch(page)
	require.NotNil(t, caption)
	page = page[strings.Index(page, caption[0]):]
	ticks := map[string]float64{} // by vertical position
	for _, tick := range regexp.MustCompile(`<text x="50" y="([0-9]+)" [^>]*>([0-9.]+M?)</text>`).FindAllStringSubmatch(page, -1) {
		ticks[tick[1]] = asNumber(t, tick[2])
	}
	bottom, top := ticks["200"], ticks["0"]
	require.Equal(t, asNumber(t, cmp.Or(caption[1], "0")), bottom)
	require.Greater(t, top, bottom)
	bars := regexp.MustCompile(`<title>2025-[0-9-]+: ([0-9.]+) GLMR</title><rect class="evm" x="[^"]*" y="([0-9]+)" width="[^"]*" height="([0-9]+)">`).FindAllStringSubmatch(page, -1)
	require.NotEmpty(t, bars)
	for _, bar := range bars {
		height := asNumber(t, bar[3])
		require.InDelta(t, (asNumber(t, bar[1])-bottom)/(top-bottom)*200, height, 1, bar[1])
		require.Equal(t, 200-height, asNumber(t, bar[2]))
		require.Positive(t, height, bar[1])
	}
	return caption[1]
}

func asNumber(t *testing.T, text string) float64 {
	t.Helper()
	digits, millions := strings.CutSuffix(text, "M")
	number, err := strconv.ParseFloat(digits, 64)
	require.NoError(t, err)
	if millions {
		number *= 1e6
	}
	return number
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

// Balances that differ little are drawn from a value below them, which the chart names; others from 0. The heights are
