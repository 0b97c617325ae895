package network_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/vectors"
	"github.com/feeledger/fees/network"
)

func TestMultiplierRuleVectors(t *testing.T) {
	names := vectors.Names{
		Inputs: "network runtime",
		Wanted: "constant minimum maximum adjustment target max_ref_time max_proof_size limiting block_weight base_weight",
	}
	vectors.Run(t, "multiplier-rules.txt", names, func(t *testing.T, v *vectors.Values) {
		u, known := rulesFor(t, v).Update.Get()
		require.True(t, known, v.Place())
		require.NotEmpty(t, u.Source, v.Place())
		if v.Wants("constant") {
			constant, known := u.Constant.Get()
			require.True(t, known, v.Place())
			v.Equal("constant", constant)
			return
		}
		require.False(t, u.Constant.Known(), v.Place())
		v.Equal("minimum", u.Minimum)
		maximum := "none"
		if m, limited := u.Maximum.Get(); limited {
			maximum = m.String()
		}
		v.Equal("maximum", maximum)
		v.Equal("adjustment", u.Adjustment)
		v.Equal("target", u.Target)
		v.Equal("max_ref_time", u.MaxRefTime)
		v.Equal("max_proof_size", u.MaxProofSize)
		v.EqualBool("limiting", u.LimitingDimension)
		from := u.BlockWeight
		if from == "" {
			from = "system"
		}
		v.Equal("block_weight", from)
		v.Equal("base_weight", u.BaseWeight)
	})
}

func TestMultiplierUpdateVectors(t *testing.T) {
	names := vectors.Names{Inputs: "network runtime multiplier ref_time proof_size", Wanted: "next error"}
	vectors.Run(t, "multiplier-update.txt", names, func(t *testing.T, v *vectors.Values) {
		u, known := rulesFor(t, v).Update.Get()
		require.True(t, known, v.Place())
		next, err := u.Next(multiplier(t, v.Number("multiplier")), weight(v))
		if v.Wants("error") {
			require.Equal(t, "overflow", v.Wanted("error"))
			require.ErrorIs(t, err, chain.ErrOverflow)
			require.ErrorContains(t, err, "multiplier after "+v.Input("multiplier"))
			require.Zero(t, next)
			return
		}
		require.NoError(t, err, v.Place())
		v.Equal("next", next)
	})
}

// exactNext is the update in math/big.
func exactNext(u network.MultiplierUpdate, parent *big.Int, w chain.Weight) *big.Int {
	if constant, ok := u.Constant.Get(); ok {
		return constant.Big()
	}
	number := func(n uint64) *big.Int { return new(big.Int).SetUint64(n) }
	least := func(a, b *big.Int) *big.Int {
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	}
	normal := func(n uint64) *big.Int { return scaled(number(n), big.NewInt(3), big.NewInt(4)) }
	most, used := normal(u.MaxRefTime.Uint64()), number(w.RefTime.Uint64())
	used = least(used, most)
	if u.LimitingDimension {
		mostProof := normal(u.MaxProofSize)
		proof := least(number(w.ProofSize), mostProof)
		if scaled(used, billion, most).Cmp(scaled(proof, billion, mostProof)) < 0 {
			most, used = mostProof, proof
		}
	}
	target := scaled(most, number(uint64(u.Target)), big.NewInt(1_000_000))
	above := used.Cmp(target) >= 0
	diff := new(big.Int).Sub(used, target)
	diff = scaled(diff.Abs(diff), unit, most)
	v := u.Adjustment.Big()
	half := new(big.Int).Rsh(scaled(v, v, unit), 1)
	change := scaled(half, scaled(diff, diff, unit), unit)
	first := scaled(v, diff, unit)
	previous := parent
	if minimum := u.Minimum.Big(); previous.Cmp(minimum) < 0 {
		previous = minimum
	}
	next := new(big.Int)
	if above {
		next.Add(previous, scaled(change.Add(first, change), previous, unit))
	} else {
		next.Sub(previous, scaled(change.Sub(first, change), previous, unit))
	}
	if next.Cmp(most128) > 0 {
		return next // the sum itself does not fit
	}
	if minimum := u.Minimum.Big(); next.Cmp(minimum) < 0 {
		next = minimum
	}
	if maximum, ok := u.Maximum.Get(); ok {
		next = least(next, maximum.Big())
	}
	return next
}

func TestMultiplierUpdateIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	everyRuntime(t, func(rules network.Rules) {
		u, known := rules.Update.Get()
		require.True(t, known, rules.Name)
		for range 100 {
			m := random(r, 128)
			w := chain.Weight{RefTime: chain.NewRefTime(r.Uint64N(2_000_000_000_000)), ProofSize: r.Uint64N(10_000_000)}
			if r.IntN(4) == 0 {
				w = chain.Weight{RefTime: chain.NewRefTime(r.Uint64() >> r.UintN(64)), ProofSize: r.Uint64() >> r.UintN(64)}
			}
			next, err := u.Next(multiplier(t, m), w)
			agree(t, exactNext(u, m, w), next, err, fmt.Sprintf("%s: after %v with %v", rules.Name, m, w))
		}
	})
}

// The multiplier rises exactly where a block is at or above its target.
func TestMultiplierUpdateDirection(t *testing.T) {
	n, _ := network.BuiltIn().Named("moonbeam")
	rules, err := n.Rules(3702)
	require.NoError(t, err)
	u, _ := rules.Update.Get()
	parent := chain.NewMultiplier(5_000_000_000_000_000_000)
	const target = 2_000_000_000_000 / 100 * 75 / 100 * 35
	for refTime, want := range map[uint64]int{0: -1, target - 2_000_000: -1, target: 0, target + 2_000_000: 1, math.MaxUint64: 1} {
		next, err := u.Next(parent, chain.Weight{RefTime: chain.NewRefTime(refTime)})
		require.NoError(t, err)
		require.Equal(t, want, next.Cmp(parent), "ref time %d", refTime)
	}
}

// With equal parts per billion ref time counts, also where the two are not equally full.
// The normal class has 3 × 10^12 picoseconds and 3 × 10^9 bytes. 1,000,002 bytes are
// 333,334 parts per billion, as are 1,000,003,000 picoseconds, which are a little more.
// The multipliers were worked out with Python's integers, by the formula at Next.
func TestMultiplierUpdateOfEquallyFullDimensions(t *testing.T) {
	maximum := chain.NewMultiplier(2_000_000_000_000_000_000)
	u := network.MultiplierUpdate{
		Minimum: chain.NewMultiplier(1), Maximum: chain.Some(maximum), Adjustment: chain.NewMultiplier(4_000_000_000_000_000), Target: 250_000,
		MaxRefTime: chain.NewRefTime(4_000_000_000_000), MaxProofSize: 4_000_000_000, LimitingDimension: true,
	}
	one := chain.NewMultiplier(1_000_000_000_000_000_000)
	for refTime, want := range map[uint64]uint64{
		1_000_000_000: 999_001_832_003_552_892, // 333,333 parts: the proof size
		1_000_003_000: 999_001_832_004_884_894, // 333,334 parts: the ref time
	} {
		next, err := u.Next(one, chain.Weight{RefTime: chain.NewRefTime(refTime), ProofSize: 1_000_002})
		require.NoError(t, err)
		require.Equal(t, chain.NewMultiplier(want), next, "ref time %d", refTime)
	}
}

func TestMultiplierUpdateWithoutABlockWeight(t *testing.T) {
	next, err := network.MultiplierUpdate{}.Next(chain.NewMultiplier(1), chain.Weight{})
	require.EqualError(t, err, "difference to the target: overflow")
	require.Zero(t, next)
}
