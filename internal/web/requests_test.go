package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/app/metrics"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/web"
)

// metricsOf returns the metrics of a server, by name with labels.
func metricsOf(t testing.TB, s *httptest.Server) map[string]float64 {
	t.Helper()
	a := get(t, s, "/metrics", nil)
	require.Equal(t, http.StatusOK, a.status, a.text)
	values := map[string]float64{}
	for line := range strings.Lines(a.text) {
		if at := strings.LastIndex(line, " "); strings.HasPrefix(line, "fees_") {
			value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
			require.NoError(t, err, line)
			values[line[:at]] = value
		}
	}
	return values
}

// lines returns the lines of a log.
type lines struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (l *lines) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(text)
}

func (l *lines) all(t testing.TB) (list []map[string]any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.out.String()) {
		list = append(list, parsed(t, line))
	}
	return list
}

// The metrics of the ledger equal the figures on its pages and in its answers.
func TestMetricsAreTheAnswers(t *testing.T) {
	m := metrics.New("a version")
	s := served(t, filled(t, "0..3", "6..27"), func(o *web.Options) { o.Metrics = m })
	values := metricsOf(t, s)
	require.Equal(t, []float64{27, 3, 1, 2, 26}, []float64{values["fees_ledger_last_height"], values["fees_ledger_sealed_height"],
		values["fees_ledger_gaps"], values["fees_ledger_missing_blocks"], values["fees_ledger_blocks"]})
	require.Contains(t, get(t, s, "/chain", nil).text, "Blocks 4..5 are missing.")
	at, err := time.Parse(time.RFC3339, parsed(t, get(t, s, "/api/v1/blocks/27", nil).text)["time"].(string))
	require.NoError(t, err)
	require.Equal(t, float64(at.UnixMilli())/1000, values["fees_ledger_last_block_timestamp_seconds"])
	require.Equal(t, 1.0, values[`fees_build_info{version="a version"}`])
	require.Equal(t, 1.0, values[`fees_ledger_info{network="moonbeam"}`])

	whole := served(t, filled(t, "0..27"), nil)
	counted := map[string]float64{}
	for line := range strings.Lines(get(t, whole, "/api/v1/findings", nil).text) {
		counted[parsed(t, line)["kind"].(string)]++
	}
	require.NotEmpty(t, counted)
	values = metricsOf(t, whole)
	for _, kind := range []string{"check", "undetermined", "drift", "unclassified"} {
		require.Equal(t, counted[kind], values[`fees_ledger_findings{kind="`+kind+`"}`], kind)
	}
	var text bytes.Buffer
	_, err = m.WriteTo(&text)
	require.NoError(t, err)
	problems, err := promlint.New(&text).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
}

// Each request is counted and logged by route and outcome. No input is in a label, and no part of a path or a
// query is in the log.
func TestRequestsAreCounted(t *testing.T) {
	log := &lines{}
	s := served(t, filled(t, "0..27"), func(o *web.Options) { o.Log = slog.New(slog.NewJSONHandler(log, nil)) })
	tag := get(t, s, "/overview", nil).header.Get("ETag")
	get(t, s, "/overview", func(r *http.Request) { r.Header.Set("If-None-Match", tag) })
	first := get(t, s, "/account/"+alith+"?secret=1", nil)
	get(t, s, "/account/"+alith, func(r *http.Request) { r.Method = http.MethodHead })
	get(t, s, "/fees?accounts="+alith, func(r *http.Request) { r.Host = "evil.example" })
	get(t, s, "/fees.csv?period=3..27", nil)
	get(t, s, "/tx/0x"+strings.Repeat("ab", 32), nil)
	get(t, s, "/"+alith, nil)
	get(t, s, "/", nil)
	get(t, s, "/fees", func(r *http.Request) { r.Method = "MADEUP" })
	get(t, s, "/healthz", nil)

	values := metricsOf(t, s)
	count := func(route, method, status string) float64 {
		return values[`fees_http_requests_total{method="`+method+`",route="`+route+`",status="`+status+`"}`]
	}
	for _, want := range [][3]string{
		{"/overview", "GET", "200"}, {"/overview", "GET", "304"}, {"/account/{address}", "GET", "400"}, {"/account/{address}", "HEAD", "200"}, {"/fees", "GET", "421"},
		{"/fees.csv", "GET", "200"}, {"/tx/{name}", "GET", "404"}, {"other", "GET", "404"}, {"/", "GET", "302"}, {"other", "other", "405"}, {"/healthz", "GET", "200"},
	} {
		require.Equal(t, 1.0, count(want[0], want[1], want[2]), want)
	}
	require.Equal(t, 2.0, values[`fees_http_request_seconds_count{route="/overview"}`])
	require.Equal(t, 1.0, values["fees_http_requests_in_flight"], "that for the metrics")
	require.Zero(t, values["fees_http_questions_working"]+values["fees_http_questions_waiting"])
	for name := range values {
		require.NotContains(t, strings.ToLower(name), strings.ToLower(alith))
	}

	all := log.all(t)
	require.Len(t, all, 10, "probes are not logged")
	file := get(t, s, "/fees.csv?period=3..27", nil)
	for _, line := range all {
		text, err := json.Marshal(line)
		require.NoError(t, err)
		for _, sent := range []string{alith, "secret", "evil.example", "abab", "3..27"} {
			require.NotContains(t, string(text), sent)
		}
		require.Equal(t, []any{"INFO", "request"}, []any{line["level"], line["msg"]})
		require.GreaterOrEqual(t, line["seconds"], 0.0)
	}
	require.Equal(t, []any{"/account/{address}", "GET", "400", first.header.Get("X-Request-Id")}, []any{all[2]["route"], all[2]["method"], all[2]["status"], all[2]["id"]})
	require.Equal(t, float64(len(file.text)), all[5]["bytes"])
	require.NotEqual(t, all[0]["id"], all[1]["id"])
}

