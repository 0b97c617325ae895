package market_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/app/market"
	"github.com/feeledger/fees/internal/test/vectors"
)

func gasPrice(t *testing.T, text string) chain.GasPrice {
	t.Helper()
	price, err := chain.ParseGasPrice(text)
	require.NoError(t, err)
	return price
}

// joined returns a list as the vectors have it.
func joined[T any](list []T) string {
	if len(list) == 0 {
		return "none"
	}
	var texts []string
	for _, element := range list {
		texts = append(texts, fmt.Sprint(element))
	}
	return strings.Join(texts, ",")
}

func TestBidVectors(t *testing.T) {
	names := vectors.Names{Inputs: "base_fee minimum static blocks", Wanted: "priority max error"}
	vectors.Run(t, "bids.txt", names, func(t *testing.T, v *vectors.Values) {
		m := market.Conditions{
			BaseFeePerGas: gasPrice(t, v.Input("base_fee")),
			MinGasPrice:   gasPrice(t, v.Input("minimum")),
			Static:        v.Bool("static"),
		}
		if blocks := v.Input("blocks"); blocks != "none" {
			for _, block := range strings.Split(blocks, ";") {
				var prices []chain.GasPrice
				for _, price := range strings.Split(block, ",") {
					prices = append(prices, gasPrice(t, price))
				}
				m.PriorityFees = append(m.PriorityFees, prices)
			}
		}
		bids, err := market.Suggest(m)
		if v.Wants("error") {
			v.Equal("error", "overflow")
			require.ErrorIs(t, err, chain.ErrOverflow, v.Place())
			require.Nil(t, bids, v.Place())
			return
		}
		require.NoError(t, err, v.Place())
		var speeds []market.Speed
		var priority, highest []chain.GasPrice
		for _, b := range bids {
			speeds = append(speeds, b.Speed)
			priority = append(priority, b.MaxPriorityFeePerGas)
			highest = append(highest, b.MaxFeePerGas)
		}
		require.Equal(t, []market.Speed{market.Slow, market.Normal, market.Fast}, speeds)
		v.Equal("priority", joined(priority))
		v.Equal("max", joined(highest))
	})
}

func TestPriorityPercentileVectors(t *testing.T) {
	names := vectors.Names{Inputs: "base_fee transactions", Wanted: "counted priority error"}
	vectors.Run(t, "priority-percentiles.txt", names, func(t *testing.T, v *vectors.Values) {
		var r fee.Report
		if base := v.Input("base_fee"); base != "unknown" {
			r.BaseFeePerGas = chain.Some(gasPrice(t, base))
		}
		if list := v.Input("transactions"); list != "none" {
			for _, transaction := range strings.Split(list, ";") {
				price, gas, _ := strings.Cut(transaction, ":")
				n, err := strconv.ParseUint(gas, 10, 64)
				require.NoError(t, err)
				r.Transactions = append(r.Transactions, fee.Transaction{
					Layer: fee.EVM, GasPrice: chain.Some(gasPrice(t, price)), Gas: chain.Some(chain.NewGas(n)),
				})
			}
		}
		prices, counted, err := market.PriorityFees(&r)
		if v.Wants("error") {
			v.Equal("error", "overflow")
			require.ErrorIs(t, err, chain.ErrOverflow, v.Place())
			require.Nil(t, prices, v.Place())
			return
		}
		require.NoError(t, err, v.Place())
		v.Equal("counted", counted)
		v.Equal("priority", joined(prices))
	})
}

// Only EVM transactions with a known fee count: not the native one, the one that no rule determines, and those
// without a price or without gas.
func TestPriorityFeesOfPricedTransactions(t *testing.T) {
	price, gas := chain.Some(chain.NewGasPrice(109)), chain.Some(chain.NewGas(21000))
	r := fee.Report{BaseFeePerGas: chain.Some(chain.NewGasPrice(100)), Transactions: []fee.Transaction{
		{Layer: fee.Native, GasPrice: price, Gas: gas},
		{Layer: fee.EVM, GasPrice: price, Gas: gas, Error: &fee.Error{Err: chain.ErrMissing}},
		{Layer: fee.EVM, Gas: gas},
		{Layer: fee.EVM, GasPrice: price},
		{Layer: fee.EVM, GasPrice: chain.Some(chain.NewGasPrice(101)), Gas: gas},
	}}
	prices, counted, err := market.PriorityFees(&r)
	require.NoError(t, err)
	require.Equal(t, 1, counted)
	require.Equal(t, "1,1,1", joined(prices))
	require.Equal(t, []uint64{10, 50, 90}, market.Percentiles())
}

