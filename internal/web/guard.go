package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/feeledger/fees/internal/app"
)

// policy lets a page use its own style sheet and scripts, and nothing else: no text of a page is
// one, no frame, nothing from elsewhere.
const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'"

// mostQuery is how long a path with its query may be.
const mostQuery = 8 << 10

// guard refuses what is not for this server.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // with none at all, a browser does not say whose form it sends
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.TLS && !isThisMachine(nameOf(r.Host)) {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		defer s.mend(w, r)
		switch {
		case !s.serves(r):
			s.refuse(w, r, &problem{http.StatusMisdirectedRequest, "Not this server", "This server is not known by that name: ask for it by its address, or name the host with --host."})
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !s.takes(r):
			h.Set("Allow", "GET, HEAD")
			s.refuse(w, r, &problem{http.StatusMethodNotAllowed, "Read only", "Nothing can be changed here."})
		case !strings.HasPrefix(r.URL.Path, "/"): // such as GET *, which the mux answers itself
			s.refuse(w, r, &problem{http.StatusBadRequest, "Not understood", "The request names no path. Ask for one that begins with /."})
		case len(r.URL.RequestURI()) > mostQuery:
			s.refuse(w, r, &problem{http.StatusRequestURITooLong, "Too long", "The address is too long: name fewer accounts, or a group of the address book."})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// serves tells whether the host that a request names is this server's. A page of another site
// whose name leads here asks by that name.
func (s *server) serves(r *http.Request) bool {
	name := nameOf(r.Host)
	return isThisMachine(name) || s.isHost(name) || isAskedAt(r, name)
}

// nameOf is a host without its port.
func nameOf(host string) string {
	if alone, _, err := net.SplitHostPort(host); err == nil {
		host = alone
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

func isThisMachine(name string) bool {
	address, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && address.IsLoopback()
}

// isAskedAt tells whether a host is the address at which the request came in.
func isAskedAt(r *http.Request, name string) bool {
	own, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	address, err := netip.ParseAddr(name)
	return ok && err == nil && own.AddrPort().Addr().Unmap() == address.Unmap()
}

// isHost tells whether a name is among those of the server. One that begins with *. stands for all
// that have one word in its place, as in a certificate.
func (s *server) isHost(name string) bool {
	_, domain, _ := strings.Cut(name, ".")
	return slices.ContainsFunc(s.Hosts, func(host string) bool {
		return strings.EqualFold(host, name) || domain != "" && strings.EqualFold(host, "*."+domain)
	})
}

// question is a handler that has so much time, and waits for its turn.
func (s *server) question(ask asker) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.Time)
		defer cancel()
		r = r.WithContext(ctx)
		leave, err := turn(ctx, s.waiting, s.working)
		if err == nil {
			defer leave()
			r = r.WithContext(context.WithValue(ctx, leaving{}, leave))
			err = ask(s, w, r)
		}
		if err != nil {
			s.fail(w, r, err)
		}
	}
}

// errBusy says that too many questions wait.
var errBusy = errors.New("too many questions wait")

// turn waits for a place among those that are worked on, which leave gives to the next.
func turn(ctx context.Context, waiting, working chan struct{}) (leave func(), err error) {
	select {
	case waiting <- struct{}{}:
		defer func() { <-waiting }()
	default:
		return nil, errBusy
	}
	select {
	case working <- struct{}{}:
		return sync.OnceFunc(func() { <-working }), nil
	case <-ctx.Done():
		return nil, errBusy
	}
}

// atLength works on a question that reads much. It gives its place to others, and waits for one of those
// that such questions have.
func (s *server) atLength(r *http.Request, work func() error) error {
	stepAside(r)
	leave, err := turn(r.Context(), s.longWaiting, s.long)
	if err != nil {
		return err
	}
	defer leave()
	return work()
}

// stepAside gives a question's place to the next.
func stepAside(r *http.Request) {
	if leave, ok := r.Context().Value(leaving{}).(func()); ok {
		leave()
	}
}

// leaving is the key of who leaves the place of a question.
type leaving struct{}

// sendTime is how long who asked may take to read an answer.
const sendTime = time.Minute

// answered leaves the place of a question whose answer is there: who reads it slowly keeps nobody
// waiting.
func answered(w http.ResponseWriter, r *http.Request) {
	stepAside(r)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sendTime)) // a test's recorder has none
}

// fail tells what went wrong, to who asked and to the log.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil && !errors.Is(r.Context().Err(), context.DeadlineExceeded) {
		return // nobody is there any more
	}
	w.Header().Del("ETag")
	w.Header().Set("Cache-Control", "no-store")
	p := problemOf(r.Context(), err, s.Time)
	if p.Status >= http.StatusInternalServerError {
		s.log(r).Error("not answered", "user", visitorOf(r).user, "kind", string(app.KindOf(err)), "error", err.Error())
	}
	if p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests {
		setRetry(w, err)
	}
	s.refuse(w, r, p)
}

// setRetry says when to ask again.
func setRetry(w http.ResponseWriter, err error) {
	after := int64(2)
	var wait *waitError
	var misfit *misfitError
	switch {
	case errors.As(err, &wait):
		after = seconds(wait.wait)
	case errors.As(err, &misfit):
		after = seconds(misfit.wait)
	}
	w.Header().Set("Retry-After", fmt.Sprint(after))
}

// mend answers where the program itself is wrong.
func (s *server) mend(w http.ResponseWriter, r *http.Request) {
	if wrong := recover(); wrong != nil {
		if wrong == http.ErrAbortHandler {
			panic(wrong)
		}
		w.Header().Del("ETag")
		w.Header().Set("Cache-Control", "no-store")
		s.log(r).Error("wrong program", "what", fmt.Sprint(wrong), "where", string(debug.Stack()))
		s.refuse(w, r, &problem{http.StatusInternalServerError, "It failed", "The log of the server says why."})
	}
}
