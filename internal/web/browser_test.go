package web_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/test/browsertest"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/source"
)

// viewed is a server for browser tests, with a generated chain of two months, four blocks a day, labels,
// prices and a source of balances.
type viewed struct {
	url     string
	ledger  *app.Ledger
	reader  *source.Reader
	labels  *app.AddressBook
	account chain.Address // which paid
	place   string        // of a transaction that it paid for
	record  string        // the page of a company's record, whose name and columns are hostile, too
}

// hostile is a hostile label: it must be shown as text.
const hostile = "Ours <script>document.title='owned'</script>"

// view returns such a server with the hostile label in its address book.
func view(t *testing.T, called string) *viewed {
	d, reader, account := madeUpAs(t, chaingen.Options{Seed: 7, Rooted: true, Signed: true, Head: 248, Every: 6 * time.Hour})
	prices := "day,price,currency,source\n"
	for day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC); day.Month() < time.April; day = day.AddDate(0, 0, 1) {
		prices += fmt.Sprintf("%s,0.%d,EUR,a bank\n", day.Format(time.DateOnly), 100+day.YearDay())
	}
	path := filepath.Join(t.TempDir(), "prices.csv")
	writeFile(t, path, prices)
	list, err := app.ReadPrices(app.PricesInput{Files: []string{path}, Fiat: "EUR"})
	require.NoError(t, err)
	labels := book(t, "address,label,group\n"+account.String()+","+called+",ours\n")
	s := served(t, d, func(o *web.Options) {
		l := &o.Ledgers[0]
		l.Source, l.Gateway, l.Prices, l.PricesFile = reader, "http://127.0.0.1:1", list, "prices.csv"
		l.Labels, l.Packages = labels, t.TempDir()
	})
	paid, err := d.Transactions(t.Context(), app.TransactionsRequest{Period: app.Period{All: true}, Payers: []chain.Address{account}, Limit: 1})
	require.NoError(t, err)
	place := paid.List[0].Place().String()
	record := sent(t, s, "<script>.csv", []byte("id,fee_wei,"+hostile+"\n"+place+",5215236000000000,<img src=x onerror=alert(1)>\n"), url.Values{"accounts": {account.String()}})
	return &viewed{s.URL, d, reader, labels, account, place, record}
}

// pages lists pages with few rows: longer ones are alike.
func (s *viewed) pages() []string {
	account := "/account/" + s.account.String()
	return []string{
		"/overview", "/overview?period=2025-02&accounts=group:ours", "/chain?period=2025-01", "/lookup?q=0.1&period=2025-01", "/fees?period=2025-01", "/fees?by=account&compare=before&period=2025-02-01..2025-02-02&price=EUR", "/fees?by=block&period=2025-02-01..2025-02-05&sort=-fee&columns=all",
		"/transactions?period=2025-01-01..2025-01-07&status=reverted", "/tx/" + s.place, "/block/25", account, account + "/statement?period=2025-01-01..2025-01-07",
		account + "/rollforward?period=2025-01", "/contract/" + s.account.String() + "?period=2025-01", "/accounts", "/accounts/rollforward?period=2025-01-01..2025-01-07", "/accounts/unlabelled?period=2025-02", "/packages", "/reconcile?period=2025-01",
		"/variance?period=2025-02-01..2025-02-02", "/variance?period=2025-02-01..2025-02-02&step=new_calls",
	}
}

