package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// posts lists the routes that accept POST. Only acts of closing, acts about differences and edits of labels change a ledger: they extend its audit trail. The page
// of a form with parameters accepts them too, and shows what was typed.
var posts = []route{
	{path: "/company/{page...}", ask: (*server).setCompany},
	{path: "/reconcile", ask: (*server).receive, parameters: scopeParameters},
	{path: "/reconcile/{token}", ask: (*server).workOnRows, parameters: slices.Concat(scopeParameters, []string{priceParameter}, settingNames(), acceptParameters)},
	{path: "/reconcile/{token}/forget", ask: (*server).forget},
	{path: "/packages/{package}/check", ask: (*server).startCheck},
	{path: "/close", ask: (*server).preparePackage, parameters: slices.Concat(closeParameters, scopeParameters)},
	{path: "/close/{name}", ask: (*server).doAct, parameters: actParameters},
	{path: "/account/{address}", ask: (*server).editEntry, parameters: entryParameters},
	{path: "/accounts/unlabelled", ask: (*server).labelPayer, parameters: payerParameters},
	{path: "/accounts/undo", ask: (*server).undoEdits},
}

// takes reports whether a request posts to one of these routes.
func (s *server) takes(r *http.Request) bool {
	_, pattern := s.posting.Handler(r)
	return r.Method == http.MethodPost && pattern != ""
}

// crossOrigin rejects requests from pages of other sites.
var crossOrigin = http.NewCrossOriginProtection()

// act wraps a handler of a POST request. It takes no worker slot.
func (s *server) act(ask endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := crossOrigin.Check(r); err != nil {
			s.refuse(w, r, &problem{http.StatusForbidden, "Cross-site request", "The request came from another site. Open this server's page and send the form from there."})
			return
		}
		err := ask(s, w, r)
		var own *problem
		switch {
		case err != nil && s.showAgain(w, r, err):
		case errors.As(err, &own): // also if the upload was aborted
			s.refuse(w, r, own)
		case err != nil:
			s.fail(w, r, err)
		}
	}
}

// typedPage returns the page of a form with what was typed into it, so that a refused form can be sent again. It returns
// "" for other forms.
func (s *server) typedPage(r *http.Request) string {
	_, pattern := s.posting.Handler(r)
	names, ok := s.typing[pattern]
	if !ok {
		return ""
	}
	values := url.Values{}
	for _, name := range names {
		if text := strings.TrimSpace(r.PostForm.Get(name)); text != "" {
			values.Set(name, text)
		}
	}
	if to := r.URL.EscapedPath() + "?" + values.Encode(); len(values) > 0 && len(to) <= maxQuery {
		return to
	}
	return r.URL.EscapedPath()
}

// owner returns the user of a request; "" if the server has no users.
func (s *server) owner(r *http.Request) string { return visitorOf(r).user }
