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

// An Ethereum transaction of pallet revive withdraws in two parts; what it gives back is the last deposit, and the rest of
// the sum is held by others. The amounts of 8-3 and 8-4 are those of the recording pairs/stack-template-3.
func TestFeeAmongMovements(t *testing.T) {
	for _, c := range []struct {
		movements string
		charged   uint64
		revive    bool
		want      string // which movements, and what they moved besides the fee
	}{
		{"Withdraw P 9; Deposit P 2", 7, false, "[0 1] 0"},
		{"Withdraw P 5; Withdraw P 4; Deposit P 2", 7, false, "only 5 wei were withdrawn for a charge of 7: overflow"},
		{"Withdraw P 5; Withdraw P 4; Deposit P 2", 7, true, "[0 1 2] 0"},
		{"Withdraw P 5; Withdraw P 4", 9, true, "[0 1] 0"},
		{"Withdraw P 5; Deposit P 1", 4, true, "[0 1] 0"},
		{"Withdraw P 5; Withdraw P 4; Withdraw P 1; Deposit P 1; Deposit P 2", 7, true, "[0 1 4] 0"},
		{"Withdraw P 192184307065; Withdraw P 7790292935; Deposit P 195492527433", 2262072567, true, "[0 1 2] 2220000000"},
		{"Withdraw P 192184307065; Withdraw P 7790292935; Withdraw S 2220000000; Deposit P 199932380967", 2262219033, true, "[0 1 3] -2220000000"},
		{"Deposit P 5", 7, true, "event balances.Withdraw: missing"},
	} {
		list := movementsOf(t, c.movements)
		parts, err := movement.FeeAmong(len(list), func(i int) *movement.Movement { return &list[i] }, address(t, cashPayer), chain.NewWei(c.charged), c.revive)
		have := fmt.Sprint(slices.Sorted(maps.Keys(parts.At)), parts.Held)
		if err != nil {
			have = err.Error()
		}
		require.Equal(t, c.want, have, c.movements)
	}
}

// movementsOf reads withdrawals and deposits of the payer, P, or of a stranger.
func movementsOf(t *testing.T, text string) (list []movement.Movement) {
	t.Helper()
	for part := range strings.SplitSeq(text, "; ") {
		words := strings.Fields(part)
		kind := map[string]movement.Kind{"Withdraw": movement.KindWithdrawal, "Deposit": movement.KindDeposit}[words[0]]
		amount, err := chain.ParseWei(words[2])
		require.NoError(t, err)
		list = append(list, movement.Movement{
			Kind: kind, Amount: amount, Account: address(t, map[string]string{"P": cashPayer, "S": cashStranger}[words[1]]),
		})
	}
	return list
}
