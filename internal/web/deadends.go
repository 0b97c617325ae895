package web

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// typed are the parameters that an error page offers to correct, in order.
var typed = slices.Concat(scopeParameters[:3], dayParameters, feesParameters, []string{"against", "step", "part", "balances", "limit"}, listingParameters)

// failurePage is the page of a problem.
type failurePage struct {
	frame
	Form *form // as it was typed; nil for none
}

func (p *failurePage) main() g.Node { return p.body(p.Form.node(), p.notices.node()) }

// pathOf returns the path of a request below its ledger.
func (s *server) pathOf(r *http.Request) string {
	return strings.TrimPrefix(strings.TrimPrefix(r.URL.EscapedPath(), s.base), "/")
}

// failurePage returns the page of a problem: the form as it was typed, the remedies, and ways back.
func (s *server) failurePage(r *http.Request, p *problem, cause error) *failurePage {
	v := &failurePage{frame: frame{Title: p.Title, Lead: readable(p.Detail), Failed: true}}
	if s.Ledger == nil || visitorOf(r).user == "" && (s.Users != nil || s.Header != "") {
		return v
	}
	path := s.pathOf(r)
	if r.Method != http.MethodGet {
		v.Kept = s.readable(r.Context(), r.URL.Query())
		if to := s.typedPage(r); to != "" {
			v.Ways = []link{{"Back to the form", to}}
		} else {
			v.Ways = append(s.listOf(path), link{"Overview", "overview"})
		}
		return v
	}
	values, _ := url.ParseQuery(r.URL.RawQuery) // what can be read of it
	v.Path, v.Form, v.Kept = path, typedForm(path, values), s.readable(r.Context(), values)
	var lacking *app.NotHeldError
	switch {
	case errors.As(cause, &lacking):
		own := without(values, slices.Concat(scopeParameters, dayParameters)...)
		sc, err := readScope(r.URL.RawQuery, slices.Collect(maps.Keys(own))...)
		if err != nil {
			break
		}
		if len(lacking.Lacks) > 0 && !lacking.Compared.Known() {
			part := sc
			part.Partial = true
			v.Ways = append(v.Ways, link{"Show the part that the ledger contains", path + part.query(sc.own)})
		}
		months := s.months(r.Context())
		for i := len(months) - 1; i >= 0; i-- {
			if !months[i].Partial {
				complete := sc
				complete.Period = months[i].Name
				v.Ways = append(v.Ways, link{"Show " + complete.name() + ", the last complete month", path + complete.query(without(sc.own, "compare", "against"))})
				break
			}
		}
		v.Remedy = "fees sync" + syncFlags(&sc, lacking) + s.gatewayFlag() + s.dataFlag()
	case errors.Is(cause, ledger.ErrNone):
		v.Form, v.Remedy = nil, s.fillCommand()
	case p.Title == statuses[failure.Damaged].Title:
		v.Remedy = "fees ledger verify" + s.dataFlag()
	case p.Status == http.StatusNotFound:
		v.Ways = append(s.near(r, path), s.listOf(path)...)
	case p.Status >= http.StatusBadGateway || p.Status == http.StatusTooManyRequests:
		v.Ways = append(v.Ways, link{"Try again", ownPath(r.URL.RequestURI())})
	}
	if len(v.Ways) == 0 {
		v.Ways = s.listOf(path)
	}
	if path != "overview" || r.URL.RawQuery != "" {
		v.Ways = append(v.Ways, link{"Overview", "overview"})
	}
	return v
}

// readable returns what can be kept of the scope of an address: each part that pages accept.
func (s *server) readable(ctx context.Context, values url.Values) *scope {
	var sc scope
	if zone := (scope{Zone: values.Get("zone")}); s.holds(ctx, zone) {
		sc.Zone = zone.Zone
	}
	if period := (scope{Period: values.Get("period"), Zone: sc.Zone, Partial: true}); s.holds(ctx, period) {
		sc.Period = period.Period
		sc.Partial = values.Get("partial") == "1"
	}
	if accounts := strings.Join(values["accounts"], ","); accounts == everyone || s.canChoose(accounts) {
		sc.Accounts = accounts
	}
	if code := values.Get(priceParameter); s.Prices != nil && code == s.currency() {
		sc.Price = code
	}
	return &sc
}

