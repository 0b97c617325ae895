package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
)

// apiPage describes the API.
type apiPage struct {
	frame
	tables
	Request string // of the view that the reader came from; "" for none
}

func (p *apiPage) main() g.Node {
	return p.body(toCopy("request", p.Request, markup.Text("The view that you came from")), p.tables.node())
}

// apiPaths are the paths of the API for the same content as pages, by the pattern of the page.
var apiPaths = []struct{ page, api string }{
	{"fees", "/api/v1/report"}, {"transactions", "/api/v1/transactions"}, {"findings", "/api/v1/findings"}, {"packages", "/api/v1/packages"},
	{"tx/{}", "/api/v1/transactions/{}"}, {"block/{}", "/api/v1/blocks/{}"}, {"account/{}", "/api/v1/accounts/{}"}, {"packages/{}", "/api/v1/packages/{}"},
	{"account/{}/statement", "/api/v1/accounts/{}/statement"}, {"account/{}/rollforward", "/api/v1/accounts/{}/rollforward"},
}

// aboutAPI shows what the API offers, and the request for the view that the reader came from.
func (s *server) aboutAPI(w http.ResponseWriter, r *http.Request) error {
	own, err := parameters(r.URL.RawQuery, "view")
	if err != nil {
		return err
	}
	v := &apiPage{frame: frame{Title: "API", Path: "api", Lead: "The contents of the ledger as JSON, as printed by the command line, for programs. Amounts are in the token's smallest unit (wei, planck), as text; null means not known."}}
	if to := s.apiOf(own.Get("view")); to != "" {
		scheme := "http://"
		if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
			scheme = "https://"
		}
		v.Request = "curl "
		if s.Users != nil {
			v.Request += "--user NAME "
		}
		v.Request += console.Argument(plain.Line(scheme + r.Host + to))
	}
	t := &tabular{Title: "Requests", Heads: heads("path", "answer", "parameters")}
	for _, a := range answers() {
		path := cell{Text: s.base + a.path, Class: "hex address"}
		if !strings.Contains(a.path, "{") && len(a.parameters) == 0 {
			path.To = strings.TrimPrefix(a.path, "/")
		}
		t.Rows = append(t.Rows, []cell{path, {Text: a.about}, {Text: strings.Join(a.parameters, ", ")}})
	}
	p := &tabular{Title: "Parameters", Heads: heads("parameter", "meaning")}
	var names []string
	for _, a := range answers() {
		names = append(names, a.parameters...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		p.Rows = append(p.Rows, []cell{{Text: name}, {Text: parameterTexts[name]}})
	}
	v.Tables = []*tabular{t, p}
	s.render(w, r, http.StatusOK, v)
	return nil
}

// apiOf returns the request of the API for the same content as a page; "" for none.
func (s *server) apiOf(view string) string {
	at, err := url.Parse(view)
	below, ok := strings.CutPrefix(view, s.base+"/")
	if err != nil || !ok {
		return ""
	}
	below, _, _ = strings.Cut(below, "?")
	parts := strings.Split(below, "/")
	for _, p := range apiPaths {
		name := ""
		pattern := strings.Split(p.page, "/")
		if len(pattern) != len(parts) || !slices.EqualFunc(pattern, parts, func(want, have string) bool {
			if want == "{}" {
				name = have
			}
			return want == "{}" || want == have
		}) {
			continue
		}
		values := url.Values{}
		for _, a := range answers() {
			if inPath.ReplaceAllString(a.path, "{}") == p.api {
				for parameter, list := range at.Query() {
					if slices.Contains(a.parameters, parameter) {
						values[parameter] = list
					}
				}
			}
		}
		to := s.base + strings.Replace(p.api, "{}", name, 1)
		if len(values) > 0 {
			to += "?" + values.Encode()
		}
		return to
	}
	return ""
}
