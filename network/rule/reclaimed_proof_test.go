package rule_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

func TestNativeFractionVectors(t *testing.T) {
	names := vectors.Names{Inputs: "network runtime", Wanted: "ref_time_fee proof_size_fee weight_billionths proof_fee proof_billionths linear reclaims"}
	vectors.Run(t, "native-fractions.txt", names, func(t *testing.T, v *vectors.Values) {
		n := nativeFee(t, v)
		v.Equal("ref_time_fee", n.RefTimeFee)
		v.Equal("proof_size_fee", n.ProofSizeFee)
		v.Equal("weight_billionths", n.WeightFeeBillionths)
		v.Equal("proof_fee", n.ProofFee)
		v.Equal("proof_billionths", n.ProofFeeBillionths)
		v.Equal("linear", n.LengthFee.Linear)
		v.EqualBool("reclaims", n.Reclaims)
		require.Equal(t, "125000000", n.BaseWeight.String(), v.Place())
		require.True(t, n.WeightIncludesBase, v.Place())
		require.NotEmpty(t, n.Source, v.Place())
	})
}

// The fee of a weight with two fractions equals an independent calculation with math/big: each product is rounded down, and
// the larger counts.
func TestFixedFeeIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 2))
	byProofs, byTimes := 0, 0
	for range 20_000 {
		k, kp := new(big.Int).Add(one, random(r, 80)), new(big.Int).Add(one, random(r, 90))
		n := fixedLaw(t, k, kp)
		refTime, proof := r.Uint64()>>r.UintN(64), r.Uint64()>>r.UintN(64)
		base, length := n.BaseWeight.Uint64(), r.Uint64()>>40
		m, tip := random(r, 70), random(r, 100)
		byTime := scaled(new(big.Int).SetUint64(refTime), k, unit)
		byProof := scaled(new(big.Int).SetUint64(proof), kp, unit)
		dearer := byTime
		if byProof.Cmp(byTime) > 0 {
			dearer = byProof
			byProofs++
		} else {
			byTimes++
		}
		want := scaled(m, dearer, unit)
		want.Add(want, scaled(new(big.Int).SetUint64(base), k, unit)).Add(want, tip)
		want.Add(want, new(big.Int).Mul(n.LengthFee.Linear.Big(), new(big.Int).SetUint64(length)))
		have, err := n.Fee(rule.NativeInput{Class: chain.Normal, Weight: chain.Weight{RefTime: chain.NewRefTime(refTime), ProofSize: proof}, Length: length, Multiplier: multiplier(t, m), Tip: wei(t, tip)})
		agree(t, want, have, err, n.RefTimeFee.String())
	}
	require.Greater(t, byProofs, 5000)
	require.Greater(t, byTimes, 5000)
}

var one = big.NewInt(1)

// fixedLaw returns a law with fractions of 10^18, whose events show the weight without the base.
func fixedLaw(t *testing.T, k, kp *big.Int) rule.NativeFee {
	t.Helper()
	return rule.NativeFee{
		RefTimeFee: multiplier(t, k), ProofSizeFee: multiplier(t, kp), Reclaims: true,
		BaseWeight: chain.NewRefTime(1000), LengthFee: rule.LengthFee{Linear: chain.NewWei(7)},
	}
}

// The smallest proof size that explains a fee equals that of a search through all sizes, and a fee that no size explains is
// not explained.
func TestReclaimedProofSize(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 3))
	outcomes := map[string]int{}
	const largest = 1500 // bytes, of the search: more than any fee below needs
	for range 400 {
		n := fixedLaw(t, new(big.Int).Add(one, random(r, 48)), new(big.Int).Add(new(big.Int).Mul(unit, big.NewInt(3)), random(r, 71)))
		weight := chain.Weight{RefTime: chain.NewRefTime(r.Uint64N(1_000_000)), ProofSize: r.Uint64N(300)}
		length, tip := r.Uint64N(500), chain.NewWei(r.Uint64N(5))
		m := multiplier(t, new(big.Int).Add(new(big.Int).Div(unit, big.NewInt(1+r.Int64N(10))), random(r, 63)))
		of := func(proof uint64) chain.Wei {
			fee, err := n.Fee(rule.NativeInput{Class: chain.Normal, Weight: chain.Weight{RefTime: weight.RefTime, ProofSize: proof}, Length: length, Multiplier: m, Tip: tip})
			require.NoError(t, err)
			return fee
		}
		fee := of(weight.ProofSize + r.Uint64N(700))
		switch r.IntN(4) {
		case 3:
			fee = of(weight.ProofSize)
		case 0:
			fee, _ = fee.Add(chain.NewWei(1 + r.Uint64N(3)))
		case 1:
			if less, err := fee.Sub(chain.NewWei(1 + r.Uint64N(3))); err == nil {
				fee = less
			}
		}
		want, found := chain.Optional[uint64]{}, fee == of(weight.ProofSize)
		for p := weight.ProofSize + 1; !found && p <= largest; p++ {
			if of(p) == fee {
				want, found = chain.Some(p), true
			}
		}
		size, explained, err := n.ProofSize(fee, rule.NativeInput{Class: chain.Normal, Weight: weight, Length: length, Multiplier: m, Tip: tip})
		require.NoError(t, err)
		require.Equal(t, found, explained, "%v with %v", fee, weight)
		require.Equal(t, want, size, "%v with %v", fee, weight)
		switch {
		case !found:
			outcomes["none"]++
		case want.Known():
			outcomes["reclaimed"]++
		default:
			outcomes["as it is"]++
		}
	}
	t.Log(outcomes)
	for _, outcome := range []string{"none", "reclaimed", "as it is"} {
		require.Greater(t, outcomes[outcome], 40, outcome)
	}
}

