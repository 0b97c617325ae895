package desk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/ask"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/internal/postgrestest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

func TestMain(m *testing.M) {
	code := m.Run()
	postgrestest.Stop()
	os.Exit(code)
}

// demo is a reader of the demo's 28 blocks.
func demo(t testing.TB) *source.Reader {
	t.Helper()
	src, err := source.Open("demo", ask.Options{})
	require.NoError(t, err)
	return &source.Reader{Source: src, Tables: network.BuiltIn()}
}

// filled is a ledger of the demo's blocks at a place.
func filled(t testing.TB, place string) string {
	t.Helper()
	wanted, err := desk.WantedInput{Blocks: "0..27"}.Parse()
	require.NoError(t, err)
	done, err := desk.Sync(t.Context(), place, wanted, desk.FillOptions{Reader: demo(t)})
	require.NoError(t, err)
	require.EqualValues(t, 28, done.Stored)
	return place
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "fees.db") }
