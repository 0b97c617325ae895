package web

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// logKey is the context key of a request's logger.
type logKey struct{}

// log returns a request's logger, which adds its ID and route. Paths are not logged, because they may name an
// account.
func (s *server) log(r *http.Request) *slog.Logger {
	return r.Context().Value(logKey{}).(*slog.Logger)
}

// counted counts all requests and logs those that are not probes.
func (s *server) counted(mux *http.ServeMux, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		route, id := routeOf(mux, r), rand.Text()[:12]
		w.Header().Set("X-Request-Id", id)
		log := s.Log.With("id", id, "route", route)
		body := &bodyReader{ReadCloser: r.Body}
		seen := &seenWriter{ResponseWriter: w, request: r, body: body}
		s.requests.Began()
		defer func() {
			took, status := time.Since(began), seen.outcome()
			s.requests.Ended(route, r.Method, status, took)
			if !isProbe(route) {
				log.Info("request", "method", r.Method, "status", status, "seconds", took.Seconds(), "bytes", seen.bytes)
			}
		}()
		own := r.WithContext(context.WithValue(r.Context(), logKey{}, log))
		own.Body = body // not in r itself: net/http checks there whether the client waits for 100 Continue
		next.ServeHTTP(seen, own)
	})
}

// noRoute is the route of unknown paths.
const noRoute = "other"

// routeOf returns the pattern of a request's path.
func routeOf(mux *http.ServeMux, r *http.Request) string {
	_, pattern := mux.Handler(r)
	if _, path, ok := strings.Cut(pattern, " "); ok {
		return strings.TrimSuffix(path, "{$}")
	}
	return noRoute
}

// isProbe reports whether a route is polled by monitoring.
func isProbe(route string) bool {
	return route == "/healthz" || route == "/readyz" || route == "/metrics"
}

// seenWriter records what is sent.
type seenWriter struct {
	http.ResponseWriter
	request *http.Request
	body    *bodyReader
	status  int // 0 until it is sent
	bytes   int64
	failed  bool // the client did not receive it
}

func (w *seenWriter) WriteHeader(status int) {
	w.begin(status)
	w.ResponseWriter.WriteHeader(status)
}

// begin reads the rest of the request before the response begins: a browser reads no response before it has sent
// everything, and reports a broken connection if the server closes it first.
func (w *seenWriter) begin(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	waits := w.request.Header.Get("Expect") != "" && !w.body.read // for 100 Continue
	if w.body.ended || waits || w.request.ContentLength == 0 {
		return
	}
	control := http.NewResponseController(w.ResponseWriter)
	if !w.body.read { // otherwise the handler has set it
		_ = control.SetReadDeadline(time.Now().Add(arrivalTime)) // httptest recorders do not support it
	}
	if _, _ = io.CopyN(io.Discard, w.body, maxDrainBytes); !w.body.ended {
		w.Header().Set("Connection", "close")
	}
	_ = control.SetWriteDeadline(time.Now().Add(sendTime))
}

// bodyReader records how far a request's body was read.
type bodyReader struct {
	io.ReadCloser
	read, ended bool
}

func (b *bodyReader) Read(p []byte) (int, error) {
	b.read = true
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err == io.EOF
	return n, err
}

func (w *seenWriter) Write(text []byte) (int, error) {
	w.begin(http.StatusOK)
	n, err := w.ResponseWriter.Write(text)
	w.note(int64(n), err)
	return n, err
}

// ReadFrom lets net/http send files efficiently.
func (w *seenWriter) ReadFrom(r io.Reader) (int64, error) {
	w.begin(http.StatusOK)
	n, err := io.Copy(w.ResponseWriter, r)
	w.note(n, err)
	return n, err
}

func (w *seenWriter) note(n int64, err error) {
	w.bytes += n
	w.failed = w.failed || err != nil
}

// Unwrap supports [http.ResponseController].
func (w *seenWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// gone is the outcome of a request whose client disconnected before the response.
const gone = "gone"

// outcome returns the status sent, or gone if nothing was sent.
func (w *seenWriter) outcome() string {
	if w.status == 0 || w.failed {
		return gone
	}
	return strconv.Itoa(w.status)
}
