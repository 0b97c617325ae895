package movement_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

const (
	cashPayer    = "0x1000000000000000000000000000000000000001"
	cashStranger = "0x2000000000000000000000000000000000000002"
)

func address(t testing.TB, text string) chain.Address {
	t.Helper()
	a, err := chain.ParseAddress(text)
	require.NoError(t, err)
	return a
}

// Which movements are the fee follows from what was charged.
func TestCashAmongMovements(t *testing.T) {
	for _, c := range []struct {
		movements string
		charged   uint64
		want      string // where the fee was withdrawn, and where the rest was given back
	}{
		{"Withdraw P 9", 9, "0 -"},
		{"Withdraw P 9; Deposit P 2", 7, "0 1"},
		{"Withdraw P 9; Deposit P 2; Withdraw P 1; Deposit P 2", 7, "0 3"},
		{"Withdraw P 9; Deposit P 2; Deposit P 1", 7, "0 1"},
		{"Deposit P 2; Withdraw S 8; Deposit P 2; Withdraw P 9; Deposit S 2; Deposit P 2", 7, "3 5"},
		{"Withdraw P 9; Deposit P 2", 9, "0 -"},
		{"Withdraw P 9; Deposit P 0; Deposit S 0", 9, "0 1"},
		{"Withdraw P 9; Deposit P 5; Deposit P 0; Deposit P 2", 9, "0 2"},
		{"Withdraw P 5; Withdraw P 7", 7, "only 5 wei were withdrawn for a charge of 7: overflow"},
		{"Withdraw P 9; Deposit P 1; Deposit S 2", 7, "a deposit of 2 wei, the refund from 9: missing"},
		{"Deposit P 2; Withdraw P 9", 7, "a deposit of 2 wei, the refund from 9: missing"},
		{"Withdraw S 9; Deposit P 2", 7, "event balances.Withdraw: missing"},
		{"", 7, "event balances.Withdraw: missing"},
	} {
		var movements []movement.Movement
		for text := range strings.SplitSeq(c.movements, "; ") {
			words := strings.Fields(text)
			if len(words) == 0 {
				continue
			}
			kind := map[string]movement.Kind{"Withdraw": movement.KindWithdrawal, "Deposit": movement.KindDeposit}[words[0]]
			amount, err := chain.ParseWei(words[2])
			require.NoError(t, err)
			movements = append(movements, movement.Movement{
				Kind: kind, Amount: amount, Account: address(t, map[string]string{"P": cashPayer, "S": cashStranger}[words[1]]),
			})
		}
		have := ""
		cash, err := movement.CashAmong(len(movements), func(i int) *movement.Movement { return &movements[i] }, address(t, cashPayer))
		var refund chain.Optional[chain.Deposit]
		if err == nil {
			refund, err = cash.Refund(chain.NewWei(c.charged))
		}
		switch d, given := refund.Get(); {
		case err != nil:
			have = err.Error()
		case given:
			have = fmt.Sprint(cash.At, d.At)
		default:
			have = fmt.Sprint(cash.At, " -")
		}
		require.Equal(t, c.want, have, c.movements)
	}
}
