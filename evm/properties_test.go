package evm_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// Every rule is compared with the same rule in math/big, over edges and random
// numbers. A result that leaves its width must be ErrOverflow, and no other may.

var (
	scale       = big.NewInt(1_000_000_000_000_000_000)
	perGas      = []*big.Int{big.NewInt(25_000), big.NewInt(66_666), big.NewInt(75_000), big.NewInt(1)}
	maxWei      = new(big.Int).Sub(power(128), big.NewInt(1))
	maxWord     = new(big.Int).Sub(power(256), big.NewInt(1))
	rounds      = 20_000
	randomCount = 400
)

// agree checks one result against the exact one.
func agree(t *testing.T, exact, largest *big.Int, have interface{ Big() *big.Int }, err error, rule string, inputs ...any) {
	t.Helper()
	if exact.Cmp(largest) > 0 {
		require.ErrorIs(t, err, chain.ErrOverflow, "%s of %v: exactly %v", rule, inputs, exact)
		require.Zero(t, have.Big().Sign(), "%s of %v: an error has no value", rule, inputs)
		return
	}
	require.NoError(t, err, "%s of %v: exactly %v", rule, inputs, exact)
	require.Zero(t, exact.Cmp(have.Big()), "%s of %v: have %v, want %v", rule, inputs, have, exact)
}

func TestBaseFeePerGasIsTheProductDividedOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	multipliers, constants := numbers(random, 128, randomCount), numbers(random, 256, randomCount)
	for range rounds {
		m, k := pick(random, multipliers), pick(random, constants)
		exact := new(big.Int).Mul(m, k)
		exact.Quo(exact, scale)
		have, err := evm.BaseFeePerGas(network.BaseFee{Constant: price(t, k)}, chain.Some(chain.StoredMultiplier{Value: multiplier(t, m)}))
		baseFee, known := have.Get()
		require.Equal(t, err == nil, known)
		agree(t, exact, maxWord, baseFee, err, "base fee", m, k)

		static, err := evm.BaseFeePerGas(network.BaseFee{Static: chain.Some(price(t, k))}, chain.Some(chain.StoredMultiplier{Value: multiplier(t, m)}))
		require.NoError(t, err)
		require.Equal(t, chain.Some(price(t, k)), static, "a static base fee does not follow the multiplier %v", m)

		of := network.BaseFee{Stored: chain.Some(rule.StoredBaseFee{Pallet: "BaseFee", Item: "BaseFeePerGas"})}
		stored, err := evm.BaseFeePerGas(of, chain.Some(chain.StoredMultiplier{Value: multiplier(t, m), BaseFee: chain.Some(price(t, k))}))
		require.NoError(t, err)
		require.Equal(t, chain.Some(price(t, k)), stored, "a stored base fee does not follow the multiplier %v", m)
		none, err := evm.BaseFeePerGas(of, chain.Some(chain.StoredMultiplier{Value: multiplier(t, m)}))
		require.NoError(t, err)
		require.False(t, none.Known())
	}
}

func TestGasPriceIsTheSumAndAtMostTheCap(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	prices := numbers(random, 256, randomCount)
	for range rounds {
		base, priority, largest := pick(random, prices), pick(random, prices), pick(random, prices)
		sum := new(big.Int).Add(base, priority)
		if random.IntN(4) == 0 { // near the edge
			largest = new(big.Int).Add(sum, big.NewInt(random.Int64N(3)-1))
			if largest.Sign() < 0 || largest.Cmp(maxWord) > 0 {
				continue
			}
		}
		p := chain.Payload{Type: chain.EIP1559, MaxFeePerGas: price(t, largest), MaxPriorityFeePerGas: price(t, priority)}
		if random.IntN(2) == 0 {
			p.Type = chain.EIP7702
		}
		baseFee := chain.Some(price(t, base))
		uncapped, err := evm.GasPrice(&p, baseFee, false)
		agree(t, sum, maxWord, uncapped, err, "gas price without cap", base, priority, largest)
		if sum.Cmp(maxWord) > 0 {
			continue
		}
		lower := sum
		if largest.Cmp(sum) < 0 {
			lower = largest
		}
		capped, err := evm.GasPrice(&p, baseFee, true)
		agree(t, lower, maxWord, capped, err, "gas price with cap", base, priority, largest)
	}
}

