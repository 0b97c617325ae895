package web_test

import (
	"fmt"
	"html"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	idLink   = regexp.MustCompile(`<a href="tx/([0-9]+-[0-9]+)(?:\?[^"]*)?">`)
	moreText = regexp.MustCompile(`<p class="more">([^<]*)`)
)

// linkTo returns the address of a page's link with a text; "" for none.
func linkTo(page, text string) string {
	found := regexp.MustCompile(`<a href="([^"]*)">` + regexp.QuoteMeta(text) + `</a>`).FindStringSubmatch(page)
	if found == nil {
		return ""
	}
	return "/" + html.UnescapeString(found[1])
}

func idsOf(page string) (ids []string) {
	for _, found := range idLink.FindAllStringSubmatch(page, -1) {
		ids = append(ids, found[1])
	}
	return ids
}

// Next leads through all pages of a list of transactions, and Previous the same way back, with filters, accounts and
// neither. A page says which rows it shows if that is quickly known, and the fees of all.
func TestPagesOfTransactions(t *testing.T) {
	s := view(t, "ours")
	for _, query := range []string{"?period=2025-01", "?period=2025-01&status=reverted", "?period=2025-02&accounts=group:ours", "?fee_from=0.01", "?period=2025-01&layer=native&limit=37"} {
		want := columnAt(t, s.url+"/transactions.csv"+strings.Replace(query, "&limit=37", "", 1), "id")
		sum := sumAt(t, s.url+"/transactions.csv"+strings.Replace(query, "&limit=37", "", 1), "fee")
		rows := 100
		if strings.Contains(query, "limit") {
			rows = 37
		}
		var pages [][]string
		path := "/transactions" + query
		for path != "" {
			page := pageAt(t, s.url+path)
			ids := idsOf(page)
			first := len(pages) * rows
			require.Equal(t, want[first:min(first+rows, len(want))], ids, path)
			text := ""
			if found := moreText.FindStringSubmatch(page); found != nil {
				text = found[1]
			}
			if strings.Contains(query, "accounts") && len(want) > rows && rows == 100 {
				require.Equal(t, fmt.Sprintf("%d–%d of %d, %s GLMR.", first+1, first+len(ids), len(want), cutTokens(sum)), text, path)
			}
			if query == "?period=2025-01" {
				require.Contains(t, text, fmt.Sprintf(" of %s", grouped(len(want))))
				require.Contains(t, text, cutTokens(sum)+" GLMR.")
			}
			if len(pages) > 0 {
				back := pageAt(t, s.url+linkTo(page, "Previous"))
				require.Equal(t, pages[len(pages)-1], idsOf(back), path)
			} else {
				require.Empty(t, linkTo(page, "Previous"), path)
			}
			pages = append(pages, ids)
			path = linkTo(page, "Next")
		}
		require.Equal(t, len(want), len(slices.Concat(pages...)), query)
		require.NotEmpty(t, want, query)
	}
}

// cutTokens returns an amount in GLMR with six decimals, the others cut.
func cutTokens(wei *big.Int) string {
	whole, rest := new(big.Int).QuoRem(wei, big.NewInt(1e18), new(big.Int))
	decimals := fmt.Sprintf("%018s", rest)
	text := whole.String() + "." + decimals[:6]
	if strings.Trim(decimals[6:], "0") != "" {
		text += "…"
	}
	return text
}

func grouped(n int) string {
	text := fmt.Sprint(n)
	if len(text) > 3 {
		text = text[:len(text)-3] + "," + text[len(text)-3:]
	}
	return text
}