// A base fee that changed within the block is that of the transactions after the change.
func TestPriorityFeesAboveAChangedBaseFee(t *testing.T) {
	changed, gas := chain.NewGasPrice(200), chain.Some(chain.NewGas(21000))
	r := fee.Report{BaseFeePerGas: chain.Some(chain.NewGasPrice(100)), Transactions: []fee.Transaction{
		{Layer: fee.EVM, GasPrice: chain.Some(chain.NewGasPrice(103)), Gas: gas},
		{Layer: fee.EVM, GasPrice: chain.Some(chain.NewGasPrice(203)), Gas: gas, BaseFeePerGas: &changed},
	}}
	prices, counted, err := market.PriorityFees(&r)
	require.NoError(t, err)
	require.Equal(t, 2, counted)
	require.Equal(t, "3,3,3", joined(prices))
}

func TestStaticBaseFeeHasNoHeadroom(t *testing.T) {
	movement := chain.Some(market.Movement{Constant: chain.NewGasPrice(100)}) // unused
	bids, err := market.Suggest(market.Conditions{BaseFeePerGas: chain.NewGasPrice(100), Static: true, Movement: movement})
	require.NoError(t, err)
	for _, b := range bids {
		require.False(t, b.FullBlocks.Known())
		require.Equal(t, chain.NewMultiplier(1e18), b.Headroom)
	}
}

func TestSuggestWantsEveryPercentile(t *testing.T) {
	_, err := market.Suggest(market.Conditions{PriorityFees: [][]chain.GasPrice{{chain.NewGasPrice(1)}}})
	require.EqualError(t, err, "priority fees: want 3 of a block, have 1")
}

// A faster bid is never lower in any respect, and every bid pays for the next block.
func TestBidsRise(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		m := market.Conditions{
			BaseFeePerGas: chain.NewGasPrice(random.Uint64N(1e12)),
			MinGasPrice:   chain.NewGasPrice(random.Uint64N(1e12)),
			Static:        random.IntN(2) == 0,
		}
		for range random.IntN(30) {
			a, b, c := random.Uint64N(1e10), random.Uint64N(1e10), random.Uint64N(1e10)
			m.PriorityFees = append(m.PriorityFees, []chain.GasPrice{chain.NewGasPrice(a), chain.NewGasPrice(a + b), chain.NewGasPrice(a + b + c)})
		}
		bids, err := market.Suggest(m)
		require.NoError(t, err)
		for i, b := range bids {
			needed, err := m.Floor().Add(b.MaxPriorityFeePerGas)
			require.NoError(t, err)
			require.GreaterOrEqual(t, b.MaxFeePerGas.Cmp(needed), 0)
			if i > 0 {
				require.GreaterOrEqual(t, b.MaxPriorityFeePerGas.Cmp(bids[i-1].MaxPriorityFeePerGas), 0)
				require.GreaterOrEqual(t, b.MaxFeePerGas.Cmp(bids[i-1].MaxFeePerGas), 0)
			}
		}
	}
}

func ExampleSuggest() {
	bids, err := market.Suggest(market.Conditions{
		BaseFeePerGas: chain.NewGasPrice(31_250_000_000),
		PriorityFees:  [][]chain.GasPrice{{chain.NewGasPrice(0), chain.NewGasPrice(1_000_000_000), chain.NewGasPrice(2_000_000_000)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range bids {
		fmt.Println(b.Speed, b.MaxPriorityFeePerGas, b.MaxFeePerGas)
	}
	// Output:
	// slow 0 35156250000
	// normal 1000000000 47875000000
	// fast 2000000000 64500000000
}