func TestGasPriceOfLegacyIsItsOwn(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	prices := numbers(random, 256, randomCount)
	for _, own := range prices {
		for _, kind := range []chain.TransactionType{chain.Legacy, chain.EIP2930} {
			p := chain.Payload{Type: kind, LegacyGasPrice: price(t, own), MaxFeePerGas: chain.NewGasPrice(1)}
			for _, baseFee := range []chain.Optional[chain.GasPrice]{{}, chain.Some(price(t, pick(random, prices)))} {
				have, err := evm.GasPrice(&p, baseFee, random.IntN(2) == 0)
				agree(t, own, maxWord, have, err, string(kind), own, baseFee)
			}
		}
	}
}

func TestFeeIsTheProductDividedOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	prices, weights := numbers(random, 256, randomCount), numbers(random, 64, randomCount)
	for range rounds {
		p, w, per := pick(random, prices), pick(random, weights), pick(random, perGas)
		exact := new(big.Int).Mul(p, w)
		exact.Quo(exact, per)
		have, err := evm.Fee(price(t, p), chain.NewRefTime(w.Uint64()), network.WeightPerGas(per.Uint64()))
		agree(t, exact, maxWei, have, err, "fee", p, w)
	}
}

func TestGasIsTheWeightDivided(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for _, w := range numbers(random, 64, rounds) {
		per := pick(random, perGas)
		gas, exact := evm.Gas(chain.NewRefTime(w.Uint64()), network.WeightPerGas(per.Uint64()))
		quotient, rest := new(big.Int).QuoRem(w, per, new(big.Int))
		require.Equal(t, quotient.Uint64(), gas.Uint64(), "gas of weight %v", w)
		require.Equal(t, rest.Sign() == 0, exact, "gas of weight %v", w)
	}
}

func TestPriorityFeeIsGasTimesTheDifference(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	prices, gases := numbers(random, 256, randomCount), numbers(random, 64, randomCount)
	for range rounds {
		p, base, gas := pick(random, prices), pick(random, prices), pick(random, gases)
		if random.IntN(4) == 0 { // near the edge
			p = new(big.Int).Add(base, big.NewInt(random.Int64N(3)-1))
			if p.Sign() < 0 || p.Cmp(maxWord) > 0 {
				continue
			}
		}
		have, err := evm.PriorityFee(price(t, p), price(t, base), chain.NewGas(gas.Uint64()), 0)
		if p.Cmp(base) < 0 {
			require.NoError(t, err)
			require.False(t, have.Known(), "price %v, base fee %v", p, base)
			continue
		}
		exact := new(big.Int).Sub(p, base)
		exact.Mul(exact, gas)
		wei, known := have.Get()
		require.Equal(t, err == nil, known)
		agree(t, exact, maxWei, wei, err, "priority fee", p, base, gas)
	}
}

// If the gas is exact and nothing overflows, base part and priority part add up to the fee.
func TestFeeIsBasePartAndPriorityPart(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 2))
	prices, gases := numbers(random, 80, randomCount), numbers(random, 40, randomCount)
	for range rounds {
		a, b, gas := pick(random, prices), pick(random, prices), pick(random, gases)
		if a.Cmp(b) < 0 {
			a, b = b, a
		}
		per := pick(random, perGas)
		weight := chain.NewRefTime(gas.Uint64() * per.Uint64())
		fee, err := evm.Fee(price(t, a), weight, network.WeightPerGas(per.Uint64()))
		require.NoError(t, err)
		basePart, err := evm.Fee(price(t, b), weight, network.WeightPerGas(per.Uint64()))
		require.NoError(t, err)
		priorityPart, err := evm.PriorityFee(price(t, a), price(t, b), chain.NewGas(gas.Uint64()), 0)
		require.NoError(t, err)
		wei, known := priorityPart.Get()
		require.True(t, known)
		sum, err := basePart.Add(wei)
		require.NoError(t, err)
		require.Equal(t, fee, sum, "price %v, base fee %v, gas %v", a, b, gas)
	}
}

// 737,869,762,948,382 gas is the highest amount whose weight has 64 bits: × 25,000 =
// 18,446,744,073,709,550,000, and 2^64 = 18,446,744,073,709,551,616.
func TestRefTimeAtItsBoundary(t *testing.T) {
	for gas, want := range map[uint64]uint64{0: 0, 1: 25_000, 21_000: 525_000_000, 737_869_762_948_382: 18_446_744_073_709_550_000} {
		have, err := evm.RefTime(chain.NewGas(gas), 0)
		require.NoError(t, err)
		require.Equal(t, chain.NewRefTime(want), have)
	}
	for _, gas := range []uint64{737_869_762_948_383, 1 << 63, 1<<64 - 1} {
		_, err := evm.RefTime(chain.NewGas(gas), 0)
		require.EqualError(t, err, "gas × 25000: overflow")
	}
}