// No event, however large its figures, makes the search fail or run long: a size whose fee exceeds a balance is too large.
func TestProofSizeOfHostileFigures(t *testing.T) {
	n := fixedLaw(t, unit, most128)
	single := multiplier(t, unit)
	weight := chain.Weight{RefTime: chain.NewRefTime(10)}
	fee, err := n.Fee(rule.NativeInput{Class: chain.Normal, Weight: chain.Weight{RefTime: weight.RefTime, ProofSize: 3}, Length: 1, Multiplier: single, Tip: chain.Wei{}})
	require.NoError(t, err)
	size, explained, err := n.ProofSize(fee, rule.NativeInput{Class: chain.Normal, Weight: weight, Length: 1, Multiplier: single, Tip: chain.Wei{}})
	require.NoError(t, err)
	require.True(t, explained)
	require.Equal(t, chain.Some[uint64](3), size)
	size, explained, err = n.ProofSize(wei(t, most128), rule.NativeInput{Class: chain.Normal, Weight: weight, Length: 1, Multiplier: multiplier(t, most128), Tip: chain.Wei{}})
	require.NoError(t, err)
	require.False(t, explained || size.Known())
	weight.ProofSize = 1 << 63
	n.ProofSizeFee = chain.NewMultiplier(1)
	least, err := n.Fee(rule.NativeInput{Class: chain.Normal, Weight: weight, Length: 1, Multiplier: single, Tip: chain.Wei{}})
	require.NoError(t, err)
	more, err := least.Add(chain.NewWei(1))
	require.NoError(t, err)
	size, explained, err = n.ProofSize(more, rule.NativeInput{Class: chain.Normal, Weight: weight, Length: 1, Multiplier: single, Tip: chain.Wei{}})
	require.NoError(t, err)
	require.False(t, explained || size.Known())
	_, _, err = n.ProofSize(more, rule.NativeInput{Class: chain.Operational, Weight: weight, Length: 1, Multiplier: single, Tip: chain.Wei{}})
	require.ErrorIs(t, err, rule.ErrUnknownBaseWeight)
}

// A table states both fractions and no other fee of the weight; proof size that costs nothing cannot be reclaimed.
func TestTableOfFractions(t *testing.T) {
	const both = `"ref_time_fee": "8000000000000000", "proof_size_fee": "1525878906250000000000"`
	const other = "ref_time_fee and proof_size_fee: want no other fee of the weight in the same row"
	const reclaims = "reclaims: want a fee of the proof size, and no lower_bound, in the same row"
	for figures, want := range map[string]string{
		both:                        "",
		both + `, "reclaims": true`: "",
		`"weight_fee": "1", "proof_fee": "2", "reclaims": true`:                                         "",
		`"weight_fee": "1", "proof_fee_billionths": 2, "weight_fee_rounding": "down", "reclaims": true`: "",
		`"ref_time_fee": "1"`:        "want both ref_time_fee and proof_size_fee, or neither",
		`"proof_size_fee": "1"`:      "want both ref_time_fee and proof_size_fee, or neither",
		both + `, "weight_fee": "1"`: other,
		both + `, "proof_fee": "1"`:  other,
		both + `, "weight_fee_billionths": 1, "weight_fee_rounding": "down"`: other,
		both + `, "proof_fee_billionths": 1, "weight_fee_rounding": "down"`:  other,
		both + `, "proof_fee": "1", "weight_fee_combined": "sum"`:            other,
		both + `, "reclaims": true, "lower_bound": true`:                     reclaims,
		`"weight_fee": "1", "reclaims": true`:                                reclaims,
		`"ref_time_fee": "0x100000000000000000000000000000000"`:              "is more than 128 bits",
		``: "want weight_fee or ref_time_fee, base_weight and length_fee with linear",
	} {
		if figures != "" {
			figures += ","
		}
		_, err := network.BuiltIn().With("n.json", []byte(`{"networks": [{"name": "n", "symbol": "N", "last_runtime": 1, "rows": [{"from_runtime": 1, "evm": "none", "source": "s"}],
			"native_fees": [{"from_runtime": 1, `+figures+` "base_weight": "125000000", "length_fee": {"linear": "1"}, "source": "s"}]}]}`))
		if want == "" {
			require.NoError(t, err, figures)
			continue
		}
		require.ErrorContains(t, err, want, figures)
	}
}
