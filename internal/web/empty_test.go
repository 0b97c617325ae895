package web_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// Each page of an empty ledger says how to fill it, and shows no figure.
func TestEmptyLedger(t *testing.T) {
	place := filepath.Join(t.TempDir(), "fees.db")
	b, err := ledger.OpenWriter(t.Context(), place)
	require.NoError(t, err)
	require.NoError(t, b.Begin(t.Context(), ledger.Identity{Network: "moonbeam"}, 0))
	require.NoError(t, b.Close())
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	defer d.Close()
	s := served(t, d, nil)
	for _, path := range []string{"/overview", "/chain", "/fees", "/transactions", "/accounts/unlabelled", "/deposits", "/findings", "/account/" + alith, "/account/" + alith + "/statement", "/account/" + alith + "/rollforward", "/contract/" + alith} {
		text := get(t, s, path, nil).text
		require.True(t, strings.Contains(text, "The ledger contains no sealed blocks yet."), path)
		require.True(t, strings.Contains(text, `<code id="remedy">fees sync --month 2026-01 --gateway demo</code>`), path)
		require.False(t, strings.Contains(text, "<data"), path)
	}
}
