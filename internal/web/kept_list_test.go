package web_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/tier"
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
	for labels, some := range map[string]int{"address,label\n": 1, late: 3} {
		lists := tier.Some(some, []string{"/fees?by=account", "/fees?by=contract", "/fees?by=block", "/fees?by=account&columns=all", "/fees?by=type", "/fees?by=label", "/fees?by=group"})
		labelled := func(o *web.Options) { o.Ledgers[0].Labels = book(t, labels) }
		want := map[string]got{}
		for _, kept := range []int{1_000_000, 150} {
			web.SetKeptRows(kept)
			warm := served(t, d, labelled)
			for _, list := range lists {
				for _, query := range []string{"after=0", "after=100", "sort=-fee&after=100", "after=200", "after=259", "after=260", "after=100000", "after=0&sort=fee", "after=0&sort=-fee", "after=7"} {
					path := list + "&" + query
					if _, known := want[path]; !known {
						want[path] = get(t, served(t, d, labelled), path, nil)
					}
					cached := get(t, warm, path, nil)
					require.Equal(t, want[path].status, cached.status, path)
					require.Equal(t, mainOf(want[path].text), mainOf(cached.text), path)
				}
			}
		}
		require.Equal(t, labels == late, strings.Contains(want["/fees?by=account&after=0"].text, "sort=label"))
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
