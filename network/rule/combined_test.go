package rule_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// The fee of a weight with two prices equals an independent calculation with math/big: the sum of both dimensions, or
// the larger. The base weight has no proof size.
func TestBothDimensionsOfTheWeightFee(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 8))
	const billion = 1_000_000_000
	proofs, halves := 0, 0
	for range 10_000 {
		refTime, proofSize := random.Uint64N(1_000_000_000_000), random.Uint64N(5_000_000)
		base := refTime / (1 + random.Uint64N(5))
		timeWhole, proofWhole := random.Uint64N(10), random.Uint64N(1_000_000)
		timeParts, proofParts := 1+random.Uint32N(billion-1), random.Uint32N(billion)
		if random.IntN(4) == 0 {
			proofParts = billion / 2 // odd sizes end in a half
		}
		combined := []rule.Combined{"", rule.LargerFee, rule.SumOfFees}[random.IntN(3)]
		rounding := []rule.Rounding{rule.RoundDown, rule.RoundNearest}[random.IntN(2)]

		price := func(n, whole uint64, parts uint32) *big.Int {
			all := new(big.Int).SetUint64(whole)
			all.Mul(all, big.NewInt(billion)).Add(all, big.NewInt(int64(parts)))
			all.Mul(all, new(big.Int).SetUint64(n)) // in billionths
			quotient, rest := new(big.Int).QuoRem(all, big.NewInt(billion), new(big.Int))
			if rest.Int64() == billion/2 {
				halves++
			}
			if rounding == rule.RoundNearest && rest.Int64() > billion/2 {
				quotient.Add(quotient, big.NewInt(1))
			}
			return quotient
		}
		byTime, byProof := price(refTime-base, timeWhole, timeParts), price(proofSize, proofWhole, proofParts)
		want := new(big.Int).Add(price(base, timeWhole, timeParts), big.NewInt(77))
		switch {
		case combined == rule.SumOfFees:
			want.Add(want, byTime).Add(want, byProof)
		case byProof.Cmp(byTime) > 0:
			proofs++
			want.Add(want, byProof)
		default:
			want.Add(want, byTime)
		}
		n := rule.NativeFee{
			WeightFee: chain.NewWei(timeWhole), WeightFeeBillionths: timeParts, Rounding: rounding, WeightIncludesBase: true, BaseWeight: chain.NewRefTime(base),
			ProofFee: chain.NewWei(proofWhole), ProofFeeBillionths: proofParts, Combined: combined, LengthFee: rule.LengthFee{Linear: chain.NewWei(7)},
		}
		have, err := n.Fee(rule.NativeInput{Class: chain.Normal, Weight: chain.Weight{RefTime: chain.NewRefTime(refTime), ProofSize: proofSize}, Length: 11, Multiplier: chain.NewMultiplier(1_000_000_000_000_000_000), Tip: chain.Wei{}})
		require.NoError(t, err)
		require.Equal(t, want.String(), have.String(), "%+v", n)
	}
	require.Greater(t, proofs, 100)
	require.Greater(t, halves, 100)
}

// A fee above the highest balance is an error in either dimension and in their sum.
func TestWeightFeeOverflows(t *testing.T) {
	half, err := chain.ParseWei(new(big.Int).Lsh(big.NewInt(1), 127).String())
	require.NoError(t, err)
	n := rule.NativeFee{WeightFee: half, ProofFee: half, BaseWeight: chain.NewRefTime(0), LengthFee: rule.LengthFee{Linear: chain.NewWei(1)}}
	for _, c := range []struct {
		refTime, proofSize uint64
		combined           rule.Combined
		fails              bool
	}{{1, 1, rule.LargerFee, false}, {1, 1, rule.SumOfFees, true}, {2, 0, "", true}, {0, 2, "", true}} {
		n.Combined = c.combined
		_, err := n.Fee(rule.NativeInput{Class: chain.Normal, Weight: chain.Weight{RefTime: chain.NewRefTime(c.refTime), ProofSize: c.proofSize}, Length: 1, Multiplier: chain.NewMultiplier(1), Tip: chain.Wei{}})
		if c.refTime < 2 && c.proofSize < 2 && !c.fails {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, chain.ErrOverflow)
	}
}

// A table states both prices, or neither how they are combined nor rounded.
func TestTableOfBothDimensions(t *testing.T) {
	const table = `{"networks": [{"name": "n", "symbol": "N", "last_runtime": 1, "rows": [{"from_runtime": 1, "static_base_fee": "1", "source": "s"}],
		"native_fees": [{"from_runtime": 1, "weight_fee": "5", %MORE% "base_weight": "85", "length_fee": {"linear": "7"}, "source": "g"}]}]}`
	const combined = "want larger or sum with proof_fee or proof_fee_billionths"
	for more, want := range map[string]string{
		``: "",
		`"weight_fee_combined": "sum", "proof_fee": "3",`:                                            "",
		`"weight_fee_combined": "larger", "proof_fee_billionths": 3, "weight_fee_rounding": "down",`: "",
		`"proof_fee_billionths": 3,`:                                                                 `weight_fee_rounding "": want down or nearest_half_down with billionths`,
		`"weight_fee_rounding": "down",`:                                                             `weight_fee_rounding "down": want`,
		`"proof_fee_billionths": 1000000000, "weight_fee_rounding": "down",`:                         "proof_fee_billionths 1000000000: want less than a billion",
		`"weight_fee_billionths": 1000000000, "weight_fee_rounding": "down",`:                        "weight_fee_billionths 1000000000: want less than a billion",
		`"weight_fee_combined": "sum",`:                                                              `weight_fee_combined "sum": ` + combined,
		`"weight_fee_combined": "both", "proof_fee": "3",`:                                           `weight_fee_combined "both": ` + combined,
	} {
		_, err := network.BuiltIn().With("n.json", []byte(strings.Replace(table, "%MORE%", more, 1)))
		if want == "" {
			require.NoError(t, err, more)
			continue
		}
		require.ErrorContains(t, err, want, fmt.Sprint(more))
	}
}
