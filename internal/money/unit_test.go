package money_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
)

// A price is that of one token, whatever its decimals: 2 tokens at 300.25 are worth 600.50.
func TestPricesOfATokenWithNineDecimals(t *testing.T) {
	list, err := money.Read([]byte("# source: made up\ndate,EUR\n2026-01-01,300.25\n"), "EUR")
	require.NoError(t, err)
	noon, err := chain.TimeAt(1_767_268_800_000)
	require.NoError(t, err)
	list.Unit = console.Token{Decimals: 9}
	worth, known := money.Value(list.Valuer(), chain.NewWei(2_000_000_000), chain.Some(noon)).Get()
	require.True(t, known)
	require.Equal(t, "600.50", worth.String())
}
