package web_test

import (
	"fmt"
	"html"
	"math/big"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/web"
)

var (
	aFall  = regexp.MustCompile(`(?s)<li class="(total|rise|drop|unknown)">.*?</li>`)
	aBar   = regexp.MustCompile(`<rect x="([0-9.]+)%" y="2" width="([0-9.]+)%"`)
	aDatum = regexp.MustCompile(`<data value="(-?[0-9]+)">`)
)

// falls returns the amounts of a waterfall's rows, and where their bars begin and end.
func falls(t *testing.T, page string) (classes []string, amounts []*big.Int, ends [][2]float64) {
	for _, row := range aFall.FindAllStringSubmatch(page, -1) {
		amount, ok := new(big.Int).SetString(aDatum.FindStringSubmatch(row[0])[1], 10)
		require.True(t, ok)
		bar := aBar.FindStringSubmatch(row[0])
		x, err := strconv.ParseFloat(bar[1], 64)
		require.NoError(t, err)
		w, err := strconv.ParseFloat(bar[2], 64)
		require.NoError(t, err)
		classes, amounts, ends = append(classes, row[1]), append(amounts, amount), append(ends, [2]float64{x, x + w})
	}
	return classes, amounts, ends
}

// The steps on the page lead from the fees before to those now, in figures and in bars: each bar begins where the one above
// it ends.
func TestWaterfall(t *testing.T) {
	s := served(t, filled(t, "0..27"), nil)
	for _, query := range []string{"period=15..27&against=3..14", "period=14..27", "period=3..14&against=15..27", "period=20..27&accounts=" + alith} {
		page := html.UnescapeString(pageAt(t, s.URL+"/variance?"+query))
		classes, amounts, ends := falls(t, page)
		require.Greater(t, len(classes), 2, query)
		sum, last := new(big.Int).Set(amounts[0]), len(classes)-1
		at := ends[0][1]
		for i := 1; i < last; i++ {
			sum.Add(sum, amounts[i])
			from, to := ends[i][0], ends[i][1]
			require.Equal(t, classes[i] == "rise", amounts[i].Sign() > 0)
			if classes[i] == "drop" {
				from, to = to, from
			}
			require.InDelta(t, at, from, 0.01, "%s, row %d", query, i)
			at = to
		}
		require.Zero(t, sum.Cmp(amounts[last]), query)
		require.InDelta(t, at, ends[last][1], 0.01)
		require.Equal(t, []string{"total", "total"}, []string{classes[0], classes[last]})
	}
}

// A step opens its calls, and a call its transactions: those of the period, or of the other one if it has none.
func TestVarianceLinks(t *testing.T) {
	s := served(t, filled(t, "0..27"), nil)
	page := html.UnescapeString(pageAt(t, s.URL+"/variance?against=3..14&period=15..27"))
	steps := regexp.MustCompile(`<span class="name"><a href="(variance\?[^"]*step=[^"]*)">`).FindAllStringSubmatch(page, -1)
	require.Greater(t, len(steps), 3)
	opened := map[string]bool{}
	for _, step := range steps {
		of := html.UnescapeString(pageAt(t, s.URL+"/"+step[1]))
		calls := regexp.MustCompile(`(?s)<tr role="row"><td[^>]*><a href="(transactions\?[^"]*)">.*?</tr>`).FindAllStringSubmatch(of, -1)
		require.NotEmpty(t, calls, step[1])
		for _, call := range calls {
			counts := regexp.MustCompile(`data-head="transactions(| in [^"]*)">([0-9]+)<`).FindAllStringSubmatch(call[0], -1)
			require.Len(t, counts, 2)
			want := counts[0][2]
			to, err := url.Parse(call[1])
			require.NoError(t, err)
			require.Equal(t, map[bool]string{true: "3..14", false: "15..27"}[want == "0"], to.Query().Get("period"), call[0])
			if want == "0" {
				want = counts[1][2]
			}
			if !opened[call[1]] {
				rows := rowsAt(t, s.URL+"/"+strings.Replace(call[1], "transactions?", "transactions.csv?", 1))
				require.Equal(t, want, fmt.Sprint(len(rows)-1), call[1])
				opened[call[1]] = true
			}
		}
	}
	require.Greater(t, len(opened), 20)
}

// The page, the files and the API take the same parameters, and refuse what they do not understand.
func TestVarianceParameters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prices.csv")
	writeFile(t, path, "# source: a test\ndate,EUR\n2026-01-01,0.25\n")
	prices, err := app.ReadPrices(app.PricesInput{Files: []string{path}})
	require.NoError(t, err)
	s := served(t, filled(t, "0..27"), func(o *web.Options) { o.Ledgers[0].Prices, o.Ledgers[0].PricesFile = prices, path })
	page := pageAt(t, s.URL+"/variance?period=15..27&against=3..14&price=EUR&accounts="+alith)
	require.Contains(t, page, "In EUR they were ")
	require.Contains(t, html.UnescapeString(page), "fees variance 15..27 --accounts "+alith+" --against 3..14 --prices ")
	require.Contains(t, get(t, s, "/variance.json?period=15..27&against=3..14&price=EUR", nil).text, `"currency": "EUR"`)
	require.Equal(t, get(t, s, "/variance.json?period=15..27", nil).text, get(t, s, "/api/v1/variance?period=15..27", nil).text)
	require.Contains(t, get(t, s, "/variance.csv?period=15..27", nil).text, "new_calls,")
	require.Contains(t, pageAt(t, s.URL+"/fees?period=15..27"), `<a href="variance?period=15..27">Why fees changed</a>`)
	require.NotContains(t, pageAt(t, s.URL+"/fees"), "Why fees changed")
	none := pageAt(t, s.URL+"/variance?period=15..27&against=3..14&step=base_fee&accounts="+alith)
	require.Contains(t, none, "No call changed in this step.")
	for query, status := range map[string]int{
		"": http.StatusBadRequest, "?period=3..9": http.StatusBadRequest, "?period=15..27&against=before": http.StatusBadRequest, "?period=15..27&step=calls": http.StatusBadRequest,
		"?period=15..27&by=call": http.StatusBadRequest, "?period=15..27&after=x": http.StatusBadRequest, "?period=15..27&against=2025-12": http.StatusConflict, "?period=2026-01": http.StatusSeeOther,
		"?period=2026-01&against=3..9&partial=1": http.StatusBadRequest, "?period=2026-01&against=2026-01&partial=1": http.StatusOK, "?period=15..27&step=gas&after=5000": http.StatusOK,
	} {
		require.Equal(t, status, get(t, s, "/variance"+query, nil).status, query)
	}
}
