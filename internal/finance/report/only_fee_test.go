package report_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
)

// The ends of a range of fees are included, to the wei, for tokens of any decimals; an unknown fee is in no range. The
// expected answers compare rational numbers.
func TestFeeRange(t *testing.T) {
	for _, decimals := range []int{6, 12, 18} {
		token := console.Token{Symbol: "T", Decimals: decimals}
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
		for _, text := range []string{"0", "0.25", "0.250000000000000000", "00.25", "1", "0.0000009", "0.0000000000000000009", "12345678901234567890", "9999999999999999999999999999999999999999", "0." + strings.Repeat("0", 39) + "1"} {
			limit, ok := new(big.Rat).SetString(text)
			require.True(t, ok)
			from := only(t, "fee_from="+text).Fee.In(token)
			to := only(t, "fee_to="+text).Fee.In(token)
			for _, wei := range []string{"0", "1", "249999", "250000", "250001", "249999999999999999", "250000000000000000", "250000000000000001", "340282366920938463463374607431768211455"} {
				n, _ := new(big.Int).SetString(wei, 10)
				fee, err := chain.ParseWei(wei)
				require.NoError(t, err)
				c := &ledger.Cost{Fee: chain.Some(fee)}
				order := new(big.Rat).SetFrac(n, scale).Cmp(limit)
				name := fmt.Sprintf("%s wei, %d decimals, %s", wei, decimals, text)
				require.Equal(t, order >= 0, from.Has(c), "from: %s", name)
				require.Equal(t, order <= 0, to.Has(c), "to: %s", name)
				require.False(t, from.Untold(c) || to.Untold(c))
			}
			require.False(t, from.Has(&ledger.Cost{}) || to.Has(&ledger.Cost{}), "an unknown fee")
			require.True(t, from.Untold(&ledger.Cost{}) && to.Untold(&ledger.Cost{}))
		}
	}
	every := report.Only{}.Fee.In(console.Token{})
	require.True(t, every.Has(&ledger.Cost{}), "without a range, unknown ones are selected, too")
	require.False(t, every.Untold(&ledger.Cost{}))
	require.Equal(t, []string{"layer=evm", "checks=failed", "fee_from=0.1", "fee_to=2"}, only(t, "fee_to=2", "fee_from=0.1", "checks=failed", "layer=evm").Conditions())
	for _, wrong := range []string{"-1", "1,5", "1e3", "0x1", "1.", ".5", " 1", "NaN", strings.Repeat("9", 41)} {
		_, err := report.ParseOnly([]string{"fee_to=" + wrong})
		require.ErrorContains(t, err, "is not an amount; use a number in the token, such as 0.25", wrong)
	}
}
