package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/web"
)

// closeMonth closes the month of the demo.
func closeMonth(t testing.TB, d *app.Ledger, book *app.AddressBook, dir string, accounts ...string) *app.Closed {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(dir), 0o700))
	c, err := d.MakePackage(t.Context(), app.PackageRequest{
		Dir: dir, PeriodInput: app.PeriodInput{Month: "2026-01", Timezone: "UTC"}, PackageInputs: app.PackageInputs{Accounts: accounts, Labels: book}, Journal: "hledger", With: app.WithFees, PackageOptions: app.PackageOptions{Program: "a test"},
	})
	require.NoError(t, err)
	return c
}

// again opens a second connection to a ledger.
func again(d *app.Ledger) func(context.Context) (*app.Ledger, error) {
	return func(ctx context.Context) (*app.Ledger, error) { return app.Open(ctx, d.Place, d.Tables) }
}

// A close package is listed with its versions and changes, its files are those of the manifest, and it is checked
// again; the JSON contains the same.
func TestPackages(t *testing.T) {
	d, dir, book := monthEnd(t)
	shelf := filepath.Join(dir, "closed")
	require.NoError(t, os.Mkdir(shelf, 0o700))
	first := closeMonth(t, d, book, filepath.Join(shelf, "2026-01"), "Operations")
	second := closeMonth(t, d, book, filepath.Join(shelf, "2026-01"), "group:company")
	require.Equal(t, 2, second.Manifest.Version)
	var working sync.WaitGroup
	s := served(t, d, func(o *web.Options) {
		l := &o.Ledgers[0]
		l.Labels, l.Packages, l.Open, l.Place = book, shelf, again(d), "fees.db"
		o.Working = &working
	})

	list := get(t, s, "/packages", nil)
	require.Equal(t, http.StatusOK, list.status, list.text)
	require.Contains(t, list.text, `<a href="packages/2026-01">2026-01</a>`)
	require.Contains(t, list.text, "2, 1 earlier")
	require.Contains(t, list.text, `<data value="`+second.Manifest.Totals.Fee.String()+`">`)
	require.Contains(t, list.text, "not checked")
	require.Contains(t, get(t, s, "/fees", nil).text, `<a href="packages">Packages</a>`)
	overview := get(t, s, "/overview", nil)
	require.Contains(t, overview.text, `<a href="packages/2026-01">closed, version 2</a>`)
	require.Empty(t, overview.header.Get("ETag"), "packages change without the ledger")

	page := get(t, s, "/packages/2026-01", nil)
	require.Equal(t, http.StatusOK, page.status, page.text)
	require.Contains(t, page.text, second.Sum)
	require.Contains(t, page.text, first.Sum)
	require.Contains(t, page.text, "Left out: proof of the statements: balances were not queried.")
	require.Contains(t, page.text, "fees close --check "+filepath.Join(shelf, "2026-01")+" --gateway demo --ledger fees.db")
	var accounts []string
	for _, a := range second.Manifest.Accounts {
		accounts = append(accounts, a.Address)
	}
	fees := "/fees?accounts=" + strings.Join(accounts, "%2C") + "&period=2026-01"
	require.Contains(t, page.text, html.EscapeString(fees[1:]))
	require.Contains(t, get(t, s, fees, nil).text, `<data value="`+second.Manifest.Totals.Fee.String()+`">`, "the month has the fees of its package")
	changed := tableOf(t, page.text, "Values and files that differ from version 1")
	changes, err := closing.Compare(first.Manifest, second.Manifest)
	require.NoError(t, err)
	require.Regexp(t, `<td[^>]* data-head="now">\d{1,3}(<b>\d</b>\d\d){5,}</td>`, page.text, "the digits of amounts are grouped")
	require.Len(t, changed, 1+len(changes.Totals)+len(changes.Manifest)+len(changes.Files))
	require.Len(t, tableOf(t, page.text, "Files"), 2+len(second.Manifest.Files))

	for version, c := range map[string]*app.Closed{"v1": first, "v2": second} {
		old := get(t, s, "/packages/2026-01/"+version, nil)
		require.Equal(t, http.StatusOK, old.status)
		require.Contains(t, old.text, fmt.Sprintf("Package January 2026, version %d", c.Manifest.Version))
		require.Contains(t, old.text, c.Sum)
		at := filepath.Join(shelf, "2026-01")
		if version == "v1" {
			at = filepath.Join(at, "versions", "1")
		}
		for _, f := range append(c.Manifest.Files, closing.File{Name: closing.ManifestFile}) {
			want, err := os.ReadFile(filepath.Join(at, f.Name))
			require.NoError(t, err)
			a := get(t, s, "/packages/2026-01/"+version+"/"+f.Name, nil)
			require.Equal(t, http.StatusOK, a.status, f.Name)
			require.Equal(t, string(want), a.text, f.Name)
			require.Contains(t, a.header.Get("Content-Disposition"), "attachment; filename="+filepath.Base(f.Name))
			require.NotContains(t, a.header.Get("Content-Type"), "html", "never rendered as a page of this server")
		}
	}

	// Checked again, in the background: what needs balances is not compared.
	started := post(t, s, "/packages/2026-01/check", "application/x-www-form-urlencoded", strings.NewReader(""), nil)
	require.Equal(t, http.StatusSeeOther, started.status, started.text)
	require.Equal(t, "/packages/2026-01", started.header.Get("Location"))
	working.Wait()
	page = get(t, s, "/packages/2026-01", nil)
	require.Contains(t, page.text, `<dd class="ok">verified 20`)
	require.NotContains(t, page.text, `http-equiv="refresh"`)
	require.Contains(t, bare(get(t, s, "/packages", nil).text), `<td class="ok long">verified 20`)

	var all struct {
		Packages []struct {
			Name, Wrong, Fee string
			Sum              string `json:"manifest_sha256"`
			Version          int
			Check            struct{ State string }
		}
		Notes []string
	}
	a := get(t, s, "/api/v1/packages", nil)
	require.NoError(t, json.Unmarshal([]byte(a.text), &all), a.text)
	require.Len(t, all.Packages, 1)
	require.Equal(t, second.Sum, all.Packages[0].Sum)
	require.Equal(t, second.Manifest.Totals.Fee.String(), all.Packages[0].Fee)
	require.Equal(t, "verified", all.Packages[0].Check.State)
	one := parsed(t, get(t, s, "/api/v1/packages/2026-01", nil).text)
	require.Equal(t, second.Sum, one["manifest_sha256"])
	require.Len(t, one["versions"], 2)
	manifest, err := json.Marshal(one["manifest"])
	require.NoError(t, err)
	own, err := second.Manifest.Encode()
	require.NoError(t, err)
	require.JSONEq(t, string(own), string(manifest))

	// A file that was changed is not given out, and the next check says so.
	report := filepath.Join(shelf, "2026-01", "report.json")
	text, err := os.ReadFile(report)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(report, append(text, ' '), 0o600))
	damaged := get(t, s, "/packages/2026-01/v2/report.json", nil)
	require.Equal(t, http.StatusConflict, damaged.status)
	require.Contains(t, damaged.text, "report.json has changed")
	require.Empty(t, damaged.header.Get("Content-Disposition"))
	require.Equal(t, http.StatusSeeOther, post(t, s, "/packages/2026-01/check", "", strings.NewReader(""), nil).status)
	working.Wait()
	page = get(t, s, "/packages/2026-01", nil)
	require.Contains(t, page.text, `<dd class="bad">damaged 20`)
	require.Contains(t, page.text, "<li>report.json has changed</li>")
	require.NoError(t, os.WriteFile(report, text, 0o600))

	for _, path := range []string{
		"/packages/2026-02", "/packages/2026-01/v3", "/packages/2026-01/v0", "/packages/2026-01/v01", "/packages/2026-01/1", "/packages/2026-01/check", "/packages/2026-01/v99999999999999999999", "/packages/%2e%2e", "/packages/%2e%2e%2fgateway",
		"/packages/2026-01/v2/nothing", "/packages/2026-01/v2/..%2f..%2faccounts.csv", "/packages/2026-01/v2/versions/1/report.json", "/packages/2026-01%00", "/packages/2026-01/v2/manifest.json%2f..", "/packages/fees.db", "/packages/.",
	} {
		a := get(t, s, path, nil)
		require.Contains(t, []int{http.StatusNotFound, http.StatusMovedPermanently, http.StatusTemporaryRedirect}, a.status, "%s\n%s", path, a.text)
		require.NotContains(t, a.text, shelf, path)
	}
	require.Equal(t, http.StatusNotFound, post(t, s, "/packages/2026-02/check", "", strings.NewReader(""), nil).status)
	require.Equal(t, http.StatusForbidden, post(t, s, "/packages/2026-01/check", "", strings.NewReader(""), func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }).status)
	require.Equal(t, http.StatusBadRequest, get(t, s, "/packages?sort=x", nil).status)
}

