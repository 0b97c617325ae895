package rule_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// perGas is the weight of one gas on the recorded chains.
const perGas = 25_000

// recording contains the behaviour of a real runtime, the transactions that were sent to it and their charges.
type recording struct {
	directory string
	rules     network.Rules
	last      uint64 // height
	sent      map[[2]uint64]sent
}

type sent struct {
	Kind    string `json:"kind"`
	Family  string `json:"family"` // evm or native
	Height  uint64 `json:"height"`
	Index   uint64 `json:"index"`
	Charged string `json:"charged_wei"`
	Tip     string `json:"tip"`
	Length  uint64 `json:"len"` // of the encoded native extrinsic, its prefix included
}

func recorded(t *testing.T, runtime string, last uint64) recording {
	t.Helper()
	rules, err := vectors.Rules(t, "moonbeam", runtime)
	require.NoError(t, err)
	r := recording{
		directory: filepath.Join("..", "..", "testdata", "recordings", "moonbeam-"+runtime),
		rules:     rules, last: last, sent: map[[2]uint64]sent{},
	}
	var file struct{ Sent []sent }
	require.NoError(t, json.Unmarshal([]byte(r.text(t, "sent.json")), &file))
	for _, s := range file.Sent {
		r.sent[[2]uint64{s.Height, s.Index}] = s
	}
	require.Len(t, r.sent, len(file.Sent))
	return r
}

func (r recording) text(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{r.directory}, path...)...))
	require.NoError(t, err)
	return string(text)
}

func (r recording) block(t *testing.T, height uint64) *chain.Block {
	t.Helper()
	block, err := sidecar.DecodeBlock(r.text(t, "blocks", fmt.Sprintf("%d.json", height)))
	require.NoError(t, err)
	return block
}

func (r recording) multiplier(t *testing.T, height uint64) chain.Multiplier {
	t.Helper()
	stored, err := sidecar.DecodeMultiplier(r.text(t, "multiplier", fmt.Sprintf("%d.json", height)))
	require.NoError(t, err)
	return stored.Value
}

// dispatched is the outcome of an extrinsic.
func dispatched(t *testing.T, x *chain.Extrinsic) (outcome chain.Outcome, class chain.DispatchClass, weight chain.Weight) {
	t.Helper()
	outcome, err := x.Outcome()
	require.NoError(t, err)
	class, err = outcome.Class()
	require.NoError(t, err)
	weight, err = outcome.Weight()
	require.NoError(t, err)
	return outcome, class, weight
}

func isEVM(x *chain.Extrinsic) bool { return x.Pallet == "ethereum" && x.Call == "transact" }

// normalWeight returns the weight of a block's transactions of class Normal, computed as the runtime's row
// prescribes.
func normalWeight(t *testing.T, u rule.MultiplierUpdate, block *chain.Block) chain.Weight {
	t.Helper()
	var sum chain.Weight
	for i := range block.Extrinsics {
		x := &block.Extrinsics[i]
		_, class, weight := dispatched(t, x)
		if class != chain.Normal {
			continue
		}
		refTime := weight.RefTime
		var err error
		if u.BlockWeight == rule.FromGasLimit {
			if isEVM(x) {
				payload, err := x.Ethereum()
				require.NoError(t, err)
				refTime = chain.NewRefTime(payload.GasLimit.Uint64() * perGas)
			}
			refTime, err = refTime.Add(u.BaseWeight)
			require.NoError(t, err)
		}
		sum.RefTime, err = sum.RefTime.Add(refTime)
		require.NoError(t, err)
	}
	return sum
}

// Every block stored the multiplier that the rule computes from its parent's, to the last bit.
func TestRecordedMultipliers(t *testing.T) {
	for runtime, last := range map[string]uint64{"2100": 27, "1701": 21} {
		r := recorded(t, runtime, last)
		u, known := r.rules.Update.Get()
		require.True(t, known)
		require.NotEmpty(t, u.BlockWeight)
		moved, checked := 0, 0
		for height := uint64(1); height <= last; height++ {
			parent, stored := r.multiplier(t, height-1), r.multiplier(t, height)
			next, err := u.Next(parent, normalWeight(t, u, r.block(t, height)))
			require.NoError(t, err)
			require.Equal(t, stored.String(), next.String(), "runtime %s, block %d", runtime, height)
			checked++
			if parent != stored {
				moved++
			}
		}
		t.Logf("runtime %s: %d of %d updates are exact", runtime, checked, last)
		require.Equal(t, int(last), moved, "blocks that moved the multiplier")
	}
}

