package web_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
)

// listening returns the events of a server in order.
func listening(t *testing.T, s *httptest.Server) (next func() string, leave func()) {
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/events", nil)
	require.NoError(t, err)
	answer, err := s.Client().Do(r)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, "text/event-stream", answer.Header.Get("Content-Type"))
	lines := bufio.NewScanner(answer.Body)
	return func() string {
			for lines.Scan() {
				if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
					return data
				}
			}
			return ""
		}, func() {
			cancel()
			answer.Body.Close()
		}
}

// Listeners receive the sealed state, and each block that a writer seals. The server shuts down without
// waiting for them.
func TestEvents(t *testing.T) {
	place := filepath.Join(t.TempDir(), "fees.db")
	fill := func(blocks string) {
		wanted, err := app.PeriodInput{Blocks: blocks}.ParseWanted()
		require.NoError(t, err)
		_, err = app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: demoBlocks(t)})
		require.NoError(t, err)
	}
	fill("0..20")
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	defer d.Close()
	ending := make(chan struct{})
	s := served(t, d, func(o *web.Options) { o.Ending = ending })
	next, leave := listening(t, s)
	defer leave()
	other, leaveToo := listening(t, s)
	require.Contains(t, next(), `"last":20,`)
	require.Contains(t, other(), `"last":20,`)
	leaveToo()
	page := get(t, s, "/overview", nil).text
	require.Contains(t, page, `data-sealed="20"`)
	fill("0..27")
	require.Contains(t, next(), `"last":27,`)
	require.Contains(t, get(t, s, "/overview", nil).text, `data-sealed="27"`)
	require.Equal(t, http.StatusBadRequest, get(t, s, "/events?x=1", nil).status)
	close(ending)
	require.Empty(t, next())
}

// The number of listeners is limited; a listener that leaves makes room for another.
func TestTooManyListeners(t *testing.T) {
	ending := make(chan struct{})
	s := served(t, filled(t, "0..3"), func(o *web.Options) { o.Ending = ending })
	defer close(ending)
	var leave func()
	for range 100 {
		next, leaving := listening(t, s)
		defer leaving()
		require.NotEmpty(t, next())
		leave = leaving
	}
	require.Equal(t, http.StatusTooManyRequests, get(t, s, "/events", nil).status)
	leave()
	for range 600 { // until the server has seen it
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/events", nil)
		require.NoError(t, err)
		answer, err := s.Client().Do(r)
		cancel()
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
	}
	t.Fatal("who left makes no room")
}
