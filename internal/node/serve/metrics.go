package serve

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/sys/series"
)

// metrics counts the activity of one gateway. No label contains client input.
type metrics struct {
	series.Registry
	answers   *series.Number
	seconds   *series.Histogram
	inFlight  *series.Number
	questions *series.Number
	failures  *series.Number
}

func newMetrics() *metrics {
	m := &metrics{}
	m.answers = m.Counter("fees_gateway_answers_total", "Answers, by kind of request and status class; gone if the client had given up.", "route", "status")
	m.seconds = m.Histogram("fees_gateway_answer_seconds", "Duration of answers, including waiting time.", []float64{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60}, "route")
	m.inFlight = m.Gauge("fees_gateway_in_flight", "Requests being answered or waiting.")
	m.questions = m.Counter("fees_gateway_node_questions_total", "Requests to the node, by method; retries count.", "method")
	m.failures = m.Counter("fees_gateway_node_errors_total", "Requests that the node did not answer or refused, by method.", "method")
	m.Process()
	return m
}

// asked counts a request to the node.
func (m *metrics) asked(method string, err error) {
	m.questions.Add(1, method)
	if err != nil && !errors.Is(err, context.Canceled) {
		m.failures.Add(1, method)
	}
}

// counting counts the answers of a handler.
func (m *metrics) counting(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		m.inFlight.Add(1)
		defer m.inFlight.Add(-1)
		seen := &statusWriter{ResponseWriter: w}
		h.ServeHTTP(seen, r)
		route, status := route(r.URL.Path), strconv.Itoa(seen.status/100)+"xx"
		switch {
		case r.Context().Err() != nil:
			status = "gone"
		case seen.status == http.StatusNotFound:
			route = "other"
		}
		m.answers.Add(1, route, status)
		m.seconds.Observe(time.Since(began).Seconds(), route)
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