// Every native fee that the chain charged equals the formula's, to the wei.
func TestRecordedNativeFees(t *testing.T) {
	for runtime, c := range map[string]struct {
		last                      uint64
		paid, operational, waived int
	}{"2100": {27, 27, 3, 2}, "1701": {21, 19, 1, 0}} {
		r := recorded(t, runtime, c.last)
		n, known := r.rules.NativeFee.Get()
		require.True(t, known)
		require.False(t, n.LowerBound)
		paid, operational, waived := 0, 0, 0
		r.each(t, func(s sent, x *chain.Extrinsic, parent chain.Multiplier) {
			if s.Family != "native" {
				return
			}
			outcome, class, weight := dispatched(t, x)
			pays, err := outcome.PaysFee()
			require.NoError(t, err)
			tip, err := chain.ParseWei(s.Tip)
			require.NoError(t, err)
			if !pays {
				waived++
				require.Equal(t, s.Charged, s.Tip, "block %d, %s", s.Height, s.Kind)
				return
			}
			paid++
			if class == chain.Operational {
				operational++
			}
			fee, err := n.Fee(rule.NativeInput{Class: class, Weight: weight, Length: s.Length, Multiplier: parent, Tip: tip})
			require.NoError(t, err)
			require.Equal(t, s.Charged, fee.String(), "runtime %s, block %d, %s", runtime, s.Height, s.Kind)
		})
		t.Logf("runtime %s: %d native fees are exact, %d of them of class Operational; %d were waived", runtime, paid, operational, waived)
		require.Equal(t, c.paid, paid)
		require.Equal(t, c.operational, operational)
		require.Equal(t, c.waived, waived)
	}
}

// The treasury received from every fee what the split leaves for it, for each part of the fee separately, and
// the author received nothing.
func TestRecordedSplits(t *testing.T) {
	for runtime, c := range map[string]struct {
		last        uint64
		evm, native int
	}{"2100": {27, 55, 29}, "1701": {21, 45, 19}} {
		r := recorded(t, runtime, c.last)
		d, known := r.rules.Destinations.Get()
		require.True(t, known)
		require.False(t, d.EVMWhole)
		require.False(t, d.PriorityMinted)
		baseFee, static := r.rules.BaseFee.Static.Get()
		require.True(t, static)
		evms, natives := 0, 0
		r.each(t, func(s sent, x *chain.Extrinsic, _ chain.Multiplier) {
			fee, err := chain.ParseWei(s.Charged)
			require.NoError(t, err)
			var first, second chain.Wei
			shares := [2]rule.Share{d.NativeBase, d.NativeTip}
			if s.Family == "native" {
				natives++
				second, err = chain.ParseWei(s.Tip)
				require.NoError(t, err)
				first, err = fee.Sub(second)
			} else {
				evms++
				shares = [2]rule.Share{d.EVMBase, d.EVMPriority}
				_, _, weight := dispatched(t, x)
				first, err = baseFee.Times(chain.NewGas(weight.RefTime.Uint64() / perGas))
				require.NoError(t, err)
				second, err = fee.Sub(first)
			}
			require.NoError(t, err)
			want := []string{}
			for i, amount := range []chain.Wei{first, second} {
				parts, err := shares[i].Split(amount, chain.Optional[chain.Perbill]{})
				require.NoError(t, err)
				require.True(t, parts.Author.IsZero())
				if !parts.Treasury.IsZero() { // a credit of 0 has no event
					want = append(want, parts.Treasury.String())
				}
			}
			balances, treasury := treasuryCredits(t, x)
			require.Equal(t, want, balances, "runtime %s, block %d, %s", runtime, s.Height, s.Kind)
			require.Equal(t, want, treasury, "runtime %s, block %d, %s", runtime, s.Height, s.Kind)
		})
		t.Logf("runtime %s: the treasury's part is exact of %d EVM and %d native fees", runtime, evms, natives)
		require.Equal(t, c.evm, evms)
		require.Equal(t, c.native, natives)
	}
}

// treasuryCredits returns the amounts credited to the treasury, by balances.Deposit to its account
// ("modlpy/trsry") and by treasury.Deposit.
func treasuryCredits(t *testing.T, x *chain.Extrinsic) (balances, treasury []string) {
	t.Helper()
	balances, treasury = []string{}, []string{}
	for i := range x.Events {
		switch e := &x.Events[i]; {
		case e.Is("balances", "Deposit"):
			who, err := e.Data.At(0).Account()
			require.NoError(t, err)
			amount, err := e.Data.At(1).Wei()
			require.NoError(t, err)
			if strings.EqualFold(who.String(), "0x6d6f646c70792f74727372790000000000000000") {
				balances = append(balances, amount.String())
			}
		case e.Is("treasury", "Deposit"):
			amount, err := e.Data.At(0).Wei()
			require.NoError(t, err)
			treasury = append(treasury, amount.String())
		}
	}
	return balances, treasury
}

// each calls check with every transaction that was sent and the multiplier that the parent of its block
// stored.
func (r recording) each(t *testing.T, check func(sent, *chain.Extrinsic, chain.Multiplier)) {
	t.Helper()
	seen := 0
	for height := uint64(1); height <= r.last; height++ {
		block, parent := r.block(t, height), r.multiplier(t, height-1)
		for i := range block.Extrinsics {
			if s, ok := r.sent[[2]uint64{height, uint64(i)}]; ok {
				seen++
				check(s, &block.Extrinsics[i], parent)
			}
		}
	}
	require.Len(t, r.sent, seen, "transactions that were sent and are in no block")
}
