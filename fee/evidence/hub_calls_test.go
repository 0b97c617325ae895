package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/network/rule"
)

// What the recordings lack, and these runtimes do: no finding, and the right fee.
func TestWhatHubsAlsoDo(t *testing.T) {
	hubs := loadHubs(t)
	token := object{"parents": "1", "interior": object{"here": nil}}
	for what, c := range map[string]struct {
		chain         string
		height, index int
		alter         func(x altered)
		fee           string
		asset         bool
	}{
		// An Ethereum key can sign a native call, which holds what its own account has.
		"a hold of another pallet": {stack, 8, 2, func(x altered) {
			x.insert("balances.Burned", 0, "balances.Held", object{"preimage": "Preimage"}, alith, "1000000000")
			x.insert("balances.Burned", 0, "balances.Released", object{"preimage": "Preimage"}, alith, "1000000000")
		}, "2020366208", false},
		// polkadot-sdk, asset-conversion-tx-payment, SwapAssetAdapter: nothing is swapped if the asset is the token.
		"the token as the asset": {passet, 21, 2, func(x altered) {
			data := x.data(feeOf, 0)
			e := x.object["events"].([]any)[x.find(feeOf, 0)].(object)
			e["method"] = object{"pallet": "assetTxPayment", "method": "AssetTxFeePaid"}
			e["data"] = append(data, any(token))
		}, "36112413", false},
		// All is swapped back.
		"a free call that offers an asset": {passet, 39, 2, func(x altered) {
			x.outcome()["paysFee"] = "No"
			x.put("58422567", "balances.Deposit", 0, 1)
			x.remove("balances.Deposit", 1)
		}, "0", true},
	} {
		t.Run(what, func(t *testing.T) {
			h := hubs[c.chain]
			b := decoded(t, h.change(t, c.height, c.index, c.alter))
			r := h.recording.prove(c.height, b)
			require.Empty(t, r.Findings)
			require.Len(t, r.Transactions, len(h.recording.prove(c.height, h.blocks[c.height]).Transactions))
			for _, x := range r.Transactions {
				if x.Index != c.index {
					continue
				}
				require.Equal(t, []string{c.fee, c.fee}, []string{shown(x.Fee), shown(x.Charged)})
				require.Equal(t, chain.Some(evidence.Match), x.Verdict)
				require.Equal(t, c.asset, x.AssetFee != nil)
				if x.AssetFee != nil {
					require.Equal(t, "0", shown(x.AssetFee.Equivalent))
				}
			}
		})
	}
}

// The asset of the fee is the one that the sender chose, where the source shows that.
func TestAssetThatWasChosen(t *testing.T) {
	h := loadHub(t, passet)
	for chosen, want := range map[string]string{
		`{"parents":"0","interior":{"x2":[{"palletInstance":"50"},{"generalIndex":"1984"}]}}`: "",
		`"other"`: `but the sender chose "other"`,
		"":        "but the sender chose the token",
	} {
		b := *h.blocks[37]
		b.Extrinsics = append([]chain.Extrinsic{}, b.Extrinsics...)
		signed := *b.Extrinsics[2].Signed
		signed.Asset = chain.Some(chosen)
		b.Extrinsics[2].Signed = &signed
		r := h.recording.prove(37, &b)
		if want == "" {
			require.Empty(t, r.Findings)
		} else {
			requireFinding(t, r, "native.asset", 2, want)
		}
	}
}

// A chain without pallet revive pays no fee in an asset, whatever an event says: its fee is not known then.
func TestAssetFeeElsewhere(t *testing.T) {
	h := loadHub(t, passet).unlike(func(r *recording) { r.rules.EVM = rule.Frontier })
	r := h.recording.prove(39, h.blocks[39])
	require.Nil(t, r.Transactions[0].AssetFee)
	require.ErrorContains(t, r.Transactions[0].Error, "TransactionFeePaid: missing")
	require.False(t, r.Transactions[0].Fee.Known())
}

// A tip above 0 without a signature is a finding on Moonbeam, where every payment has one.
func TestTipWithoutSigner(t *testing.T) {
	p := loadPair(t, pairs.Path(t, "moonbeam-2600"), rulesOf(t, "moonbeam", 2600))
	for height, text := range p.blocks {
		b := decoded(t, text)
		for i := range b.Extrinsics {
			x := &b.Extrinsics[i]
			if fee.Classify(x, rule.Frontier) != fee.Native {
				continue
			}
			x.Signed = nil
			for j := range x.Events {
				if e := &x.Events[j]; e.Is("transactionPayment", "TransactionFeePaid") {
					e.Data = append(chain.Values{}, e.Data...)
					e.Data[2] = chain.Uint64Value(7)
				}
			}
			requireFinding(t, evidence.Prove(b, fee.Price(b, &p.rules, at(uint64(height-1), 1)), p.rules, thorough), "native.tip", i, "7 wei were paid, but 0 signed")
			return
		}
	}
	require.Fail(t, "no native transaction")
}
