package serve

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics counts the activity of one gateway. No label contains client input.
type metrics struct {
	registry  *prometheus.Registry
	answers   *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	inFlight  prometheus.Gauge
	questions *prometheus.CounterVec
	failures  *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fees_gateway_answers_total", Help: "Answers, by kind of request and status class; gone if the client had given up.",
		}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "fees_gateway_answer_seconds", Help: "Duration of answers, including waiting time.",
			Buckets: []float64{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60},
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "fees_gateway_in_flight", Help: "Requests being answered or waiting.",
		}),
		questions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fees_gateway_node_questions_total", Help: "Requests to the node, by method; retries count.",
		}, []string{"method"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fees_gateway_node_errors_total", Help: "Requests that the node did not answer or refused, by method.",
		}, []string{"method"}),
	}
	m.registry.MustRegister(m.answers, m.seconds, m.inFlight, m.questions, m.failures,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// page serves the metrics to Prometheus.
func (m *metrics) page() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// asked counts a request to the node.
func (m *metrics) asked(method string, err error) {
	m.questions.WithLabelValues(method).Inc()
	if err != nil && !errors.Is(err, context.Canceled) {
		m.failures.WithLabelValues(method).Inc()
	}
}

// counting counts the answers of a handler.
func (m *metrics) counting(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		m.inFlight.Inc()
		defer m.inFlight.Dec()
		seen := &statusWriter{ResponseWriter: w}
		h.ServeHTTP(seen, r)
		route, status := route(r.URL.Path), strconv.Itoa(seen.status/100)+"xx"
		switch {
		case r.Context().Err() != nil:
			status = "gone"
		case seen.status == http.StatusNotFound:
			route = "other"
		}
		m.answers.WithLabelValues(route, status).Inc()
		m.seconds.WithLabelValues(route).Observe(time.Since(began).Seconds())
	})
}

// statusWriter records the status.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// The first and last path components that identify kinds of requests.
var (
	firstWords = []string{"accounts", "blocks", "node", "pallets", "runtime"}
	lastWords  = []string{"balance-info", "head", "header", "metadata", "spec", "version"}
)

// route returns the kind of request of a path.
func route(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	first, last := parts[0], parts[len(parts)-1]
	switch {
	case path == "/":
		return "root"
	case !slices.Contains(firstWords, first):
		return "other"
	case slices.Contains(lastWords, last):
		return first + "/" + last
	}
	return first
}
