package rule_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

func TestMultiplierRuleVectors(t *testing.T) {
	names := vectors.Names{
		Inputs: "network runtime",
		Wanted: "constant minimum maximum adjustment target max_ref_time max_proof_size limiting normal_class block_weight base_weight",
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
		if v.Wants("normal_class") {
			v.Equal("normal_class", u.NormalClass)
		} else {
			require.Zero(t, u.NormalClass, v.Place())
		}
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

// exactNext returns the update in math/big.
func exactNext(u rule.MultiplierUpdate, parent *big.Int, w chain.Weight) *big.Int {
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
	class := big.NewInt(750_000)
	if u.NormalClass != 0 {
		class = big.NewInt(int64(u.NormalClass))
	}
	normal := func(n uint64) *big.Int { return scaled(number(n), class, big.NewInt(1_000_000)) }
	largest, used := normal(u.MaxRefTime.Uint64()), number(w.RefTime.Uint64())
	used = least(used, largest)
	if u.LimitingDimension {
		maxProof := normal(u.MaxProofSize)
		proof := least(number(w.ProofSize), maxProof)
		if scaled(used, billion, largest).Cmp(scaled(proof, billion, maxProof)) < 0 {
			largest, used = maxProof, proof
		}
	}
	target := scaled(largest, number(uint64(u.Target)), big.NewInt(1_000_000))
	above := used.Cmp(target) >= 0
	diff := new(big.Int).Sub(used, target)
	diff = scaled(diff.Abs(diff), unit, largest)
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
		if !known {
			require.Contains(t, rules.Network, "-hub", "its earlier limits were not read")
			return
		}
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

// The share of a block for transactions of class Normal moves the limit and the target; 75 % if the table does
// not define it.
func TestNormalClass(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	base := updateFrom(t, `"max_ref_time": "8000000", "max_proof_size": 4000000`)
	same := updateFrom(t, `"max_ref_time": "8000000", "max_proof_size": 4000000, "normal_class": 750000`)
	for _, c := range []struct {
		class  string
		normal uint64 // ref time
	}{{"500000", 4_000_000}, {"650000", 5_200_000}, {"1000000", 8_000_000}, {"1", 8}} {
		u := updateFrom(t, `"max_ref_time": "8000000", "max_proof_size": 4000000, "normal_class": `+c.class)
		require.Equal(t, c.normal, u.NormalRefTime().Uint64(), c.class)
		require.Equal(t, chain.Weight{RefTime: chain.NewRefTime(c.normal), ProofSize: c.normal / 2}, u.Full())
		differs := false
		for range 1000 {
			m := random(r, 100)
			w := chain.Weight{RefTime: chain.NewRefTime(r.Uint64N(10_000_000)), ProofSize: r.Uint64N(5_000_000)}
			next, err := u.Next(multiplier(t, m), w)
			agree(t, exactNext(u, m, w), next, err, fmt.Sprintf("%s: after %v with %v", c.class, m, w))
			usual, err := base.Next(multiplier(t, m), w)
			agree(t, exactNext(base, m, w), usual, err, "75 %")
			said, err := same.Next(multiplier(t, m), w)
			require.NoError(t, err)
			require.Equal(t, usual, said)
			differs = differs || usual != next
		}
		require.True(t, differs, c.class)
	}
	require.EqualValues(t, 6_000_000, base.NormalRefTime().Uint64())

	// By hand: of 4,000,000, half of the block, 1,000,000 are on target, and of 6,000,000, 75 %, they are below
	// the target of 1,500,000.
	half := updateFrom(t, `"max_ref_time": "8000000", "max_proof_size": 4000000, "normal_class": 500000`)
	parent := chain.NewMultiplier(1e18)
	onTarget, err := half.Next(parent, chain.Weight{RefTime: chain.NewRefTime(1_000_000)})
	require.NoError(t, err)
	require.Equal(t, parent, onTarget)
	below, err := base.Next(parent, chain.Weight{RefTime: chain.NewRefTime(1_000_000)})
	require.NoError(t, err)
	require.Negative(t, below.Cmp(parent))
}

func updateFrom(t *testing.T, weights string) rule.MultiplierUpdate {
	t.Helper()
	n, err := withWeights(weights)
	require.NoError(t, err)
	rules, err := n.Rules(1)
	require.NoError(t, err)
	u, _ := rules.Update.Get()
	return u
}

// withWeights returns a table whose blocks have weights: the target is 1/4 of the class's limit.
func withWeights(weights string) (*network.Network, error) {
	tables, err := network.BuiltIn().With("f.json", []byte(`{"networks": [{"name": "local", "symbol": "LOC", "last_runtime": 1,
		"rows": [{"from_runtime": 1, "static_base_fee": "5", "source": "a"}], "multiplier_updates": [{"from_runtime": 1, "minimum": "1",
		"adjustment": "4000000000000000", "target": 250000, `+weights+`, "limiting_dimension": true, "source": "b"}]}]}`))
	if err != nil {
		return nil, err
	}
	n, _ := tables.Named("local")
	return n, nil
}

// A table is rejected if the runtime would have to round the class's share, or its target, in one of the two
// dimensions; checked with exact fractions.
func TestWeightsAreWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	whole := func(largest, class uint64) bool {
		part := new(big.Rat).SetFrac(new(big.Int).Mul(new(big.Int).SetUint64(largest), new(big.Int).SetUint64(class)), big.NewInt(1_000_000))
		return part.IsInt() && new(big.Rat).Mul(part, big.NewRat(1, 4)).IsInt()
	}
	taken := 0
	for range 4000 {
		class := []uint64{1, 250_000, 500_000, 650_000, 333_333, 999_999, 1_000_000}[r.IntN(7)]
		time, proof := 1+r.Uint64N(1<<20)<<r.UintN(43), 1+r.Uint64N(1<<20)<<r.UintN(20)
		if r.IntN(3) > 0 { // otherwise hardly any would be accepted
			time, proof = (1+r.Uint64N(1<<40))*4_000_000/[]uint64{1, 2, 1_000_000}[r.IntN(3)], (1+r.Uint64N(1000))*4_000_000
		}
		_, err := withWeights(fmt.Sprintf(`"max_ref_time": "%d", "max_proof_size": %d, "normal_class": %d`, time, proof, class))
		if whole(time, class) && whole(proof, class) {
			taken++
			require.NoError(t, err, "%d, %d by %d", time, proof, class)
		} else {
			require.ErrorContains(t, err, "want target × normal_class of max_ref_time and of max_proof_size to be whole numbers", "%d, %d by %d", time, proof, class)
		}
	}
	require.Greater(t, taken, 100)
	require.Less(t, taken, 3900)
	_, err := withWeights(`"max_ref_time": "8000000", "max_proof_size": 4000000, "normal_class": 1000001`)
	require.ErrorContains(t, err, "normal_class 1000001: want millionths, at most 1000000")
}

// The multiplier rises exactly if a block is at or above its target.
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

// With equal parts per billion ref time counts, even if the two are not equally full. The normal class has 3 ×
// 10^12 picoseconds and 3 × 10^9 bytes. 1,000,002 bytes are 333,334 parts per billion, as are 1,000,003,000
// picoseconds, which are slightly more. The multipliers were computed with Python's integers, by the formula
// at Next.
func TestMultiplierUpdateOfEquallyFullDimensions(t *testing.T) {
	maximum := chain.NewMultiplier(2_000_000_000_000_000_000)
	u := rule.MultiplierUpdate{
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

// The increase after a full block, which no block exceeds: the relative increase if the parent's multiplier is
// 1 and no limit applies.
func TestRaise(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	everyRuntime(t, func(rules network.Rules) {
		u, known := rules.Update.Get()
		if !known {
			return
		}
		raise, err := u.Raise()
		require.NoError(t, err, rules.Name)
		if u.Constant.Known() {
			require.True(t, raise.IsZero(), rules.Name)
			return
		}
		free := u
		free.Minimum, free.Maximum = chain.NewMultiplier(1), chain.Optional[chain.Multiplier]{}
		risen := new(big.Int).Sub(exactNext(free, unit, u.Full()), unit)
		require.Equal(t, risen.String(), raise.String(), rules.Name)
		for range 50 {
			w := chain.Weight{RefTime: chain.NewRefTime(r.Uint64() >> r.UintN(64)), ProofSize: r.Uint64() >> r.UintN(64)}
			require.LessOrEqual(t, exactNext(free, unit, w).Cmp(new(big.Int).Add(unit, risen)), 0, "%s: with %v", rules.Name, w)
		}
	})
	_, err := rule.MultiplierUpdate{}.Raise()
	require.EqualError(t, err, "difference to the target: overflow")
}

func TestMultiplierUpdateWithoutABlockWeight(t *testing.T) {
	next, err := rule.MultiplierUpdate{}.Next(chain.NewMultiplier(1), chain.Weight{})
	require.EqualError(t, err, "difference to the target: overflow")
	require.Zero(t, next)
}
