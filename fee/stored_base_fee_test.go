package fee_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// A stored base fee prices a block until an event sets another one. That one prices the rest of the block, and is the
// last; an event that cannot be decoded leaves the base fee unknown.
func TestStoredBaseFee(t *testing.T) {
	offer := func(n int) extrinsic {
		return transact(n, object{"eip1559": object{"nonce": "1", "maxPriorityFeePerGas": "3", "maxFeePerGas": "5000000000", "gasLimit": "21000", "value": "0"}}, 420_000_000, stopped)
	}
	sets := signed(5, []any{address(3, 5), "9", "0"}, succeeded("Normal", "Yes", 1))
	event := event{method{"baseFee", "NewBaseFeePerGas"}, []any{"1000012345"}}
	sets.Events = append(append(sets.Events[:1:1], event), sets.Events[1:]...)
	rules := network.Rules{
		BaseFee:      network.BaseFee{Stored: chain.Some(rule.StoredBaseFee{Pallet: "BaseFee", Item: "BaseFeePerGas"})},
		WeightPerGas: 20_000, PriceCapped: true, MultiplierAt: network.AtParent,
	}
	stored := chain.Some(chain.StoredMultiplier{At: blockNumber - 1, Value: chain.NewMultiplier(1e18), BaseFee: chain.Some(chain.NewGasPrice(670_241_192))})
	price := func(text string) *fee.Report {
		b, err := sidecar.DecodeBlock(text)
		require.NoError(t, err)
		return fee.Price(b, &rules, stored)
	}
	text := gatewayBlock(t, timestamp(), offer(1), sets, offer(2))
	r := price(text)
	require.Equal(t, chain.Some(chain.NewGasPrice(670_241_192)), r.BaseFeePerGas)
	require.Equal(t, chain.Some(chain.NewGasPrice(1_000_012_345)), r.LastBaseFee())
	for i, want := range map[int][3]string{ // 21,000 × (base fee + 3), 21,000 × 3
		0: {"14075065095000", "63000", "670241192"},
		2: {"21000259308000", "63000", "1000012345"},
	} {
		x := &r.Transactions[i]
		paid, _ := x.Fee.Get()
		priority, _ := x.PriorityFee.Get()
		base, _ := r.BaseFeeOf(x).Get()
		require.Equal(t, want, [3]string{paid.String(), priority.String(), base.String()})
	}
	require.False(t, r.Transactions[0].BaseFeePerGas != nil, "it is the block's")

	r = price(strings.Replace(text, `"onInitialize":{"events":[]}`, `"onInitialize":{"events":[{"method":{"pallet":"baseFee","method":"NewBaseFeePerGas"},"data":["7"]}]}`, 1))
	paid, _ := r.Transactions[0].Fee.Get()
	require.Equal(t, "210000", paid.String(), "21,000 × (7 + 3)")

	r = price(strings.Replace(text, "1000012345", "-1", 1))
	require.False(t, r.LastBaseFee().Known())
	require.True(t, r.Transactions[0].Fee.Known())
	require.False(t, r.Transactions[2].Fee.Known())
	require.ErrorContains(t, r.Transactions[2].Error, "base fee per gas: missing")
}
