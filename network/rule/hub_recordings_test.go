package rule_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// hubTransaction is a transaction that was sent to a recorded chain of pallet revive, with what it was charged. The file of
// one chain names the base fee with an underscore.
type hubTransaction struct {
	sent
	BaseFee      string `json:"baseFee"`
	OtherBaseFee string `json:"base_fee"`
}

// hub is a recorded chain of pallet revive.
type hub struct {
	recording
	rules   func(t *testing.T) network.Rules
	withTip bool // charged_wei includes the tip
	// Counts of transactions: the chain stated and charged a fee, only a tip, or stated none.
	formula, waived, unstated int
	// updates is the number of blocks that moved the multiplier by its rule, set the heights where root or the recorder
	// set it.
	updates int
	set     []uint64
}

var hubs = map[string]hub{
	"passet-1019002":   {rules: func(t *testing.T) network.Rules { return pairs.HubRules(t, "passet-1019002") }, withTip: true, formula: 80, unstated: 3, updates: 34, set: []uint64{26, 27, 28, 29, 30}},
	"stack-template-3": {rules: func(t *testing.T) network.Rules { return pairs.HubRules(t, "stack-template-3") }, formula: 141, waived: 8, updates: 31, set: []uint64{9, 10, 11, 12, 13, 35}},
}

// Every fee that two real runtimes of pallet revive charged follows from their rows and one whole proof size, and every base
// fee from the parent's multiplier.
func TestRecordedFeesOfHubs(t *testing.T) {
	for name, h := range hubs {
		t.Run(name, func(t *testing.T) {
			h.directory = repository.Shared(t, "pairs", name, "gateway")
			rules := h.rules(t)
			n, known := rules.NativeFee.Get()
			require.True(t, known)
			require.True(t, n.Reclaims)
			var file struct{ Sent []hubTransaction }
			require.NoError(t, json.Unmarshal([]byte(h.text(t, "sent.json")), &file))
			formula, waived, unstated, byProof, prices := 0, 0, 0, 0, 0
			for _, s := range file.Sent {
				parent := h.multiplier(t, s.Height-1)
				price, err := rules.BaseFee.Of(parent)
				require.NoError(t, err)
				require.Equal(t, s.BaseFee+s.OtherBaseFee, price.String(), "%d-%d", s.Height, s.Index)
				prices++
				x := &h.block(t, s.Height).Extrinsics[s.Index]
				fee, tip, stated := statedFee(t, x)
				outcome, class, weight := dispatched(t, x)
				pays, err := outcome.PaysFee()
				require.NoError(t, err)
				switch {
				case !stated:
					require.Empty(t, s.Charged)
					unstated++
					continue
				case !pays:
					require.Equal(t, tip, fee)
					waived++
					continue
				}
				formula++
				charged := fee
				if !h.withTip {
					charged, err = fee.Sub(tip)
					require.NoError(t, err)
				}
				require.Equal(t, s.Charged, charged.String())
				size, explained, err := n.ProofSize(fee, rule.NativeInput{Class: class, Weight: weight, Length: s.Length, Multiplier: parent, Tip: tip})
				require.NoError(t, err)
				require.True(t, explained, "%d-%d %s: %v", s.Height, s.Index, s.Kind, fee)
				if p, reclaimed := size.Get(); reclaimed {
					byProof++
					weight.ProofSize = p
				}
				again, err := n.Fee(rule.NativeInput{Class: class, Weight: weight, Length: s.Length, Multiplier: parent, Tip: tip})
				require.NoError(t, err)
				require.Equal(t, fee, again)
				// A byte costs over a thousand units: the fees next to this one are explained by no size.
				for _, other := range []uint64{1, 2} {
					changed, err := fee.Add(chain.NewWei(other))
					require.NoError(t, err)
					_, explained, err := n.ProofSize(changed, rule.NativeInput{Class: class, Weight: weight, Length: s.Length, Multiplier: parent, Tip: tip})
					require.NoError(t, err)
					require.False(t, explained, "%d-%d: %v", s.Height, s.Index, changed)
				}
			}
			t.Logf("%d fees by the formula, %d of them by proof size; %d waived, %d without a stated fee; %d base fees", formula, byProof, waived, unstated, prices)
			require.Equal(t, []int{h.formula, h.waived, h.unstated}, []int{formula, waived, unstated})
			require.Equal(t, len(file.Sent), prices)
			require.Greater(t, byProof, formula-4)
		})
	}
}

// statedFee returns the fee and the tip of an extrinsic's TransactionFeePaid. The fee includes the tip.
func statedFee(t *testing.T, x *chain.Extrinsic) (fee, tip chain.Wei, stated bool) {
	t.Helper()
	for i := range x.Events {
		if e := &x.Events[i]; e.Is("transactionPayment", "TransactionFeePaid") {
			require.False(t, stated)
			var err error
			fee, err = e.Data.At(1).Wei()
			require.NoError(t, err)
			tip, err = e.Data.At(2).Wei()
			require.NoError(t, err)
			stated = true
		}
	}
	return fee, tip, stated
}

// Every block of two real runtimes of pallet revive stored the multiplier that the rule computes from its parent's and the
// block's weight, to the last bit, except where the recorder or root set it.
func TestRecordedMultipliersOfHubs(t *testing.T) {
	for name, h := range hubs {
		t.Run(name, func(t *testing.T) {
			h.directory = repository.Shared(t, "pairs", name, "gateway")
			u, known := h.rules(t).Update.Get()
			require.True(t, known)
			updates, set := 0, []uint64{}
			for height := uint64(1); ; height++ {
				place := filepath.Join(h.directory, "multiplier", strconv.FormatUint(height, 10)+".json")
				if _, err := os.Stat(place); err != nil {
					break
				}
				weight, err := sidecar.DecodeBlockWeight(h.text(t, "block-weight", strconv.FormatUint(height, 10)+".json"))
				require.NoError(t, err)
				next, err := u.Next(h.multiplier(t, height-1), weight.Value.Normal)
				require.NoError(t, err)
				if next == h.multiplier(t, height) {
					updates++
				} else {
					set = append(set, height)
				}
			}
			require.Equal(t, h.set, set)
			require.Equal(t, h.updates, updates)
		})
	}
}
