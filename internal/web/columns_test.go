package web_test

import (
	"encoding/csv"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// aLinkedID matches the transaction IDs of a list.
var aLinkedID = regexp.MustCompile(`<a href="tx/([0-9]+-[0-9]+)(?:\?[^"]*)?">`)

// The file of the transactions has each one of the ledger, and a sorted page has the order of its fees, whatever page it is.
func TestTransactionsSortedAndSaved(t *testing.T) {
	d, _, _ := madeUp(t, 260)
	s := served(t, d, nil)
	rows, err := csv.NewReader(strings.NewReader(get(t, s, "/transactions.csv", nil).text)).ReadAll()
	require.NoError(t, err)
	id, fee := slices.Index(rows[0], "id"), slices.Index(rows[0], "fee")
	rows = rows[1:]
	i := 0
	for x, err := range d.Book.Transactions(t.Context(), everything) {
		require.NoError(t, err)
		require.Equal(t, x.Place().String(), rows[i][id])
		i++
	}
	require.Len(t, rows, i)
	require.Greater(t, i, 300, "it needs several pages")

	slices.SortStableFunc(rows, func(a, b []string) int {
		x, _ := new(big.Int).SetString(a[fee], 10)
		y, _ := new(big.Int).SetString(b[fee], 10)
		return y.Cmp(x)
	})
	for _, after := range []int{0, 200} {
		var want []string
		for _, row := range rows[after:][:100] {
			want = append(want, row[id])
		}
		var got []string
		for _, found := range aLinkedID.FindAllStringSubmatch(get(t, s, fmt.Sprintf("/transactions?sort=-fee&after=%d", after), nil).text, -1) {
			got = append(got, found[1])
		}
		require.Equal(t, want, got, after)
	}
	for _, form := range []string{"xlsx", "parquet", "jsonl"} {
		require.Equal(t, http.StatusOK, get(t, s, "/transactions."+form+"?period=3..27", nil).status, form)
	}
	for _, wrong := range []string{"/transactions?sort=nothing", "/transactions?sort=fee&after=25-7", "/transactions.csv?sort=fee", "/transactions?columns=x"} {
		require.Equal(t, http.StatusBadRequest, get(t, s, wrong, nil).status, wrong)
	}
	require.Equal(t, http.StatusNotFound, get(t, s, "/accounts.csv", nil).status, "there is no address book")
}

// The columns chosen are in the address, and stay with the order and the page.
func TestColumns(t *testing.T) {
	d, _, _ := madeUp(t, 260)
	s := served(t, d, nil)
	page := get(t, s, "/fees?by=block&columns=fee&columns=burned&sort=-fee", nil).text
	heads := regexp.MustCompile(`<th [^>]*><a href="([^"]*)">([^<]*)</a>`).FindAllStringSubmatch(page, -1)
	var names []string
	for _, h := range heads {
		names = append(names, h[2])
		require.Contains(t, h[1], "columns=fee%2Cburned")
	}
	token, err := d.Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"block", "fee, " + token.Symbol, "burned, " + token.Symbol}, names)
	require.Contains(t, page, `<a href="fees?after=100&amp;by=block&amp;columns=fee%2Cburned&amp;sort=-fee">Next</a>`)
	require.Contains(t, page, `value="burned" checked`)
	require.NotContains(t, page, `value="treasury" checked`)
	require.Contains(t, get(t, s, "/fees?columns=", nil).text, "charged", "none are the usual ones")
	require.Equal(t, http.StatusBadRequest, get(t, s, "/fees?columns=fee,colour", nil).status)
}
