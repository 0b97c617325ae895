package series

import (
	"bytes"
	"net/http"
	"time"
)

// Limits of the page that Prometheus reads.
const (
	maxPages = 4 // at once
	maxTime  = 10 * time.Second
)

// Page serves the metrics to Prometheus.
func (r *Registry) Page() http.Handler {
	places := make(chan struct{}, maxPages)
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		default:
			http.Error(w, "Too many scrapes at once. Try again later.", http.StatusServiceUnavailable)
			return
		}
		var text bytes.Buffer
		_, _ = r.WriteTo(&text) // to memory
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(text.Bytes()) // a disconnected client does not read it
	})
	return http.TimeoutHandler(page, maxTime, "The metrics took too long. Try again later.")
}
