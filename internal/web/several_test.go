package web_test

import (
	"context"
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
)

// A ledger that could not be opened is named by its pages and by /readyz; the others are served.
func TestALedgerThatIsNotOpened(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret.db")
	require.NoError(t, os.WriteFile(file, []byte("no ledger"), 0o600))
	_, wrong := app.Open(t.Context(), file, network.BuiltIn())
	require.Error(t, wrong)
	broken := web.Served{Name: "broken", Wrong: wrong}
	two := func(o *web.Options) {
		good := o.Ledgers[0]
		good.Name = "good"
		o.Ledgers = []web.Served{broken, good}
	}
	s := served(t, filled(t, "0..27"), two)
	require.Equal(t, "/months", get(t, s, "/", nil).header.Get("Location"))
	months := get(t, s, "/months", nil)
	require.Equal(t, http.StatusOK, months.status)
	require.Contains(t, months.text, "The ledger broken could not be opened when the server started. The ledger is damaged: file is not a database (26). Restart")
	require.Contains(t, months.text, `<a href="broken/chain">not known</a>`)
	require.NotContains(t, months.text, ">none</a>", "nobody knows what it contains")
	page := get(t, s, "/good/fees?period=3..27", nil)
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.text, `href="/broken/overview"`)
	for _, path := range []string{"/broken/", "/broken/overview", "/broken/fees.csv", "/broken/api/v1/report"} {
		a := get(t, s, path, nil)
		require.Equal(t, http.StatusServiceUnavailable, a.status, path)
		require.Contains(t, a.text, "The ledger broken could not be opened when the server started. The ledger is damaged: file is not a database (26). Restart", path)
		require.NotContains(t, a.text, "secret")
	}
	ready := get(t, s, "/readyz", nil)
	require.Equal(t, http.StatusOK, ready.status)
	require.Equal(t, "broken: the ledger could not be opened\n", ready.text)

	gone := filled(t, "0..27") // it breaks while it is served
	breaks := served(t, filled(t, "0..27"), func(o *web.Options) {
		good := o.Ledgers[0]
		good.Name = "good"
		o.Ledgers = []web.Served{good, {Name: "gone", Ledger: gone, Network: "moonbeam"}}
	})
	spoilt, err := sql.Open("sqlite", gone.Place)
	require.NoError(t, err)
	_, err = spoilt.ExecContext(t.Context(), "ALTER TABLE blocks RENAME TO other")
	require.NoError(t, err)
	require.NoError(t, spoilt.Close())
	months = get(t, breaks, "/months", nil)
	require.Equal(t, http.StatusOK, months.status)
	require.Contains(t, months.text, "The ledger gone could not be read.")
	require.NotContains(t, months.text, ">none</a>")

	guarded, _, _ := guarded(t, filled(t, "0..27"), two)
	require.Equal(t, "1 of 2 ledgers cannot be read\n", get(t, guarded, "/readyz", nil).text, "names are for those who may log in")
	require.Equal(t, "broken: the ledger could not be opened\n", get(t, guarded, "/readyz", with(logIn(t, guarded, "anna", password))).text)
	none := served(t, filled(t, "0..27"), func(o *web.Options) { o.Ledgers = []web.Served{broken, {Name: "other", Wrong: broken.Wrong}} })
	require.Equal(t, http.StatusServiceUnavailable, get(t, none, "/readyz", nil).status)
}

// However many requests wait for a slow ledger, the pages of others are as they were; what fails names the slow one.
func TestASlowLedgerHurtsNoOther(t *testing.T) {
	place := postgrestest.Start(t).Database(t)
	fill(t, place, "0..27")
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	defer d.Close()
	s := served(t, filled(t, "0..27"), func(o *web.Options) {
		quick, slow := o.Ledgers[0], o.Ledgers[0]
		quick.Name, slow.Name, slow.Ledger = "quick", "slow", d
		o.Ledgers, o.Time = []web.Served{quick, slow}, 5*time.Second
	})
	lock, err := pgx.Connect(t.Context(), place)
	require.NoError(t, err)
	defer lock.Close(context.WithoutCancel(t.Context()))
	tx, err := lock.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `LOCK TABLE blocks, parts, book, stretches, transactions IN ACCESS EXCLUSIVE MODE`)
	require.NoError(t, err)

	var all sync.WaitGroup
	late := make(chan string, 40)
	for i := range 40 {
		path := []string{"/slow/fees?period=3..27", "/slow/account/" + alith, "/slow/transactions", "/slow/accounts", "/slow/block/25"}[i%5]
		all.Go(func() {
			if a := get(t, s, path, nil); a.status == http.StatusGatewayTimeout {
				late <- a.text
			}
		})
	}
	for range 3 {
		for _, path := range []string{"/quick/overview", "/quick/fees?period=3..27", "/quick/accounts", "/quick/account/" + alith, "/quick/deposits", "/quick/transactions", "/quick/fees.csv"} {
			require.Equal(t, http.StatusOK, get(t, s, path, nil).status, path)
		}
		time.Sleep(300 * time.Millisecond)
	}
	all.Wait()
	require.NoError(t, tx.Rollback(t.Context()))
	close(late)
	require.NotEmpty(t, late)
	for text := range late {
		require.True(t, strings.Contains(text, "The ledger slow was slow."), text)
	}
	require.Equal(t, http.StatusOK, get(t, s, "/slow/fees?period=3..27", nil).status)
}
