package metrics

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/sys/series"
)

// Source counts requests to a gateway or a node: it is an [httpclient.Observer].
type Source struct {
	requests, retries, bytes *series.Number
	took                     *series.Histogram
}

// Source returns the metrics of requests to gateways and nodes.
func (m *Metrics) Source() *Source {
	return &Source{
		requests: m.Counter("fees_source_requests_total", "Attempts by outcome: answered, busy (429 or equivalent), refused (other 4xx), failed (5xx or internal error), unreachable, timed_out, cancelled by the caller, malformed.", "place", "outcome"),
		retries:  m.Counter("fees_source_retries_total", "Attempts after a failed attempt.", "place"),
		bytes:    m.Counter("fees_source_received_bytes_total", "Bytes received from the gateway or node.", "place"),
		took:     m.seconds("fees_source_request_seconds", "Request duration.", "place"),
	}
}

// Attempted counts an attempt.
func (s *Source) Attempted(what string, attempt int, took time.Duration, err error) {
	s.requests.Add(1, what, outcome(err))
	s.took.Observe(took.Seconds(), what)
	retries := 0.0 // which is known from the first attempt on
	if attempt > 1 {
		retries = 1
	}
	s.retries.Add(retries, what)
}

// Received counts bytes.
func (s *Source) Received(what string, bytes int64) {
	s.bytes.Add(float64(bytes), what)
}

// outcome returns the result of an attempt. A missing block and a request that the source cannot answer
// count as answers.
func outcome(err error) string {
	var status *httpclient.StatusError
	var unreachable *httpclient.UnreachableError
	switch {
	case err == nil, errors.Is(err, chain.ErrNoBlock), errors.Is(err, chain.ErrUnsupported), errors.Is(err, chain.ErrNotOffered):
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