// The pages in a real browser. Pictures are among the artifacts of the tests (go test -artifacts).
func TestInABrowser(t *testing.T) {
	b := browsertest.Start(t)
	s := view(t, hostile)
	t.Run("figures", func(t *testing.T) { figures(t, b, s) }) // not in parallel, because it measures loading times
	t.Run("fits", func(t *testing.T) { fits(t, b, s) })
	t.Run("copied", func(t *testing.T) { copied(t, b, s) })
	t.Run("pictures", func(t *testing.T) { pictures(t, b) })
	beside := func(name string, test func(*testing.T)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
	beside("keyboard", func(t *testing.T) { byKeyboard(t, b, s) })
	beside("keys", func(t *testing.T) { pressed(t, b, s) })
	beside("header", func(t *testing.T) { compactHeader(t, b) })
	beside("paper", func(t *testing.T) { paperButton(t, b, s) })
	beside("menu", func(t *testing.T) { menu(t, b, s) })
	beside("printed", func(t *testing.T) { printed(t, b, s) })
	beside("news", func(t *testing.T) { newBlocks(t, b) })
	beside("log in", func(t *testing.T) { loggedIn(t, b) })
	beside("packages", func(t *testing.T) { packages(t, b) })
	beside("reconcile", func(t *testing.T) { reconciled(t, b) })
	beside("accept, mouse", func(t *testing.T) { acceptedByOne(t, b, browsertest.Options{}, false) })
	beside("accept, keys alone", func(t *testing.T) { acceptedByOne(t, b, browsertest.Options{}, true) })
	beside("accept, phone without scripts", func(t *testing.T) {
		acceptedByOne(t, b, browsertest.Options{Size: browsertest.Phone, Dark: true, Scriptless: true}, false)
	})
	beside("labels", func(t *testing.T) { labelled(t, b) })
	beside("close, mouse", func(t *testing.T) { closedByTwo(t, b, browsertest.Options{}, false, usualMonth(t)) })
	beside("close, on a hub", func(t *testing.T) { closedByTwo(t, b, browsertest.Options{}, false, hubMonth(t)) })
	beside("close, keys alone", func(t *testing.T) { closedByTwo(t, b, browsertest.Options{}, true, usualMonth(t)) })
	beside("close, phone without scripts", func(t *testing.T) {
		closedByTwo(t, b, browsertest.Options{Size: browsertest.Phone, Dark: true, Scriptless: true}, false, usualMonth(t))
	})
	for _, path := range s.pages() {
		beside(path, func(t *testing.T) { eachPage(t, b, s, path, http.StatusOK) })
	}
	beside("/findings", func(t *testing.T) {
		eachPage(t, b, &viewed{url: served(t, filled(t, "0..27"), nil).URL}, "/findings", http.StatusOK)
	})
	beside("not there", func(t *testing.T) { eachPage(t, b, s, "/tx/9999-1", http.StatusNotFound) })
	beside("a record", func(t *testing.T) { eachPage(t, b, s, s.record, http.StatusOK) })
	beside("not understood", func(t *testing.T) { eachPage(t, b, s, "/fees?by=colour", http.StatusBadRequest) })
	for name, o := range map[string]browsertest.Options{
		"desktop, light": {}, "phone, dark": {Size: browsertest.Phone, Dark: true}, "without scripts": {Scriptless: true},
	} {
		for flow, do := range flows {
			beside(flow+", "+name, func(t *testing.T) {
				tab := b.Tab(t, s.url, o)
				do(t, s, tab)
				picture(t, tab, "end")
			})
		}
	}
}

// On a phone the header is one line; the look-up and the log-out are in menus, without scripts too, and the key of the
// look-up opens its menu.
func compactHeader(t *testing.T, b *browsertest.Browser) {
	o := newOffice(t, nil)
	for _, scriptless := range []bool{true, false} {
		h := &hand{b.Tab(t, o.URL, browsertest.Options{Size: browsertest.Phone, Scriptless: scriptless}), t, false}
		h.Open("/findings")
		h.logIn("anna", password)
		for _, width := range []int64{360, 390} {
			h.Resize(browsertest.Size{Width: width, Height: 800})
			require.LessOrEqual(t, browsertest.Ask[float64](h.Tab, `document.querySelector("header").getBoundingClientRect().height`), 56.0, width)
			require.Empty(t, append(h.Overhang(), h.Outside()...))
		}
		if scriptless {
			h.Select(".find summary").Press()
		} else {
			require.Empty(t, h.Barriers())
			h.Key("/")
			require.True(t, browsertest.Ask[bool](h.Tab, `document.activeElement.matches(".find input")`))
		}
		require.True(t, browsertest.Ask[bool](h.Tab, `document.querySelector(".find input").checkVisibility()`))
		h.Select(".find input").Type("10-7")
		h.Enter()
		require.Equal(t, "/tx/10-7", h.Path())
		h.Select("nav .pages summary").Press()
		h.Select("nav .pages .user button").Follow()
		require.Contains(t, h.Path(), "/login")
	}
}

// A page that is meant for paper has a button that prints it; without scripts it says how, or links to the PDF.
func paperButton(t *testing.T, b *browsertest.Browser, s *viewed) {
	path := "/account/" + s.account.String() + "/statement?period=2025-01"
	tab := b.Tab(t, s.url, browsertest.Options{})
	tab.Open(path)
	browsertest.Ask[bool](tab, `(window.print = () => { window.printed = true; }, true)`)
	tab.Select("#print").Press()
	require.True(t, browsertest.Ask[bool](tab, "window.printed === true"))
	tab = b.Tab(t, s.url, browsertest.Options{Scriptless: true})
	tab.Open(path)
	require.False(t, browsertest.Ask[bool](tab, `document.getElementById("print").checkVisibility()`))
	_, statement := tab.Find(browsertest.Link, "PDF").Download()
	require.True(t, bytes.HasPrefix(statement, []byte("%PDF-")))

	tab.Open("/tx/" + s.place)
	require.Contains(t, tab.Text(), "Print with the browser’s menu.")

	d, dir, labels := monthEnd(t)
	shelf := filepath.Join(dir, "printed")
	closeMonth(t, d, labels, filepath.Join(shelf, "2026-01"), "group:company")
	other := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels, o.Ledgers[0].Packages = labels, shelf })
	tab = b.Tab(t, other.URL, browsertest.Options{Scriptless: true})
	tab.Open("/packages/2026-01")
	_, cover := tab.Find(browsertest.Link, "Cover (PDF)").Download()
	require.True(t, bytes.HasPrefix(cover, []byte("%PDF-")))

	// The files beside fit their column.
	tab.Resize(browsertest.Size{Width: 1440, Height: 900})
	wide := browsertest.Ask[[]float64](tab, `[...document.querySelectorAll(".side .box")].map((box) => box.scrollWidth - box.clientWidth)`)
	require.NotEmpty(t, wide)
	for _, over := range wide {
		require.Zero(t, over)
	}
}

