package statement_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// The movements of an extrinsic that make up a fee of 7. The rows are generated.
func TestFeeParts(t *testing.T) {
	who := chain.Address20([20]byte{19: 3})
	kinds := map[string]movement.Kind{"Withdraw": movement.KindWithdrawal, "Deposit": movement.KindDeposit, "Transfer": movement.KindTransferIn}
	for name, test := range map[string]struct {
		movements []string // event and amount
		parts     []int
	}{
		"only a withdrawal":              {[]string{"Withdraw 7"}, []int{0}},
		"with a refund":                  {[]string{"Withdraw 10", "Deposit 3"}, []int{0, 1}},
		"a deposit of the extrinsic too": {[]string{"Withdraw 10", "Deposit 3", "Withdraw 1", "Deposit 3"}, []int{0, 3}},
		"the author's part after it":     {[]string{"Withdraw 10", "Deposit 3", "Deposit 1"}, []int{0, 1}},
		"what comes before":              {[]string{"Deposit 3", "Withdraw 10", "Deposit 3"}, []int{1, 2}},
		"a transfer is none":             {[]string{"Withdraw 10", "Transfer 3"}, nil},
		"only the first":                 {[]string{"Withdraw 5", "Withdraw 7"}, nil},
		"no refund of that size":         {[]string{"Withdraw 10", "Deposit 2"}, nil},
		"the refund is not before":       {[]string{"Deposit 3", "Withdraw 10"}, nil},
		"none":                           {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			changes := []string{fmt.Sprintf("UPDATE transactions SET payer = x'%x', charged = '7' WHERE height = 25 AND extrinsic = 4", who.Bytes())}
			for i, text := range test.movements {
				var event, amount string
				_, err := fmt.Sscan(text, &event, &amount)
				require.NoError(t, err)
				changes = append(changes, fmt.Sprintf("INSERT INTO movements (height, position, place, event_index, event, kind, account, amount, free, reserved) VALUES (25, %d, 4, %d, 'balances.%s', '%s', x'%x', '%s', '0', '0')",
					9000+i, i, event, kinds[event], who.Bytes(), amount))
			}
			s := made(t, recorded(t, "moonbeam-2100", changes...), nil, who, chain.Heights{Last: 27}, false)
			var parts []int
			payments, movements := 0, 0
			for l, err := range s.Lines(context.Background()) {
				require.NoError(t, err)
				if l.Movement == nil {
					require.Empty(t, parts)
					require.Zero(t, movements, "it stands before the movements")
				} else if movements++; l.OfFee {
					parts = append(parts, l.Movement.EventIndex)
				}
				if l.Payment != nil {
					payments++
				}
			}
			require.Equal(t, test.parts, parts)
			require.Equal(t, 1, payments, "the fee stands once")
			require.Equal(t, len(test.movements), movements)
		})
	}
}
