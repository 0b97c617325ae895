package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network"
)

const storing = `{"networks": [{"name": "storing", "symbol": "ST", "last_runtime": 1,
	"rows": [{"from_runtime": 1, "base_fee_stored": {"pallet": "BaseFee", "item": "BaseFeePerGas"}, "weight_per_gas": 20000, "source": "s"}],
	"base_fee_updates": [{"from_runtime": 1, "elasticity": 125000, "minimum": "500000000", "max_ref_time": "2000000000000", "source": "s"}]}]}`

// The base fee that a block stored follows from the one in force at its end and from the weight of all its classes. A full
// block raises it by an eighth, an empty one lowers it by an eighth, to the minimum.
func TestBaseFeeUpdate(t *testing.T) {
	tables, err := network.BuiltIn().With("storing.json", []byte(storing))
	require.NoError(t, err)
	n, _ := tables.Named("storing")
	rules, err := n.Rules(1)
	require.NoError(t, err)
	storedAt := func(height, base uint64) chain.Optional[chain.StoredMultiplier] {
		return chain.Some(chain.StoredMultiplier{At: height, Value: chain.NewMultiplier(1e18), BaseFee: chain.Some(chain.NewGasPrice(base))})
	}
	const limit = 2_000_000_000_000
	set := native(t, "0", event(t, "baseFee.NewBaseFeePerGas", "1600000000"), paidNative(t, "Yes"))
	for what, c := range map[string]struct {
		block   *chain.Block
		counted chain.Optional[chain.ClassWeights]
		before  chain.Optional[chain.StoredMultiplier]
		stored  chain.Optional[chain.StoredMultiplier]
		want    string
		held    int    // that prove the row
		whyNot  string // the others do not
	}{
		"full":             {block(), weights(limit/2, limit/4, limit/4), storedAt(height-1, 800_000_000), storedAt(height, 900_000_000), "held", 1, ""},
		"beyond full":      {block(), weights(limit, limit, limit), storedAt(height-1, 800_000_000), storedAt(height, 900_000_000), "held", 1, ""},
		"half":             {block(), weights(limit/2, 0, 0), storedAt(height-1, 800_000_000), storedAt(height, 800_000_000), "held", 1, ""},
		"empty":            {block(), weights(0, 0, 0), storedAt(height-1, 800_000_000), storedAt(height, 700_000_000), "held", 1, ""},
		"at the minimum":   {block(), weights(0, 0, 0), storedAt(height-1, 550_000_000), storedAt(height, 500_000_000), "held", 0, "the base fee stays at its minimum"},
		"set by root":      {block(set), weights(limit, 0, 0), storedAt(height-1, 800_000_000), storedAt(height, 1_800_000_000), "held", 1, ""},
		"one wei more":     {block(), weights(limit, 0, 0), storedAt(height-1, 800_000_000), storedAt(height, 900_000_001), "it stored a base fee of 900000001 wei per gas, but 900000000 follows from 800000000 and its weight of 2000000000000", 0, ""},
		"not weighed":      {block(), chain.Optional[chain.ClassWeights]{}, storedAt(height-1, 800_000_000), storedAt(height, 900_000_000), "not made: system.blockWeight is unknown", 0, "system.blockWeight is unknown"},
		"not read":         {block(), weights(limit, 0, 0), storedAt(height-1, 800_000_000), at(height, 1e18), "not made: the base fee that the block stored is unknown", 0, "the base fee that the block stored is unknown"},
		"of another block": {block(), weights(limit, 0, 0), storedAt(height-1, 800_000_000), storedAt(height+1, 900_000_000), "not made: the multiplier is read at the block itself, as in the specification", 0, "the multiplier is read at the block itself, as in the specification"},
		"no base fee":      {block(), weights(limit, 0, 0), at(height-1, 1e18), storedAt(height, 900_000_000), "not made: the base fee is unknown", 0, "the base fee is unknown"},
	} {
		r := evidence.Prove(c.block, fee.Price(c.block, &rules, c.before), rules, evidence.Options{BlockWeight: c.counted})
		r.CheckStoredMultiplier(c.stored)
		require.Equal(t, c.want, outcome(t, r, "block.base_fee_update"), what)
		check := evidence.Checks()[index(t, "block.base_fee_update")]
		held, whyNot := r.Proves(&check, c.block)
		require.Equal(t, c.held, held, what)
		require.Equal(t, c.whyNot, whyNot, what)
	}

	check := evidence.Checks()[index(t, "block.base_fee_update")]
	require.True(t, check.ListedFor(n))
	moonbeam, _ := tables.Named("moonbeam")
	require.False(t, check.ListedFor(moonbeam))
	r := proved(block(), rulesOf(t, "moonbeam", 2600), evidence.Options{})
	require.Zero(t, r.Tallies[index(t, "block.base_fee_update")], "other chains do not mention it")
}

