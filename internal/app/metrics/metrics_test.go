package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app/metrics"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
)

// A listener of its own tells that the program runs, and what keeps it from its work.
func TestHandler(t *testing.T) {
	wrong := errors.New("it waits")
	h := metrics.New("1.2").Handler(func(ctx context.Context) error {
		_, bounded := ctx.Deadline()
		require.True(t, bounded)
		return wrong
	})
	for path, want := range map[string]struct {
		status int
		text   string
	}{"/healthz": {http.StatusOK, "ok\n"}, "/readyz": {http.StatusServiceUnavailable, "it waits\n"}, "/": {http.StatusNotFound, "404 page not found\n"}} {
		status, text := get(t, h, path)
		require.Equal(t, want.status, status, path)
		require.Equal(t, want.text, text)
	}
	wrong = nil
	status, _ := get(t, h, "/readyz")
	require.Equal(t, http.StatusOK, status)
	_, text := get(t, h, "/metrics")
	for _, line := range []string{`fees_build_info{version="1.2"} 1`, "go_goroutines ", "process_cpu_seconds_total "} {
		require.Contains(t, text, "\n"+line)
	}
}

// What is asked is counted by what came of it, whatever an error wraps.
func TestSource(t *testing.T) {
	m := metrics.New("")
	s := m.Source()
	place := httpclient.Place{What: httpclient.Gateway}
	status := func(code int) error { return fmt.Errorf("block 7: %w", &httpclient.StatusError{Code: code}) }
	for i, err := range []error{
		nil, chain.ErrNoBlock, fmt.Errorf("%w: %w", chain.ErrUnsupported, status(500)), fmt.Errorf("%w: %w", chain.ErrNotOffered, status(404)),
		status(429), status(401), status(404), status(500), status(503),
		&httpclient.UnreachableError{Place: place, Err: errors.New("refused")}, &httpclient.UnreachableError{Place: place, Err: &httpclient.TimeoutError{}}, &httpclient.UnreachableError{Place: place, Err: context.Canceled},
		httpclient.ErrNotJSON,
	} {
		s.Attempted(httpclient.Gateway, 1+i%2, time.Second, err)
	}
	s.Attempted(httpclient.Node, 3, time.Millisecond, nil)
	s.Received(httpclient.Gateway, 40)
	s.Received(httpclient.Gateway, 2)
	requests := func(place, outcome string) string {
		return fmt.Sprintf("fees_source_requests_total{outcome=%q,place=%q}", outcome, place)
	}
	requireOurs(t, m, "fees_source", map[string]float64{
		requests("gateway", "answered"): 4, requests("gateway", "busy"): 1, requests("gateway", "refused"): 2, requests("gateway", "failed"): 2,
		requests("gateway", "unreachable"): 1, requests("gateway", "timed_out"): 1, requests("gateway", "cancelled"): 1, requests("gateway", "malformed"): 1,
		requests("node", "answered"):                         1,
		`fees_source_retries_total{place="gateway"}`:         6,
		`fees_source_retries_total{place="node"}`:            1,
		`fees_source_received_bytes_total{place="gateway"}`:  42,
		`fees_source_request_seconds_count{place="gateway"}`: 13,
		`fees_source_request_seconds_count{place="node"}`:    1,
	})
	require.Equal(t, 13.0, scraped(t, m)[`fees_source_request_seconds_sum{place="gateway"}`])
	requireLint(t, m)

	once := metrics.New("")
	once.Source().Attempted(httpclient.Node, 1, time.Second, nil)
	retries, known := scraped(t, once)[`fees_source_retries_total{place="node"}`]
	require.True(t, known, "who asked, and never again, is known")
	require.Zero(t, retries)
}

