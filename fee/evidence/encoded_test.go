package evidence_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
)

// proofOf returns the report of a recorded block under options.
func proofOf(t *testing.T, h *history, height int, o evidence.Options) *evidence.Report {
	t.Helper()
	b := decoded(t, h.blocks[height])
	multiplier, err := stored(h.multipliers[height-1])
	require.NoError(t, err)
	return evidence.Prove(b, fee.Price(b, &h.rules, multiplier), h.rules, o)
}

// A recorded node has block 10 in the chain's encoding: each extrinsic's hash matches only its own bytes.
func TestExtrinsicHash(t *testing.T) {
	h := load(t, 2100)
	text, err := os.ReadFile(filepath.Join(h.directory, "rpc", "chain_getBlock-10.json"))
	require.NoError(t, err)
	var recorded struct{ Body string }
	require.NoError(t, json.Unmarshal(text, &recorded))
	var answer struct {
		Result struct{ Block struct{ Extrinsics []string } }
	}
	require.NoError(t, json.Unmarshal([]byte(recorded.Body), &answer))
	var encoded [][]byte
	for _, x := range answer.Result.Block.Extrinsics {
		one, err := hex.DecodeString(strings.TrimPrefix(x, "0x"))
		require.NoError(t, err)
		encoded = append(encoded, one)
	}
	require.Len(t, encoded, 10)
	r := proofOf(t, h, 10, evidence.Options{Encoded: chain.Some(encoded)})
	require.Equal(t, evidence.Tally{Held: 10}, tally(t, r, "extrinsic.hash"))
	require.Empty(t, r.Findings)

	// The same of a block that was decoded from them, which has their hashes.
	b := decoded(t, h.blocks[10])
	for i, x := range encoded {
		b.Encoded = append(b.Encoded, chain.Encoded{Bytes: bytes.Clone(x), Hash: b.Extrinsics[i].Hash})
	}
	of := func() evidence.Tally {
		multiplier, err := stored(h.multipliers[9])
		require.NoError(t, err)
		return tally(t, evidence.Prove(b, fee.Price(b, &h.rules, multiplier), h.rules, evidence.Options{Encoded: chain.Some(encoded)}), "extrinsic.hash")
	}
	require.Equal(t, evidence.Tally{Held: 10}, of())
	b.Extrinsics[3].Hash[0] ^= 1
	require.Equal(t, evidence.Tally{Held: 9, Broken: 1}, of())

	encoded[4][100] ^= 1
	require.Equal(t, evidence.Tally{Held: 8, Broken: 2}, of())
	r = proofOf(t, h, 10, evidence.Options{Encoded: chain.Some(encoded)})
	require.Equal(t, evidence.Tally{Held: 9, Broken: 1}, tally(t, r, "extrinsic.hash"))
	require.Equal(t, chain.Some(4), r.Findings[0].Extrinsic)

	r = proofOf(t, h, 10, evidence.Options{Encoded: chain.Some(encoded[1:])})
	require.Equal(t, evidence.Tally{Broken: 1}, tally(t, r, "extrinsic.hash"))
	require.Equal(t, "the gateway has 10 extrinsics, but the node has 9", r.Findings[0].Message)
}

// With the lengths that were sent, the formula gives the charge of every native transaction that was not
// waived; without a fee event it makes the verdict a match.
func TestNativeFormula(t *testing.T) {
	for runtime, want := range map[uint32]struct{ held, waived int }{2100: {27, 2}, 1701: {19, 0}} {
		h := load(t, runtime)
		lengths := sentLengths(t, h)
		held, waived := 0, 0
		for height := 1; height < len(h.blocks); height++ {
			list := make([][]byte, len(decoded(t, h.blocks[height]).Extrinsics))
			for i := range list {
				list[i] = make([]byte, lengths[[2]int{height, i}])
			}
			r := proofOf(t, h, height, evidence.Options{Encoded: chain.Some(list)})
			formula := tally(t, r, "native.formula")
			held, waived = held+formula.Held, waived+formula.NotApplicable
			require.Zero(t, formula.Broken)
			for _, transaction := range r.Transactions {
				require.Equal(t, chain.Some(evidence.Match), transaction.Verdict, "runtime %d, block %d, extrinsic %d", runtime, height, transaction.Index)
			}
		}
		require.Equal(t, want.held, held, "runtime %d", runtime)
		require.Equal(t, want.waived, waived, "runtime %d", runtime)
	}
}

