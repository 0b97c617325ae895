package series_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/series"
)

func scrape(t testing.TB, page http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, w.Code)
	return w.Body.String()
}

// The text is that of Prometheus's own client for the same values.
func TestTextIsPrometheuss(t *testing.T) {
	const odd = "a \"b\" \\ c\nd"
	bounds := []float64{0.001, 0.5, 1, 30}
	values := []float64{0.0004, 0.001, 0.25, 0.5, 0.75, 12, 31, 1e9}

	var r series.Registry
	n := r.Counter("a_total", "What a "+odd+" means.", "route", "method")
	n.Add(1, odd, "GET")
	n.Add(1e7+0.5, "/", "POST")
	r.Counter("none_total", "Nothing yet.")
	r.Counter("unused_total", "Nothing yet, with labels.", "label")
	g := r.Gauge("b", "A gauge.")
	g.Add(3)
	g.Add(-5)
	h := r.Histogram("c_seconds", "A histogram.", bounds, "route")
	for i, v := range values {
		h.Observe(v, []string{"/", odd}[i%2])
	}
	r.Collect(func(s *series.Scrape) {
		s.Gauge("d", "One of several.", 1_700_000_000.5, "kind", "x", "ledger", "b")
		s.Gauge("d", "One of several.", 1, "ledger", "a", "kind", "x")
	})

	theirs := prometheus.NewRegistry()
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		theirs.MustRegister(c)
		return c
	}
	c := counter("a_total", "What a "+odd+" means.", "route", "method")
	c.WithLabelValues(odd, "GET").Inc()
	c.WithLabelValues("/", "POST").Add(1e7 + 0.5)
	counter("none_total", "Nothing yet.").WithLabelValues()
	counter("unused_total", "Nothing yet, with labels.", "label")
	gauges := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "d", Help: "One of several."}, []string{"kind", "ledger"})
	gauges.WithLabelValues("x", "b").Set(1_700_000_000.5)
	gauges.WithLabelValues("x", "a").Set(1)
	one := prometheus.NewGauge(prometheus.GaugeOpts{Name: "b", Help: "A gauge."})
	one.Set(-2)
	histogram := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "c_seconds", Help: "A histogram.", Buckets: bounds}, []string{"route"})
	theirs.MustRegister(gauges, one, histogram)
	for i, v := range values {
		histogram.WithLabelValues([]string{"/", odd}[i%2]).Observe(v)
	}
	require.Equal(t, scrape(t, promhttp.HandlerFor(theirs, promhttp.HandlerOpts{DisableCompression: true})), scrape(t, r.Page()))
}

func TestProcess(t *testing.T) {
	var r series.Registry
	r.Process()
	text := scrape(t, r.Page())
	want := []string{"go_goroutines", "go_memstats_heap_inuse_bytes"}
	if runtime.GOOS == "linux" {
		want = append(want, "process_cpu_seconds_total", "process_open_fds", "process_resident_memory_bytes")
	}
	for _, name := range want {
		require.Regexp(t, "(?m)^"+name+" [0-9]", text)
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
}

// Functions that report values run at the same time.
func TestValuesAtOnce(t *testing.T) {
	var r series.Registry
	var all sync.WaitGroup
	all.Add(3)
	for range 3 {
		r.Collect(func(s *series.Scrape) {
			all.Done()
			all.Wait() // for the others
			s.Gauge("a", "A.", 1)
		})
	}
	require.Equal(t, "# HELP a A.\n# TYPE a gauge\na 1\n", scrape(t, r.Page()))
}

// Few scrapes run at once, and numbers change during a scrape.
func TestScrapesAtOnce(t *testing.T) {
	var r series.Registry
	n := r.Counter("a_total", "A.", "label")
	h := r.Histogram("b_seconds", "B.", []float64{1}, "label")
	hold, began := make(chan struct{}), make(chan struct{})
	r.Collect(func(*series.Scrape) {
		began <- struct{}{}
		<-hold
	})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { scrape(t, r.Page()) })
	}
	page := r.Page()
	for range 4 {
		all.Go(func() { scrape(t, page) })
	}
	for range 8 {
		<-began
		n.Add(1, "x")
		h.Observe(1, "x")
	}
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Equal(t, "Too many scrapes at once. Try again later.\n", w.Body.String())
	close(hold)
	all.Wait()
}
