package rule_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// The native fee with a fraction equals an independent calculation with math/big, for both roundings and at halves.
func TestFractionOfTheWeightFee(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 6))
	halves, raised := 0, 0
	for range 10_000 {
		weight := random.Uint64() >> (10 + random.IntN(50))
		base := weight / (1 + random.Uint64N(5))
		parts := 1 + random.Uint32N(999_999_999)
		if random.IntN(4) == 0 {
			parts = 500_000_000 // odd weights end in a half
		}
		length, whole, tip := random.Uint64N(10_000), random.Uint64N(1_000_000_000), random.Uint64N(1_000_000)
		multiplier := 1_000_000_000_000_000_000 + random.Uint64N(7_000_000_000_000_000_000)
		rounding := []rule.Rounding{rule.RoundDown, rule.RoundNearest}[random.IntN(2)]

		fraction := func(n uint64) *big.Int {
			product := new(big.Int).Mul(new(big.Int).SetUint64(n), big.NewInt(int64(parts)))
			quotient, rest := new(big.Int).QuoRem(product, big.NewInt(1_000_000_000), new(big.Int))
			if rest.Int64() == 500_000_000 {
				halves++
			}
			if rounding == rule.RoundNearest && rest.Cmp(big.NewInt(500_000_000)) > 0 {
				raised++
				quotient.Add(quotient, big.NewInt(1))
			}
			return quotient.Add(quotient, new(big.Int).Mul(new(big.Int).SetUint64(n), new(big.Int).SetUint64(whole)))
		}
		moving := new(big.Int).Mul(fraction(weight-base), new(big.Int).SetUint64(multiplier))
		want := new(big.Int).Add(fraction(base), moving.Quo(moving, big.NewInt(1_000_000_000_000_000_000)))
		want.Add(want, new(big.Int).SetUint64(3*length+tip))

		n := rule.NativeFee{
			WeightFee: chain.NewWei(whole), WeightFeeBillionths: parts, Rounding: rounding, WeightIncludesBase: true,
			BaseWeight: chain.NewRefTime(base), LengthFee: rule.LengthFee{Linear: chain.NewWei(3)},
		}
		have, err := n.Fee(rule.NativeInput{Class: chain.Normal, Weight: chain.Weight{RefTime: chain.NewRefTime(weight)}, Length: length, Multiplier: chain.NewMultiplier(multiplier), Tip: chain.NewWei(tip)})
		require.NoError(t, err)
		require.Equal(t, want.String(), have.String(), "%+v", n)
	}
	require.Greater(t, halves, 100)
	require.Greater(t, raised, 100)
}

func TestFractionErrors(t *testing.T) {
	for figures, want := range map[string]string{
		`"weight_fee_billionths": 1000000000, "weight_fee_rounding": "down"`: "want less than a billion",
		`"weight_fee_billionths": 5`:                                         "want down or nearest_half_down with billionths",
		`"weight_fee": "1", "weight_fee_rounding": "down"`:                   "with billionths",
		`"weight_fee_billionths": 5, "weight_fee_rounding": "up"`:            `weight_fee_rounding "up"`,
	} {
		_, err := network.BuiltIn().With("n.json", []byte(`{"networks": [{"name": "n", "symbol": "N", "last_runtime": 1,
			"rows": [{"from_runtime": 1, "static_base_fee": "1", "source": "s"}],
			"native_fees": [{"from_runtime": 1, `+figures+`, "base_weight": "1", "length_fee": {"linear": "1"}, "source": "s"}]}]}`))
		require.ErrorContains(t, err, want)
	}
}

