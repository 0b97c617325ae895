package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/network"
)

// While its database is away, every answer about a ledger is a 503 without an address; it recovers with the database.
func TestDatabaseAway(t *testing.T) {
	server := postgrestest.StartOwn(t)
	place := server.Database(t)
	fill(t, place, "0..27")
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	defer d.Close()
	s := served(t, d, nil)
	require.Equal(t, http.StatusOK, get(t, s, "/fees?period=3..27", nil).status)
	server.Kill()
	for round := range 2 { // connections that break, and then none
		for _, path := range []string{"/overview", "/fees", "/fees?period=3..27", "/tx/25-7", "/block/25", "/account/" + alith, "/transactions", "/accounts", "/findings", "/fees.csv", "/api/v1/report", "/api/v1/blocks/25", "/readyz"} {
			a := get(t, s, path, nil)
			require.Equal(t, http.StatusServiceUnavailable, a.status, "%s\n%s", path, a.text)
			require.NotContains(t, a.text, server.Host())
			if path != "/readyz" {
				require.Equal(t, "2", a.header.Get("Retry-After"), path)
				require.True(t, round == 0 || strings.Contains(a.text, "does not answer"), path)
			}
		}
	}
	server.Restart()
	require.Equal(t, http.StatusOK, get(t, s, "/fees?period=3..27", nil).status)
	require.Equal(t, http.StatusOK, get(t, s, "/readyz", nil).status)
}