// brokenWriter fails every write.
type brokenWriter struct{ *httptest.ResponseRecorder }

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("connection closed") }

// A client that disconnects is counted as gone, before and during the response.
func TestGone(t *testing.T) {
	h := web.Handler(web.Options{Ledgers: []web.Served{{Ledger: filled(t, "0..27"), Network: "moonbeam"}}})
	s := httptest.NewServer(h)
	defer s.Close()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/fees", nil))
	h.ServeHTTP(brokenWriter{httptest.NewRecorder()}, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/overview", nil))
	h.ServeHTTP(brokenWriter{httptest.NewRecorder()}, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/fees.csv", nil))
	values := metricsOf(t, s)
	for _, route := range []string{"/fees", "/overview", "/fees.csv"} {
		require.Equal(t, 1.0, values[`fees_http_requests_total{method="GET",route="`+route+`",status="gone"}`], route)
	}
}

// A failed request is logged with its ID, kind and cause, at a level that is always shown; so are panics.
func TestFailuresAreLogged(t *testing.T) {
	d := filled(t, "0..3")
	other, err := app.Open(t.Context(), d.Place, d.Tables)
	require.NoError(t, err)
	log := &lines{}
	s := served(t, other, func(o *web.Options) {
		o.Log = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	})
	require.NoError(t, other.Close())
	a := get(t, s, "/block/2", nil)
	require.GreaterOrEqual(t, a.status, http.StatusInternalServerError)
	all := log.all(t)
	require.Len(t, all, 1)
	require.Equal(t, []any{"ERROR", "request failed", "/block/{height}", a.header.Get("X-Request-Id")}, []any{all[0]["level"], all[0]["msg"], all[0]["route"], all[0]["id"]})
	require.NotEmpty(t, all[0]["error"])
	values := metricsOf(t, s)
	require.Zero(t, values["fees_ledger_up"])
	require.Equal(t, 1.0, values[`fees_http_requests_total{method="GET",route="/block/{height}",status="`+strconv.Itoa(a.status)+`"}`])
}

// During shutdown a request in progress is answered completely, no others are accepted, and the server ends
// without an error.
func TestItEndsGracefully(t *testing.T) {
	h := web.Handler(web.Options{Ledgers: []web.Served{{Ledger: filled(t, "0..27"), Network: "moonbeam"}}})
	begun, release := make(chan struct{}), make(chan struct{})
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-release
		h.ServeHTTP(w, r)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- reply.Serve(ctx, listener, slow) }()
	type answer struct {
		status int
		text   string
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		response, err := http.Get("http://" + listener.Addr().String() + "/fees?period=3..27")
		if err != nil {
			answered <- answer{err: err}
			return
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		answered <- answer{response.StatusCode, string(text), err}
	}()
	<-begun
	stop()
	for { // until new connections are rejected
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			break
		}
		c.Close()
		time.Sleep(time.Millisecond)
	}
	close(release)
	a := <-answered
	require.NoError(t, a.err)
	require.Equal(t, http.StatusOK, a.status)
	require.True(t, strings.HasSuffix(strings.TrimSpace(a.text), "</html>"))
	require.NoError(t, <-ended)
}
