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

// logging is the key of a request's log.
type logging struct{}

// log is the log of a request, whose lines have its id and its route. A path may name an
// account: none is logged.
func (s *server) log(r *http.Request) *slog.Logger {
	return r.Context().Value(logging{}).(*slog.Logger)
}

// counted counts requests, and logs each that is not a probe.
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
		own := r.WithContext(context.WithValue(r.Context(), logging{}, log))
		own.Body = body // not in r itself: net/http looks there whether the client waits for a word
		next.ServeHTTP(seen, own)
	})
}

// noRoute is that of paths that are not there.
const noRoute = "other"

// routeOf is the pattern of a request's path.
func routeOf(mux *http.ServeMux, r *http.Request) string {
	_, pattern := mux.Handler(r)
	if _, path, ok := strings.Cut(pattern, " "); ok {
		return strings.TrimSuffix(path, "{$}")
	}
	return noRoute
}

// isProbe tells whether a route is asked for all the time, by programs that look whether the
// server is there.
func isProbe(route string) bool {
	return route == "/healthz" || route == "/readyz" || route == "/metrics"
}

// seenWriter notes what is sent.
type seenWriter struct {
	http.ResponseWriter
	request *http.Request
	body    *bodyReader
	status  int // 0 until it is sent
	bytes   int64
	failed  bool // nobody took it
}

func (w *seenWriter) WriteHeader(status int) {
	w.begin(status)
	w.ResponseWriter.WriteHeader(status)
}

// begin reads the rest of the request before its answer, whoever gives it: a browser reads no answer
// before it has sent all, and sees a broken connection where the server ends that first.
func (w *seenWriter) begin(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	waits := w.request.Header.Get("Expect") != "" && !w.body.read // for a word before it sends anything
	if w.body.ended || waits || w.request.ContentLength == 0 {
		return
	}
	control := http.NewResponseController(w.ResponseWriter)
	if !w.body.read { // else the handler has set it
		_ = control.SetReadDeadline(time.Now().Add(arrivalTime)) // a test's recorder has none
	}
	if _, _ = io.CopyN(io.Discard, w.body, mostDrained); !w.body.ended {
		w.Header().Set("Connection", "close")
	}
	_ = control.SetWriteDeadline(time.Now().Add(sendTime))
}

// bodyReader notes how far the body of a request was read.
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

// ReadFrom has files sent as net/http sends them best.
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

// Unwrap is for [http.ResponseController].
func (w *seenWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// gone is the outcome of a request whose asker did not wait for the answer.
const gone = "gone"

// outcome is the status that was sent, or gone: nothing is sent to nobody.
func (w *seenWriter) outcome() string {
	if w.status == 0 || w.failed {
		return gone
	}
	return strconv.Itoa(w.status)
}