// Every native fee that two real runtimes charged follows from the rows of their tables. With products rounded down, none
// of Creditcoin's does.
func TestRecordedFractions(t *testing.T) {
	for name, c := range map[string]struct {
		table       string
		runtime     uint32
		count, down int
	}{
		"creditcoin3-87": {"creditcoin", 87, 23, 0},
		"bittensor-218":  {"bittensor", 218, 24, 22},
	} {
		t.Run(name, func(t *testing.T) {
			native, known := builtInRules(t, c.table, c.runtime).NativeFee.Get()
			require.True(t, known)
			floored := native
			floored.Rounding = rule.RoundDown
			count, down := 0, 0
			for _, s := range nativesOf(t, name) {
				for _, rounded := range []rule.NativeFee{native, floored} {
					have, err := rounded.Fee(rule.NativeInput{Class: s.class, Weight: s.weight, Length: s.length, Multiplier: chain.NewMultiplier(1_000_000_000_000_000_000), Tip: s.tip})
					require.NoError(t, err)
					switch {
					case rounded.Rounding == rule.RoundDown && have == s.charged:
						down++
					case rounded.Rounding == rule.RoundNearest:
						require.Equal(t, s.charged.String(), have.String(), "%s", s.place)
						count++
					}
				}
			}
			t.Logf("%d native fees are exact; %d would be if rounded down", count, down)
			require.Equal(t, c.count, count)
			require.Equal(t, c.down, down)
		})
	}
}

// builtInRules returns the rules of a built-in table.
func builtInRules(t *testing.T, name string, runtime uint32) network.Rules {
	t.Helper()
	rules, err := vectors.Rules(t, name, strconv.FormatUint(uint64(runtime), 10))
	require.NoError(t, err)
	return rules
}

// paidNative is a native transaction that paid for its weight.
type paidNative struct {
	place        string
	class        chain.DispatchClass
	weight       chain.Weight
	length       uint64
	tip, charged chain.Wei
}

// nativesOf reads the native transactions of a recording that paid a fee, without this program's decoder of blocks.
func nativesOf(t *testing.T, name string) (list []paidNative) {
	t.Helper()
	directory := repository.Shared(t, "pairs", name, "gateway")
	read := func(to any, path ...string) {
		text, err := os.ReadFile(filepath.Join(append([]string{directory}, path...)...))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, to))
	}
	var file struct {
		Sent []struct {
			sent
			Index int `json:"index"`
		}
	}
	read(&file, "sent.json")
	for _, s := range file.Sent {
		if s.Family != "native" || s.Index < 0 {
			continue
		}
		var block struct {
			Extrinsics []struct {
				Events []struct {
					Method struct{ Pallet, Method string }
					Data   []json.RawMessage
				}
			}
		}
		read(&block, "blocks", fmt.Sprintf("%d.json", s.Height))
		for _, e := range block.Extrinsics[s.Index].Events {
			at := map[string]int{"ExtrinsicSuccess": 0, "ExtrinsicFailed": 1}
			i, ends := at[e.Method.Method]
			if e.Method.Pallet != "system" || !ends {
				continue
			}
			var info struct {
				Weight  struct{ RefTime, ProofSize json.Number }
				Class   string
				PaysFee string
			}
			require.NoError(t, json.Unmarshal(e.Data[i], &info))
			if info.PaysFee == "No" {
				continue
			}
			refTime, err := info.Weight.RefTime.Int64()
			require.NoError(t, err)
			charged, err := chain.ParseWei(s.Charged)
			require.NoError(t, err)
			tip := chain.Wei{}
			if s.Tip != "" {
				tip, err = chain.ParseWei(s.Tip)
				require.NoError(t, err)
			}
			list = append(list, paidNative{
				fmt.Sprintf("%d-%d %s", s.Height, s.Index, s.Kind), chain.DispatchClass(info.Class),
				chain.Weight{RefTime: chain.NewRefTime(uint64(refTime))}, s.Length, tip, charged,
			})
		}
	}
	return list
}

// The decimals are the token's, 18 if the table does not state them.
func TestDecimals(t *testing.T) {
	tao := builtInRules(t, "bittensor", 218)
	require.Equal(t, 9, tao.TokenDecimals())
	ctc := builtInRules(t, "creditcoin", 87)
	require.Equal(t, 18, ctc.TokenDecimals())
	require.Empty(t, ctc.Notes)
}
