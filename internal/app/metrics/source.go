package metrics

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
)

// Source counts what a gateway and a node are asked: it is an [httpclient.Observer].
type Source struct {
	requests, retries, bytes *prometheus.CounterVec
	took                     *prometheus.HistogramVec
}

// Source counts what the program asks gateways and nodes.
func (m *Metrics) Source() *Source {
	return &Source{
		requests: m.counters("fees_source_requests_total", "Requests to the gateway or the node, each attempt counted, by what came of them: answered, busy (429, or a refusal that says so), refused (another 4xx), failed (5xx, or an internal error), unreachable, timed_out, cancelled by who asked, malformed.", "place", "outcome"),
		retries:  m.counters("fees_source_retries_total", "Requests that were made again, because the attempt before failed.", "place"),
		bytes:    m.counters("fees_source_received_bytes_total", "Bytes of the answers of the gateway or the node.", "place"),
		took:     m.seconds("fees_source_request_seconds", "How long requests to the gateway or the node took.", "place"),
	}
}

// Attempted counts an attempt.
func (s *Source) Attempted(what string, attempt int, took time.Duration, err error) {
	s.requests.WithLabelValues(what, outcome(err)).Inc()
	s.took.WithLabelValues(what).Observe(took.Seconds())
	retries := s.retries.WithLabelValues(what) // which are 0 from the first attempt on
	if attempt > 1 {
		retries.Inc()
	}
}

// Received counts bytes.
func (s *Source) Received(what string, bytes int64) {
	s.bytes.WithLabelValues(what).Add(float64(bytes))
}

// outcome is what came of an attempt. That there is no such block, and that the place cannot
// tell, are answers.
func outcome(err error) string {
	var status *httpclient.StatusError
	var unreachable *httpclient.UnreachableError
	switch {
	case err == nil, errors.Is(err, chain.ErrNoBlock), errors.Is(err, chain.ErrCannotTell), errors.Is(err, chain.ErrNotOffered):
		return "answered"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.As(err, &status):
		return outcomeOf(status.Code)
	case errors.Is(err, context.DeadlineExceeded):
		return "timed_out"
	case errors.As(err, &unreachable):
		return "unreachable"
	}
	switch httpclient.FailureOf(err) {
	case httpclient.Busy, httpclient.QuotaSpent:
		return "busy"
	case httpclient.Internal, httpclient.Unavailable:
		return "failed"
	case httpclient.Denied:
		return "refused"
	}
	return "malformed"
}

func outcomeOf(status int) string {
	switch {
	case status == http.StatusTooManyRequests:
		return "busy"
	case status >= http.StatusInternalServerError:
		return "failed"
	}
	return "refused"
}
