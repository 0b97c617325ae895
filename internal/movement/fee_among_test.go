package movement_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// The fee's movements are the first withdrawal, and the deposit of what it exceeds the charge.
func TestFeeAmongMovements(t *testing.T) {
	for _, c := range []struct{ movements, want string }{
		{"Withdraw P 9; Deposit P 2", "[0 1] 9 2"},
		{"Deposit P 2; Withdraw P 9; Deposit S 2; Deposit P 3; Deposit P 2", "[1 4] 9 2"},
		{"Withdraw P 7", "[0] 7 0"},
		{"Withdraw P 5; Withdraw P 4; Deposit P 2", "only 5 wei were withdrawn for a charge of 7: overflow"},
		{"Deposit P 5", "event balances.Withdraw: missing"},
	} {
		list := movementsOf(t, c.movements)
		parts, err := movement.FeeAmong(len(list), func(i int) *movement.Movement { return &list[i] }, address(t, cashPayer), chain.NewWei(7))
		have := fmt.Sprint(slices.Sorted(maps.Keys(parts.At)), parts.Withdrawn, parts.GivenBack)
		if err != nil {
			have = err.Error()
		}
		require.Equal(t, c.want, have, c.movements)
	}
}

// movementsOf reads withdrawals and deposits of the payer, P, or of a stranger. "Endow" is a deposit after the event that
// reports a new account.
func movementsOf(t *testing.T, text string) (list []movement.Movement) {
	t.Helper()
	event := 0
	for part := range strings.SplitSeq(text, "; ") {
		words := strings.Fields(part)
		kind := map[string]movement.Kind{"Withdraw": movement.KindWithdrawal, "Deposit": movement.KindDeposit, "Endow": movement.KindDeposit}[words[0]]
		if words[0] == "Endow" {
			event++
		}
		amount, err := chain.ParseWei(words[2])
		require.NoError(t, err)
		free := amount.Signed()
		if kind == movement.KindWithdrawal {
			free = free.Negated()
		}
		list = append(list, movement.Movement{
			EventIndex: event, Kind: kind, Amount: amount, Account: address(t, map[string]string{"P": cashPayer, "S": cashStranger}[words[1]]), Free: chain.Some(free),
		})
		event++
	}
	return list
}
