package evidence_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
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
		"a swap that ends the call, and a rest": {passet, 21, 2, func(x altered) {
			payer := x.data(feeOf, 0)[0]
			x.by(500, withdrew, 0, 1)
			x.insert(returned, 0, withdrew, payer, "10000000000")
			x.insert(returned, 0, returned, eve, "10000000000")
			x.insert(returned, 1, withdrew, eve, "70")
			x.insert(returned, 1, returned, payer, "70")
			x.insert(returned, 2, returned, payer, "500")
		}, "36112413", false},
		"a swap that ends the call": {stack, 20, 5, func(x altered) {
			x.insert(burnt, 0, withdrew, bob, "10000000000")
			x.insert(burnt, 0, returned, eve, "10000000000")
		}, "1497912855", false},
		"a transfer to another chain": {passet, 21, 2, func(x altered) {
			x.insert(returned, 0, withdrew, x.data(feeOf, 0)[0], "10000000000")
			x.insert(returned, 0, burnt, "10000000000")
		}, "36112413", false},
		"a swap of the asset that pays the fee": {passet, 37, 2, func(x altered) {
			x.insert(returned, 0, "assets.Withdrawn", "1984", bob, "77")
			x.insert(returned, 0, "assets.Deposited", "1984", eve, "77")
			x.insert(returned, 0, withdrew, eve, "100")
			x.insert(returned, 0, returned, bob, "100")
		}, "0", true},
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
					require.Equal(t, map[int]string{37: "38660075", 39: "0"}[c.height], shown(x.AssetFee.Equivalent))
				}
			}
		})
	}
}

