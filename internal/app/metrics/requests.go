package metrics

import (
	"net/http"
	"time"

	"github.com/feeledger/fees/internal/sys/series"
)

// Requests counts the HTTP requests that the program serves.
type Requests struct {
	answered *series.Number
	took     *series.Histogram
	inFlight *series.Number
}

// Requests returns the metrics of requests. working and waiting return how many are running and queued.
func (m *Metrics) Requests(working, waiting func() int) *Requests {
	m.gaugeOf("fees_http_questions_working", "Requests in progress.", func() float64 { return float64(working()) })
	m.gaugeOf("fees_http_questions_waiting", "Requests in the queue.", func() float64 { return float64(waiting()) })
	return &Requests{
		answered: m.Counter("fees_http_requests_total", "Requests by route pattern and status (gone: the client disconnected).", "route", "method", "status"),
		took:     m.seconds("fees_http_request_seconds", "Request duration, including time in the queue.", "route"),
		inFlight: m.Gauge("fees_http_requests_in_flight", "Open requests."),
	}
}

// Began counts a request at its start.
func (r *Requests) Began() { r.inFlight.Add(1) }

// Ended counts a request at its end.
func (r *Requests) Ended(route, method, status string, took time.Duration) {
	r.inFlight.Add(-1)
	r.answered.Add(1, route, methodOf(method), status)
	r.took.Observe(took.Seconds(), route)
}

// methodOf returns a usual HTTP method, or other, because clients can send any text.
func methodOf(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}
