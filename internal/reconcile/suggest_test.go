package reconcile_test

import (
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