// One check runs at a time and stops with the server. Its result contains no paths.
func TestChecks(t *testing.T) {
	d, dir, book := monthEnd(t)
	shelf := filepath.Join(dir, "closed")
	require.NoError(t, os.Mkdir(shelf, 0o700))
	closeMonth(t, d, book, filepath.Join(shelf, "2026-01"), "group:company")
	closeMonth(t, d, book, filepath.Join(shelf, "berlin"), "Operations")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var working sync.WaitGroup
	opened := make(chan struct{})
	how := func(ctx context.Context) (*app.Ledger, error) {
		close(opened)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	options := func(o *web.Options) {
		l := &o.Ledgers[0]
		l.Labels, l.Packages, l.Open = book, shelf, func(ctx context.Context) (*app.Ledger, error) { return how(ctx) }
		o.Ending, o.Working = ctx.Done(), &working
	}
	s := served(t, d, options)
	check := func(name string) got {
		return post(t, s, "/packages/"+name+"/check", "", strings.NewReader(""), nil)
	}
	require.Equal(t, http.StatusSeeOther, check("2026-01").status)
	<-opened
	page := get(t, s, "/packages/2026-01", nil).text
	require.Contains(t, page, `<meta http-equiv="refresh" content="5">`)
	require.Contains(t, page, "running")
	require.NotContains(t, page, "Check again")
	for _, name := range []string{"2026-01", "berlin"} {
		busy := check(name)
		require.Equal(t, http.StatusConflict, busy.status)
		require.Contains(t, busy.text, "Another package check is running")
	}
	cancel()
	working.Wait()
	page = get(t, s, "/packages/2026-01", nil).text
	require.Contains(t, page, `<dd class="bad">failed 20`)
	require.Contains(t, page, "The check was stopped before it finished.")

	// Another ledger than the one that the package was made of.
	ctx = t.Context()
	other, _, _ := monthEnd(t)
	partly := filled(t, "0..27")
	for _, c := range []struct {
		how  func(context.Context) (*app.Ledger, error)
		want string
	}{
		{again(other), `<dd class="ok">verified 20`},
		{again(partly), `<dd class="bad">differs from the ledger 20`},
		{func(context.Context) (*app.Ledger, error) { panic("wrong") }, `<dd class="bad">failed 20`},
		{func(context.Context) (*app.Ledger, error) { return nil, io.ErrUnexpectedEOF }, `<dd class="bad">failed 20`},
		{func(ctx context.Context) (*app.Ledger, error) {
			return app.Open(ctx, filepath.Join(dir, "nowhere.db"), d.Tables)
		}, `<dd class="bad">failed 20`},
	} {
		how = c.how
		s = served(t, d, options)
		require.Equal(t, http.StatusSeeOther, check("berlin").status)
		working.Wait()
		page := get(t, s, "/packages/berlin", nil).text
		require.Contains(t, page, c.want)
		main, _, _ := strings.Cut(page, `<div class="command">`) // where the command line names it
		require.NotContains(t, main, dir)
	}
	s = served(t, d, func(o *web.Options) { options(o); o.Ledgers[0].Open = nil })
	require.Equal(t, http.StatusNotFound, check("berlin").status)
	require.NotContains(t, get(t, s, "/packages/berlin", nil).text, "Check again")
}

// Packages that are broken, hostile or of another network give a row that says so, or a note.
func TestHostilePackages(t *testing.T) {
	d, dir, book := monthEnd(t)
	shelf := filepath.Join(dir, "closed")
	require.NoError(t, os.Mkdir(shelf, 0o700))
	good := closeMonth(t, d, book, filepath.Join(shelf, "2026-01"), "group:company")
	closeMonth(t, d, book, filepath.Join(shelf, "twice"), "Operations")
	closeMonth(t, d, book, filepath.Join(shelf, "twice"), "group:company")
	require.NoError(t, os.RemoveAll(filepath.Join(shelf, "twice", "versions", "1")))
	for name, text := range map[string]string{"empty": "", "broken": "{", "<script>alert(1)<!script>": "{}", "large": strings.Repeat(" ", 17<<20)} {
		require.NoError(t, os.Mkdir(filepath.Join(shelf, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(shelf, name, "manifest.json"), []byte(text), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(shelf, "nothing"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(shelf, "sources", ".git"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(shelf, "site"), 0o700))
	writeFile(t, filepath.Join(shelf, "site", "manifest.json"), `{"name": "A site", "version": 3, "icons": []}`)
	closeMonth(t, d, book, filepath.Join(shelf, "lost"), "Operations")
	require.NoError(t, os.Remove(filepath.Join(shelf, "lost", "manifest.json")))
	require.NoError(t, os.Symlink(dir, filepath.Join(shelf, "outside")))
	other := *good.Manifest
	other.Network, other.Period.Timezone = "elsewhere", "<b>"
	hostile := *good.Manifest
	hostile.Tool, hostile.LeftOut, hostile.Period.Missing, hostile.Period.Complete = "<script>", []string{"<script>"}, []string{"<img>"}, false
	hostile.Files = append([]closing.File{{Name: "<script>.html", SHA256: "<script>"}}, hostile.Files...)
	hostile.Accounts = nil
	for range 30 {
		hostile.Accounts = append(hostile.Accounts, closing.Account{Address: "<script>", Label: "<script>"})
	}
	hostile.Findings = closing.Findings{Checks: 1, Journal: 2}
	hostile.Blocks.Final = false
	for name, m := range map[string]*closing.Manifest{"foreign": &other, "hostile": &hostile} {
		text, err := m.Encode()
		require.NoError(t, err)
		require.NoError(t, os.Mkdir(filepath.Join(shelf, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(shelf, name, "manifest.json"), text, 0o600))
	}
	s := served(t, d, func(o *web.Options) {
		o.Ledgers[0].Labels, o.Ledgers[0].Packages, o.Ledgers[0].Open = book, shelf, again(d)
	})
	for range 2 { // read, and then as it was read
		list := get(t, s, "/packages", nil)
		require.Equal(t, http.StatusOK, list.status)
		require.NotContains(t, foreign(list.text), "<script")
		require.NotContains(t, list.text, "outside")
		rows := map[string]string{}
		for _, row := range tableOfList(t, list.text) {
			rows[row[0]] = row[2]
		}
		require.Len(t, rows, 9) // with the heads
		require.NotContains(t, rows, "nothing")
		require.NotContains(t, rows, "site")
		require.Contains(t, list.text, "3 folders without a package are not listed.")
		require.Contains(t, rows["lost"], "manifest.json is missing")
		require.Contains(t, rows["broken"], "manifest.json")
		require.Contains(t, rows["<script>alert(1)<!script>"], "manifest.json")
		require.Contains(t, rows["large"], "larger than")
		require.Equal(t, "not checked", rows["2026-01"])
		require.Contains(t, list.text, "1 package of other networks is not listed.")
	}
	require.Equal(t, http.StatusNotFound, get(t, s, "/packages/foreign", nil).status)
	require.Equal(t, http.StatusNotFound, get(t, s, "/packages/outside", nil).status)
	require.Equal(t, http.StatusNotFound, get(t, s, "/packages/nothing", nil).status)
	require.Equal(t, http.StatusConflict, get(t, s, "/packages/broken", nil).status)
	page := get(t, s, "/packages/hostile", nil)
	require.Equal(t, http.StatusOK, page.status)
	require.NotContains(t, foreign(page.text), "<script")
	require.NotContains(t, foreign(page.text), "<img")
	require.Contains(t, page.text, "failed checks: 1, failed journals: 2")
	require.Contains(t, page.text, "not all final and sealed")
	require.Equal(t, http.StatusConflict, get(t, s, "/packages/hostile/v1/%3Cscript%3E.html", nil).status)
	require.Contains(t, get(t, s, "/packages/twice", nil).text, "This package, version or file does not exist.")
	lacking := get(t, s, "/packages/twice/v2/package.zip", nil)
	require.Equal(t, http.StatusConflict, lacking.status)
	require.Contains(t, lacking.text, "version 1 is missing")
	require.Equal(t, http.StatusConflict, get(t, s, "/packages/hostile/v1/package.zip", nil).status)
	require.NotContains(t, get(t, s, "/overview", nil).text, "not a close package")
	require.NotContains(t, get(t, s, "/api/v1/packages", nil).text, "nothing")

	var log lockedBuffer
	none := served(t, d, func(o *web.Options) {
		o.Ledgers[0].Packages = filepath.Join(dir, "nowhere")
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	away := get(t, none, "/packages", nil)
	require.Equal(t, http.StatusServiceUnavailable, away.status)
	require.NotContains(t, away.text, "nowhere")
	require.Contains(t, log.String(), "nowhere")
	require.Contains(t, get(t, none, "/overview", nil).text, "The package directory cannot be read")
	without := served(t, d, nil)
	for _, path := range []string{"/packages", "/packages/x", "/api/v1/packages", "/api/v1/packages/x"} {
		a := get(t, without, path, nil)
		require.Equal(t, http.StatusNotFound, a.status)
		require.Contains(t, a.text, "This server has no package directory. Start it with fees serve --packages DIR.")
	}
	require.NotContains(t, get(t, without, "/fees", nil).text, ">Packages<")
	empty := served(t, d, func(o *web.Options) { o.Ledgers[0].Packages = t.TempDir() })
	bareShelf := get(t, empty, "/packages", nil).text
	require.Contains(t, bareShelf, "No close packages yet. Create them with fees close.")
	require.Equal(t, 1, strings.Count(bareShelf, "fees close --month"), "the command is there once")
}

// tableOfList returns the cells of a page's only table.
func tableOfList(t testing.TB, page string) [][]string {
	t.Helper()
	page = bare(page)
	return tableOf(t, "<h2>one</h2>"+page[strings.Index(page, "<table>"):], "one")
}

// Very many packages are listed within the timeout of a request.
func TestManyPackages(t *testing.T) {
	long(t, "many packages")
	d, dir, book := monthEnd(t)
	shelf := filepath.Join(dir, "closed")
	require.NoError(t, os.Mkdir(shelf, 0o700))
	closeMonth(t, d, book, filepath.Join(shelf, "2026-01"), "group:company")
	text, err := os.ReadFile(filepath.Join(shelf, "2026-01", "manifest.json"))
	require.NoError(t, err)
	for i := range 1100 {
		at := filepath.Join(shelf, fmt.Sprintf("copy-%04d", i))
		require.NoError(t, os.Mkdir(at, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(at, "manifest.json"), text, 0o600))
	}
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Packages, o.Time = shelf, time.Minute })
	list := get(t, s, "/packages", nil)
	require.Equal(t, http.StatusOK, list.status)
	require.Len(t, tableOfList(t, list.text), 1001)
	require.Contains(t, list.text, "The list is limited to the last packages by name")
	require.Equal(t, http.StatusOK, get(t, s, "/overview", nil).status)
}
