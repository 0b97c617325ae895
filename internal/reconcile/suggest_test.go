package reconcile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/reconcile"
)

// A slip of the keyboard is recognised from the digits, and not where so few agree that it may be chance.
func TestSlips(t *testing.T) {
	for _, c := range []struct{ books, fee, want string }{
		{"115711184609677475", "115711184690677475", "two digits swapped"}, {"115711184609677475", "115711184709677475", "one digit differs"},
		{"1157", "115700", "the decimal point is 2 places off"}, {"115700", "1157", "the decimal point is 2 places off"},
		{"115711184609677475", "115711184609677475000", "the decimal point is 3 places off"}, {"12", "21", ""}, {"100000", "200000", ""},
		{"115711184609677475", "115711184609677", ""}, {"115711184609677475", "991711184609677475", ""}, {"1234", "4321", ""},
	} {
		require.Equal(t, c.want, reconcile.SlipOf(c.books, c.fee), "%s %s", c.books, c.fee)
	}
}

// A hash with a letter for a digit is not read as one; the error says what it may be.
func TestLettersInHashes(t *testing.T) {
	digits := strings.Repeat("ab", 31)
	for _, typed := range []string{"l0", "1o", "lO", "I0"} {
		_, err := reconcile.ReadFile(t.Context(), strings.NewReader("Tx Hash,Fee wei\n0x"+digits+typed+",5\n"), reconcile.Options{Symbol: "GLMR", Decimals: 18})
		require.ErrorContains(t, err, "with 1 for l or I, and 0 for o or O, it is a hash", typed)
	}
	_, err := reconcile.ReadFile(t.Context(), strings.NewReader("Tx Hash,Fee wei\n0x"+digits+"g0,5\n"), reconcile.Options{Symbol: "GLMR", Decimals: 18})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "it is a hash")
}