func TestWeightIsTheRefTimeInEveryForm(t *testing.T) {
	for _, n := range numbers(rand.New(rand.NewPCG(5, 1)), 64, 2_000) {
		decimal, hex := n.String(), "0x"+n.Text(16)
		for _, form := range []string{
			decimal, `"` + decimal + `"`, `"` + hex + `"`,
			`{"refTime": ` + decimal + `, "proofSize": 1}`,
			`{"refTime": "` + decimal + `", "proofSize": "0"}`,
			`{"ref_time": "` + hex + `", "proof_size": "0x00"}`,
			`{"proofSize": "18446744073709551615", "refTime": "` + decimal + `"}`,
			`{"refTime": "` + decimal + `"}`,
		} {
			weight, err := evm.Weight(outcome(t, true, `{"class": "Normal", "weight": `+form+`, "paysFee": "No"}`))
			require.NoError(t, err, form)
			require.Equal(t, n.Uint64(), weight.Uint64(), form)
		}
	}
}

// outcome returns the outcome with dispatch information in text.
func outcome(t testing.TB, success bool, info string) chain.Outcome {
	t.Helper()
	event := blocktest.Event(t, "system.ExtrinsicSuccess", "["+info+"]")
	if !success {
		event = blocktest.Event(t, "system.ExtrinsicFailed", `["BadOrigin",`+info+"]")
	}
	of, err := (&chain.Extrinsic{Events: []chain.Event{event}}).Outcome()
	require.NoError(t, err)
	return of
}

func TestWeightRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		success bool
		info    string
		want    string
	}{
		"extrinsic that failed":  {false, `{"weight": "1"}`, "event system.ExtrinsicSuccess: missing; the extrinsic ended with ExtrinsicFailed"},
		"no weight":              {true, `{"class": "Normal"}`, "event system.ExtrinsicSuccess: data[0].weight: missing"},
		"weight null":            {true, `{"weight": null}`, "event system.ExtrinsicSuccess: data[0].weight: missing"},
		"weight of another kind": {true, `{"weight": []}`, "event system.ExtrinsicSuccess: data[0].weight: want a number, have an array"},
		"no ref time":            {true, `{"weight": {"proofSize": "1"}}`, "event system.ExtrinsicSuccess: data[0].weight: refTime: missing"},
		"ref time null":          {true, `{"weight": {"refTime": null}}`, "event system.ExtrinsicSuccess: data[0].weight: refTime: missing"},
		"ref time in both cases": {true, `{"weight": {"refTime": "1", "ref_time": "1"}}`, "event system.ExtrinsicSuccess: data[0].weight: ref_time: given twice"},
		"ref time of 2^64":       {true, `{"weight": {"refTime": "18446744073709551616"}}`, "event system.ExtrinsicSuccess: data[0].weight: refTime: 18446744073709551616 is more than 64 bits"},
		"bare number of 2^64":    {true, `{"weight": 18446744073709551616}`, "event system.ExtrinsicSuccess: data[0].weight: 18446744073709551616 is more than 64 bits"},
		"negative":               {true, `{"weight": {"refTime": "-1"}}`, `event system.ExtrinsicSuccess: data[0].weight: refTime: "-1" is not a non-negative integer`},
		"through floating point": {true, `{"weight": {"refTime": 5.25e8}}`, `event system.ExtrinsicSuccess: data[0].weight: refTime: "5.25e8" is not a non-negative integer`},
		"malformed proof size":   {true, `{"weight": {"refTime": "1", "proofSize": "x"}}`, `event system.ExtrinsicSuccess: data[0].weight: proofSize: "x" is not a non-negative integer`},
		"information of no kind": {true, `null`, "event system.ExtrinsicSuccess: data[0].weight: missing"},
	} {
		t.Run(name, func(t *testing.T) {
			weight, err := evm.Weight(outcome(t, c.success, c.info))
			require.EqualError(t, err, c.want)
			require.True(t, weight.IsZero())
		})
	}
}
