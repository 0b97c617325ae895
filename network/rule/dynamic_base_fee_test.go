package rule_test

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// astar returns Astar's rule of the base fee, with the figures of facts/frontier.md.
func astar() rule.BaseFeeUpdate {
	return rule.BaseFeeUpdate{
		WeightFactor: chain.NewGasPrice(30_855_000_000_000_000), Step: chain.NewMultiplier(93_000_000_000_000),
		Minimum: chain.NewGasPrice(800_000_000_000), Maximum: chain.NewGasPrice(80_000_000_000_000),
	}
}

// Figures computed by hand: at a multiplier of 1 the base fee is heading for 30,855 × 10^12 × 25 / 98,974 = 7,793,713,500,515.
func TestBaseFeeThatFollowsTheMultiplier(t *testing.T) {
	const one = 1_000_000_000_000_000_000
	for what, c := range map[string]struct{ base, multiplier, want uint64 }{
		"arrived":             {7_793_713_500_515, one, 7_793_713_500_515},
		"within a step":       {7_793_713_000_000, one, 7_793_713_500_515},
		"a step up":           {1_000_000_000_000, one, 1_000_093_000_000},
		"a step down":         {9_000_000_000_000, one, 8_999_163_000_000},
		"half of a step":      {800_000_500_000, one, 800_074_900_046}, // of 74,400,046.5
		"to the minimum":      {800_000_000_001, 100_000_000_000_000_000, 800_000_000_000},
		"to the maximum":      {79_999_999_999_999, 2 * one * 9, 80_000_000_000_000},
		"below the minimum":   {700_000_000_000, one / 100, 699_934_900_000},
		"above the maximum":   {90_000_000_000_000, one * 18, 90_008_370_000_000},
		"back to the maximum": {80_001_000_000_000, one, 79_993_559_907_000},
		"nothing":             {0, one, 0},
	} {
		have, err := astar().NextAt(chain.NewGasPrice(c.base), chain.NewMultiplier(c.multiplier))
		require.NoError(t, err)
		require.Equal(t, chain.NewGasPrice(c.want).String(), have.String(), what)
	}
}

// The rule equals an independent calculation with math/big, also where a product has too many bits.
func TestBaseFeeThatFollowsTheMultiplierIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 9))
	scale := big.NewInt(1_000_000_000_000_000_000)
	bounds, halves, overflows := 0, 0, 0
	for range 10_000 {
		factor := random.Uint64() >> random.IntN(30)
		step := 1 + random.Uint64N(1_000_000_000_000_000_000)
		base := new(big.Int).Lsh(new(big.Int).SetUint64(random.Uint64()), uint(random.IntN(193)))
		if random.IntN(2) == 0 {
			base.SetUint64(random.Uint64() >> random.IntN(40))
		}
		if random.IntN(4) == 0 {
			step = 500_000_000_000_000_000 // of odd base fees, the step ends in a half
		}
		lowest := new(big.Int).SetUint64(1 + random.Uint64()>>(20+random.IntN(20)))
		highest := new(big.Int).Add(lowest, new(big.Int).SetUint64(random.Uint64()>>random.IntN(40)))
		multiplier := random.Uint64() >> random.IntN(20)

		ideal := new(big.Int).Mul(new(big.Int).SetUint64(multiplier), new(big.Int).SetUint64(factor))
		ideal.Quo(ideal, scale).Mul(ideal, big.NewInt(25)).Quo(ideal, big.NewInt(98974))
		twice := new(big.Int).Mul(new(big.Int).SetUint64(step), base)
		change, rest := new(big.Int).QuoRem(twice, scale, new(big.Int))
		switch new(big.Int).Lsh(rest, 1).Cmp(scale) {
		case 1:
			change.Add(change, big.NewInt(1))
		case 0:
			halves++
		}
		from, to := new(big.Int).Sub(base, change), new(big.Int).Add(base, change)
		tooLong := to.BitLen() > 256
		if base.Cmp(lowest) >= 0 && base.Cmp(highest) <= 0 {
			if from.Cmp(lowest) < 0 {
				from = lowest
			}
			if to.Cmp(highest) > 0 {
				to = highest
			}
		}
		want := ideal
		if want.Cmp(from) < 0 {
			bounds++
			want = from
		}
		if want.Cmp(to) > 0 {
			bounds++
			want = to
		}
		u := rule.BaseFeeUpdate{WeightFactor: chain.NewGasPrice(factor), Step: chain.NewMultiplier(step), Minimum: price(t, lowest), Maximum: price(t, highest)}
		have, err := u.NextAt(price(t, base), chain.NewMultiplier(multiplier))
		if tooLong {
			overflows++
			require.ErrorIs(t, err, chain.ErrOverflow)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want.String(), have.String(), "%v at %d, %+v", base, multiplier, u)
	}
	require.Greater(t, bounds, 1000)
	require.Greater(t, halves, 100)
	require.Positive(t, overflows)
}

func TestBaseFeeThatFollowsTheMultiplierOverflows(t *testing.T) {
	top, err := chain.ParseGasPrice("0x" + strings.Repeat("f", 64))
	require.NoError(t, err)
	u := astar()
	_, err = u.NextAt(top, chain.NewMultiplier(1))
	require.ErrorIs(t, err, chain.ErrOverflow)
	u.WeightFactor = top
	for _, multiplier := range []uint64{500_000_000_000_000_000, 2_000_000_000_000_000_000} {
		_, err = u.NextAt(chain.NewGasPrice(1), chain.NewMultiplier(multiplier))
		require.ErrorIs(t, err, chain.ErrOverflow)
	}
}

func TestTableOfABaseFeeThatFollowsTheMultiplier(t *testing.T) {
	const table = `{"networks": [{"name": "n", "symbol": "N", "last_runtime": 1,
		"rows": [{"from_runtime": 1, "base_fee_stored": {"pallet": "DynamicEvmBaseFee", "item": "BaseFeePerGas"}, "source": "s"}],
		"base_fee_updates": [{"from_runtime": 1, %FIGURES% "source": "s"}]}]}`
	const good = `"weight_factor": "5", "step": "9", "minimum": "1", "maximum": "1",`
	for figures, want := range map[string]string{
		good: "",
		strings.Replace(good, `"step": "9",`, ``, 1):                                 "step 0: want more than 0 and at most 1000000000000000000",
		strings.Replace(good, `"9"`, `"1000000000000000001"`, 1):                     "step 1000000000000000001: want more than 0",
		strings.Replace(good, `"minimum": "1"`, `"minimum": "2"`, 1):                 "want minimum, and maximum that is not lower",
		strings.Replace(good, `"minimum": "1",`, ``, 1):                              "want minimum, and maximum that is not lower",
		strings.Replace(good, `"weight_factor": "5",`, ``, 1):                        "want weight_factor with step and maximum",
		good + `"elasticity": 5,`:                                                    "weight_factor: want no elasticity and no max_ref_time",
		good + `"max_ref_time": "5",`:                                                "weight_factor: want no elasticity and no max_ref_time",
		`"elasticity": 125000, "max_ref_time": "5", "minimum": "1", "maximum": "9",`: "want weight_factor with step and maximum",
	} {
		tables, err := network.BuiltIn().With("n.json", []byte(strings.Replace(table, "%FIGURES%", figures, 1)))
		if want != "" {
			require.ErrorContains(t, err, want, figures)
			continue
		}
		require.NoError(t, err)
		n, _ := tables.Named("n")
		rules, err := n.Rules(1)
		require.NoError(t, err)
		require.False(t, rules.NeedsBlockWeight())
		require.Equal(t, "1", rules.MinGasPrice.String())
	}
}
