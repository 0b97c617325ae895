package web

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/app"
)

// isTransactionID matches a transaction ID, such as 25-7.
var isTransactionID = regexp.MustCompile(`^[0-9]+-[0-9]+$`)

// route is a path with its handler.
type route struct {
	path       string
	ask        endpoint
	about      string   // a summary for the API's description
	parameters []string // accepted by the handler
	form       string   // of the response; "" for json
}

// media returns the media type of the response.
func (r *route) media() string { return contentTypes[cmp.Or(r.form, "json")] }

type endpoint = func(*server, http.ResponseWriter, *http.Request) error

// withoutParameters rejects requests with query parameters.
func withoutParameters(ask endpoint) endpoint {
	return func(s *server, w http.ResponseWriter, r *http.Request) error {
		if _, err := parameters(r.URL.RawQuery); err != nil {
			return err
		}
		return ask(s, w, r)
	}
}

// pages lists the routes of the web pages.
func pages() []route {
	list := []route{
		{path: "/overview", ask: withCompany((*server).overview)},
		{path: "/chain", ask: (*server).chain},
		{path: "/fees", ask: withCompany((*server).fees)},
		{path: "/variance", ask: withCompany((*server).variance)},
		{path: "/transactions", ask: withCompany((*server).transactions)},
		{path: "/tx/{name}", ask: carrying(withoutParameters((*server).transaction))},
		{path: "/block/{height}", ask: carrying((*server).block)},
		{path: "/accounts", ask: carrying((*server).accounts)},
		{path: "/accounts/rollforward", ask: (*server).rollforwards},
		{path: "/accounts/unlabelled", ask: (*server).unlabelled},
		{path: "/accounts/unlabelled.csv", ask: (*server).unlabelledFile},
		{path: "/account/{address}", ask: carrying((*server).account)},
		{path: "/account/{address}/statement", ask: (*server).statement},
		{path: "/account/{address}/rollforward", ask: (*server).rollforward},
		{path: "/contract/{address}", ask: (*server).contract},
		{path: "/deposits", ask: (*server).deposits},
		{path: "/findings", ask: (*server).findings},
		{path: "/findings.csv", ask: (*server).findingsFile},
		{path: "/lookup", ask: (*server).lookup},
		{path: "/api", ask: (*server).aboutAPI},
		{path: "/reconcile", ask: withCompany((*server).reconcileForm)},
		{path: "/reconcile/{token}", ask: (*server).reconciliation},
		{path: "/reconcile/{token}/fixed", ask: (*server).checkedFile},
		{path: "/packages", ask: carrying(withoutParameters((*server).packageList))},
		{path: "/packages/{package}", ask: carrying(withoutParameters(ofPackage((*server).showPackage)))},
		{path: "/packages/{package}/{version}", ask: carrying(withoutParameters(ofPackage((*server).showPackage)))},
		{path: "/packages/{package}/{version}/" + zipFile, ask: withoutParameters(ofPackage((*server).packageZip))},
		{path: "/packages/{package}/{version}/{file...}", ask: withoutParameters(ofPackage((*server).packageFile))},
	}
	list = append(list, route{path: "/close", ask: withCompany((*server).closePage)}, route{path: "/close/{name}", ask: carrying((*server).preparedPage)}, route{path: "/close/{name}/" + zipFile, ask: withoutParameters(ofPrepared((*server).packageZip))}, route{path: "/close/{name}/{file...}", ask: withoutParameters(ofPrepared((*server).packageFile))})
	for _, form := range feesForms {
		list = append(list, route{path: "/fees." + form, ask: (*server).feesFile})
	}
	for _, form := range varianceForms {
		list = append(list, route{path: "/variance." + form, ask: (*server).varianceFile})
	}
	for _, form := range transactionForms {
		list = append(list, route{path: "/transactions." + form, ask: (*server).transactionsFile}, route{path: "/accounts." + form, ask: withoutParameters((*server).accountsFile)})
	}
	for _, form := range resultForms {
		list = append(list, route{path: "/deposits." + form, ask: (*server).depositsFile})
	}
	for _, form := range append(slices.Clip(resultForms), paperForm) {
		list = append(list, route{path: "/account/{address}/statement." + form, ask: (*server).statementFile}, route{path: "/account/{address}/rollforward." + form, ask: (*server).rollforwardFile},
			route{path: "/accounts/rollforward." + form, ask: (*server).rollforwardFile},
			route{path: "/reconcile/{token}/result." + form, ask: (*server).reconciliationFile})
	}
	return list
}

