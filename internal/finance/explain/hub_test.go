package explain_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/source"
)

// onHub explains a transaction of a recorded chain with pallet revive. Alter changes the text of its block.
func onHub(t *testing.T, name string, height, index int, multiplier uint64, alter func(string) string) *explain.Explanation {
	t.Helper()
	text, err := os.ReadFile(pairs.Path(t, name, "gateway", "blocks", fmt.Sprintf("%d.json", height)))
	require.NoError(t, err)
	b, err := sidecar.DecodeBlock(alter(string(text)))
	require.NoError(t, err)
	rules := pairs.HubRules(t, name)
	item := source.Item{Block: b, Rules: rules}
	if multiplier > 0 {
		item.Multiplier = chain.Some(chain.StoredMultiplier{At: uint64(height - 1), Value: chain.NewMultiplier(multiplier)})
	}
	r := evidence.Prove(b, fee.Price(b, &rules, item.Multiplier), rules, evidence.Options{})
	return explain.Make(item, r, index, "")
}

func asIs(text string) string { return text }

// results returns steps as "name = result", with their formulas where asked.
func results(steps []explain.Step) (list []string) {
	for _, s := range steps {
		list = append(list, s.Name+" = "+s.Result.String())
	}
	return list
}

// Transactions of pallet revive, with what was recorded: the fee, the base fee, and the hold of two withdrawals; what is left
// of all withdrawals is the fee.
func TestExplainRevive(t *testing.T) {
	// 8-4 gives back a deposit of 2,220,000,000. Its gas limit is 4,000,000.
	v := onHub(t, "stack-template-3", 8, 4, 999873738444221548, asIs)
	require.Equal(t, []string{"fee = 2262219033", "base fee per gas = 49993650000", "gas price = 49993650000", "hold = 199974600000"}, results(v.Steps))
	require.Equal(t, "floor(999873738444221548 × 1000000 / 10^18) × 50000", v.Steps[1].Calculation())
	require.Equal(t, []string{"charged = 2262219033", "burned = 2262219033"}, results(v.Cash.Steps))
	require.Equal(t, "202194600000 − 199932380967", v.Cash.Steps[0].Calculation())
	require.True(t, v.Holds())
	require.False(t, v.Creates)

	// 17-6 puts 42,000,000 on hold; its fee is credited to the pot.
	v = onHub(t, "passet-1019002", 17, 6, 999700051239495424, asIs)
	require.Equal(t, "fee = 63898258", results(v.Steps)[0])
	require.Equal(t, []string{"charged = 63898258", "burned = 0"}, results(v.Cash.Steps))
	names := map[string]int{}
	for _, in := range v.Cash.Inputs {
		names[in.Name]++
	}
	require.Equal(t, map[string]int{"withdrawn": 2, "deposited": 2, "credited": 1, "treasury": 1, "author": 1}, names)

	// 5-2 creates a contract; the first offer is legacy in 2-2.
	require.True(t, onHub(t, "stack-template-3", 5, 2, 1, asIs).Creates)
	v = onHub(t, "stack-template-3", 2, 2, 999981250175781250, asIs)
	require.Contains(t, fmt.Sprint(v.Inputs), "args.payload: gasPrice")

	unknown := onHub(t, "stack-template-3", 8, 4, 0, asIs)
	require.Equal(t, []string{"fee = 2262219033"}, results(unknown.Steps), "the multiplier is unknown")
	require.Equal(t, []string{"charged = 2262219033", "burned = 2262219033"}, results(unknown.Cash.Steps))

	noPayload := onHub(t, "stack-template-3", 8, 4, 999873738444221548, func(text string) string {
		return strings.ReplaceAll(text, `"args":{"payload":"0x`, `"args":{"other":"0x`)
	})
	require.Equal(t, []string{"fee = 2262219033", "base fee per gas = 49993650000", "gas price = 49993650000"}, results(noPayload.Steps))

	noFee := onHub(t, "stack-template-3", 8, 4, 999873738444221548, func(text string) string {
		return strings.ReplaceAll(text, `"method":"TransactionFeePaid"`, `"method":"Other"`)
	})
	require.Nil(t, noFee.Cash)
	require.NotContains(t, results(noFee.Steps), "fee = 2262219033")
}

// What the call itself burned or issued is not part of the fee. In place of the rounding of 8-2, which a Burned takes, the
// amounts are withdrawn and burned, or issued and deposited.
func TestExplainWhatACallBurns(t *testing.T) {
	const alith, events = "5HYRCKHYJN9z5xUtfFkyMj4JUhsAwWyvuU8vKB1FcnYTf9ZQ", `{"method":{"pallet":"balances","method":"%s"},"data":[%s"27169"]}`
	for name, want := range map[string]string{
		"Withdraw, BurnedDebt": "199974627169 − 197954233792 − 27169",
		"Issued, Deposit":      "199974600000 − 197954260961 + 27169",
	} {
		v := onHub(t, "stack-template-3", 8, 2, 999873738444221548, func(text string) string {
			var list []string
			for name := range strings.SplitSeq(name, ", ") {
				who := ""
				if name == "Withdraw" || name == "Deposit" {
					who = `"` + alith + `",`
				}
				list = append(list, fmt.Sprintf(events, name, who))
			}
			old := fmt.Sprintf(events, "Burned", `"`+alith+`",`)
			require.Contains(t, text, old)
			return strings.Replace(text, old, strings.Join(list, ","), 1)
		})
		require.Equal(t, "charged = 2020366208", results(v.Cash.Steps)[0])
		require.Equal(t, want, v.Cash.Steps[0].Calculation())
		require.True(t, v.Holds())
	}
}

// A fee paid in an asset has its own inputs, and nothing in the token.
func TestExplainAssetFee(t *testing.T) {
	v := onHub(t, "passet-1019002", 38, 2, 999869085445743367, asIs)
	require.Contains(t, fmt.Sprint(v.Inputs), "388776")
	require.Contains(t, fmt.Sprint(v.Inputs), "38760435")
	fee, _ := v.Transaction.Fee.Get()
	require.True(t, fee.IsZero())
}
