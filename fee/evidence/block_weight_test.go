package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/test/pairs"
)

// weights returns the weights that a chain counted, in picoseconds.
func weights(normal, operational, mandatory uint64) chain.Optional[chain.ClassWeights] {
	of := func(refTime uint64) chain.Weight { return chain.Weight{RefTime: chain.NewRefTime(refTime)} }
	return chain.Some(chain.ClassWeights{Normal: of(normal), Operational: of(operational), Mandatory: of(mandatory)})
}

// The block has 250,000,000 + 525,000,000 of class Normal, 1 of class Operational and 1 of class Mandatory.
func TestClassWeights(t *testing.T) {
	vote := by(t, payer, 1)
	vote.Events = []chain.Event{feePaid(t, "0", "0"), event(t, "system.ExtrinsicSuccess", object{"weight": object{"refTime": "1", "proofSize": "0"}, "class": "Operational", "paysFee": "No"})}
	b := block(inherent(t), by(t, payer, 0), vote, evmBy(t, payer, 2, plain))
	for what, c := range map[string]struct {
		runtime uint32
		counted chain.Optional[chain.ClassWeights]
		want    string
	}{
		"the same":                {2600, weights(775_000_000, 1, 1), "held"},
		"hooks weigh, too":        {2600, weights(775_000_000, 1, 4_736_700_077), "held"},
		"more of class Normal":    {2600, weights(775_000_001, 1, 1), "the extrinsics of class Normal weigh 775000000, but the chain counted 775000001"},
		"less of class Normal":    {2600, weights(774_999_999, 1, 1), "the extrinsics of class Normal weigh 775000000, but the chain counted 774999999"},
		"more of Operational":     {2600, weights(775_000_000, 2, 1), "the extrinsics of class Operational weigh 1, but the chain counted 2"},
		"less of Mandatory":       {2600, weights(775_000_000, 1, 0), "the extrinsics of class Mandatory weigh 1, but the chain counted 0"},
		"more, of a late runtime": {3700, weights(775_000_001, 2, 1), "held"},
		"less, of a late runtime": {3700, weights(774_999_999, 2, 1), "the extrinsics of class Normal weigh 775000000, but the chain counted 774999999"},
		"more, without the bases": {1300, weights(775_000_001, 2, 1), "held"},
		"less, without the bases": {1300, weights(774_999_999, 2, 1), "the extrinsics of class Normal weigh 775000000, but the chain counted 774999999"},
		"not known":               {2600, chain.Optional[chain.ClassWeights]{}, "not made: system.blockWeight is unknown"},
	} {
		r := proved(b, rulesOf(t, "moonbeam", c.runtime), evidence.Options{BlockWeight: c.counted})
		require.Equal(t, c.want, outcome(t, r, "block.weighed"), what)
	}

	without := block(inherent(t), by(t, payer, 0))
	without.Extrinsics[1].Events[1] = event(t, "system.ExtrinsicSuccess", object{"weight": "250000000"})
	r := proved(without, rulesOf(t, "moonbeam", 2600), evidence.Options{BlockWeight: weights(0, 0, 0)})
	require.Equal(t, "not made: the gateway does not return the class of each extrinsic", outcome(t, r, "block.weighed"))
}

// From runtime 2600 on, the multiplier follows only from the weight that the chain counted: here it stays, for
// a block that is full at its target, 25 % of 375 ms.
func TestMultiplierFromTheBlockWeight(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 2600)
	b := block(inherent(t))
	const target = 93_750_000_000
	for counted, want := range map[uint64]string{
		target:          "held",
		target * 2:      "it stored 1000000000000000000, but 1001000500000000000 follows from 1000000000000000000 and its weight of 187500000000",
		375_000_000_001: "it stored 1000000000000000000, but 1003004500000000000 follows from 1000000000000000000 and its weight of 375000000001",
	} {
		r := proved(b, rules, evidence.Options{BlockWeight: weights(counted, 0, 1)})
		r.CheckStoredMultiplier(at(height, 1_000_000_000_000_000_000))
		require.Equal(t, want, outcome(t, r, "block.multiplier"))
		fits := "held"
		if counted > 375_000_000_000 {
			fits = "the extrinsics weigh 375000000001, but the limit of a block is 375000000000"
		}
		require.Equal(t, fits, outcome(t, r, "block.weight"))
	}
	r := proved(b, rules, evidence.Options{})
	r.CheckStoredMultiplier(at(height, 1_000_000_000_000_000_000))
	require.Equal(t, "not made: system.blockWeight is unknown", outcome(t, r, "block.multiplier"))
}

// All checks pass on a recording of a runtime whose gateway serves the weight.
func TestBlockWeightsAsRecorded(t *testing.T) {
	r := read(t, pairs.Path(t, "moonbeam-2600", "gateway"), rulesOf(t, "moonbeam", 2600))
	var sequence evidence.Sequence
	summary := evidence.NewSummary()
	for i, report := range r.reports {
		sequence.Add(r.blocks[i], report)
		report.CheckStoredMultiplier(r.multipliers[i])
		summary.Add(report)
	}
	for check, want := range map[string]evidence.Tally{
		"block.weighed":    {Held: 28},
		"block.weight":     {Held: 28},
		"block.multiplier": {Held: 27, NotApplicable: 1}, // block 0 has no predecessor
		"block.digest":     {Held: 27, NotApplicable: 1},
		// The pallet reported 22 times; the treasury's balance before the first is unknown.
		"block.treasury": {Held: 21, NotApplicable: 7},
	} {
		require.Equal(t, want, counted(summary.Checks[index(t, check)].Tally), check)
	}
}
