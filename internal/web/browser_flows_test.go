package web_test

import (
	"archive/zip"
	"bytes"
	"math/big"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/browsertest"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
)

// flows are user journeys by start page. The expected figures come from package app, like those of the command
// line.
var flows = map[string]func(*testing.T, *viewed, *browsertest.Tab){
	"from the overview to a fee": toAFee, "another period": anotherPeriod, "sorted": sorted, "some transactions": someTransactions,
	"beside the period before": besideBefore, "look up": lookedUp, "typed in menus": typedInMenus, "company": chosenCompany, "statement": statementOfAnAccount, "files": files, "colours": colours,
}

// report returns the report of package app.
func (s *viewed) report(t *testing.T, by report.By, in app.PeriodInput, change ...func(*app.Request, *report.Choice)) *report.Report {
	period, err := in.Parse()
	require.NoError(t, err)
	q, choice := app.Request{Period: period}, report.Choice{By: by}
	for _, c := range change {
		c(&q, &choice)
	}
	made, err := s.ledger.Report(t.Context(), q, choice)
	require.NoError(t, err)
	return made
}

// feesOf requires a row of the page for each group, with its fee.
func feesOf(t *testing.T, tab *browsertest.Tab, groups []*report.Group) {
	t.Helper()
	groupRows(t, tab.Rows(), groups)
}

func groupRows(t *testing.T, rows []browsertest.Row, groups []*report.Group) {
	t.Helper()
	require.Len(t, rows, len(groups))
	for i, g := range groups {
		require.Contains(t, rows[i].Amounts, g.Fee.String(), rows[i].Text)
	}
}

func toAFee(t *testing.T, s *viewed, tab *browsertest.Tab) {
	tab.Open("/")
	require.Equal(t, "/overview", tab.Path())
	months := s.report(t, report.Month, app.PeriodInput{})
	require.Len(t, months.Groups, 3)
	aMonth := regexp.MustCompile(`^(January|February|March) 2025\b`)
	latest := slices.Clone(months.Groups)
	slices.Reverse(latest)
	groupRows(t, slices.DeleteFunc(tab.Rows(), func(r browsertest.Row) bool { return !aMonth.MatchString(r.Text) }), latest)
	tab.Select(`main tbody a[href="fees?period=2025-01"]`).Follow()
	days := s.report(t, report.Day, app.PeriodInput{Month: "2025-01"})
	feesOf(t, tab, days.Groups)
	require.Len(t, days.Groups, 31)
	require.Contains(t, tab.Amounts(), months.Groups[0].Fee.String(), "the month's own")

	day := app.PeriodInput{From: "2025-01-05", To: "2025-01-05"}
	tab.Select(`main tbody a[href*="2025-01-05"]`).Follow()
	payers := s.report(t, report.Account, day)
	feesOf(t, tab, payers.Groups)
	payer := tab.Select(`main tbody a[href*="account/"]`)
	path, _, _ := strings.Cut(payer.Attribute("href"), "?")
	address, err := chain.ParseAddress(strings.TrimPrefix(path, "account/"))
	require.NoError(t, err)
	payer.Follow()
	require.Equal(t, "/account/"+address.String()+"?partial=1&period=2025-01-05..2025-01-05", tab.Path())
	account, err := s.ledger.Account(t.Context(), app.AccountRequest{Account: address})
	require.NoError(t, err)
	require.Contains(t, tab.Amounts(), account.Fees.Fee.String())

	link := tab.Select(`main tbody a[href^="tx/"]`)
	place, _, _ := strings.Cut(strings.TrimPrefix(link.Attribute("href"), "tx/"), "?")
	link.Follow()
	path = tab.Path()
	paid, err := s.ledger.Transaction(t.Context(), place)
	require.NoError(t, err)
	cost, known := paid.Fee.Get()
	require.True(t, known)
	require.Contains(t, tab.Amounts(), cost.String())
	for _, m := range paid.Movements {
		if free, known := m.Free.Get(); known {
			require.Contains(t, tab.Amounts(), free.String(), "each movement of it is there")
		}
	}
	require.NotEmpty(t, paid.Movements)

	link = tab.Select(`main a[href^="block/"]`)
	height, err := strconv.ParseUint(strings.TrimPrefix(link.Attribute("href"), "block/"), 10, 64)
	require.NoError(t, err)
	require.Equal(t, paid.Height, height)
	link.Follow()
	block, err := s.ledger.Block(t.Context(), height)
	require.NoError(t, err)
	require.Contains(t, tab.Amounts(), block.Fee.String())
	require.NotNil(t, tab.Select(`main tbody a[href="tx/`+place+`"]`))
	tab.Back()
	require.Equal(t, path, tab.Path())
}

