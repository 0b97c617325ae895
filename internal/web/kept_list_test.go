package web_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/web"
)

// A page of a cached list equals that of a server that has cached nothing: with any rows, sorted or not, and the sum of all rows.
// So does one of a list of which only some rows are cached.
func TestKeptLists(t *testing.T) {
	d, _, _ := madeUp(t, 260)
	defer web.SetKeptRows(web.SetKeptRows(1000))
	payers, err := csv.NewReader(strings.NewReader(get(t, served(t, d, nil), "/fees.csv?by=account", nil).text)).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(payers), 300)
	late := "address,label,group\n" + payers[200][0] + ",Late,Ours\n" // not among the first
	for _, labels := range []string{"address,label\n", late} {
		labelled := func(o *web.Options) { o.Ledgers[0].Labels = book(t, labels) }
		whole := map[string]string{}
		for _, first := range []int{1_000_000, 150} {
			web.SetKeptRows(first)
			warm := served(t, d, labelled)
			for _, list := range []string{"/fees?by=block", "/fees?by=account", "/fees?by=account&columns=all", "/fees?by=contract", "/fees?by=type", "/fees?by=label", "/fees?by=group"} {
				for _, query := range []string{"after=0", "after=100", "sort=-fee&after=100", "after=200", "after=259", "after=260", "after=100000", "after=0&sort=fee", "after=0&sort=-fee", "after=7"} {
					path := list + "&" + query
					cached, first := get(t, warm, path, nil), get(t, served(t, d, labelled), path, nil)
					require.Equal(t, first.status, cached.status, path)
					require.Equal(t, mainOf(first.text), mainOf(cached.text), path)
					if whole[path] == "" {
						whole[path] = mainOf(first.text)
					}
					require.Equal(t, whole[path], mainOf(first.text), path)
				}
			}
		}
		require.Equal(t, labels == late, strings.Contains(whole["/fees?by=account&after=0"], "sort=label"))
	}
}

// mainOf returns a page's main part.
func mainOf(page string) string {
	_, rest, _ := strings.Cut(page, "<main")
	text, _, _ := strings.Cut(rest, "</main>")
	return text
}

// A list of transactions that begins after the ledger's last block is empty.
func TestListAfterTheLastBlock(t *testing.T) {
	d, _, _ := madeUp(t, 260)
	s := served(t, d, nil)
	for _, path := range []string{"/transactions", "/account/" + alith} {
		for _, after := range []string{"259-0", "260-0", "400-0", "9999999-0", "4294967295-0"} {
			require.Equal(t, http.StatusOK, get(t, s, path+"?after="+after, nil).status, path+" after "+after)
		}
	}
}