// What an Ethereum transaction can do besides what the recordings contain: its fee, the deposits and the receipt still agree.
// A receipt agrees with the fee and deposits of the transaction, not with what else the call moved.
func TestEthereumCallsThatMoveMoney(t *testing.T) {
	h := loadHub(t, stack)
	const held, moved = "", "money moved through an account besides the payer and what was put on hold"
	newAccount := func(x altered, amount string) {
		x.insert("balances.Burned", 0, "system.NewAccount", eve)
		x.insert("balances.Burned", 0, "balances.Endowed", eve, amount)
		x.insert("balances.Burned", 0, returned, eve, amount)
	}
	for what, c := range map[string]struct {
		height, index    int
		alter            func(x altered)
		deposit, receipt string // why the check is not made; held if it is
	}{
		// polkadot-sdk, revive/src/evm/transfer_with_dust.rs: newer runtimes withdraw the rounding, for burning or for an account.
		"the rounding is withdrawn and burned": {8, 2, func(x altered) {
			x.insert("balances.Burned", 0, withdrew, alith, "27169")
			x.insert("balances.Burned", 0, burnt, "27169")
			x.remove("balances.Burned", 0)
		}, held, held},
		"the rounding goes to an account": {8, 2, func(x altered) {
			x.insert("balances.Burned", 0, withdrew, alith, "27169")
			x.insert("balances.Burned", 0, returned, eve, "27169")
			x.remove("balances.Burned", 0)
		}, held, held},
		"the rounding goes to a new account": {8, 2, func(x altered) {
			x.insert("balances.Burned", 0, withdrew, alith, "27169")
			newAccount(x, "27169")
			x.remove("balances.Burned", 0)
		}, held, held},
		"the rounding is dust alone": {8, 2, func(x altered) { x.insert("balances.Burned", 0, withdrew, alith, "0") }, held, held},
		"a swap": {8, 2, func(x altered) {
			x.insert("balances.Burned", 0, withdrew, alith, "500")
			x.insert("balances.Burned", 0, returned, eve, "500")
			x.insert("balances.Burned", 0, withdrew, bob, "70")
			x.insert("balances.Burned", 0, returned, alith, "70")
		}, held, held},
		"a swap beside a deposit": {8, 3, func(x altered) {
			x.insert("balances.Burned", 0, withdrew, bob, "2220000000")
			x.insert("balances.Burned", 0, returned, baltathar, "2220000000")
		}, held, held},
		"a swap to a new account": {8, 2, func(x altered) {
			x.insert("balances.Burned", 0, withdrew, bob, "1000000000")
			newAccount(x, "1000000000")
		}, held, held},
		// Of 500, another chain gets 490, and an account 10 for delivery.
		"a transfer to another chain": {8, 2, func(x altered) {
			x.insert("balances.Burned", 0, withdrew, alith, "500")
			x.insert("balances.Burned", 0, returned, eve, "10")
			x.insert("balances.Burned", 0, burnt, "490")
		}, moved, held},
		"a transfer from another chain": {8, 2, func(x altered) {
			x.insert("balances.Burned", 0, "balances.Issued", "500")
			x.insert("balances.Burned", 0, returned, eve, "490")
			x.insert("balances.Burned", 0, returned, alith, "10")
		}, moved, held},
		"an account killed": {8, 2, func(x altered) {
			x.insert("balances.Burned", 0, "balances.DustLost", eve, "490")
			x.insert("balances.Burned", 0, burnt, "490")
		}, held, held},
		"an existential deposit that is minted": {8, 2, func(x altered) {
			x.insert("balances.Burned", 0, "balances.Endowed", eve, "1000000000")
			x.insert("balances.Burned", 0, "balances.Minted", eve, "1000000000")
		}, held, held},
		// A new account that the hold did not pay for.
		"a transfer to a new account, with a delay": {8, 2, func(x altered) {
			x.insert("balances.Burned", 0, withdrew, bob, "1000000010")
			newAccount(x, "1000000000")
			x.insert("balances.Burned", 0, returned, bob, "10")
		}, moved, moved},
		"a native call that maps an account": {17, 2, func(x altered) {
			x.insert("system.Remarked", 0, "balances.Held", object{"revive": "AddressMapping"}, alith, "1026000000")
			x.insert("system.Remarked", 0, "balances.Released", object{"revive": "AddressMapping"}, alith, "1026000000")
		}, held, held},
	} {
		t.Run(what, func(t *testing.T) {
			b := decoded(t, h.change(t, c.height, c.index, c.alter))
			o := evidence.Options{Encoded: chain.Some(h.encoded[b.Hash]), Receipts: chain.Some(receiptsAt(t, stack, c.height))}
			usual := evidence.Prove(h.blocks[c.height], fee.Price(h.blocks[c.height], &h.rules, h.multipliers[c.height-1]), h.rules, o)
			r := evidence.Prove(b, fee.Price(b, &h.rules, h.multipliers[c.height-1]), h.rules, o)
			require.Empty(t, r.Findings)
			require.Equal(t, usual.Totals, r.Totals)
			for check, why := range map[string]string{"evm.cash": held, "evm.hold": held, "evm.deposit": c.deposit, "evm.receipt": c.receipt, "evm.split": held} {
				before, after := tally(t, usual, check), tally(t, r, check)
				if why != held {
					before.Held, before.NotApplicable, before.Why = before.Held-1, before.NotApplicable+1, why
				}
				require.Equal(t, before, after, check)
			}
		})
	}
}