// turnTo follows a link of the navigation, which is in a menu on a phone.
func turnTo(tab *browsertest.Tab, name string) {
	if browsertest.Ask[bool](tab, `document.querySelector("nav .pages:not([open])")?.checkVisibility() ?? false`) {
		tab.Select("nav .pages summary").Press()
	}
	tab.Find(browsertest.Link, name).Follow()
}

func anotherPeriod(t *testing.T, s *viewed, tab *browsertest.Tab) {
	tab.Open("/overview")
	turnTo(tab, "Fees")
	tab.Field("period").Type("2025-02")
	tab.Field("zone").Type("America/New_York")
	tab.Enter()
	asked := browsertest.Ask[string](tab, "location.search")
	values, err := url.ParseQuery(strings.TrimPrefix(asked, "?"))
	require.NoError(t, err)
	require.Equal(t, []string{"2025-02", "America/New_York"}, []string{values.Get("period"), values.Get("zone")})
	there := s.report(t, report.Day, app.PeriodInput{Month: "2025-02", Timezone: "America/New_York"})
	require.NotEqual(t, s.report(t, report.Day, app.PeriodInput{Month: "2025-02"}).Totals.Fee, there.Totals.Fee, "the zone makes a difference")
	feesOf(t, tab, there.Groups)
	require.Contains(t, tab.Amounts(), there.Totals.Fee.String())
	turnTo(tab, "Transactions")
	require.Contains(t, tab.Path(), "zone=America%2FNew_York", "the period goes along")
}

func sorted(t *testing.T, s *viewed, tab *browsertest.Tab) {
	tab.Open("/fees?by=block")
	groups := slices.Clone(s.report(t, report.Block, app.PeriodInput{}).Groups)
	require.Greater(t, len(groups), 200)
	feesOf(t, tab, groups[:100])
	tab.Select(`main thead a[href$="sort=-fee"]`).Follow()
	slices.SortStableFunc(groups, func(a, b *report.Group) int { return b.Fee.Cmp(a.Fee) })
	feesOf(t, tab, groups[:100])
	require.Equal(t, "descending", tab.Select(`main thead [aria-sort]`).Attribute("aria-sort"))
	tab.Select(`main a[href*="after=100"]`).Follow()
	feesOf(t, tab, groups[100:200])
	tab.Select(`main thead a[href$="sort=fee"]`).Follow()
	slices.SortStableFunc(groups, func(a, b *report.Group) int { return a.Fee.Cmp(b.Fee) })
	require.Contains(t, tab.Rows()[0].Amounts, groups[0].Fee.String())
}

func someTransactions(t *testing.T, s *viewed, tab *browsertest.Tab) {
	only, err := report.ParseOnly([]string{"status=reverted"})
	require.NoError(t, err)
	some := s.report(t, report.Day, app.PeriodInput{Month: "2025-01"}, func(_ *app.Request, c *report.Choice) { c.Only = only })
	require.NotZero(t, some.Totals.EVM)
	tab.Open("/fees?period=2025-01")
	tab.Field("status").Type("reverted")
	tab.Submit("status")
	feesOf(t, tab, some.Groups)
	require.Contains(t, tab.Amounts(), some.Totals.Fee.String())
	tab.Select(`main a[href^="transactions?"]`).Follow()
	require.Len(t, tab.Rows(), int(some.Totals.EVM))
	for _, row := range tab.Rows() {
		require.Contains(t, strings.ToLower(row.Text), "reverted")
	}
}

