package evidence_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network"
)

// by returns a native transaction of an account with a nonce, and events.
func by(t testing.TB, account string, nonce int, events ...chain.Event) chain.Extrinsic {
	x := native(t, "0", append(events, feePaid(t, "0", "0"), paidNative(t, "Yes"))...)
	x.Signed.Signer, x.Signed.Nonce = accountOf(t, account), chain.Uint64Value(uint64(nonce))
	return x
}

// evmBy returns a plain EVM payment with a nonce, or a call if there is more gas.
func evmBy(t testing.TB, account string, nonce int, refTime string, events ...chain.Event) chain.Extrinsic {
	return ethereum(t, "eip1559", object{"maxFeePerGas": "200000000000", "maxPriorityFeePerGas": "0", "nonce": strconv.Itoa(nonce)},
		append(events, event(t, "ethereum.Executed", account, stranger, "0x"+first, object{"succeed": "Stopped"}), ended(t, refTime))...)
}

const (
	plain = "525000000"  // 21,000 gas
	call  = "1250000000" // 50,000
)

// inBlocks returns blocks with one extrinsic each, in sequence.
func inBlocks(list ...[]chain.Extrinsic) []*chain.Block {
	blocks := make([]*chain.Block, len(list))
	for i := range list {
		b := block()
		b.Number += uint64(i)
		b.Extrinsics = list[i]
		for j := range b.Extrinsics {
			b.Extrinsics[j].Index = j
			b.Extrinsics[j].Hash = chain.Hash{byte(i), byte(j)}
		}
		blocks[i] = b
	}
	return blocks
}

// summed verifies consecutive blocks.
func summed(blocks []*chain.Block, rules network.Rules) *evidence.Summary {
	s := evidence.NewSummary()
	var sequence evidence.Sequence
	for _, b := range blocks {
		r := evidence.Prove(b, fee.Price(b, &rules, one), rules, evidence.Options{})
		sequence.Add(b, r)
		s.Add(r)
	}
	return s
}

