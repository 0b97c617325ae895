package web_test

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

const alith = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"

// filled returns a ledger with ranges of the demo's blocks.
func filled(t testing.TB, ranges ...string) *app.Ledger {
	t.Helper()
	place := filepath.Join(t.TempDir(), "fees.db")
	prepared.copy(t, place, strings.Join(ranges, " "), func(place string) {
		for _, blocks := range ranges {
			fill(t, place, blocks)
		}
	})
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// prepared caches ledgers as file contents.
var prepared = ledgers{files: map[string]string{}}

type ledgers struct {
	sync.Mutex
	files map[string]string
}

// copy writes a ledger to a path. It is filled only once.
func (l *ledgers) copy(t testing.TB, place, name string, fill func(place string)) {
	t.Helper()
	l.Lock()
	defer l.Unlock()
	if file, ok := l.files[name]; ok {
		writeFile(t, place, file)
		return
	}
	fill(place)
	file, err := os.ReadFile(place)
	require.NoError(t, err)
	l.files[name] = string(file)
}

// fill syncs blocks of the demo into a ledger.
func fill(t testing.TB, place, blocks string) {
	t.Helper()
	wanted, err := app.PeriodInput{Blocks: blocks}.ParseWanted()
	require.NoError(t, err)
	_, err = app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: demoBlocks(t)})
	require.NoError(t, err)
}

// demoBlocks provides the demo's blocks and balances.
func demoBlocks(t testing.TB) *source.Reader {
	t.Helper()
	src, err := source.Open(demo.Name, source.Options{})
	require.NoError(t, err)
	return &source.Reader{Source: src, Tables: network.BuiltIn()}
}

// book is an address book.
func book(t testing.TB, text string) *app.AddressBook {
	t.Helper()
	path := filepath.Join(t.TempDir(), "accounts.csv")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	b, err := app.ReadAddressBook(path)
	require.NoError(t, err)
	return b
}

// served returns a server of a ledger.
func served(t testing.TB, d *app.Ledger, change func(*web.Options)) *httptest.Server {
	t.Helper()
	o := web.Options{Ledgers: []web.Served{{Ledger: d, Network: "moonbeam", Source: demoBlocks(t), Gateway: demo.Name}}, Program: "a test"}
	if change != nil {
		change(&o)
	}
	s := httptest.NewServer(web.Handler(o))
	t.Cleanup(s.Close)
	return s
}

// long skips a test in a short run.
func long(t *testing.T, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip(why)
	}
}

// got is a response.
type got struct {
	status int
	header http.Header
	text   string
}

// get sends a request and follows no redirect.
func get(t testing.TB, s *httptest.Server, path string, change func(*http.Request)) got {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	require.NoError(t, err)
	if change != nil {
		change(r)
	}
	client := *s.Client() // tests may send several requests at once
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return got{answer.StatusCode, answer.Header, string(text)}
}

func parsed(t testing.TB, text string) (value map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &value), text)
	return value
}

// everything selects all rows.
var everything = ledger.Query{Span: chain.Heights{Last: 1 << 31}}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// foreign strips a page of our own scripts and pictures.
func foreign(page string) string {
	page = strings.ReplaceAll(page, `<script type="module" src="page.js"></script>`, "")
	return strings.ReplaceAll(page, `<img src="icon.svg" alt="" width="20" height="20">`, "")
}

// tableParts matches the attributes of a table's parts that only cards need.
var tableParts = regexp.MustCompile(` (role|data-head)="[^"]*"`)

// bare returns a page without them.
func bare(page string) string { return tableParts.ReplaceAllString(page, "") }

// shown returns a page as displayed: amounts without markup between their digits.
func shown(page string) string {
	return html.UnescapeString(strings.NewReplacer("<i>", "", `<i class="zeros">`, "", "</i>", "", "<b>", "", "</b>", "").Replace(page))
}