func besideBefore(t *testing.T, s *viewed, tab *browsertest.Tab) {
	tab.Open("/fees?period=2025-02&by=layer")
	tab.Field("compare").Type("before")
	tab.Submit("compare")
	in := app.PeriodInput{Month: "2025-02"}
	before, err := in.Before()
	require.NoError(t, err)
	period, err := in.Parse()
	require.NoError(t, err)
	compared, err := s.ledger.Compare(t.Context(), app.Request{Period: period}, report.Choice{By: report.Layer}, before)
	require.NoError(t, err)
	now, then := s.report(t, report.Layer, in), s.report(t, report.Layer, before)
	require.Equal(t, now.Totals.Fee, compared.Now.Totals.Fee)
	require.Contains(t, tab.Amounts(), now.Totals.Fee.String())
	require.Contains(t, tab.Amounts(), then.Totals.Fee.String())
	a, _ := new(big.Int).SetString(now.Totals.Fee.String(), 10)
	b, _ := new(big.Int).SetString(then.Totals.Fee.String(), 10)
	require.Contains(t, tab.Amounts(), a.Sub(a, b).String(), "the difference")
}

func lookedUp(t *testing.T, s *viewed, tab *browsertest.Tab) {
	paid, err := s.ledger.Transaction(t.Context(), s.place)
	require.NoError(t, err)
	tab.Open("/overview")
	for text, path := range map[string]string{
		paid.Hash.String(): "/tx/" + s.place, s.account.String(): "/account/" + s.account.String(), hostile: "/account/" + s.account.String(), "25": "/block/25",
	} {
		field := `header > form [name="q"]`
		if browsertest.Ask[bool](tab, `document.querySelector(".find").checkVisibility()`) {
			field = `.find [name="q"]`
		}
		tab.Select(field).Type(text)
		tab.Enter()
		require.Equal(t, path, tab.Path(), text)
	}
}

// The accounts that a reader chooses to see first stay in the address of each page, and are remembered.
func chosenCompany(t *testing.T, s *viewed, tab *browsertest.Tab) {
	tab.Open("/fees?period=2025-01")
	tab.Select(`.bar details:has([formaction]) > summary`).Press()
	tab.Select(`.bar [value="group:ours"]`).Press()
	tab.Select(`.bar [formaction^="company/"]`).Follow()
	ours := s.report(t, report.Day, app.PeriodInput{Month: "2025-01"}, func(q *app.Request, _ *report.Choice) { q.Accounts = []chain.Address{s.account} })
	require.Contains(t, tab.Path(), "accounts=group%3Aours")
	require.Contains(t, tab.Path(), "period=2025-01")
	require.Contains(t, tab.Amounts(), ours.Totals.Fee.String())
	for _, page := range []string{"Transactions", "Chain", "Packages", "Accounts", "Overview"} {
		turnTo(tab, page)
		require.Contains(t, tab.Path(), "accounts=group%3Aours", page)
		require.Contains(t, tab.Path(), "period=2025-01", page)
	}
	require.Contains(t, tab.Amounts(), ours.Totals.Fee.String())
	tab.Open("/")
	require.Equal(t, "/overview?accounts=group%3Aours", tab.Path(), "it is remembered")
}

func statementOfAnAccount(t *testing.T, s *viewed, tab *browsertest.Tab) {
	tab.Open("/account/" + s.account.String())
	tab.Find(browsertest.Link, "Statement").Follow()
	tab.Field("period").Type("2025-01")
	tab.Enter()
	period, err := app.PeriodInput{Month: "2025-01"}.Parse()
	require.NoError(t, err)
	made, err := s.ledger.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: period, Accounts: []chain.Address{s.account}}, Balances: s.reader.Source})
	require.NoError(t, err)
	one := made.List[0]
	require.True(t, one.Holds())
	require.Contains(t, tab.Text(), one.Proof(made.Style.Token)[1:])
	opening, _ := one.Opening.Get()
	closing, _ := one.Closing.Get()
	require.Contains(t, tab.Amounts(), opening.Free.String())
	require.Contains(t, tab.Amounts(), closing.Free.String())
}

// Downloads equal the output of package app, to the byte, and the table next to them shows the same
// figures.
func files(t *testing.T, s *viewed, tab *browsertest.Tab) {
	tab.Open("/fees?period=2025-01&by=account")
	made := s.report(t, report.Account, app.PeriodInput{Month: "2025-01"}, func(q *app.Request, _ *report.Choice) {
		chosen, err := s.labels.Choose(nil)
		require.NoError(t, err)
		q.Labels = chosen.Labels
	})
	feesOf(t, tab, made.Groups[:100])
	for form, write := range map[string]func(*bytes.Buffer) error{
		"csv":  func(w *bytes.Buffer) error { return table.WriteCSV(w, made.Sheet()) },
		"xlsx": func(w *bytes.Buffer) error { return table.WriteXLSX(w, made.Sheet()) },
		"json": func(w *bytes.Buffer) error { return made.Document().JSON(w) },
	} {
		var want bytes.Buffer
		require.NoError(t, write(&want))
		name, content := tab.Select(`a[download][href^="fees.` + form + `"]`).Download()
		require.Equal(t, "fees."+form, name)
		require.Equal(t, want.String(), string(content), form)
	}
}