// Requests are counted by route, method and status; a method that is made up makes no series.
func TestRequests(t *testing.T) {
	m := metrics.New("")
	r := m.Requests(func() int { return 3 }, func() int { return 5 })
	r.Began()
	r.Began()
	r.Ended("/fees", http.MethodGet, "200", time.Second)
	requireOurs(t, m, "fees_http", map[string]float64{
		`fees_http_requests_total{method="GET",route="/fees",status="200"}`: 1, `fees_http_request_seconds_count{route="/fees"}`: 1,
		"fees_http_requests_in_flight": 1, "fees_http_questions_working": 3, "fees_http_questions_waiting": 5,
	})
	for i := range 100 {
		r.Began()
		r.Ended("/fees", fmt.Sprint("METHOD", i), "405", 0)
	}
	require.Equal(t, 100.0, scraped(t, m)[`fees_http_requests_total{method="other",route="/fees",status="405"}`])
	requireLint(t, m)
}

// A ledger that follows is ready when it has reached the head, and until it waits.
func TestFollow(t *testing.T) {
	m := metrics.New("")
	f := m.Follow()
	ready := func() string {
		if err := f.Ready(t.Context()); err != nil {
			return err.Error()
		}
		return "ready"
	}
	none := map[string]float64{"fees_follow_waiting": 0, "fees_follow_heads_back_total": 0}
	requireOurs(t, m, "fees_follow", none) // what is not known is absent
	requireOurs(t, m, "fees_ledger", map[string]float64{"fees_ledger_up": 0})
	f.Heard(10)
	require.Contains(t, ready(), "it has not reached the head yet")
	f.Wrote(9)
	require.Contains(t, ready(), "it has not reached the head yet")
	began := time.Now()
	f.Wrote(10)
	require.Equal(t, "ready", ready())
	f.Heard(12) // it is behind for a moment, and stays ready
	f.Heard(11)
	f.Heard(11)
	require.Equal(t, "ready", ready())
	f.Waits(errors.New("no answer from\x1b the node"))
	require.Contains(t, ready(), "it waits for the gateway or the node: no answer from the node")
	f.Waits(fmt.Errorf("no: %w", ledger.ErrLost))
	require.Contains(t, ready(), "it waits for the database: no")
	values := scraped(t, m)
	at := values["fees_follow_last_change_timestamp_seconds"]
	require.WithinRange(t, time.UnixMilli(int64(at*1000)), began.Add(-time.Second), time.Now().Add(time.Second))
	require.Equal(t, []float64{1, 1, 11}, []float64{values["fees_follow_waiting"], values["fees_follow_heads_back_total"], values["fees_follow_head_height"]})
	f.Wrote(11)
	require.Equal(t, "ready", ready())
	requireLint(t, m)
}

// A worker's jobs are counted by how they ended; it is ready while the ledger is open.
func TestWork(t *testing.T) {
	m := metrics.New("")
	w := m.Work()
	require.EqualError(t, w.Ready(t.Context()), "the ledger is not open yet")
	w.Opened(filled(t, 0, 3))
	require.NoError(t, w.Ready(t.Context()))
	w.Waits(errors.New("connection refused"))
	require.EqualError(t, w.Ready(t.Context()), "it waits for the database: connection refused")
	ended, other, left := w.Began(), w.Began(), w.Began()
	w.Began()
	ended(queue.Done)
	other(queue.Failed)
	left(queue.PutBack)
	requireOurs(t, m, "fees_worker", map[string]float64{
		`fees_worker_jobs_total{outcome="done"}`: 1, `fees_worker_jobs_total{outcome="failed"}`: 1, `fees_worker_jobs_total{outcome="put_back"}`: 1,
		`fees_worker_job_seconds_count{outcome="done"}`: 1, `fees_worker_job_seconds_count{outcome="failed"}`: 1, `fees_worker_job_seconds_count{outcome="put_back"}`: 1,
		"fees_worker_jobs_running": 1, "fees_worker_database_waits_total": 1, "fees_worker_waiting": 1,
	})
	require.Equal(t, 3.0, scraped(t, m)["fees_ledger_last_height"])
	requireLint(t, m)
}