// Native and EVM transactions of an account share one nonce.
func TestNonces(t *testing.T) {
	type extrinsics = []chain.Extrinsic
	killed := event(t, "system.KilledAccount", payer)
	byXCM := event(t, "ethereum.Executed", payer, stranger, "0x"+second, object{"succeed": "Stopped"})
	for what, c := range map[string]struct {
		runtime         uint32
		blocks          []extrinsics
		within, between evidence.Tally // account.nonce and block.nonce
		message         string
	}{
		"one after the other": {blocks: []extrinsics{{by(t, payer, 7), evmBy(t, payer, 8, call)}, {by(t, payer, 9)}},
			within: evidence.Tally{Held: 1}, between: evidence.Tally{Held: 1, NotApplicable: 1}},
		"of two accounts": {blocks: []extrinsics{{by(t, payer, 7), by(t, stranger, 0), by(t, payer, 8)}, {by(t, stranger, 1)}},
			within: evidence.Tally{Held: 1}, between: evidence.Tally{Held: 1, NotApplicable: 2}},
		"one left out": {blocks: []extrinsics{{by(t, payer, 7), evmBy(t, payer, 9, call)}},
			within: evidence.Tally{Broken: 1}, between: evidence.Tally{NotApplicable: 1},
			message: "block 5000000, extrinsic 1: account.nonce: it has nonce 9 of " + payer + ", but 8 follows from extrinsic 0 of block 5000000"},
		"one twice":        {blocks: []extrinsics{{by(t, payer, 7), by(t, payer, 7)}}, within: evidence.Tally{Broken: 1}, between: evidence.Tally{NotApplicable: 1}},
		"in another order": {blocks: []extrinsics{{by(t, payer, 8), by(t, payer, 7)}}, within: evidence.Tally{Broken: 1}, between: evidence.Tally{NotApplicable: 1}},
		"one left out, of another block": {blocks: []extrinsics{{by(t, payer, 7)}, {}, {by(t, payer, 9), by(t, payer, 10)}},
			within: evidence.Tally{Held: 1}, between: evidence.Tally{Broken: 1, NotApplicable: 1},
			message: "block 5000002, extrinsic 0: block.nonce: it has nonce 9 of " + payer + ", but 8 follows from extrinsic 0 of block 5000000"},
		"after the account was removed": {blocks: []extrinsics{{by(t, payer, 7, killed), by(t, payer, 0)}, {by(t, payer, 1)}},
			between: evidence.Tally{Held: 1, NotApplicable: 2}},

		// Other causes of a higher nonce: a transaction through XCM as that account, an asset that is a contract and
		// leaves the chain, the EVM called by root.
		"through XCM": {blocks: []extrinsics{{by(t, payer, 7), by(t, stranger, 0, byXCM), by(t, payer, 9), by(t, stranger, 2)}},
			within: evidence.Tally{NotApplicable: 1, Broken: 1}, between: evidence.Tally{NotApplicable: 2}},
		"through XCM, in an EVM transaction": {blocks: []extrinsics{{by(t, payer, 7), evmBy(t, stranger, 3, call, byXCM), by(t, payer, 9)}},
			within: evidence.Tally{NotApplicable: 1}, between: evidence.Tally{NotApplicable: 2}},
		"through XCM, and not less": {blocks: []extrinsics{{by(t, payer, 7), by(t, stranger, 0, byXCM), by(t, payer, 7)}},
			within: evidence.Tally{Broken: 1}, between: evidence.Tally{NotApplicable: 2}},
		"an asset was sent away": {blocks: []extrinsics{{by(t, payer, 7), by(t, stranger, 0, event(t, "polkadotXcm.Attempted")), by(t, payer, 9)}},
			within: evidence.Tally{NotApplicable: 1}, between: evidence.Tally{NotApplicable: 2}},
		"an asset came": {blocks: []extrinsics{{by(t, payer, 7), inherent(t, event(t, "xcmpQueue.Success")), by(t, payer, 9)}},
			within: evidence.Tally{Broken: 1}, between: evidence.Tally{NotApplicable: 1}},
		"a native call ran a contract": {blocks: []extrinsics{{by(t, payer, 7), by(t, stranger, 0, event(t, "evm.Log")), by(t, payer, 9)}},
			within: evidence.Tally{NotApplicable: 1}, between: evidence.Tally{NotApplicable: 2}},
		"an EVM transaction's logs": {blocks: []extrinsics{{by(t, payer, 7), evmBy(t, stranger, 0, call, event(t, "evm.Log")), by(t, payer, 9)}},
			within: evidence.Tally{Broken: 1}, between: evidence.Tally{NotApplicable: 2}},
		"the EVM called by root": {blocks: []extrinsics{{by(t, payer, 7), inherent(t, event(t, "evm.Executed", stranger)), by(t, payer, 9)}},
			within: evidence.Tally{NotApplicable: 1}, between: evidence.Tally{NotApplicable: 1}},
		"an unknown sender": {blocks: []extrinsics{{by(t, payer, 7), ethereum(t, "eip1559", eip1559, ended(t, call)), by(t, payer, 9)}},
			within: evidence.Tally{NotApplicable: 1}, between: evidence.Tally{NotApplicable: 1}},

		// If accounts can have code (EIP-7702), any call can run it.
		"code of an account's own": {runtime: 3703, blocks: []extrinsics{{evmBy(t, payer, 7, plain), evmBy(t, stranger, 0, call), evmBy(t, payer, 9, plain)}, {by(t, payer, 11)}},
			within: evidence.Tally{NotApplicable: 1}, between: evidence.Tally{NotApplicable: 2, Broken: 1}},
		"no code was run": {runtime: 3703, blocks: []extrinsics{{evmBy(t, payer, 7, plain), evmBy(t, stranger, 0, plain), evmBy(t, payer, 9, plain)}},
			within: evidence.Tally{Broken: 1}, between: evidence.Tally{NotApplicable: 2}},
		"code, and not less": {runtime: 3703, blocks: []extrinsics{{evmBy(t, payer, 7, call), evmBy(t, payer, 7, call)}},
			within: evidence.Tally{Broken: 1}, between: evidence.Tally{NotApplicable: 1}},
		"a runtime before": {runtime: 3702, blocks: []extrinsics{{evmBy(t, payer, 7, call), evmBy(t, payer, 9, call)}},
			within: evidence.Tally{Broken: 1}, between: evidence.Tally{NotApplicable: 1}},
	} {
		if c.runtime == 0 {
			c.runtime = 2100
		}
		s := summed(inBlocks(c.blocks...), rulesOf(t, "moonbeam", c.runtime))
		within, between := s.Checks[index(t, "account.nonce")], s.Checks[index(t, "block.nonce")]
		require.Equal(t, c.within, counted(within.Tally), "%s: within", what)
		require.Equal(t, c.between, counted(between.Tally), "%s: between", what)
		for _, first := range []*evidence.Finding{within.First, between.First} {
			if c.message != "" && first != nil {
				require.Equal(t, c.message, first.String(), what)
			}
		}
	}
}