// If a gateway does not report the class of an extrinsic, its base weight is unknown. That is not a finding.
func TestNativeFormulaWithoutAClass(t *testing.T) {
	x := native(t, "0", withdraw(t, payer, "1000"), credit(t, treasuryAccount, "200"), feePaid(t, "1000", "0"),
		event(t, "system.ExtrinsicSuccess", object{"weight": object{"refTime": "250000000", "proofSize": "0"}, "paysFee": "Yes"}))
	r := proved(block(x), rulesOf(t, "moonbeam", 2100), evidence.Options{Encoded: chain.Some([][]byte{make([]byte, 100)})})
	require.Equal(t, evidence.Tally{NotApplicable: 1, Why: "the gateway does not return the class of each extrinsic"}, tally(t, r, "native.formula"))
}

// If the outcome contains only the declaration, a fully refunded fee counts as waived and does not fail the
// formula: by cash (1701) and by the fee event (1902). In later runtimes the outcome decides.
func TestNativeFormulaOfAWaivedFee(t *testing.T) {
	waived := evidence.Tally{NotApplicable: 1, Why: "the fee was waived"}
	for runtime, want := range map[uint32]evidence.Tally{1701: waived, 1902: waived, 2000: {Broken: 1}} {
		events := []chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "1500")}
		if runtime > 1800 {
			events = append(events, feePaid(t, "0", "0"))
		}
		x := native(t, "0", append(events, paidNative(t, "Yes"))...)
		r := proved(block(x), rulesOf(t, "moonbeam", runtime), evidence.Options{Encoded: chain.Some([][]byte{make([]byte, 100)})})
		require.Equal(t, want, tally(t, r, "native.formula"), "runtime %d", runtime)
	}
}

// One byte more or less changes the fee.
func TestNativeFormulaOfAnotherLength(t *testing.T) {
	h := load(t, 1701)
	lengths := sentLengths(t, h)
	for _, more := range []int{-1, 1} {
		list := make([][]byte, len(decoded(t, h.blocks[20]).Extrinsics))
		for i := range list {
			list[i] = make([]byte, max(0, lengths[[2]int{20, i}]+more))
		}
		r := proofOf(t, h, 20, evidence.Options{Encoded: chain.Some(list)})
		require.Equal(t, evidence.Tally{Broken: 3}, tally(t, r, "native.formula"))
		require.Equal(t, 3, r.Totals.CashOnly)
		require.False(t, r.Holds())
	}
}

// sentLengths returns the lengths of the native transactions as they were sent, including their prefix, by
// height and index.
func sentLengths(t *testing.T, h *history) map[[2]int]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h.directory, "sent.json"))
	require.NoError(t, err)
	var file struct {
		Sent []struct {
			Family        string
			Height, Index int
			Len           int
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	lengths := map[[2]int]int{}
	for _, s := range file.Sent {
		if s.Family == "native" {
			require.Positive(t, s.Len, fmt.Sprintf("block %d, extrinsic %d", s.Height, s.Index))
			lengths[[2]int{s.Height, s.Index}] = s.Len
		}
	}
	return lengths
}

// A fee that was not waived is more than a tip, even if the events agree otherwise.
func TestNativeFormulaOfNothingPaid(t *testing.T) {
	for pays, want := range map[string]evidence.Tally{
		"Yes": {Broken: 1},
		"No":  {NotApplicable: 1, Why: "the fee was waived"},
		"":    {NotApplicable: 1, Why: "the fee was waived"}, // the gateway does not report it
	} {
		b := block(native(t, "0", feePaid(t, "0", "0"), paidNative(t, pays)))
		r := proved(b, rulesOf(t, "moonbeam", 2100), evidence.Options{Encoded: chain.Some([][]byte{make([]byte, 100)})})
		require.Equal(t, want, tally(t, r, "native.formula"), pays)
	}
}
