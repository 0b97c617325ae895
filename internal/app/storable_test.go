package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// A ledger holds no chain whose decimals it cannot show, and nothing is created.
func TestChainsWithoutALedger(t *testing.T) {
	for name, c := range map[string]struct{ chain, table, old, changed, says string }{
		"decimals": {"vflow-2000", "vflow-testnet.json", `"symbol"`, `"decimals": 12, "symbol"`, "has 12 decimals, and a ledger holds amounts with 18"},
	} {
		text, err := os.ReadFile(repository.Path("testdata", "networks", c.table))
		require.NoError(t, err)
		tables, err := network.BuiltIn().With(c.table, []byte(strings.Replace(string(text), c.old, c.changed, 1)))
		require.NoError(t, err)
		src, err := answers.OpenDirectory(pairs.Path(t, c.chain, "gateway"))
		require.NoError(t, err)
		wanted, err := app.WantedInput{Blocks: "1..3"}.Parse()
		require.NoError(t, err)
		place := filepath.Join(t.TempDir(), "fees.db")
		_, err = app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: &source.Reader{Source: src, Tables: tables}})
		require.ErrorContains(t, err, c.says, name)
		require.NoFileExists(t, place)
	}
}