// counted returns a tally without its reason.
func counted(t evidence.Tally) evidence.Tally {
	t.Why = ""
	return t
}

// inherent returns an unsigned, mandatory extrinsic.
func inherent(t testing.TB, events ...chain.Event) chain.Extrinsic {
	return chain.Extrinsic{Pallet: "parachainSystem", Call: "setValidationData", Events: append(events,
		event(t, "system.ExtrinsicSuccess", object{"weight": object{"refTime": "1", "proofSize": "0"}, "class": "Mandatory", "paysFee": "No"}))}
}

// A runtime upgrade can change any state, and so can a gap: nothing is known afterwards.
func TestNoncesAreForgotten(t *testing.T) {
	blocks := inBlocks([]chain.Extrinsic{by(t, payer, 7)}, []chain.Extrinsic{by(t, payer, 9)})
	var sequence evidence.Sequence
	for i, runtime := range []uint32{2100, 2101} {
		rules := rulesOf(t, "moonbeam", runtime)
		r := evidence.Prove(blocks[i], fee.Price(blocks[i], &rules, one), rules, evidence.Options{})
		sequence.Add(blocks[i], r)
		require.Equal(t, evidence.Tally{NotApplicable: 1, Why: "the account's previous transaction is unknown"}, tally(t, r, "block.nonce"))
	}
	blocks[1].ParentHash = chain.Hash{1}
	s := summed(blocks, rulesOf(t, "moonbeam", 2100))
	require.Equal(t, 2, s.Checks[index(t, "block.nonce")].NotApplicable)
	require.Equal(t, 1, s.Checks[index(t, "block.parent")].Broken)
}

// With any number of accounts, the most recent ones are kept, and memory is bounded.
func TestNoncesOfManyAccounts(t *testing.T) {
	const accounts, perBlock = 100_000, 1000
	account := func(i int) string {
		return chain.Address20([20]byte{1, byte(i >> 16), byte(i >> 8), byte(i)}).String()
	}
	template := by(t, payer, 0)
	var blocks [][]chain.Extrinsic
	for i := 0; i < accounts; i += perBlock {
		var list []chain.Extrinsic
		for j := range perBlock {
			x := template
			x.Signed = &chain.Signed{Signer: accountOf(t, account(i+j)), Nonce: x.Signed.Nonce, Tip: x.Signed.Tip}
			list = append(list, x)
		}
		blocks = append(blocks, list)
	}
	blocks = append(blocks, []chain.Extrinsic{by(t, account(0), 5), by(t, account(accounts-20_000), 1), by(t, account(accounts-1), 2)})
	list := inBlocks(blocks...)
	for _, b := range list {
		for i := range b.Extrinsics {
			b.Extrinsics[i].Hash[2] = byte(i >> 8)
		}
	}
	s := summed(list, rulesOf(t, "moonbeam", 2100))
	require.Equal(t, evidence.Tally{Held: 1, Broken: 1, NotApplicable: accounts + 1}, counted(s.Checks[index(t, "block.nonce")].Tally))
}
