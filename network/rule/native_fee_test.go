package rule_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

func TestNativeRuleVectors(t *testing.T) {
	names := vectors.Names{
		Inputs: "network runtime",
		Wanted: "weight_fee proof_fee base_weight operational included linear cubic lower_bound unknown",
	}
	vectors.Run(t, "native-rules.txt", names, func(t *testing.T, v *vectors.Values) {
		n, known := rulesFor(t, v).NativeFee.Get()
		require.Equal(t, !v.Wants("unknown"), known, v.Place())
		if !known {
			require.Equal(t, "yes", v.Wanted("unknown"))
			return
		}
		v.Equal("weight_fee", n.WeightFee)
		v.Equal("proof_fee", n.ProofFee)
		v.Equal("base_weight", n.BaseWeight)
		operational := "unknown"
		if base, known := n.OperationalBaseWeight.Get(); known {
			operational = base.String()
		}
		v.Equal("operational", operational)
		v.EqualBool("included", n.WeightIncludesBase)
		v.Equal("linear", n.LengthFee.Linear)
		v.Equal("cubic", n.LengthFee.Cubic)
		v.EqualBool("lower_bound", n.LowerBound)
		require.NotEmpty(t, n.Source, v.Place())
	})
}

func nativeFee(t *testing.T, v *vectors.Values) rule.NativeFee {
	t.Helper()
	n, known := rulesFor(t, v).NativeFee.Get()
	require.True(t, known, v.Place())
	return n
}

func TestNativeFormulaVectors(t *testing.T) {
	names := vectors.Names{Inputs: "network runtime class ref_time proof_size length multiplier tip", Wanted: "fee error"}
	vectors.Run(t, "native-formula.txt", names, func(t *testing.T, v *vectors.Values) {
		fee, err := nativeFee(t, v).Fee(rule.NativeInput{Class: chain.DispatchClass(v.Input("class")), Weight: weight(v), Length: v.Number("length").Uint64(), Multiplier: multiplier(t, v.Number("multiplier")), Tip: wei(t, v.Number("tip"))})
		if v.Wants("error") {
			want := map[string]error{"class": rule.ErrUnknownBaseWeight, "overflow": chain.ErrOverflow}[v.Wanted("error")]
			require.NotNil(t, want, v.Place())
			require.ErrorIs(t, err, want, v.Place())
			require.Zero(t, fee, v.Place())
			return
		}
		require.NoError(t, err, v.Place())
		v.Equal("fee", fee)
	})
}

func TestLengthFeeVectors(t *testing.T) {
	names := vectors.Names{Inputs: "network runtime length", Wanted: "fee error"}
	vectors.Run(t, "length-fee.txt", names, func(t *testing.T, v *vectors.Values) {
		fee, err := nativeFee(t, v).LengthFee.Of(v.Number("length").Uint64())
		if v.Wants("error") {
			require.Equal(t, "overflow", v.Wanted("error"))
			require.ErrorIs(t, err, chain.ErrOverflow, v.Place())
			require.Zero(t, fee)
			return
		}
		require.NoError(t, err, v.Place())
		v.Equal("fee", fee)
	})
}

func TestNativeFeeIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	number := func(n uint64) *big.Int { return new(big.Int).SetUint64(n) }
	everyRuntime(t, func(rules network.Rules) {
		n, known := rules.NativeFee.Get()
		if !known {
			return
		}
		for range 200 {
			w := chain.Weight{RefTime: chain.NewRefTime(r.Uint64() >> r.UintN(64)), ProofSize: r.Uint64() >> r.UintN(64)}
			length := r.Uint64() >> (20 + r.UintN(44))
			m, tip := random(r, 90), random(r, 128)
			refTime := number(w.RefTime.Uint64())
			base := number(n.BaseWeight.Uint64())
			if n.WeightIncludesBase {
				refTime.Sub(refTime, base)
			}
			dearer := priceOf(n.WeightFee, n.WeightFeeBillionths, n.RefTimeFee, refTime)
			if byProof := priceOf(n.ProofFee, n.ProofFeeBillionths, n.ProofSizeFee, number(w.ProofSize)); dearer.Cmp(byProof) < 0 {
				dearer = byProof
			}
			exact := scaled(m, dearer, unit)
			exact.Add(exact, priceOf(n.WeightFee, n.WeightFeeBillionths, n.RefTimeFee, base)).Add(exact, tip)
			exact.Add(exact, new(big.Int).Mul(number(length), n.LengthFee.Linear.Big()))
			exact.Add(exact, new(big.Int).Mul(new(big.Int).Exp(number(length), big.NewInt(3), nil), n.LengthFee.Cubic.Big()))
			if refTime.Sign() < 0 {
				exact.SetInt64(-1)
			}
			fee, err := n.Fee(rule.NativeInput{Class: chain.Normal, Weight: w, Length: length, Multiplier: multiplier(t, m), Tip: wei(t, tip)})
			agree(t, exact, fee, err, fmt.Sprintf("%s: %v, %d bytes, %v, %v", rules.Name, w, length, m, tip))
		}
	})
}

// priceOf returns what a part of a weight costs: whole units and billionths, rounded to nearest, half down, or a fraction of
// 10^18.
func priceOf(whole chain.Wei, billionths uint32, fraction chain.Multiplier, n *big.Int) *big.Int {
	if !fraction.IsZero() {
		return scaled(n, fraction.Big(), unit)
	}
	rest := new(big.Int)
	price, _ := new(big.Int).QuoRem(new(big.Int).Mul(n, big.NewInt(int64(billionths))), billion, rest)
	if rest.Cmp(big.NewInt(500_000_000)) > 0 {
		price.Add(price, big.NewInt(1))
	}
	return price.Add(price, new(big.Int).Mul(n, whole.Big()))
}

// Each part that exceeds a balance is named in the error.
func TestNativeFeeOverflows(t *testing.T) {
	largest := wei(t, most128)
	one := chain.NewMultiplier(1_000_000_000_000_000_000)
	two := chain.NewRefTime(2)
	for want, c := range map[string]struct {
		fee    rule.NativeFee
		weight chain.Weight
		length uint64
	}{
		"fee of the base weight: ref time: overflow": {rule.NativeFee{WeightFee: largest, BaseWeight: two}, chain.Weight{}, 0},
		"fee of the weight: ref time: overflow":      {rule.NativeFee{WeightFee: largest}, chain.Weight{RefTime: two}, 0},
		"fee of the weight: proof size: overflow":    {rule.NativeFee{ProofFee: largest}, chain.Weight{ProofSize: 2}, 0},
		"fee of a length of 2 bytes: overflow":       {rule.NativeFee{LengthFee: rule.LengthFee{Cubic: largest}}, chain.Weight{}, 2},
		"weight - base weight of 2: overflow":        {rule.NativeFee{WeightIncludesBase: true, BaseWeight: two}, chain.Weight{}, 0},
		"sum of the fee's parts: overflow":           {rule.NativeFee{LengthFee: rule.LengthFee{Linear: largest}}, chain.Weight{}, 1},
	} {
		fee, err := c.fee.Fee(rule.NativeInput{Class: chain.Normal, Weight: c.weight, Length: c.length, Multiplier: one, Tip: chain.NewWei(1)})
		require.EqualError(t, err, want)
		require.True(t, errors.Is(err, chain.ErrOverflow))
		require.Zero(t, fee)
	}
	_, err := rule.NativeFee{}.Fee(rule.NativeInput{Class: "Other", Weight: chain.Weight{}, Length: 0, Multiplier: one, Tip: chain.Wei{}})
	require.EqualError(t, err, "unknown base weight of class Other")
}
