package web

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/sys/plain"
)

// visitor identifies the client of a request.
type visitor struct {
	user    string // "" if not logged in
	browser string // the browser's cookie, of a session or from before log-in; "" if none
	session bool   // the user logged in here and can log out
}

// visitorKey is the context key of the visitor.
type visitorKey struct{}

// visitorOf returns the client of a request.
func visitorOf(r *http.Request) *visitor {
	if v, ok := r.Context().Value(visitorKey{}).(*visitor); ok {
		return v
	}
	return &visitor{} // the guard rejected the request
}

// open lists the paths that reveal nothing about the ledger: probes and the log-in page.
var open = []string{"/healthz", "/readyz", "/style.css", "/page.js", "/icon.svg", "/theme", "/login"}

// admit authenticates the client if users are configured.
func (s *server) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visitor{}
		r = r.WithContext(context.WithValue(r.Context(), visitorKey{}, v))
		var err error
		switch {
		case s.Header != "":
			if w.Header().Set("Vary", s.Header); !slices.Contains(open, r.URL.Path) {
				v.user, err = s.named(r)
			}
		case s.Users != nil:
			w.Header().Set("Vary", "Cookie, Authorization")
			v.browser = s.cookieOf(r)
			v.user = s.sessions.userOf(v.browser, !strings.HasSuffix(r.URL.Path, "/events")) // background polling does not extend a session
			v.session = v.user != ""
			if v.user == "" && !slices.Contains(open, r.URL.Path) {
				if !s.forPrograms(r) {
					s.askToLogIn(w, r)
					return
				}
				v.user, err = s.basic(w, r)
			}
		default:
			v.browser = s.cookieOf(r)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// maxNamed limits the length of the user name in a proxy's header.
const maxNamed = 256

// named returns the user named by a proxy.
func (s *server) named(r *http.Request) (string, error) {
	if !s.isProxy(addressOf(r)) {
		return "", &problem{http.StatusForbidden, "Direct requests not allowed", "Use the address of the reverse proxy. If this request came through it, pass the proxy's address in --trusted-proxy."}
	}
	names := r.Header.Values(s.Header)
	if len(names) != 1 || names[0] == "" || len(names[0]) > maxNamed || plain.Line(names[0]) != names[0] {
		return "", &problem{http.StatusUnauthorized, "User name missing", fmt.Sprintf("The reverse proxy must send exactly one header %s with the user's name.", s.Header)}
	}
	return names[0], nil
}

// addressOf returns the address that a request came from.
func addressOf(r *http.Request) netip.Addr {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return from.Addr().Unmap().WithZone("")
}

// clientOf returns the client's address. X-Forwarded-For is trusted only if the request came from a proxy
// named in the options; the client is then the last address that is not one of those proxies.
func (s *server) clientOf(r *http.Request) client {
	peer := addressOf(r)
	if !s.isProxy(peer) {
		return client{address: peer}
	}
	list := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, text := range slices.Backward(list) {
		address, err := forwardedAddress(strings.TrimSpace(text))
		if !s.forwards || err != nil {
			break
		}
		if !s.isProxy(address) {
			return client{address: address}
		}
	}
	return client{address: peer, shared: true}
}

// forwardedAddress parses an address, with or without a port.
func forwardedAddress(text string) (netip.Addr, error) {
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr().Unmap().WithZone(""), nil
	}
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return address.Unmap().WithZone(""), err
}

// isProxy reports whether a trusted reverse proxy has the given address.
func (s *server) isProxy(address netip.Addr) bool {
	return slices.ContainsFunc(s.Proxies, func(p netip.Prefix) bool { return p.Contains(address) })
}

// basic returns the user of an API client, which sends HTTP Basic credentials with each request.
func (s *server) basic(w http.ResponseWriter, r *http.Request) (string, error) {
	name, password, ok := r.BasicAuth()
	var err error = &problem{http.StatusUnauthorized, "Log-in required", "Send a name and a password with HTTP Basic, such as curl --user NAME."}
	if ok {
		err = s.logsIn(r, name, password)
	}
	if err != nil && problemOf(r.Context(), err, s.Time).Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="fees", charset="UTF-8"`)
	}
	return name, err
}

// askToLogIn redirects to the log-in page, which redirects back. What was typed into a form before its session ended is
// kept: after log-in, the form shows it again.
func (s *server) askToLogIn(w http.ResponseWriter, r *http.Request) {
	if s.typedPage(r) != "" && crossOrigin.Check(r) == nil && readFields(w, r, maxForm) == nil {
		s.renderLogIn(w, r, http.StatusUnauthorized, &logIn{To: ownPath(s.typedPage(r)), Bad: "Nothing was recorded, because your session has ended. Log in to continue with what you typed."})
		return
	}
	to := "/login"
	switch {
	case r.Method != http.MethodPost && r.URL.RequestURI() != "/":
		to += "?to=" + url.QueryEscape(r.URL.RequestURI())
	case r.Method == http.MethodPost && s.typedPage(r) != "" && crossOrigin.Check(r) == nil: // the form of an upload
		to += "?to=" + url.QueryEscape(r.URL.EscapedPath())
	}
	if len(to) > maxQuery {
		to = "/login"
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// ownPath returns text if it is a path of this server, with its query, and otherwise the first page: no redirect
// leads to another server.
func ownPath(text string) string {
	to, err := url.Parse(text)
	if err != nil || to.Scheme != "" || to.Host != "" || to.User != nil || !strings.HasPrefix(text, "/") ||
		strings.HasPrefix(text, "//") || strings.Contains(text, `\`) || to.Path == "/login" || to.Path == "/logout" {
		return "/"
	}
	return text
}

// forPrograms reports whether a path belongs to the API or the metrics. With several ledgers, API paths begin
// with the ledger's name.
func (s *server) forPrograms(r *http.Request) bool {
	path := r.URL.Path
	if len(s.Ledgers) > 1 {
		if _, below, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/"); ok && !strings.HasPrefix(path, "/api/") {
			path = "/" + below
		}
	}
	return strings.HasPrefix(path, "/api/") || path == "/metrics"
}
