package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
)

// Transaction IDs as text: a height of 32 bits, as on the chain, and an index of 31.
func TestPlace(t *testing.T) {
	for _, text := range []string{"4294967295-7", "0-0", "25-2147483647"} {
		p, ok := ledger.ParsePlace(text)
		require.True(t, ok, text)
		encoded, err := p.MarshalText()
		require.NoError(t, err)
		require.Equal(t, text, string(encoded))
	}
	p, _ := ledger.ParsePlace("25-7")
	require.Equal(t, ledger.Place{Height: 25, Row: 7}, p)
	for _, text := range []string{"", "-", "1", "1-", "-1", "+1-1", "1-+1", "4294967296-1", "1-2147483648", "1-4294967296", "0x1-1"} {
		_, ok := ledger.ParsePlace(text)
		require.False(t, ok, text)
	}
}
