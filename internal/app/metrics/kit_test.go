package metrics_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app/metrics"
)

// get asks a handler, and returns the status and the text of its answer.
func get(t testing.TB, h http.Handler, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

// scraped are the values of metrics by their names with labels, as Prometheus reads them.
func scraped(t testing.TB, m *metrics.Metrics) map[string]float64 {
	t.Helper()
	status, text := get(t, m.Page(), "/metrics")
	require.Equal(t, http.StatusOK, status, text)
	values := map[string]float64{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndex(line, " ")
		value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
		require.NoError(t, err, line)
		values[line[:at]] = value
	}
	return values
}

// requireOurs wants the metrics that begin with a prefix, and no other of these; histograms by
// how many they have counted.
func requireOurs(t testing.TB, m *metrics.Metrics, prefix string, want map[string]float64) {
	t.Helper()
	found := map[string]float64{}
	for name, value := range scraped(t, m) {
		if strings.HasPrefix(name, prefix) && !strings.Contains(name, "_bucket{") && !strings.Contains(name, "_sum") {
			found[name] = value
		}
	}
	require.Equal(t, want, found)
}

// requireLint requires Prometheus's own reader and linter to accept the metrics.
func requireLint(t testing.TB, m *metrics.Metrics) {
	t.Helper()
	_, text := get(t, m.Page(), "/metrics")
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	require.NoError(t, err)
	require.Empty(t, problems, fmt.Sprint(problems))
}
