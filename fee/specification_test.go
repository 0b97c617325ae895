package fee_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// The same block under both readings: the specification's uses the multiplier that the block itself stored,
// and its own constant; the runtime's uses the parent's.
func TestReadingsOfTheMultiplier(t *testing.T) {
	r := record(t, "moonbeam-2100", 2100, 27)
	for height := 1; height <= r.last; height++ {
		for _, c := range []struct {
			specification bool
			at            int
			rules         string
			baseFee       *big.Int
		}{
			{true, height, "spec/mainnet", specificationEras["moonbeam"].baseFee(r.multiplier(t, height))},
			{false, height - 1, "moonbeam/2100", number("100000000000")},
		} {
			reader := source.Reader{Source: demo.Open(), Tables: network.BuiltIn(), Specification: c.specification}
			item, err := reader.Read(context.Background(), source.Height(uint64(height)))
			require.NoError(t, err)
			report := fee.Price(item.Block, &item.Rules, item.Multiplier)
			have := shown(t, report)
			require.Equal(t, c.rules, have["rules"])
			require.Equal(t, c.baseFee.String(), have["base_fee_per_gas"], "block %d by %s", height, c.rules)
			multiplier := have["multiplier"].(object)
			require.Equal(t, fmt.Sprint(c.at), fmt.Sprint(multiplier["at"]), "block %d by %s", height, c.rules)
			require.Equal(t, r.multiplier(t, c.at).String(), multiplier["value"], "block %d by %s", height, c.rules)
		}
	}
}
