package web_test

import (
	"database/sql"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// The figures of the month that the overview and the page of the chain show are read before a reader asks for them, and once: those of a complete
// month stay while the ledger grows. Afterwards the ledger's parts of that month are damaged, so that reading them again
// fails, as it does for a server that starts then.
func TestReadAhead(t *testing.T) {
	place := filepath.Join(t.TempDir(), "fees.db")
	reader := &source.Reader{Source: chaingen.New(chaingen.Options{Seed: 7, Head: 150, Every: 6 * time.Hour}).Source(), Tables: network.BuiltIn()}
	grow := func(blocks string) {
		wanted, err := app.PeriodInput{Blocks: blocks}.ParseWanted()
		require.NoError(t, err)
		_, err = app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: reader})
		require.NoError(t, err)
	}
	grow("0..140")
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	s := served(t, d, func(o *web.Options) { o.ReadAhead = time.Minute })

	db, err := sql.Open("sqlite", place)
	require.NoError(t, err)
	const january = (2025 - 1970) * 12
	changed, err := db.Exec("UPDATE parts SET body = x'00' WHERE unit = 'month' AND number = ?", january)
	require.NoError(t, err)
	count, err := changed.RowsAffected()
	require.NoError(t, err)
	require.Positive(t, count)
	require.NoError(t, db.Close())
	first := get(t, s, "/chain", nil)
	require.Equal(t, http.StatusOK, first.status)
	require.Contains(t, first.text, "Chain, January 2025")
	require.Contains(t, get(t, s, "/overview", nil).text, "Overview, January 2025")
	require.Contains(t, first.text, "0..140")
	grow("141..150")
	second := get(t, s, "/chain", nil)
	require.Equal(t, http.StatusOK, second.status)
	require.Contains(t, second.text, "0..150")
	cold := served(t, d, nil)
	require.NotEqual(t, http.StatusOK, get(t, cold, "/chain", nil).status)
}