// Download formats of fees; and of an account's statement and rollforward, and of a reconciliation, which are documents, too.
var (
	feesForms   = []string{"csv", "xlsx", "parquet", "json"}
	resultForms = []string{"csv", "xlsx", "json"}
)

const paperForm = "pdf"

// paper returns the paper that a request names, A4 if it names none.
func (s *server) paper(asked url.Values) (app.Paper, error) {
	p := s.Paper
	p.Size = cmp.Or(asked.Get("paper"), app.PaperSizes[0])
	return p, app.OneOf("paper", p.Size, app.PaperSizes...)
}

// otherPapers returns the links to a PDF document on the other papers.
func otherPapers(pdf link) (list []link) {
	join := "?"
	if strings.Contains(pdf.To, "?") {
		join = "&"
	}
	for _, size := range app.PaperSizes[1:] {
		list = append(list, link{pdf.Text + ", " + size, pdf.To + join + "paper=" + size})
	}
	return list
}

// nav returns the links to the other pages, for the same period.
func (v *frame) nav() (list []navigation) {
	about := cmp.Or(v.about(), new(scope))
	for _, p := range []struct{ text, path, key string }{{"Overview", "overview", "o"}, {"Fees", "fees", "f"}, {"Transactions", "transactions", "t"}, {"Accounts", "accounts", "a"}, {"Findings", "findings", "i"}, {"Reconcile", "reconcile", "r"}, {"Packages", "packages", "p"}, {"Chain", "chain", "c"}} {
		to := p.path
		if p.path == "packages" && !v.Packages {
			continue
		}
		to += about.carried(p.path).query(nil)
		list = append(list, navigation{link{p.text, to}, p.key, p.path == v.Path, p.path == sectionOf(v.Path)})
	}
	return list
}

// sectionOf returns the path of the page in the navigation that a page belongs to, or another path.
func sectionOf(path string) string {
	first, _, _ := strings.Cut(path, "/")
	switch first {
	case "account", "deposits":
		return "accounts"
	case "tx":
		return "transactions"
	case "variance":
		return "fees"
	}
	return first
}

// allSealed is the period of an answer that depends on all sealed blocks.
var allSealed = app.Period{All: true}

// show writes a page that depends only on the sealed blocks of a period, unless the browser has a current copy. Concurrent
// requests for the same page share one. Build gets the sealed state, and a request that lasts as long as one of them waits.
func (s *server) show(w http.ResponseWriter, r *http.Request, about app.Period, build func(r *http.Request, sealed string) (page, error)) error {
	if refusalOf(r) != nil {
		return s.showOnce(w, r, about, build)
	}
	same, sealed, err := s.same(w, r, about, s.shownTo(r), s.monthsText(r.Context()))
	if same || err != nil {
		return err
	}
	releaseSlot(r) // the page takes one, however many requests wait for it, and even if this one does not
	k, err := s.cache.get(r.Context(), s.Time, w.Header().Get("ETag"), func(ctx context.Context) (k kept, keep bool, err error) {
		leave, err := s.slots.short.acquire(ctx)
		if err != nil {
			return k, false, err
		}
		defer leave()
		r := r.WithContext(context.WithValue(ctx, leaveKey{}, leave))
		p, err := build(r, sealed)
		if err != nil {
			return k, false, err
		}
		v := p.common()
		v.Sealed, v.Unsealed = sealed, v.Unsealed || !s.isStill(ctx, about, sealed)
		page, err := s.page(r, p)
		return kept{contentType: pageType, body: page, unsealed: v.Unsealed}, !v.Unsealed, err
	})
	if err != nil {
		return err
	}
	if k.unsealed {
		w.Header().Del("ETag")
	}
	s.deliver(w, r, k, int64(len(k.body)), bytes.NewReader(k.body))
	return nil
}

// showOnce writes a page like show, for one request only.
func (s *server) showOnce(w http.ResponseWriter, r *http.Request, about app.Period, build func(r *http.Request, sealed string) (page, error)) error {
	state, err := s.stateOf(r.Context(), about)
	if err != nil {
		return err
	}
	p, err := build(r, state.String())
	if err != nil {
		return err
	}
	p.common().Sealed = state.String()
	s.render(w, r, http.StatusOK, p)
	return nil
}