// The chosen colours also apply to the next page.
func colours(t *testing.T, _ *viewed, tab *browsertest.Tab) {
	tab.Open("/fees?period=2025-01")
	for _, shade := range []string{"dark", "light", "system"} {
		tab.Find(browsertest.Button, shade).Follow()
		require.Equal(t, "/fees?period=2025-01", tab.Path(), "it leads back")
		require.Equal(t, "true", tab.Select(`button[value="`+shade+`"]`).Attribute("aria-pressed"))
		background := browsertest.Ask[string](tab, `getComputedStyle(document.body).backgroundColor`)
		if want := map[string]string{"dark": "rgb(13, 16, 18)", "light": "rgb(246, 247, 247)"}[shade]; want != "" {
			require.Equal(t, want, background, shade)
		}
		turnTo(tab, "Transactions")
		require.Equal(t, background, browsertest.Ask[string](tab, `getComputedStyle(document.body).backgroundColor`), "%s goes along", shade)
		tab.Back()
	}
}

// The overview announces blocks that are sealed while it is open, and links to them.
func newBlocks(t *testing.T, b *browsertest.Browser) {
	place := filepath.Join(t.TempDir(), "fees.db")
	fill(t, place, "0..20")
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	defer d.Close()
	ending := make(chan struct{})
	s := served(t, d, func(o *web.Options) { o.Ending = ending })
	defer close(ending)
	tab := b.Tab(t, s.URL, browsertest.Options{})
	tab.Open("/overview")
	require.NotContains(t, tab.Text(), "sealed since this page was loaded")
	fill(t, place, "0..27")
	tab.Until(`document.body.innerText.includes("7 blocks have been sealed since this page was loaded.")`)
	require.Empty(t, tab.Barriers())
	tab.Find(browsertest.Link, "Reload").Follow()
	require.NotContains(t, tab.Text(), "sealed since this page was loaded")
	require.Equal(t, "27", tab.Select("[data-sealed]").Attribute("data-sealed"))
}

// A company's record is uploaded, its settings are corrected, and it is compared: on a phone, and without scripts.
func reconciled(t *testing.T, b *browsertest.Browser) {
	d, dir, labels := monthEnd(t)
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels = labels })
	want := result(t, d, app.BooksInput{Path: filepath.Join(dir, "company.csv")}, app.PeriodInput{Month: "2026-01"}, labels, "group:company")
	for name, o := range map[string]browsertest.Options{"phone, dark": {Size: browsertest.Phone, Dark: true}, "without scripts": {Scriptless: true}} {
		t.Run(name, func(t *testing.T) {
			tab := b.Tab(t, s.URL, o)
			tab.Open("/fees?period=2026-01&accounts=group%3Acompany")
			turnTo(tab, "Reconcile")
			tab.Field("file").Choose(filepath.Join(dir, "company.csv"))
			tab.Submit("file")
			require.Contains(t, tab.Text(), "do not match")
			require.Empty(t, tab.Overhang())
			if !o.Scriptless {
				require.Empty(t, tab.Barriers())
			}
			for _, form := range []string{"json", "csv", "xlsx"} {
				_, content := tab.Select(`a[download][href*="/result.` + form + `"]`).Download()
				require.Equal(t, want[form], string(content), form)
			}
			_, content := tab.Select(`a[download][href*="/fixed"]`).Download()
			require.Equal(t, want["fixed"], string(content))
			picture(t, tab, "end")
		})
	}
}