// The largest fees are sorted however many transactions match, and filters by fee select the same on pages, in files and in
// reports.
func TestSortedAndFilteredByFee(t *testing.T) {
	s := view(t, "ours")
	ids := columnAt(t, s.url+"/transactions.csv", "id")
	fees := columnAt(t, s.url+"/transactions.csv", "fee")
	type row struct {
		id  string
		fee *big.Int
	}
	rows := make([]row, len(ids))
	for i := range ids {
		rows[i] = row{ids[i], new(big.Int)}
		_, ok := rows[i].fee.SetString(fees[i], 10)
		require.True(t, ok)
	}
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b row) int { return b.fee.Cmp(a.fee) })
	for _, after := range []int{0, 100, 700} {
		page := pageAt(t, fmt.Sprintf("%s/transactions?sort=-fee&after=%d", s.url, after))
		var want []string
		for _, r := range sorted[after : after+100] {
			want = append(want, r.id)
		}
		require.Equal(t, want, idsOf(page), after)
		require.Contains(t, page, fmt.Sprintf("%d–%d of %s, ", after+1, after+100, grouped(len(ids))))
		require.Equal(t, after > 0, linkTo(page, "Previous") != "")
	}
	low, high := sorted[200].fee, sorted[100].fee
	token := func(n *big.Int) string { return new(big.Rat).SetFrac(n, big.NewInt(1e18)).FloatString(18) }
	query := "?" + url.Values{"fee_from": {token(low)}, "fee_to": {token(high)}}.Encode()
	var want []string
	sum := new(big.Int)
	for _, r := range rows {
		if r.fee.Cmp(low) >= 0 && r.fee.Cmp(high) <= 0 {
			want = append(want, r.id)
			sum.Add(sum, r.fee)
		}
	}
	require.GreaterOrEqual(t, len(want), 101)
	require.Equal(t, want, columnAt(t, s.url+"/transactions.csv"+query, "id"))
	require.Equal(t, want[:100], idsOf(pageAt(t, s.url+"/transactions"+query)))
	for _, by := range []string{"day", "month", "account", "layer", "block"} {
		require.Equal(t, sum, sumAt(t, s.url+"/fees.csv"+query+"&by="+by, "fee"), by)
	}
	for query, want := range map[string]string{"fee_from=x": "is not an amount", "sort=-fee&after=10000": "a sorted list shows its first 10,000 rows"} {
		answer, err := http.Get(s.url + "/transactions?" + query)
		require.NoError(t, err)
		answer.Body.Close()
		require.Equal(t, http.StatusBadRequest, answer.StatusCode)
		require.Contains(t, pageAt(t, s.url+"/transactions?"+query), want)
	}
}

// Lists show to whom a native transfer went, as the transaction's page does.
func TestRecipientsInLists(t *testing.T) {
	s := served(t, filled(t, "0..27"), nil)
	aRow := regexp.MustCompile(`<tr role="row"><td role="rowheader"><a href="tx/([0-9-]+)[^"]*">.*?data-head="payer"[^>]*>.*?</td>(?:<td role="cell"[^>]*data-head="to"[^>]*><a href="account/(0x[0-9a-fA-F]{40}))?`)
	known := 0
	for _, path := range []string{"/transactions?period=3..27&layer=native", "/transactions?period=3..27", "/account/" + alith, "/block/4"} {
		page := get(t, s, path, nil)
		require.Equal(t, http.StatusOK, page.status, path)
		rows := aRow.FindAllStringSubmatch(page.text, -1)
		require.NotEmpty(t, rows, path)
		for _, row := range rows {
			want := regexp.MustCompile(`<dt>to</dt><dd[^>]*><a href="account/(0x[0-9a-fA-F]{40})`).FindStringSubmatch(get(t, s, "/tx/"+row[1], nil).text)
			one := parsed(t, get(t, s, "/api/v1/transactions/"+row[1], nil).text)
			if call, _ := one["call"].(string); one["layer"] == "native" && !strings.Contains(strings.ToLower(call), "transfer") {
				continue
			}
			if want == nil {
				require.Empty(t, row[2], "%s: %s", path, row[1])
				continue
			}
			require.Equal(t, want[1], row[2], "%s: %s", path, row[1])
			if one["layer"] == "native" {
				known++
			}
		}
	}
	require.Greater(t, known, 5)
}
