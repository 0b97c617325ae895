package money_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/money"
)

// Amounts are read only as they are written: with the decimals of their currency.
func TestParseAmount(t *testing.T) {
	for currency, texts := range map[money.Currency][]string{"EUR": {"12.30", "-0.05", "0.00"}, "JPY": {"12", "-5"}} {
		for _, text := range texts {
			a, err := money.ParseAmount(text, currency)
			require.NoError(t, err)
			require.Equal(t, text, a.String())
			require.Equal(t, currency, a.Currency())
		}
	}
	for _, text := range []string{"", "x", "12.3", "12.301", "1e2", "+1.00", " 1.00", "-0.00"} {
		_, err := money.ParseAmount(text, "EUR")
		require.ErrorContains(t, err, "is not an amount of EUR", text)
	}
}
