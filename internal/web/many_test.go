package web_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
)

// Of many concurrent requests, each gets the whole answer, or an error that the server is busy. Disconnected
// clients occupy no slot.
func TestManyAtOnce(t *testing.T) {
	s := served(t, filled(t, "0..27"), func(o *web.Options) { o.AtOnce = 2 })
	want := get(t, s, "/api/v1/report?period=3..27&by=account", nil).text
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%3 == 0 { // who leaves
				time.AfterFunc(time.Duration(i)*time.Millisecond, cancel)
			}
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/report?period=3..27&by=account", nil)
			if err != nil {
				t.Error(err)
				return
			}
			answer, err := s.Client().Do(r)
			if err != nil {
				if ctx.Err() == nil {
					t.Error(err)
				}
				return
			}
			defer answer.Body.Close()
			if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusTooManyRequests {
				t.Errorf("status %d", answer.StatusCode)
			}
		})
	}
	all.Wait()
	require.Equal(t, want, get(t, s, "/api/v1/report?period=3..27&by=account", nil).text)
}

// A ledger in PostgreSQL gives the same bytes as one in a file.
func TestBothEngines(t *testing.T) {
	file := filled(t, "0..27")
	place := postgrestest.Start(t).Database(t)
	wanted, err := app.PeriodInput{Blocks: "0..27"}.ParseWanted()
	require.NoError(t, err)
	_, err = app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: demoBlocks(t)})
	require.NoError(t, err)
	shared, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	defer shared.Close()
	a, b := served(t, file, nil), served(t, shared, nil)
	for _, path := range append(everyPage, "/api/v1/report", "/api/v1/transactions/25-7", "/api/v1/accounts/"+alith, "/api/v1/blocks/25", "/api/v1/findings") {
		x, y := get(t, a, path, nil), get(t, b, path, nil)
		require.Equal(t, x.text, y.text, path)
	}
}
