package evm_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
)

func TestBaseFeeVectors(t *testing.T) {
	names := vectors.Names{Inputs: "network runtime constant multiplier", Wanted: "base_fee error"}
	vectors.Run(t, "base-fee.txt", names, func(t *testing.T, v *vectors.Values) {
		var rules network.BaseFee
		if v.Has("constant") {
			rules.Constant = price(t, v.Number("constant"))
		} else {
			rules = baseFeeRules(t, v.Input("network"), v.Input("runtime"))
		}
		stored := chain.Optional[chain.StoredMultiplier]{}
		if v.Input("multiplier") != "unknown" {
			stored = chain.Some(chain.StoredMultiplier{Value: multiplier(t, v.Number("multiplier"))})
		}
		baseFee, err := evm.BaseFeePerGas(rules, stored)
		if v.Wants("error") {
			v.Equal("error", errorName(t, err))
			require.False(t, baseFee.Known(), v.Place())
			return
		}
		require.NoError(t, err, v.Place())
		v.Equal("base_fee", text(baseFee, "unknown"))
	})
}

func TestGasPriceVectors(t *testing.T) {
	names := vectors.Names{Inputs: "type gas_price priority max_fee base_fee capped", Wanted: "gas_price error"}
	vectors.Run(t, "gas-price.txt", names, func(t *testing.T, v *vectors.Values) {
		p := chain.Payload{Type: chain.TransactionType(v.Input("type"))}
		if v.Has("gas_price") {
			p.LegacyGasPrice = price(t, v.Number("gas_price"))
		} else {
			p.MaxPriorityFeePerGas = price(t, v.Number("priority"))
			p.MaxFeePerGas = price(t, v.Number("max_fee"))
		}
		baseFee := chain.Optional[chain.GasPrice]{}
		if v.Input("base_fee") != "unknown" {
			baseFee = chain.Some(price(t, v.Number("base_fee")))
		}
		have, err := evm.GasPrice(&p, baseFee, v.Bool("capped"))
		if v.Wants("error") {
			v.Equal("error", errorName(t, err))
			require.Zero(t, have, v.Place())
			return
		}
		require.NoError(t, err, v.Place())
		v.Equal("gas_price", have)
	})
}

func TestFeeVectors(t *testing.T) {
	names := vectors.Names{Inputs: "gas_price weight correction weight_per_gas", Wanted: "gas exact fee error"}
	vectors.Run(t, "evm-fee.txt", names, func(t *testing.T, v *vectors.Values) {
		weight := chain.NewRefTime(v.Number("weight").Uint64())
		gasPrice := price(t, v.Number("gas_price"))
		if v.Has("correction") {
			var err error
			weight, err = weight.Add(chain.NewRefTime(v.Number("correction").Uint64()))
			if v.Wants("error") {
				v.Equal("error", "weight-"+errorName(t, err))
				return
			}
			require.NoError(t, err, v.Place())
		}
		var perGas network.WeightPerGas // the specification's
		if v.Has("weight_per_gas") {
			perGas = network.WeightPerGas(v.Number("weight_per_gas").Uint64())
		}
		gas, exact := evm.Gas(weight, perGas)
		v.Equal("gas", gas)
		v.EqualBool("exact", exact)
		fee, err := evm.Fee(gasPrice, weight, perGas)
		if v.Wants("error") {
			v.Equal("error", errorName(t, err))
			require.Zero(t, fee, v.Place())
			return
		}
		require.NoError(t, err, v.Place())
		v.Equal("fee", fee)
	})
}

func TestPriorityFeeVectors(t *testing.T) {
	names := vectors.Names{Inputs: "gas_price base_fee gas", Wanted: "priority_fee error"}
	vectors.Run(t, "priority-fee.txt", names, func(t *testing.T, v *vectors.Values) {
		gas := chain.NewGas(v.Number("gas").Uint64())
		fee, err := evm.PriorityFee(price(t, v.Number("gas_price")), price(t, v.Number("base_fee")), gas, 1)
		if v.Wants("error") {
			v.Equal("error", errorName(t, err))
			require.False(t, fee.Known(), v.Place())
			return
		}
		require.NoError(t, err, v.Place())
		v.Equal("priority_fee", text(fee, "none"))
	})
}

func baseFeeRules(t *testing.T, name, runtime string) network.BaseFee {
	t.Helper()
	n, ok := network.BuiltIn().Named(name)
	require.True(t, ok, "no network %q", name)
	if runtime == "specification" {
		rules, err := n.SpecificationRules()
		require.NoError(t, err)
		return rules.BaseFee
	}
	version, err := strconv.ParseUint(runtime, 10, 32)
	require.NoError(t, err)
	rules, err := n.Rules(uint32(version))
	require.NoError(t, err)
	return rules.BaseFee
}

// text returns the value, or a word if there is none.
func text[T interface{ String() string }](o chain.Optional[T], none string) string {
	if v, ok := o.Get(); ok {
		return v.String()
	}
	return none
}

// errorName returns the vectors' name for an error.
func errorName(t *testing.T, err error) string {
	t.Helper()
	switch {
	case errors.Is(err, chain.ErrOverflow):
		return "overflow"
	case errors.Is(err, chain.ErrMissing):
		return "missing"
	}
	return fmt.Sprint("another: ", err)
}
