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

	"github.com/feeledger/fees/desk"
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
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		defer s.mend(w, r)
		switch {
		case !s.serves(r.Host):
			s.refuse(w, r, &problem{http.StatusMisdirectedRequest, "Not this server", "This server is not known by that name: ask for it by its address, or name the host with --host."})
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !s.takes(r):
			h.Set("Allow", "GET, HEAD")
			s.refuse(w, r, &problem{http.StatusMethodNotAllowed, "Read only", "Nothing can be changed here."})
		case len(r.URL.RequestURI()) > mostQuery:
			s.refuse(w, r, &problem{http.StatusRequestURITooLong, "Too long", "The address is too long: name fewer accounts, or a group of the address book."})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// serves tells whether a host, as a request names it, is this server's. A page of another site
// whose name leads here asks by that name.
func (s *server) serves(host string) bool {
	name := host
	if alone, _, err := net.SplitHostPort(host); err == nil {
		name = alone
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if address, err := netip.ParseAddr(name); err == nil {
		return address.IsLoopback() || s.isHost(name)
	}
	return name == "localhost" || s.isHost(name)
}

func (s *server) isHost(name string) bool {
	return slices.ContainsFunc(s.Hosts, func(host string) bool { return strings.EqualFold(host, name) })
}

// question is a handler that has so much time, and waits for its turn.
func (s *server) question(ask asker) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.Time)
		defer cancel()
		r = r.WithContext(ctx)
		leave, err := s.turn(ctx)
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

// turn waits for a place among the questions that are worked on, which leave gives to the next.
func (s *server) turn(ctx context.Context) (leave func(), err error) {
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return nil, errBusy
	}
	select {
	case s.working <- struct{}{}:
		return sync.OnceFunc(func() { <-s.working }), nil
	case <-ctx.Done():
		return nil, errBusy
	}
}

// leaving is the key of who leaves the place of a question.
type leaving struct{}

// sendTime is how long who asked may take to read an answer.
const sendTime = time.Minute

// answered leaves the place of a question whose answer is there: who reads it slowly keeps nobody
// waiting.
func answered(w http.ResponseWriter, r *http.Request) {
	if leave, ok := r.Context().Value(leaving{}).(func()); ok {
		leave()
	}
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
		s.log(r).Error("not answered", "kind", string(desk.KindOf(err)), "error", err.Error())
	}
	if p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "2")
	}
	s.refuse(w, r, p)
}

// mend answers where the program itself is wrong.
func (s *server) mend(w http.ResponseWriter, r *http.Request) {
	if wrong := recover(); wrong != nil && wrong != http.ErrAbortHandler {
		s.log(r).Error("wrong program", "what", fmt.Sprint(wrong), "where", string(debug.Stack()))
		s.refuse(w, r, &problem{http.StatusInternalServerError, "It failed", "The log of the server says why."})
	}
}