const following = `{"networks": [{"name": "following", "symbol": "FO", "last_runtime": 1,
	"rows": [{"from_runtime": 1, "base_fee_stored": {"pallet": "DynamicEvmBaseFee", "item": "BaseFeePerGas"}, "source": "s"}],
	"base_fee_updates": [{"from_runtime": 1, "weight_factor": "30855000000000000", "step": "93000000000000", "minimum": "800000000000", "maximum": "80000000000000", "source": "s"}]}]}`

// A base fee that follows the multiplier moves towards the one that the block stored, by at most 93 millionths. Its
// weight is not needed.
func TestBaseFeeFollowsTheMultiplier(t *testing.T) {
	tables, err := network.BuiltIn().With("following.json", []byte(following))
	require.NoError(t, err)
	n, _ := tables.Named("following")
	rules, err := n.Rules(1)
	require.NoError(t, err)
	storedAt := func(at, multiplier, base uint64) chain.Optional[chain.StoredMultiplier] {
		return chain.Some(chain.StoredMultiplier{At: at, Value: chain.NewMultiplier(multiplier), BaseFee: chain.Some(chain.NewGasPrice(base))})
	}
	set := native(t, "0", event(t, "dynamicEvmBaseFee.NewBaseFeePerGas", "2000000000000"), paidNative(t, "Yes"))
	for what, c := range map[string]struct {
		block  *chain.Block
		stored chain.Optional[chain.StoredMultiplier]
		want   string
		held   int
	}{
		"a step up":      {block(), storedAt(height, 1e18, 1_000_093_000_000), "held", 1},
		"set by root":    {block(set), storedAt(height, 1e18, 2_000_186_000_000), "held", 1},
		"one wei more":   {block(), storedAt(height, 1e18, 1_000_093_000_001), "it stored a base fee of 1000093000001 wei per gas, but 1000093000000 follows from 1000000000000 and the multiplier 1000000000000000000", 0},
		"other multiple": {block(), storedAt(height, 1e17, 999_907_000_000), "held", 1},
	} {
		r := evidence.Prove(c.block, fee.Price(c.block, &rules, storedAt(height-1, 5e17, 1_000_000_000_000)), rules, evidence.Options{})
		r.CheckStoredMultiplier(c.stored)
		require.Equal(t, c.want, outcome(t, r, "block.base_fee_update"), what)
		check := evidence.Checks()[index(t, "block.base_fee_update")]
		held, _ := r.Proves(&check, c.block)
		require.Equal(t, c.held, held, what)
	}
	check := evidence.Checks()[index(t, "block.base_fee_update")]
	for limit, c := range map[string]struct{ base, multiplier uint64 }{
		"minimum": {800_000_000_000, 1e16}, "maximum": {80_000_000_000_000, 18_000_000_000_000_000_000},
	} {
		r := evidence.Prove(block(), fee.Price(block(), &rules, storedAt(height-1, 1e18, c.base)), rules, evidence.Options{})
		r.CheckStoredMultiplier(storedAt(height, c.multiplier, c.base))
		require.Equal(t, "held", outcome(t, r, "block.base_fee_update"))
		held, whyNot := r.Proves(&check, block())
		require.Zero(t, held)
		require.Equal(t, "the base fee stays at its "+limit, whyNot)
	}
}