// noName lists characters that a file's name must not contain.
var noName = regexp.MustCompile(`[^0-9A-Za-z.,-]+`)

// picture saves a screenshot if artifacts are kept.
func picture(t *testing.T, tab *browsertest.Tab, name string) {
	if kept := flag.Lookup("test.artifacts"); kept != nil && kept.Value.String() == "true" {
		tab.Picture(filepath.Join(t.ArtifactDir(), noName.ReplaceAllString(t.Name()+" "+name, "_")+".png"))
	}
}

// Pages are readable on phones and desktops, in light and dark colours, and never scroll
// sideways.
func eachPage(t *testing.T, b *browsertest.Browser, s *viewed, path string, status int) {
	tab := b.Tab(t, s.url, browsertest.Options{})
	if status == http.StatusOK {
		tab.Open(path)
	} else {
		tab.OpenRefused(path, status)
	}
	require.NotEqual(t, "owned", browsertest.Ask[string](tab, "document.title"), "a label is not a script")
	look(t, tab)
}

// look checks the page of a tab in each mode. Names distinguish the pictures of a flow.
func look(t *testing.T, tab *browsertest.Tab, names ...string) {
	t.Helper()
	path := tab.Path()
	for _, size := range []browsertest.Size{browsertest.Desktop, browsertest.Tablet, browsertest.Phone} {
		tab.Resize(size)
		tab.Colours(false)
		require.Empty(t, tab.Barriers(), "%s, %v", path, size)
		picture(t, tab, fmt.Sprint(append(names, fmt.Sprintf("%d light", size.Width))))
		tab.Colours(true) // which changes nothing else
		require.Empty(t, tab.Pale(), "%s, %v, dark", path, size)
		picture(t, tab, fmt.Sprint(append(names, fmt.Sprintf("%d dark", size.Width))))
	}
	for _, width := range []int64{360, 390, 834, 1024, 1440, 1920} {
		tab.Resize(browsertest.Size{Width: width, Height: 900})
		require.Empty(t, append(tab.Overhang(), tab.Outside()...), path)
	}
}

// Every control can be reached with the Tab key, in reading order, and shows its focus.
func byKeyboard(t *testing.T, b *browsertest.Browser, s *viewed) {
	tab := b.Tab(t, s.url, browsertest.Options{})
	for _, path := range []string{"/fees?period=2025-01-01..2025-01-07", "/tx/" + s.place, "/reconcile"} {
		tab.Open(path)
		count, wrong := tab.Walk()
		require.Empty(t, wrong, path)
		require.Greater(t, count, 10, path)
	}
	tab.Open("/fees?period=2025-01-01..2025-01-07")
	tab.Key("\t\r") // the skip link
	require.Equal(t, "#main", browsertest.Ask[string](tab, "location.hash"))
	tab.Key("\t")
	require.True(t, browsertest.Ask[bool](tab, `document.querySelector("main").contains(document.activeElement)`), "the figures come next")

	tab.Open("/overview")
	for !strings.HasPrefix(browsertest.Ask[string](tab, `document.activeElement.getAttribute("href") ?? ""`), "transactions?") {
		tab.Key("\t")
		require.NotEqual(t, "BODY", browsertest.Ask[string](tab, `document.activeElement.tagName`), "the page ends without the transactions")
	}
	tab.Enter()
	require.Contains(t, tab.Path(), "/transactions?")
}

