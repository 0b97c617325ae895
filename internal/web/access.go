package web

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/console"
)

// visitor is who asks.
type visitor struct {
	user    string // "" for nobody
	browser string // what the browser's cookie has: of a session, or of one who did not log in yet; "" for none
	session bool   // the user logged in here, and can log out
}

// visiting is the key of who asks.
type visiting struct{}

// visitorOf is who asks.
func visitorOf(r *http.Request) *visitor {
	if v, ok := r.Context().Value(visiting{}).(*visitor); ok {
		return v
	}
	return &visitor{} // the guard did not let the request in
}

// open are the paths that tell nothing of the ledger: for probes, and for the page to log in at.
var open = []string{"/healthz", "/readyz", "/style.css", "/page.js", "/icon.svg", "/theme", "/login"}

// admit lets in who is known, where users are.
func (s *server) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visitor{}
		r = r.WithContext(context.WithValue(r.Context(), visiting{}, v))
		var err error
		switch {
		case s.Header != "":
			if w.Header().Set("Vary", s.Header); !slices.Contains(open, r.URL.Path) {
				v.user, err = s.named(r)
			}
		case s.Users != nil:
			w.Header().Set("Vary", "Cookie, Authorization")
			v.browser = s.cookieOf(r)
			v.user = s.sessions.userOf(v.browser, !strings.HasSuffix(r.URL.Path, "/events")) // a page asks for news by itself
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

// mostNamed is how long the name may be that a proxy gives.
const mostNamed = 256

// named is the user that a proxy names.
func (s *server) named(r *http.Request) (string, error) {
	if !s.isProxy(addressOf(r)) {
		return "", &problem{http.StatusForbidden, "Not from here", "Requests come through the server before this one, which asks who you are. --trusted-proxy names its address."}
	}
	names := r.Header.Values(s.Header)
	if len(names) != 1 || names[0] == "" || len(names[0]) > mostNamed || console.Printable(names[0]) != names[0] {
		return "", &problem{http.StatusUnauthorized, "Nobody is named", fmt.Sprintf("The server before this one does not say who you are: its requests have one header %s with a name.", s.Header)}
	}
	return names[0], nil
}

// addressOf is where a request comes from.
func addressOf(r *http.Request) netip.Addr {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return from.Addr().Unmap().WithZone("")
}

// clientOf returns where a request comes from. What a proxy adds to X-Forwarded-For is believed where the
// options name that proxy: the last address there that is none of theirs.
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

// forwardedAddress reads an address, which some proxies write with its port.
func forwardedAddress(text string) (netip.Addr, error) {
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr().Unmap().WithZone(""), nil
	}
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return address.Unmap().WithZone(""), err
}

// isProxy tells whether a server before this one is at an address.
func (s *server) isProxy(address netip.Addr) bool {
	return slices.ContainsFunc(s.Proxies, func(p netip.Prefix) bool { return p.Contains(address) })
}

// basic is the user of a program, who gives name and password with each request.
func (s *server) basic(w http.ResponseWriter, r *http.Request) (string, error) {
	name, password, ok := r.BasicAuth()
	var err error = &problem{http.StatusUnauthorized, "Who asks?", "Give a name and a password by HTTP Basic, as curl --user NAME does."}
	if ok {
		err = s.logsIn(r, name, password)
	}
	if err != nil && problemOf(r.Context(), err, s.Time).Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="fees", charset="UTF-8"`)
	}
	return name, err
}

// askToLogIn leads a person to the page to log in at, and from there back.
func (s *server) askToLogIn(w http.ResponseWriter, r *http.Request) {
	to := "/login"
	if r.Method != http.MethodPost && r.URL.RequestURI() != "/" {
		to += "?to=" + url.QueryEscape(r.URL.RequestURI())
	}
	if len(to) > mostQuery {
		to = "/login"
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// ownPath is a path of this server, with its query: that of the first page, where a text is none.
// Nobody is led to another server.
func ownPath(text string) string {
	to, err := url.Parse(text)
	if err != nil || to.Scheme != "" || to.Host != "" || to.User != nil || !strings.HasPrefix(text, "/") ||
		strings.HasPrefix(text, "//") || strings.Contains(text, `\`) || to.Path == "/login" || to.Path == "/logout" {
		return "/"
	}
	return text
}

// forPrograms tells whether programs ask for such a path. With several ledgers, the name of one is
// before that of the API.
func (s *server) forPrograms(r *http.Request) bool {
	path := r.URL.Path
	if len(s.Ledgers) > 1 {
		if _, below, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/"); ok && !strings.HasPrefix(path, "/api/") {
			path = "/" + below
		}
	}
	return strings.HasPrefix(path, "/api/") || path == "/metrics"
}
