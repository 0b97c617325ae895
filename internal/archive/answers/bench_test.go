package answers_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/archive/answers"
)

// BenchmarkRecord records blocks, 16 questions at once, from a gateway of which
// each answer takes 50 ms. "ratio" is the time that was taken to the least that so
// many requests can take.
func BenchmarkRecord(b *testing.B) {
	const atOnce, latency = 16, 50 * time.Millisecond
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		time.Sleep(latency)
		text, err := empty{}.Get(r.Context(), r.URL.RequestURI())
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Write([]byte(text))
	}))
	b.Cleanup(server.Close)
	for _, c := range []struct {
		name          string
		first, blocks uint64
	}{{"plain 300", 1000, 300}, {"one segment 500", 1000, 500}, {"two segments 500", 600, 500}} {
		b.Run(c.name, func(b *testing.B) {
			requests.Store(0)
			for b.Loop() {
				client, err := gatewayclient.New(server.URL, gatewayclient.Options{Concurrency: atOnce})
				require.NoError(b, err)
				_, err = answers.Record(context.Background(), client, filepath.Join(b.TempDir(), "kept"),
					answers.RecordOptions{First: c.first, Last: c.first + c.blocks - 1, Concurrency: atOnce})
				require.NoError(b, err)
			}
			sent := float64(requests.Load()) / float64(b.N)
			b.ReportMetric(sent, "requests")
			b.ReportMetric(sent/float64(c.blocks), "requests/block")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/(sent*latency.Seconds()/atOnce), "ratio")
		})
	}
}
