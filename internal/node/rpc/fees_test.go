package rpc_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/rpc"
)

// No answer to payment_queryInfo or eth_feeHistory was recorded: these are
// written from the documentation of Substrate and Frontier.

func TestQueryInfo(t *testing.T) {
	for name, c := range map[string]struct {
		result string
		proof  uint64
	}{
		"weight of two dimensions":    {`{"weight":{"ref_time":525000000,"proof_size":3593},"class":"normal","partialFee":"8742000000000000"}`, 3593},
		"weight in camel case":        {`{"weight":{"refTime":"525000000","proofSize":"3593"},"class":"normal","partialFee":"0x1f0ecd7ca06000"}`, 3593},
		"weight without a proof size": {`{"class":"normal","partialFee":"8742000000000000","weight":{"ref_time":525000000}}`, 0},
		"weight that is a number":     {`{"weight":525000000,"class":"normal","partialFee":8742000000000000}`, 0},
		"weight that is a text":       {`{"weight":"525000000","class":"normal","partialFee":"8742000000000000"}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			info, err := giving(t, c.result).QueryInfo(soon(t), "0x280403", latest)
			require.NoError(t, err)
			require.Equal(t, rpc.DispatchInfo{
				Weight:     chain.Weight{RefTime: chain.NewRefTime(525000000), ProofSize: c.proof},
				Class:      "normal",
				PartialFee: chain.NewWei(8742000000000000),
			}, info)
		})
	}
}

func TestQueryInfoRefusals(t *testing.T) {
	for name, c := range map[string]struct{ result, says string }{
		"null":                 {`null`, "no such block"},
		"no weight":            {`{"class":"normal","partialFee":"1"}`, "weight: missing"},
		"no class":             {`{"weight":1,"partialFee":"1"}`, "class: want a string"},
		"no fee":               {`{"weight":1,"class":"normal"}`, "partialFee: missing"},
		"fee beyond a balance": {`{"weight":1,"class":"normal","partialFee":"340282366920938463463374607431768211456"}`, "partialFee: "},
		"fee from a float":     {`{"weight":1,"class":"normal","partialFee":1e18}`, "partialFee: "},
		"an array":             {`[]`, "weight: missing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := giving(t, c.result).QueryInfo(soon(t), "0x280403", latest)
			require.ErrorContains(t, err, c.says)
		})
	}
	_, err := giving(t, "1").QueryInfo(soon(t), "280403", latest)
	require.ErrorContains(t, err, "extrinsic: want 0x")
	_, err = answering(t, `{"id":$id,"error":{"code":-32601,"message":"unsafe"}}`).QueryInfo(soon(t), "0x28", latest)
	require.ErrorIs(t, err, rpc.ErrNoMethod)
}

func TestFeeHistory(t *testing.T) {
	price := func(list ...uint64) (prices []chain.GasPrice) {
		for _, n := range list {
			prices = append(prices, chain.NewGasPrice(n))
		}
		return prices
	}
	for name, c := range map[string]struct {
		result      string
		percentiles []float64
		want        rpc.FeeHistory
	}{
		"two blocks, two percentiles": {
			`{"oldestBlock":"0xb2","baseFeePerGas":["0x174876e800","0x2540be400","0x1"],"gasUsedRatio":[0.5265,1.5e-7],"reward":[["0x0","0x3b9aca00"],["0x1","0x2"]]}`,
			[]float64{25, 75.5},
			rpc.FeeHistory{OldestBlock: 178, BaseFeePerGas: price(100e9, 10e9, 1), GasUsedRatio: []string{"0.5265", "1.5e-7"}, Reward: [][]chain.GasPrice{price(0, 1e9), price(1, 2)}},
		},
		"no percentiles": {
			`{"oldestBlock":"0x0","baseFeePerGas":["0x1","0x2"],"gasUsedRatio":[0],"reward":null}`, nil,
			rpc.FeeHistory{BaseFeePerGas: price(1, 2), GasUsedRatio: []string{"0"}},
		},
		"no blocks": {
			`{"oldestBlock":"0x5","baseFeePerGas":[],"gasUsedRatio":[]}`, []float64{50},
			rpc.FeeHistory{OldestBlock: 5, BaseFeePerGas: []chain.GasPrice{}, GasUsedRatio: []string{}},
		},
		"one block": {
			`{"oldestBlock":"0x5","baseFeePerGas":["0x1","0x1"],"gasUsedRatio":[0.1],"reward":[["0x01"]]}`, []float64{50},
			rpc.FeeHistory{OldestBlock: 5, BaseFeePerGas: price(1, 1), GasUsedRatio: []string{"0.1"}, Reward: [][]chain.GasPrice{price(1)}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := giving(t, c.result).FeeHistory(soon(t), 2, "latest", c.percentiles)
			require.NoError(t, err)
			require.Equal(t, c.want, h)
		})
	}
}

func TestFeeHistoryRefusals(t *testing.T) {
	history := func(base, ratio, reward string) string {
		return fmt.Sprintf(`{"oldestBlock":"0x1","baseFeePerGas":%s,"gasUsedRatio":%s,"reward":%s}`, base, ratio, reward)
	}
	const one, two = `["0x1"]`, `["0x1","0x2"]`
	for name, c := range map[string]struct{ result, says string }{
		"null":                    {`null`, "malformed fee history: oldestBlock: missing"},
		"a price that is none":    {history(`["0x1","cheap"]`, `[0.1]`, `[["0x1"]]`), "baseFeePerGas[1]: "},
		"prices that are none":    {history(`5`, `[0.1]`, `[["0x1"]]`), "baseFeePerGas: want an array, have a number"},
		"a ratio in quotes":       {history(two, `["0.1"]`, `[["0x1"]]`), "gasUsedRatio[0]: want a number, have a string"},
		"a ratio of no gas":       {history(two, `[null]`, `[["0x1"]]`), "gasUsedRatio[0]: want a number, have null"},
		"a price too few":         {history(one, `[0.1]`, `[["0x1"]]`), "baseFeePerGas: want one more"},
		"a price, no ratio":       {history(two, `[]`, `[]`), "baseFeePerGas: want one more"},
		"no rewards":              {history(two, `[0.1]`, `null`), "reward: want an array, have null"},
		"rewards for other count": {history(two, `[0.1]`, `[]`), "reward: want as many"},
		"a percentile missing":    {history(two, `[0.1]`, `[[]]`), "reward[0]: want a price for each percentile"},
		"a negative ratio":        {history(two, `[-0.1]`, `[["0x1"]]`), "gasUsedRatio[0]: it is negative"},
		"more prices":             {history(`["0x1","0x1","0x1"]`, `[0.1]`, `[["0x1"]]`), "baseFeePerGas: want 2 elements at most"},
		"more ratios":             {history(two, `[0.1,0.1]`, `[["0x1"]]`), "gasUsedRatio: want 1 elements at most"},
		"more rewards":            {history(two, `[0.1]`, `[["0x1"],["0x1"]]`), "reward: want 1 elements at most"},
		"more percentiles":        {history(two, `[0.1]`, `[["0x1","0x1"]]`), "reward[0]: percentiles: want 1 elements at most"},
		"a height of 33 bits":     {`{"oldestBlock":"0x100000000","baseFeePerGas":[],"gasUsedRatio":[]}`, "oldestBlock: 4294967296 is more than 32 bits"},
		"a reward that is none":   {history(two, `[0.1]`, `[["-1"]]`), "reward[0]: percentiles[0]: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := giving(t, c.result).FeeHistory(soon(t), 1, "latest", []float64{50})
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestFeeHistoryThatFalls(t *testing.T) {
	const result = `{"oldestBlock":"0x1","baseFeePerGas":["0x1","0x1"],"gasUsedRatio":[0.1],"reward":[["0x1","0x3","0x2"]]}`
	_, err := giving(t, result).FeeHistory(soon(t), 1, "latest", []float64{10, 50, 90})
	require.EqualError(t, err, "malformed fee history: reward[0]: want prices that rise with the percentiles")
}

// The answers are generated as Frontier's fee_history makes them: the last price is
// 12.5 % below the one before it where no gas was used.
func TestNextBaseFee(t *testing.T) {
	const result = `{"oldestBlock":"0x64","baseFeePerGas":["0x174876e800","0x174876e801","0x145f680b00"],"gasUsedRatio":[0.5,0]}`
	h, err := giving(t, result).FeeHistory(soon(t), 2, "latest", nil)
	require.NoError(t, err)
	require.Equal(t, chain.Some(chain.NewGasPrice(100000000001)), h.NextBaseFee())
	require.Equal(t, chain.Optional[chain.GasPrice]{}, rpc.FeeHistory{}.NextBaseFee())
}

func TestEmptyBlocks(t *testing.T) {
	for ratio, empty := range map[string]bool{"0": true, "0.0": true, "0e5": true, "0.00E-7": true, "0.001": false, "1": false, "1e-9": false, "10": false} {
		require.Equal(t, empty, rpc.FeeHistory{GasUsedRatio: []string{ratio}}.Empty(0), ratio)
	}
}

func TestFeeHistoryAtAHeight(t *testing.T) {
	c, asked := replay(t, "eth_feeHistory")
	for newest, want := range map[string]string{"1234": `["0x10" "0x4d2" []]`, "0x4d2": `["0x10" "0x4d2" []]`, "finalized": `["0x10" "finalized" []]`} {
		_, err := c.FeeHistory(soon(t), 16, newest, nil)
		require.ErrorIs(t, err, rpc.ErrNoMethod)
		require.Equal(t, want, fmt.Sprintf("%s", asked.Params))
	}
}
