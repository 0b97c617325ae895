package reconcile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/reconcile"
)

// A total is in the token, with its decimals and no more.
func TestParseTotal(t *testing.T) {
	for text, want := range map[string]string{"1.5": "1500000000000000000", " 0.000000000000000001 ": "1", "0": "0"} {
		total, err := reconcile.ParseTotal(text, console.Token{Symbol: "GLMR"})
		require.NoError(t, err, text)
		require.Equal(t, want, total.String(), text)
	}
	total, err := reconcile.ParseTotal("1.5", console.Token{Decimals: 6})
	require.NoError(t, err)
	require.Equal(t, "1500000", total.String())
	for _, text := range []string{"", "x", "1,5", "-1", "0.0000000000000000001"} {
		_, err := reconcile.ParseTotal(text, console.Token{Symbol: "GLMR"})
		require.Error(t, err, text)
	}
}
