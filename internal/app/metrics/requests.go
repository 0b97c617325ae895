package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Requests counts what the program is asked over HTTP.
type Requests struct {
	answered *prometheus.CounterVec
	took     *prometheus.HistogramVec
	inFlight prometheus.Gauge
}

// Requests counts requests. Working and waiting tell how many questions are worked on, and wait
// for their turn.
func (m *Metrics) Requests(working, waiting func() int) *Requests {
	m.gaugeOf("fees_http_questions_working", "Questions that are worked on.", func() float64 { return float64(working()) })
	m.gaugeOf("fees_http_questions_waiting", "Questions that wait for their turn.", func() float64 { return float64(waiting()) })
	return &Requests{
		answered: m.counters("fees_http_requests_total", "Requests, by the pattern of their path, and by their status; gone where nobody waited for the answer any more.", "route", "method", "status"),
		took:     m.seconds("fees_http_request_seconds", "How long requests took, waiting for their turn included.", "route"),
		inFlight: m.gauge("fees_http_requests_in_flight", "Requests that are being answered."),
	}
}

// Began counts a request that began.
func (r *Requests) Began() { r.inFlight.Inc() }

// Ended counts it when it is over.
func (r *Requests) Ended(route, method, status string, took time.Duration) {
	r.inFlight.Dec()
	r.answered.WithLabelValues(route, methodOf(method), status).Inc()
	r.took.WithLabelValues(route).Observe(took.Seconds())
}

// methodOf is a method that programs use, or other: anybody can make one up.
func methodOf(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}
