package app_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
)

// A ledger of this version stays as it is; where there is none, none is made.
func TestUpgrade(t *testing.T) {
	place := file(t)
	_, reader := made(6, 30)
	_, err := app.Sync(t.Context(), place, blocks(t, "1..20"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	before, err := os.ReadFile(place)
	require.NoError(t, err)
	shown, err := app.Upgrade(t.Context(), place)
	require.NoError(t, err)
	require.Equal(t, place, shown)
	after, err := os.ReadFile(place)
	require.NoError(t, err)
	require.True(t, string(before) == string(after))

	none := file(t)
	_, err = app.Upgrade(t.Context(), none)
	require.Equal(t, failure.NotFound, app.KindOf(err))
	require.NoFileExists(t, none)
}