// holds reports whether a scope's period and zone can be read, and the ledger has a part of the period.
func (s *server) holds(ctx context.Context, sc scope) bool {
	period, err := sc.period()
	if err == nil && sc.Period != "" {
		_, err = s.Ledger.Held(ctx, period)
	}
	return err == nil
}

// seeOther redirects after a form that used POST to a page, which keeps what the page of the form is about.
func (s *server) seeOther(w http.ResponseWriter, r *http.Request, to string) {
	http.Redirect(w, r, s.base+"/"+carrierOf(s.readable(r.Context(), r.URL.Query())).link(to), http.StatusSeeOther)
}

// syncFlags names what a ledger lacks as flags of fees sync.
func syncFlags(sc *scope, lacking *app.NotHeldError) string {
	if span, ok := lacking.Fill.Get(); ok {
		return " " + span.String()
	}
	in := sc.input()
	if compared, ok := lacking.Compared.Get(); ok {
		in = compared
	}
	line := in.Flags()
	if sc.Zone != "" {
		line += " --timezone " + console.Argument(sc.Zone)
	}
	return line
}

// near returns links to what exists near an unknown block or transaction.
func (s *server) near(r *http.Request, path string) (list []link) {
	kind, name, _ := strings.Cut(path, "/")
	state, err := s.Ledger.State(r.Context())
	span, some := state.Span.Get()
	if err != nil || !some || kind != "tx" && kind != "block" {
		return nil
	}
	text, _, _ := strings.Cut(name, "-")
	if height, err := heightOf(text); err == nil && height >= span.First && height <= span.Last && kind == "tx" {
		list = append(list, link{fmt.Sprintf("Block %d", height), fmt.Sprintf("block/%d", height)})
	}
	return append(list, link{fmt.Sprintf("Block %d, the last sealed one", span.Last), fmt.Sprintf("block/%d", span.Last)})
}

// listOf returns the link to the list that a page belongs to; none for a list itself.
func (s *server) listOf(path string) []link {
	kind, _, below := strings.Cut(path, "/")
	switch {
	case !below:
	case kind == "account", kind == "accounts", kind == "contract":
		return []link{{"Accounts", "accounts"}}
	case kind == "reconcile":
		return []link{{"Upload a record of fees", "reconcile"}}
	case kind == "close" && s.closes():
		return []link{{"Packages to close", "close"}}
	case kind == "packages" && s.Packages != "":
		return []link{{"Packages", "packages"}}
	}
	return nil
}

// typedParameters returns the parameters that the error page of a path offers to correct; none for a page without any.
func typedParameters(path string) []string {
	for _, form := range fileForms {
		path = strings.TrimSuffix(path, "."+form)
	}
	switch {
	case path == "overview", path == "chain":
		return []string{"period"}
	case path == "accounts/unlabelled":
		return slices.Concat(scopeParameters[:2], payerFields, listingParameters)
	case path == "reconcile":
		return scopeParameters[:3]
	case path == "close":
		return slices.Concat(scopeParameters[:3], closeParameters)
	case strings.HasPrefix(path, "reconcile/"):
		return slices.Concat(scopeParameters[:3], settingNames())
	case slices.Contains([]string{"fees", "transactions", "findings", "deposits", "variance"}, path), strings.HasPrefix(path, "contract/"), strings.HasSuffix(path, "/statement"), strings.HasSuffix(path, "/rollforward"):
		return typed
	}
	return nil
}

// typedForm returns the parameters of a request as a form, so that they can be corrected; nil for a page without any.
// Unknown parameters are left out: they are the error.
func typedForm(path string, values url.Values) *form {
	names := typedParameters(path)
	if names == nil {
		return nil
	}
	f := &form{Action: path, Button: "Show"}
	for _, name := range names {
		if values.Has(name) || name == "period" || name == "zone" {
			f.Fields = append(f.Fields, control{Name: name, Label: labelOf(name), Kind: "text", Value: plain.Line(strings.Join(values[name], ","))})
		}
	}
	if len(names) == 1 { // the overview is of whole months
		return f
	}
	partial := ""
	if values.Get("partial") == "1" {
		partial = "1"
	}
	f.Fields = append(f.Fields, control{Name: "partial", Label: "Include incomplete periods", Kind: "checkbox", Value: partial})
	return f
}

// labelOf returns a parameter's label.
func labelOf(name string) string {
	if name == "zone" {
		return "Time zone"
	}
	return strings.ToUpper(name[:1]) + table.Words(name[1:])
}
