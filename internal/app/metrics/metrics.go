package metrics

import (
	"context"
	"net/http"
	"time"

	"github.com/feeledger/fees/internal/sys/series"
)

// Metrics are the metrics of one program. Create each of its parts once.
type Metrics struct{ series.Registry }

// New returns metrics with the program's version, memory and time.
func New(version string) *Metrics {
	m := &Metrics{}
	m.Collect(func(s *series.Scrape) {
		s.Gauge("fees_build_info", "Always 1; the label is the program version.", 1, "version", version)
	})
	m.Process()
	return m
}

// Handler serves /metrics, /healthz and /readyz. /healthz reports that the program runs; /readyz shows the
// error of ready.
func (m *Metrics) Handler(ready func(context.Context) error) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Page())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		if err := ready(ctx); err != nil {
			say(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		say(w, http.StatusOK, "ok")
	})
	return mux
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // a disconnected client does not read it
}

// gaugeOf registers a gauge whose value is computed at each scrape.
func (m *Metrics) gaugeOf(name, help string, value func() float64) {
	m.Collect(func(s *series.Scrape) { s.Gauge(name, help, value()) })
}

// buckets range from a millisecond to a minute.
var buckets = []float64{0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

// seconds registers a histogram of durations.
func (m *Metrics) seconds(name, help string, labels ...string) *series.Histogram {
	return m.Histogram(name, help, buckets, labels...)
}
