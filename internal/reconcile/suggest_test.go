package reconcile_test

import (
	"fmt"
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

// mistyped returns a text with other digits at some places.
func mistyped(text string, places ...int) string {
	digits := []byte(text)
	for _, p := range places {
		if digits[p] == '5' {
			digits[p] = '6'
		} else {
			digits[p] = '5'
		}
	}
	return string(digits)
}

// What may be behind a difference is proposed from the other rows and transactions, unless several are alike.
func TestSuggestions(t *testing.T) {
	var mine []*sent
	for _, s := range allSent(t, "moonbeam-2100")[:6] {
		own := *s
		mine = append(mine, &own)
	}
	for i, charged := range []string{"1100000000000001", "2200000000000002", "3312345678000003", "4400000000000004", "5500000000000005", "6600000000000006"} {
		mine[i].Charged = charged
	}
	o := reconcile.Options{Symbol: "GLMR", Accounts: payers(t, mine), Period: heights(mine[0].Height, mine[5].Height)}
	place := func(i int) string { return mine[i].place() }
	// Returns the suggestions for rows, by their lines, and for the unnamed transactions, by their IDs.
	suggested := func(rows ...[]string) map[string]string {
		text := grid(append([][]string{{"Tx Hash", "fee_wei"}}, rows...)).csv(',')
		r := match(t, chargingAll(t, mine), read(t, text, o), o)
		s, err := r.Suggestions()
		require.NoError(t, err)
		found := map[string]string{}
		for _, i := range items(t, r) {
			key := ""
			if i.Row != nil {
				key = fmt.Sprint(i.Row.Line)
			} else if x, named := i.Transaction.Get(); named {
				key = x.Place.String()
			}
			if text := s.Of(&i); text != "" {
				found[key] = text
			}
		}
		return found
	}
	rows := [][]string{
		{mistyped(mine[0].hash(), 10, 20), mine[0].Charged},     // line 2
		{"", mine[1].Charged},                                   // line 3
		{mine[2].hash(), "3312354678000003"},                    // line 4
		{mine[3].hash(), mine[4].Charged},                       // line 5
		{mistyped(mine[5].XtHash, 65), "1"},                     // line 6
		{mistyped(mine[5].hash(), 7, 8, 9), "9900000000000009"}, // line 7
	}
	require.Equal(t, map[string]string{
		"2": "the hash of " + place(0) + " with a slip of the keyboard; same fee as " + place(0), "3": "same fee as " + place(1),
		"4": "two digits swapped", "5": "same fee as " + place(4), "6": "the hash of " + place(5) + " with a slip of the keyboard",
		place(0): "same fee as line 2", place(1): "same fee as line 3",
	}, suggested(rows...))

	// A second row or transaction with the fee: neither is proposed. A hash that is on the chain is not a slip.
	rows[5] = []string{"", mine[1].Charged}
	rows[4] = []string{mine[5].hash(), mine[5].Charged}
	mine[3].Charged, rows[3] = mine[0].Charged, []string{"", ""}
	require.Equal(t, map[string]string{
		"2": "the hash of " + place(0) + " with a slip of the keyboard", "3": "same fee as " + place(1), "4": "two digits swapped", "7": "same fee as " + place(1),
		place(0): "same fee as line 2", place(3): "same fee as line 2",
	}, suggested(rows...))

	// Everything agrees.
	rows = nil
	for _, s := range mine {
		rows = append(rows, []string{s.hash(), s.Charged})
	}
	require.Empty(t, suggested(rows...))
}
