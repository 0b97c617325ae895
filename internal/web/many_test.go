package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
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

// slowBalances counts the requests for balances, which wait.
type slowBalances struct {
	source.Source
	asked atomic.Int64
	goOn  chan struct{}
}

func (s *slowBalances) Unwrap() source.Source { return s.Source }

func (s *slowBalances) Balance(ctx context.Context, account chain.Address, at chain.Optional[uint64]) (none chain.AtBlock[chain.Account], err error) {
	s.asked.Add(1)
	select {
	case <-s.goOn:
		return s.Source.(source.Balances).Balance(ctx, account, at)
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// Many concurrent requests for one page share it, even if the first client disconnects. While they wait, they occupy no
// slot, and other pages are answered.
func TestOnePageForMany(t *testing.T) {
	const many = 20
	reader := *demoBlocks(t)
	balances := &slowBalances{Source: reader.Source, goOn: make(chan struct{})}
	reader.Source = balances
	handler := web.Handler(web.Options{
		Ledgers: []web.Served{{Ledger: filled(t, "0..27"), Network: "moonbeam", Source: &reader, Gateway: demo.Name}}, Program: "a test", AtOnce: 2,
	})
	var arrived atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	soon := func(is func() bool) { require.Eventually(t, is, time.Minute, time.Millisecond) }
	path := "/account/" + alith + "/statement?period=3..27"
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var all sync.WaitGroup
	all.Go(func() {
		if r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil); err == nil {
			if answer, err := s.Client().Do(r); err == nil {
				answer.Body.Close()
			}
		}
	})
	soon(func() bool { return balances.asked.Load() > 0 })
	texts := make([]string, many)
	for i := range many {
		all.Go(func() { texts[i] = get(t, s, path, nil).text })
	}
	soon(func() bool { return arrived.Load() == many+1 })
	quick, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	other := get(t, s, "/overview", func(r *http.Request) { *r = *r.WithContext(quick) })
	require.Equal(t, http.StatusOK, other.status)
	leave()
	close(balances.goOn)
	all.Wait()
	for _, text := range texts {
		require.Equal(t, texts[0], text)
		require.Contains(t, text, "Proved to the wei")
	}
	asked := balances.asked.Load()
	require.Equal(t, texts[0], get(t, s, path, nil).text)
	require.Equal(t, asked, balances.asked.Load(), "the page is kept")
	require.LessOrEqual(t, asked, int64(2*2), "two balances, and again if the first client left before the others came")
}
