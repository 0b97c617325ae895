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
	"time"

	"github.com/feeledger/fees/internal/app"
)

// policy lets a page load its own style sheet and script and nothing else: no inline code, no frames,
// nothing from other hosts.
const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'"

// maxQuery limits the length of a path with its query.
const maxQuery = 8 << 10

// guard rejects requests that are not for this server.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // without one, browsers omit the origin of a form
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.TLS && !isLoopback(nameOf(r.Host)) {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		defer s.recoverPanic(w, r)
		switch {
		case !s.serves(r):
			s.refuse(w, r, &problem{http.StatusMisdirectedRequest, "Unknown host", "This server does not answer to that host name. Use its address, or add the name with --host."})
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !s.takes(r):
			h.Set("Allow", "GET, HEAD")
			s.refuse(w, r, &problem{http.StatusMethodNotAllowed, "Read only", "This server accepts only GET and HEAD here."})
		case !strings.HasPrefix(r.URL.Path, "/"): // such as GET *, which the mux would answer
			s.refuse(w, r, &problem{http.StatusBadRequest, "Invalid request", "The request has no path. Use a path that begins with /."})
		case len(r.URL.RequestURI()) > maxQuery:
			s.refuse(w, r, &problem{http.StatusRequestURITooLong, "Address too long", "The address is too long. Name fewer accounts, or use a group of the address book."})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// serves reports whether the requested host is this server's. It stops DNS rebinding: a page of another site
// whose name resolves to this server would request that name.
func (s *server) serves(r *http.Request) bool {
	name := nameOf(r.Host)
	return isLoopback(name) || s.isHost(name) || isOwnAddress(r, name)
}

// nameOf strips the port from a host.
func nameOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

func isLoopback(name string) bool {
	address, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && address.IsLoopback()
}

// isOwnAddress reports whether name is the address on which the request arrived.
func isOwnAddress(r *http.Request, name string) bool {
	own, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	address, err := netip.ParseAddr(name)
	return ok && err == nil && own.AddrPort().Addr().Unmap() == address.Unmap()
}

// isHost reports whether a name is among the server's hosts. A host that begins with *. matches any single label
// in its place, as in a certificate.
func (s *server) isHost(name string) bool {
	_, domain, _ := strings.Cut(name, ".")
	return slices.ContainsFunc(s.Hosts, func(host string) bool {
		return strings.EqualFold(host, name) || domain != "" && strings.EqualFold(host, "*."+domain)
	})
}

// queued wraps a handler with a deadline and a queue.
func (s *server) queued(ask endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.Time)
		defer cancel()
		r = r.WithContext(ctx)
		leave, err := s.slots.short.acquire(ctx)
		if err == nil {
			defer leave()
			r = r.WithContext(context.WithValue(ctx, leaveKey{}, leave))
			err = ask(s, w, r)
		}
		if err != nil {
			s.fail(w, r, err)
		}
	}
}

// runLongRead runs an expensive read in one of the slots for these.
func (s *server) runLongRead(r *http.Request, work func() error) error {
	return runIn(r, s.slots.acquireLong, work)
}

// runIn releases the request's slot, and runs its work in another one.
func runIn(r *http.Request, acquire func(context.Context) (func(), error), work func() error) error {
	releaseSlot(r)
	leave, err := acquire(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	return work()
}

// releaseSlot releases the request's slot.
func releaseSlot(r *http.Request) {
	if leave, ok := r.Context().Value(leaveKey{}).(func()); ok {
		leave()
	}
}

// leaveKey is the context key of the function that releases a request's slot.
type leaveKey struct{}

// sendTime limits how long a client may take to read an answer.
const sendTime = time.Minute

// releaseAnswered releases the slot of a request whose answer is ready, so that a slow reader blocks no one.
func releaseAnswered(w http.ResponseWriter, r *http.Request) {
	releaseSlot(r)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sendTime)) // httptest recorders do not support it
}

// fail sends an error to the client and logs it.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil && !errors.Is(r.Context().Err(), context.DeadlineExceeded) {
		return // the client has disconnected
	}
	p := problemOf(r.Context(), err, s.Time)
	if p.Status == http.StatusGatewayTimeout && s.base != "" {
		p.Detail = "The ledger " + s.Name + " was slow. " + p.Detail
	}
	s.noteFailure(w, r, p, err)
	if ref := refusalOf(r); ref != nil && typedForm(s.pathOf(r), r.URL.Query()) == nil { // its page cannot be shown, and no form corrects that
		r, p, err = ref.request, ref.problem, ref.cause
	}
	s.refuseFor(w, r, p, err)
}

// noteFailure logs a failure and sets the headers of its answer.
func (s *server) noteFailure(w http.ResponseWriter, r *http.Request, p *problem, err error) {
	w.Header().Del("ETag")
	w.Header().Set("Cache-Control", "no-store")
	if p.Status >= http.StatusInternalServerError {
		s.log(r).Error("request failed", "user", visitorOf(r).user, "kind", string(app.KindOf(err)), "error", err.Error())
	}
	if p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests {
		setRetry(w, err)
	}
}

// setRetry sets the header Retry-After.
func setRetry(w http.ResponseWriter, err error) {
	after := int64(2)
	var wait *waitError
	var misfit *loginError
	switch {
	case errors.As(err, &wait):
		after = seconds(wait.wait)
	case errors.As(err, &misfit):
		after = seconds(misfit.wait)
	}
	w.Header().Set("Retry-After", fmt.Sprint(after))
}

// recoverPanic recovers from a panic in a handler.
func (s *server) recoverPanic(w http.ResponseWriter, r *http.Request) {
	if wrong := recover(); wrong != nil {
		if wrong == http.ErrAbortHandler {
			panic(wrong)
		}
		w.Header().Del("ETag")
		w.Header().Set("Cache-Control", "no-store")
		s.log(r).Error("internal error", "what", fmt.Sprint(wrong), "where", string(debug.Stack()))
		s.refuse(w, r, &problem{http.StatusInternalServerError, "Internal error", "See the server log for the cause."})
	}
}