// Transactions with any combination of what a call can do cause no finding, and their receipts agree: of 8-2, the receipt is
// made of the fee of 2020366208, the deposits, and a price of 49993650000 wei for each gas.
func TestCombinationsOfEthereumCalls(t *testing.T) {
	h := loadHub(t, stack)
	const fee8, price, existential = 2020366208, 49993650000, 1_000_000_000
	storage := object{"revive": "StorageDepositReserve"}
	skipped := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 55))
		amount := func() int64 { return 1 + r.Int64N(1_000_000) }
		due, moved := int64(0), false // of deposits
		text := h.change(t, 8, 2, func(x altered) {
			insert := func(event string, data ...any) {
				for i := range data {
					if n, is := data[i].(int64); is {
						data[i] = strconv.FormatInt(n, 10)
					}
				}
				x.insert("balances.Burned", 0, event, data...)
			}
			for range r.IntN(7) {
				n, other := amount(), []string{bob, eve, contractOfHub}[r.IntN(3)]
				switch r.IntN(9) {
				case 0: // a deposit
					insert(returned, other, n)
					insert("balances.Held", storage, other, n)
					due += n
				case 1: // given back
					insert("balances.Released", storage, other, n)
					insert(withdrew, other, n)
					due -= n
				case 2: // a new account
					insert("system.NewAccount", other)
					insert("balances.Endowed", other, int64(existential))
					insert(returned, other, int64(existential))
					due += existential
				case 3: // a swap
					insert(withdrew, alith, n)
					insert(returned, other, n)
					insert(withdrew, other, n+7)
					insert(returned, alith, n+7)
				case 4: // to another chain
					insert(withdrew, alith, n+9)
					insert(returned, other, int64(9))
					insert(burnt, n)
					moved = true
				case 5: // from another chain
					insert("balances.Issued", n)
					insert("revive.ContractEmitted", other)
					insert(returned, other, n)
					moved = true
				case 6: // an account killed
					insert("balances.DustLost", other, n)
					insert(burnt, n)
				case 7: // a new contract, whose existential deposit is minted
					insert("balances.Endowed", other, int64(existential))
					insert("balances.Minted", other, int64(existential))
				case 8: // to a new account that the call pays for
					insert(withdrew, alith, n)
					insert("balances.Endowed", other, n)
					insert(returned, other, n)
				}
			}
			insert(withdrew, alith, int64(27169))
			insert(burnt, int64(27169))
			x.remove("balances.Burned", 0)
			last := strings.Count(fmt.Sprint(x.object["events"]), "method:Deposit") - 1
			x.by(-due, returned, last, 1)
		})
		gas := max(0, fee8+due) * 1_000_000
		receipts := receiptsAt(t, stack, 8)
		receipts[0].GasUsed = chain.NewGas(uint64((gas + price - 1) / price))
		b := decoded(t, text)
		o := evidence.Options{Encoded: chain.Some(h.encoded[b.Hash]), Receipts: chain.Some(receipts)}
		report := evidence.Prove(b, fee.Price(b, &h.rules, h.multipliers[7]), h.rules, o)
		require.Empty(t, report.Findings, "seed %d: %s", seed, text)
		require.Equal(t, []int{len(receipts), 0}, []int{tally(t, report, "evm.cash").Held, tally(t, report, "evm.receipt").NotApplicable}, "seed %d", seed)
		skips := tally(t, report, "evm.deposit").NotApplicable
		require.True(t, moved || skips == 0, "seed %d", seed)
		skipped += skips
	}
	require.Positive(t, skipped)
}

// What a call burned or issued explains a fee only if it is the whole difference.
func TestWhatACallBurnsIsStillCompared(t *testing.T) {
	h := loadHub(t, stack)
	burnsRounding := func(x altered) {
		x.insert("balances.Burned", 0, withdrew, alith, "27169")
		x.insert("balances.Burned", 0, burnt, "27169")
		x.remove("balances.Burned", 0)
	}
	for what, alter := range map[string]func(x altered){
		"the withdrawal": func(x altered) { x.by(1, withdrew, 2, 1) },
		"what is burned": func(x altered) { x.by(1, burnt, 0, 0) },
		"nothing burned": func(x altered) { x.remove(burnt, 0) },
		"burned as dust": func(x altered) { x.insert(burnt, 0, "balances.DustLost", eve, "27169") },
		"not a number":   func(x altered) { x.put("many", burnt, 0, 0) },
		"the fee":        func(x altered) { x.by(1, feeOf, 0, 1) },
		"both burned":    func(x altered) { x.insert(burnt, 0, burnt, "27169") },
		"issued instead": func(x altered) { x.insert(burnt, 0, "balances.Issued", "27169") },
	} {
		r, err := h.judge(t, 8, h.change(t, 8, 2, func(x altered) { burnsRounding(x); alter(x) }))
		require.NoError(t, err, what)
		requireFinding(t, r, "evm.cash", 2, "the chain charged ")
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