// Clients who are not logged in must log in, also after an error page; they then reach the requested page
// until they log out.
func loggedIn(t *testing.T, b *browsertest.Browser) {
	s, _, _ := guarded(t, filled(t, "0..27"), nil)
	tab := b.Tab(t, s.URL, browsertest.Options{})
	tab.Open("/fees?period=3..27")
	require.Contains(t, tab.Path(), "/login")
	look(t, tab)
	tab.Resize(browsertest.Desktop)
	tab.Field("name").Type("anna")
	tab.Field("password").Type(other)
	tab.SubmitRefused("password", http.StatusUnauthorized)
	require.Contains(t, tab.Path(), "/login")
	look(t, tab)
	tab.Resize(browsertest.Desktop)
	tab.Field("password").Type(password)
	tab.Enter()
	require.Equal(t, "/fees?period=3..27", tab.Path())
	require.Contains(t, tab.Text(), "anna")
	look(t, tab)
	tab.Find(browsertest.Button, "Log out").Follow()
	require.Contains(t, tab.Path(), "/login")
}

// The list of close packages, and one with its files and versions, which is checked again. A command line is
// copied by its button.
func packages(t *testing.T, b *browsertest.Browser) {
	d, dir, labels := monthEnd(t)
	shelf := filepath.Join(dir, "closed")
	closeMonth(t, d, labels, filepath.Join(shelf, "2026-01"), "Operations")
	closed := closeMonth(t, d, labels, filepath.Join(shelf, "2026-01"), "group:company")
	s := served(t, d, func(o *web.Options) {
		o.Ledgers[0].Labels, o.Ledgers[0].Packages, o.Ledgers[0].Open = labels, shelf, again(d)
	})
	tab := b.Tab(t, s.URL, browsertest.Options{})
	tab.Open("/overview")
	tab.Find(browsertest.Button, "Copy").Press()
	tab.Until(`document.querySelector("[data-copies]").textContent === "Copied"`)
	turnTo(tab, "Packages")
	require.Contains(t, tab.Amounts(), closed.Manifest.Totals.Fee.String())
	look(t, tab)
	tab.Find(browsertest.Link, "2026-01").Follow()
	require.Contains(t, tab.Text(), closed.Sum)
	look(t, tab)
	tab.Resize(browsertest.Desktop)
	require.True(t, browsertest.Ask[bool](tab, `(() => {
		const [left, right] = document.querySelector(".two").children;
		return right.getBoundingClientRect().left > left.getBoundingClientRect().right && Math.abs(right.getBoundingClientRect().top - left.getBoundingClientRect().top) < 1;
	})()`), "the files are beside the figures")
	name, archive := tab.Select(`a[href$="/package.zip"]`).Download()
	require.Equal(t, "2026-01-v2.zip", name)
	_, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	require.NoError(t, err)
	tab.Find(browsertest.Button, "Check again").Follow()
	tab.Until(`document.querySelector("dd.ok")?.textContent.startsWith("verified ") ?? false`) // the page asks again by itself
}

// What is typed in one menu of the view bar stays when another is used: Enter submits them all.
func typedInMenus(t *testing.T, s *viewed, tab *browsertest.Tab) {
	tab.Open("/fees?by=layer")
	tab.Field("period").Type("2025-02")
	tab.Field("zone").Type("America/New_York")
	tab.Key("\x1b") // Esc closes the menu, which covers the others on a phone
	tab.Field("status").Type("reverted")
	tab.Key("\x1b")
	tab.Select(`input[name="accounts"][type="text"]`).Type(s.account.String())
	tab.Enter()
	values, err := url.ParseQuery(browsertest.Ask[string](tab, "location.search.slice(1)"))
	require.NoError(t, err)
	for name, want := range map[string]string{"by": "layer", "period": "2025-02", "zone": "America/New_York", "status": "reverted"} {
		require.Equal(t, want, values.Get(name), name)
	}
	require.Contains(t, values["accounts"], s.account.String())
	require.Equal(t, 3, browsertest.Ask[int](tab, `document.querySelectorAll(".chip").length`), "zone, status, account")

	tab.Field("from").Type("01052025")
	tab.Field("to").Type("01062025")
	tab.Enter() // a click would only close the calendar that a phone shows
	require.Contains(t, tab.Path(), "from=2025-01-05&to=2025-01-06")
	require.NotContains(t, tab.Path(), "period=")
	require.Contains(t, tab.Path(), "status=reverted", "the filters stay")
	require.Equal(t, 3, browsertest.Ask[int](tab, `document.querySelectorAll(".chip").length`))
}
