package web_test

import (
	"crypto/sha256"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/web"
)

// Detected values are shown next to the settings; suggested settings keep those set before, and are not called
// certain unless they were tried.
func TestProposedSettings(t *testing.T) {
	d, dir, book := monthEnd(t)
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels = book })
	content, err := os.ReadFile(filepath.Join(dir, "company.csv"))
	require.NoError(t, err)
	path := sent(t, s, "-company.csv", content, url.Values{"period": {"1..24"}, "partial": {"1"}, "zone": {"Europe/Berlin"}, "accounts": {"group:company"}})
	page := html.UnescapeString(get(t, s, path, nil).text)
	require.Contains(t, page, "fees reconcile ./-company.csv 1..24 --timezone Europe/Berlin --accounts group:company --partial")
	require.Contains(t, page, `name="partial" type="checkbox" value="1" checked`)
	require.Contains(t, page, "read as utf-8")

	// A workbook has its sheets to choose from.
	workbook := get(t, s, strings.Replace(path, "?", "/result.xlsx?", 1), nil).text
	book2 := sent(t, s, "result.xlsx", []byte(workbook), nil)
	for query, chosen := range map[string]string{"": "summary", "?sheet=details": "details"} {
		page = get(t, s, book2+query, nil).text
		require.Contains(t, page, "<small>shown: "+chosen+"</small>", page)
		for _, name := range []string{"summary", "details", "basis"} {
			require.Contains(t, page, `<option value="`+name+`"`)
		}
	}
	require.Contains(t, page+get(t, s, book2+"?sheet=details", nil).text, `<option value="details" selected>`)
	require.Contains(t, get(t, s, book2+"?sheet=nothing", nil).text, `the workbook has no sheet &#34;nothing&#34; (“Sheet (xlsx)”)`)

	hash := strings.Split(strings.Split(string(content), "\n")[1], ",")[1]
	ways := func(name, content, query string) string {
		t.Helper()
		a := get(t, s, sent(t, s, name, []byte(content), nil)+query, nil)
		require.Equal(t, http.StatusUnprocessableEntity, a.status, a.text)
		_, rest, found := strings.Cut(a.text, `<ul class="ways">`)
		require.True(t, found, a.text)
		list, _, _ := strings.Cut(rest, "</ul>")
		return html.UnescapeString(list)
	}
	require.Contains(t, ways("a.csv", "Beleg;Text\n"+hash+";abc\n", ""), `map.hash=Beleg">Try it with "Beleg" as the hash.`)
	require.Contains(t, ways("a.csv", "hash,fee_wei,date\n"+hash+",1,01/02/2026\n", ""), `date_format=mm%2Fdd%2Fyyyy">Read it with Date format "mm/dd/yyyy": "01/02/2026" is 2026-01-02.`)
	require.Contains(t, ways("a.csv", "hash,fee_wei,date\n"+hash+",1,Q1\n", ""), `map.date=+">Read it with no date.`)
	require.Contains(t, ways("a.csv", "hash,Fee,Fee\n"+hash+",1,2\n", "?unit=wei"), `map.fee=%233&unit=wei">Read it with "#3" as the fee: the fee is column 3, "Fee".`)
	require.Contains(t, get(t, s, sent(t, s, "a.csv", []byte("hash,Fee,Fee\n"+hash+",1,2\n"), nil)+"?unit=wei&map.fee=%233", nil).text, `<option value="#3" selected>column 3`)
	require.Contains(t, ways("a.csv", "hash,fee_wei\n"+hash+",1\nby hand,\nalso,\n", "?skip_rows=3&all=0"), `skip_rows=3%2C4">Read it with without row 4.`)
	require.Contains(t, ways("a.csv", "hash,fee\n"+hash+",\"0,5\"\n", ""), `Unit of the fees "token"`)

	// The name of a file is short and printable, whatever came.
	for name, want := range map[string]string{strings.Repeat("é", 200) + ".csv": strings.Repeat("é", 60), "..": "company", "a/b\\c.csv": "c.csv", " ": "company"} {
		page := get(t, s, sent(t, s, name, []byte("hash,fee_wei\n"), nil), nil).text
		require.Contains(t, page, "<h1>Reconciliation of "+want+"</h1>")
	}
}

// Unknown values of a package's manifest are not shown as zero; its signatures and timestamp are checked too.
func TestPackagesInPart(t *testing.T) {
	d, dir, book := monthEnd(t)
	shelf := filepath.Join(dir, "closed")
	at := filepath.Join(shelf, "january")
	account := book.Entries()[1].Address.String()
	closeMonth(t, d, book, at, account)
	made := closeMonth(t, d, nil, at, account)
	var working sync.WaitGroup
	s := served(t, d, func(o *web.Options) {
		o.Ledgers[0].Packages, o.Ledgers[0].Open, o.Working = shelf, again(d), &working
	})
	for _, row := range tableOf(t, get(t, s, "/packages/january", nil).text, "Values and files that differ from version 1") {
		if row[0] == "inputs/labels.csv" {
			require.Equal(t, "none", row[2], "it is not there any more")
		}
	}
	for name, want := range map[string]string{closing.SignatureFile: "a signature is not valid", closing.StampFile: "the timestamp is not valid"} {
		require.NoError(t, os.WriteFile(filepath.Join(at, name), []byte("x"), 0o600))
		require.Equal(t, http.StatusSeeOther, post(t, s, "/packages/january/check", "", strings.NewReader(""), nil).status)
		working.Wait()
		page := get(t, s, "/packages/january", nil).text
		require.Contains(t, page, want)
		require.Contains(t, page, `<dd class="bad">differs from the ledger 20`)
		require.NoError(t, os.Remove(filepath.Join(at, name)))
	}

	unknown := *made.Manifest
	unknown.Version, unknown.Previous, unknown.Period.Timezone, unknown.Totals.Charged = 1, "", "Europe/Berlin", chain.Optional[chain.Wei]{}
	text, err := unknown.Encode()
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(shelf, "unknown"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(shelf, "unknown", closing.ManifestFile), text, 0o600))
	list := get(t, s, "/packages", nil).text
	require.Regexp(t, `<td class="bad figure[^"]*">not known</td>`, bare(list))
	require.Contains(t, list, "zone=Europe%2FBerlin")
	require.Equal(t, http.StatusNotFound, get(t, s, "/api/v1/packages/nothing", nil).status)
}

// Very many versions are not all listed.
func TestManyVersions(t *testing.T) {
	d, dir, book := monthEnd(t)
	at := filepath.Join(dir, "closed", "january")
	made := closeMonth(t, d, book, at, "Operations")
	m := *made.Manifest
	for v := range 24 { // each as it would be without its files
		text, err := m.Encode()
		require.NoError(t, err)
		place := at
		if v < 23 {
			place = filepath.Join(at, "versions", fmt.Sprint(v+1))
			require.NoError(t, os.MkdirAll(place, 0o700))
		}
		require.NoError(t, os.WriteFile(filepath.Join(place, closing.ManifestFile), text, 0o600))
		m.Version, m.Previous = v+2, sumOf(text)
	}
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Packages = filepath.Dir(at) })
	page := get(t, s, "/packages/january", nil).text
	require.Contains(t, page, "version 24")
	require.Len(t, tableOf(t, page, "Versions"), 21)
	require.Contains(t, page, "Older versions are in the package directory.")
}

func sumOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