// On a phone the pages are in a menu, which the keyboard opens without scripts, and whose links are all on the screen.
func menu(t *testing.T, b *browsertest.Browser, s *viewed) {
	for _, scriptless := range []bool{true, false} {
		tab := b.Tab(t, s.url, browsertest.Options{Size: browsertest.Phone, Scriptless: scriptless})
		tab.Open("/findings")
		for range 20 {
			if browsertest.Ask[bool](tab, `document.activeElement.matches("nav .pages summary")`) {
				break
			}
			tab.Key("\t")
		}
		tab.Key("\r")
		require.True(t, browsertest.Ask[bool](tab, `document.querySelector("nav .pages").open`))
		links := browsertest.Ask[[]string](tab, `[...document.querySelectorAll("nav a")].filter((a) => {
			const box = a.getBoundingClientRect();
			return a.checkVisibility() && a.scrollWidth <= a.clientWidth && box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight && box.height >= 40;
		}).map((a) => a.getAttribute("href"))`)
		require.Equal(t, []string{"overview", "overview", "fees", "transactions", "accounts", "findings", "reconcile", "packages", "chain"}, links, "the first is the name of the program")
		require.Empty(t, tab.Overhang())
		if !scriptless {
			require.Empty(t, tab.Barriers())
		}
		picture(t, tab, fmt.Sprint(scriptless))
		turnTo(tab, "Accounts")
		require.Equal(t, "/accounts", tab.Path())
	}
}

// Keys open the look-up, the pages and the rows, unless a field has the focus or they are turned off.
func pressed(t *testing.T, b *browsertest.Browser, s *viewed) {
	tab := b.Tab(t, s.url, browsertest.Options{})
	focus := func(expression string) bool {
		return browsertest.Ask[bool](tab, "document.activeElement.matches("+expression+")")
	}
	tab.Open("/fees?period=2025-01")
	tab.Key("jj")
	require.True(t, focus("`a[href*='2025-01-02']`"), "the second row")
	tab.Key("k")
	require.True(t, focus("`a[href*='2025-01-01']`"))
	tab.Enter()
	require.Contains(t, tab.Path(), "2025-01-01..2025-01-01")
	tab.Key("]")
	tab.Until(`location.search.includes("2025-01-02..2025-01-02") && document.readyState === "complete"`)
	tab.Key("gt")
	tab.Until(`location.pathname === "/transactions" && document.readyState === "complete"`)
	require.Contains(t, tab.Path(), "2025-01-02", "the period goes along")
	tab.Key("p")
	require.True(t, browsertest.Ask[bool](tab, `document.getElementById("period").open`))
	tab.Key("\x1b")
	require.False(t, browsertest.Ask[bool](tab, `document.getElementById("period").open`))
	require.True(t, focus("`#period summary`"), "the focus is where it was")
	tab.Key("?")
	require.Contains(t, tab.Text(), "These keys")
	browsertest.Ask[bool](tab, `scrollTo(0, 0), true`)
	require.Empty(t, tab.Barriers())
	require.True(t, browsertest.Ask[bool](tab, `document.getElementById("keys").matches(":modal")`))
	tab.Key("gf")
	require.Contains(t, tab.Path(), "/transactions", "the keys of the page rest below a dialog")
	tab.Key("\x1b")
	require.False(t, browsertest.Ask[bool](tab, `document.getElementById("keys").open`))
	tab.Key("/gf")
	require.True(t, focus("`[name=q]`"), "keys are text in a field")
	// The tab sends a character apart from its key, so the "/" arrives too, which a keyboard's does not.
	require.True(t, strings.HasSuffix(browsertest.Ask[string](tab, `document.activeElement.value`), "gf"))
	browsertest.Ask[bool](tab, `document.getElementById("nokeys").click(), document.activeElement.blur(), true`)
	tab.Key("gf")
	require.Contains(t, tab.Path(), "/transactions", "they are off")
}
