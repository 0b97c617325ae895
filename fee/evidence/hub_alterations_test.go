package evidence_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network/rule"
)

// Accounts of the recorded chains with pallet revive.
const (
	alith         = "5HYRCKHYJN9z5xUtfFkyMj4JUhsAwWyvuU8vKB1FcnYTf9ZQ"
	baltathar     = "5DSSiJevXj8XQ6uKD5ZNQJEimLPWwxuW4MZE9YNcAtRsYgVG"
	bob           = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
	contractOfHub = "5Cq1onJs8s8arASiDZTWU7C3cCEdvsq5QcR1Pp4E3A5DsD7n" // a contract
	eve           = "5HGjWAeFDfFCWPsjFQdVV2Msvz2XtMktvgocEZcCj68kUMaw"
)

const assetOfHub = `{"interior":{"x2":[{"palletInstance":"50"},{"generalIndex":"1984"}]},"parents":"0"}`

// altered is an extrinsic of a block in JSON, to be altered.
type altered struct {
	t *testing.T
	object
}

func (x altered) find(name string, n int) int {
	for i, e := range x.object["events"].([]any) {
		method := e.(object)["method"].(object)
		if fmt.Sprintf("%s.%s", method["pallet"], method["method"]) != name {
			continue
		}
		if n--; n < 0 {
			return i
		}
	}
	require.Fail(x.t, "no such event", "%s %d", name, n)
	return -1
}

// data returns the values of the n-th event of a name, from 0 on.
func (x altered) data(name string, n int) []any {
	return x.object["events"].([]any)[x.find(name, n)].(object)["data"].([]any)
}

// by adds to a value of the n-th event of a name.
func (x altered) by(more int64, name string, n, value int) {
	data := x.data(name, n)
	data[value] = add(more)(data[value])
}

func (x altered) put(other any, name string, n, value int) { x.data(name, n)[value] = other }

func (x altered) remove(name string, n int) {
	at := x.find(name, n)
	x.object["events"] = slices.Delete(x.object["events"].([]any), at, at+1)
}

// insert inserts an event before the n-th of a name.
func (x altered) insert(name string, n int, event string, data ...any) {
	pallet, method, _ := strings.Cut(event, ".")
	e := object{"method": object{"pallet": pallet, "method": method}, "data": data}
	x.object["events"] = slices.Insert(x.object["events"].([]any), x.find(name, n), any(e))
}

// outcome returns the dispatch information.
func (x altered) outcome() object { return x.data("system.ExtrinsicSuccess", 0)[0].(object) }

// payload replaces a part of the encoded Ethereum transaction.
func (x altered) payload(old, other string) {
	args := x.object["args"].(object)
	text := args["payload"].(string)
	require.Equal(x.t, 1, strings.Count(text, old))
	args["payload"] = strings.Replace(text, old, other, 1)
}

// everywhere adds to a native fee that is burned: in all three events that state it.
func (x altered) everywhere(more int64) {
	x.by(more, "balances.Withdraw", 0, 1)
	x.by(more, "balances.BurnedDebt", 0, 0)
	x.by(more, "transactionPayment.TransactionFeePaid", 0, 1)
}

// swapped sets what the pool gave for the fee, wherever it is stated.
func (x altered) swapped(amount string) {
	x.put(amount, "balances.Withdraw", 0, 1)
	x.put(amount, "assetConversion.SwapCreditExecuted", 0, 1)
	x.data("assetConversion.SwapCreditExecuted", 0)[2].([]any)[1].([]any)[1] = amount
	x.put(amount, "balances.Deposit", 0, 1)
}

const (
	feeOf    = "transactionPayment.TransactionFeePaid"
	assetFee = "assetTxPayment.AssetTxFeePaid"
	swap     = "assetConversion.SwapCreditExecuted"
	withdrew = "balances.Withdraw"
	returned = "balances.Deposit"
	burnt    = "balances.BurnedDebt"
	passet   = "passet-1019002"
	stack    = "stack-template-3"
)

// alterationsOfHubs are the changes to a transaction of a recorded chain with pallet revive, each with the check that finds
// it, and what it then states. The amounts are those of the recorded events.
var alterationsOfHubs = []struct {
	what, chain   string
	height, index int
	alter         func(x altered)
	check, states string
}{
	// The first withdrawal 192504307065 and the second 7470292935, less 197954233792, is a fee of 2020366208.
	{"the fee", stack, 8, 2, func(x altered) { x.by(1, feeOf, 0, 1) }, "evm.cash", "the chain charged 2020366208 wei, but the fee is 2020366209 (difference -1 wei)"},
	{"the first withdrawal", stack, 8, 2, func(x altered) { x.by(1, withdrew, 0, 1) }, "evm.cash", "the chain charged 2020366209 wei, but the fee is 2020366208 (difference 1 wei)"},
	{"the second withdrawal", stack, 8, 2, func(x altered) { x.by(-1, withdrew, 1, 1) }, "evm.cash", "the chain charged 2020366207 wei, but the fee is 2020366208 (difference -1 wei)"},
	{"what was given back", stack, 8, 2, func(x altered) { x.by(1, returned, 0, 1) }, "evm.cash", "the chain charged 2020366207 wei, but the fee is 2020366208 (difference -1 wei)"},
	{"more given back than withdrawn", stack, 8, 2, func(x altered) { x.put("199974600001", returned, 0, 1) }, "evm.cash", "199974600000 wei withdrawn but 199974600001 deposited"},
	{"a withdrawal without a number", stack, 8, 2, func(x altered) { x.put("many", withdrew, 0, 1) }, "evm.cash", "event balances.Withdraw: data[1]: "},
	{"withdrawals above any balance", stack, 8, 2, func(x altered) {
		x.put(strings.Repeat("3", 39), withdrew, 0, 1)
		x.put(strings.Repeat("3", 39), withdrew, 1, 1)
	}, "evm.cash", "overflow"},
	// Gas limit × gas price is 4,000,000 × 49,993,650,000 / 1,000,000.
	{"both sides of the hold", stack, 8, 2, func(x altered) { x.by(1, withdrew, 0, 1); x.by(1, returned, 0, 1) }, "evm.hold", "199974600001 wei were withdrawn, but gas limit × gas price is 199974600000"},
	{"the gas limit, less 20", stack, 8, 2, func(x altered) { x.payload("833d090094", "833d08ec94") }, "evm.hold", "199974600000 wei were withdrawn, but gas limit × gas price is 199973600127"},
	{"an offer below the base fee", stack, 8, 2, func(x altered) { x.payload("851747b51ea083", "850147b51ea083") }, "evm.price", "the sender offers 5498019488 wei per gas, less than the base fee of 49993650000"},
	{"what was burned", stack, 8, 2, func(x altered) { x.by(1, burnt, 0, 0) }, "evm.split", "2020366208 wei of the fee were burned, but the event balances.BurnedDebt states 2020366209"},
	{"nothing burned", stack, 8, 2, func(x altered) { x.remove(burnt, 0) }, "evm.split", "2020366208 wei of the fee were burned, but the event balances.BurnedDebt states 0"},
	{"burned without a number", stack, 8, 2, func(x altered) { x.put("many", burnt, 0, 0) }, "evm.split", "event balances.BurnedDebt: data[0]: "},
	{"the payer", stack, 8, 2, func(x altered) { x.put(baltathar, feeOf, 0, 0) }, "evm.payer", baltathar + " paid, but 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac signed, whose account is " + alith},
	{"the signature's parity", stack, 8, 2, func(x altered) { x.payload("c001a0689d", "c080a0689d") }, "evm.payer", alith + " paid, but 0x"},
	{"a signature of no key", stack, 8, 2, func(x altered) {
		x.payload("689dc05364cb6b7a3a3542aa3da9dc3729be4220196140f036338970fd395a71", strings.Repeat("f", 64))
	}, "evm.payer", "no account signed the payload, but " + alith + " paid"},
	{"a revert that failed", stack, 5, 4, func(x altered) {
		e := x.object["events"].([]any)[x.find("system.ExtrinsicSuccess", 0)].(object)
		e["method"].(object)["method"] = "ExtrinsicFailed"
		e["data"] = []any{object{"token": "NotExpendable"}, e["data"].([]any)[0]}
	}, "evm.paid", "it was reverted and failed at once"},
	{"the class", stack, 8, 2, func(x altered) { x.outcome()["class"] = "Operational" }, "evm.paid", "its class is Operational"},
	{"a class that does not exist", stack, 8, 2, func(x altered) { x.outcome()["class"] = "Great" }, "evm.paid", "class: "},
	{"whether it pays", stack, 8, 2, func(x altered) { x.outcome()["paysFee"] = "No" }, "evm.paid", "according to the chain it paid no fee"},
	{"the amount put on hold", stack, 8, 3, func(x altered) { x.by(1, "balances.Held", 0, 2) }, "evm.deposit", "event balances.Held of " + contractOfHub + ": no balances.Deposit of 2220000001 wei goes with it"},
	{"the account that holds", stack, 8, 3, func(x altered) { x.put(bob, "balances.Held", 0, 1) }, "evm.deposit", "event balances.Held of " + bob + ": no balances.Deposit of 2220000000 wei goes with it"},
	{"a hold without a number", stack, 8, 3, func(x altered) { x.put("many", "balances.Held", 0, 2) }, "evm.deposit", "event balances.Held: "},
	{"a hold after another event", stack, 8, 3, func(x altered) { x.insert("balances.Held", 0, "revive.Other", "0") }, "evm.deposit", "event balances.Held of " + contractOfHub + ": no balances.Deposit of 2220000000 wei goes with it"},
	{"the amount released", stack, 8, 4, func(x altered) { x.by(-1, "balances.Released", 0, 2) }, "evm.deposit", "event balances.Released of " + contractOfHub + ": no balances.Withdraw of 2219999999 wei goes with it"},
	{"the account that releases", stack, 8, 4, func(x altered) { x.put(bob, "balances.Released", 0, 1) }, "evm.deposit", "event balances.Released of " + bob + ": no balances.Withdraw of 2220000000 wei goes with it"},

	{"the pot's part, more", passet, 17, 2, func(x altered) { x.by(1, returned, 1, 1) }, "evm.split", "the staking pot and the author were credited more than the 49729975 wei charged"},
	{"the pot's part, less", passet, 17, 2, func(x altered) { x.by(-1, returned, 1, 1) }, "evm.split", "1 wei of the fee were burned, but the event balances.BurnedDebt states 0"},
	{"the pot", passet, 17, 2, func(x altered) { x.put(bob, returned, 1, 0) }, "evm.cash", "the chain charged 0 wei, but the fee is 49729975 (difference -49729975 wei)"},

	// A native fee of 1497912855 for 147 bytes, a ref time of 649498000, a multiplier of 1234435012089396644 and a tip of 3.
	{"a native withdrawal", stack, 20, 5, func(x altered) { x.by(1, withdrew, 0, 1) }, "native.cash", "the chain charged 1497912856 wei, but the fee is 1497912855 (difference 1 wei)"},
	{"more given back than a native fee", stack, 20, 5, func(x altered) {
		x.by(1, feeOf, 0, 1)
		x.insert(burnt, 0, returned, eve, "1497912857")
	}, "native.cash", "1497912855 wei withdrawn but 1497912857 refunded"},
	{"what was burned of a native fee", stack, 20, 5, func(x altered) { x.by(1, burnt, 0, 0) }, "native.split", "1497912855 wei of the fee were burned, but the event balances.BurnedDebt states 1497912856"},
	{"the tip", stack, 20, 5, func(x altered) { x.by(1, feeOf, 0, 2) }, "native.tip", "4 wei were paid, but 3 signed"},
	{"the signer", stack, 20, 5, func(x altered) { x.object["signature"].(object)["signer"] = object{"id": bob} }, "native.payer", eve + " paid, but " + bob + " signed"},
	{"a payer without an account", stack, 20, 5, func(x altered) { x.put("nobody", feeOf, 0, 0) }, "native.payer", "unknown payer: event transactionPayment.TransactionFeePaid: data[0]: "},
	{"a waived fee that was paid", stack, 20, 5, func(x altered) { x.outcome()["paysFee"] = "No" }, "native.waived", "the fee was waived, but 1497912855 wei were paid besides the tip of 3"},
	{"one unit more, consistently", stack, 20, 5, func(x altered) { x.everywhere(1) }, "native.formula", "the fee is 1497912856 wei, which follows from its weight, length and multiplier with no whole number of bytes of proof"},
	{"one unit less, consistently", stack, 20, 5, func(x altered) { x.everywhere(-1) }, "native.formula", "the fee is 1497912854 wei, which follows from its weight, length and multiplier with no whole number of bytes of proof"},
	// 1,000,000 + 147 × 10,000,000 + floor(1.234435012089396644 × 4,195,984) + 3 = 1,476,179,672.
	{"a fee below that of the ref time", stack, 20, 5, func(x altered) { x.everywhere(1476179671 - 1497912855) }, "native.formula", "the fee is 1476179671 wei, but 1476179672 follows from its weight, length and multiplier"},
	{"a weight that is missing", stack, 20, 5, func(x altered) { x.outcome()["weight"] = nil }, "native.formula", "weight: "},

	// 387766 of the asset were withdrawn and swapped for 38660075, which went to the pot.
	{"the fee in the asset", passet, 37, 2, func(x altered) { x.by(1, assetFee, 0, 1) }, "native.asset", "387766 of the asset " + assetOfHub + " were withdrawn, and no deposit gives back all but the fee of 387767"},
	{"what was withdrawn of the asset", passet, 37, 2, func(x altered) { x.by(1, "assets.Withdrawn", 0, 2) }, "native.asset", "387767 of the asset " + assetOfHub + " were withdrawn, and no deposit gives back all but the fee of 387766"},
	{"whose asset was withdrawn", passet, 37, 2, func(x altered) { x.put(alith, "assets.Withdrawn", 0, 1) }, "native.asset", "the fee is 387766 of the asset " + assetOfHub + ", but nothing of it was withdrawn from the payer"},
	{"an asset's withdrawal without a number", passet, 37, 2, func(x altered) { x.put("many", "assets.Withdrawn", 0, 2) }, "native.asset", "event assets.Withdrawn: "},
	{"what was given back of the asset", passet, 39, 2, func(x altered) { x.by(1, "assets.Deposited", 1, 2) }, "native.asset", "585997 of the asset " + assetOfHub + " were withdrawn, and no deposit gives back all but the fee of 476690"},
	{"the asset", passet, 37, 2, func(x altered) {
		x.data(assetFee, 0)[3].(object)["interior"].(object)["x2"].([]any)[1].(object)["generalIndex"] = "1985"
	}, "native.asset", "but 387766 of " + assetOfHub + " were swapped"},
	{"the tip of a fee in an asset", passet, 38, 2, func(x altered) { x.by(1, assetFee, 0, 2) }, "native.tip", "778 wei were paid, but 777 signed"},
	{"what was swapped, without its path", passet, 37, 2, func(x altered) { x.by(1, swap, 0, 0) }, "native.asset", "event assetConversion.SwapCreditExecuted: its values do not describe a swap of the fee"},
	{"what was swapped", passet, 37, 2, func(x altered) {
		x.by(1, swap, 0, 0)
		x.data(swap, 0)[2].([]any)[0].([]any)[1] = "387767"
	}, "native.asset", "387766 of the asset " + assetOfHub + " were withdrawn, but 387767 of " + assetOfHub + " were swapped"},
	{"what it was swapped for", passet, 37, 2, func(x altered) { x.by(1, swap, 0, 1) }, "native.asset", "38660076 wei were swapped for the fee, but the pool gave 38660075"},
	{"the pool's withdrawal", passet, 37, 2, func(x altered) { x.by(1, withdrew, 0, 1) }, "native.asset", "38660075 wei were swapped for the fee, but the pool gave 38660076"},
	{"no withdrawal from the pool", passet, 37, 2, func(x altered) { x.remove(withdrew, 0) }, "native.asset", "the swap of the fee: event balances.Withdraw: "},
	{"neither withdrawal nor swap", passet, 37, 2, func(x altered) { x.remove(withdrew, 0); x.remove(swap, 0) }, "native.asset", "the swap of the fee: event balances.Withdraw: "},
	{"the equivalent", passet, 37, 2, func(x altered) { x.by(-1, returned, 0, 1) }, "native.asset", "the pool gave 38660075 wei for the fee, but 38660074 went to the chain"},
	{"what the pool got back", passet, 39, 2, func(x altered) { x.by(1, returned, 0, 1) }, "native.asset", "the pool gave 58422567 wei for the fee, but 47459241 went to the chain"},
	{"who got the equivalent", passet, 37, 2, func(x altered) { x.put(bob, returned, 0, 0) }, "native.asset", "the equivalent of the fee was not credited to the staking pot"},
	{"no equivalent", passet, 37, 2, func(x altered) { x.remove(returned, 0) }, "native.asset", "nothing was credited or burned for the fee"},
	{"an equivalent above the deposit, burned", passet, 37, 2, func(x altered) {
		x.swapped("100000000")
		x.remove(returned, 0)
		x.insert(assetFee, 0, burnt, "100000000")
	}, "native.asset", "the equivalent of the fee was burned, not credited to the staking pot"},
	{"a second fee in an asset", passet, 37, 2, func(x altered) {
		x.insert(assetFee, 0, assetFee, slices.Clone(x.data(assetFee, 0))...)
	}, "native.payer", "unknown payer: 2 events assetTxPayment.AssetTxFeePaid, want one"},
	{"a fee in an asset besides one in the token", passet, 21, 2, func(x altered) {
		x.insert(feeOf, 0, assetFee, x.data(feeOf, 0)[0], "5", "0", "1984")
	}, "native.asset", "it paid 36112413 wei, but also a fee in an asset"},
}

// change returns the text of a block with one extrinsic altered.
func (h *hub) change(t *testing.T, height, index int, alter func(x altered)) string {
	b := tree(t, h.texts[height]).(object)
	alter(altered{t, b["extrinsics"].([]any)[index].(object)})
	return encoded(t, b)
}

// loadHubs returns both recorded chains with pallet revive.
func loadHubs(t *testing.T) map[string]*hub {
	return map[string]*hub{passet: loadHub(t, passet), stack: loadHub(t, stack)}
}

// TestNamedAlterationsOfHubs makes the alterations, one at a time.
func TestNamedAlterationsOfHubs(t *testing.T) {
	hubs := loadHubs(t)
	for _, a := range alterationsOfHubs {
		t.Run(a.what, func(t *testing.T) {
			h := hubs[a.chain]
			r, err := h.judge(t, a.height, h.change(t, a.height, a.index, a.alter))
			require.NoError(t, err)
			requireFinding(t, r, a.check, a.index, a.states)
			require.False(t, r.Holds())
		})
	}
}

// requireFinding requires a finding on an extrinsic, or on the whole block.
func requireFinding(t *testing.T, r *evidence.Report, check string, index int, states string) {
	t.Helper()
	require.True(t, slices.ContainsFunc(r.Findings, func(f evidence.Finding) bool {
		at, known := f.Extrinsic.Get()
		return f.Check == check && (!known || at == index) && strings.Contains(f.Message, states)
	}), "want %s: %s\nhave %+v", check, states, r.Findings)
}

// unlike returns a copy of a recorded chain that is judged with other inputs.
func (h *hub) unlike(other func(r *recording)) *hub {
	r := *h.recording
	r.multipliers, r.encoded = slices.Clone(r.multipliers), maps.Clone(r.encoded)
	other(&r)
	copied := *h
	copied.recording = &r
	return &copied
}

func formulaOf(change func(n *rule.NativeFee)) func(r *recording) {
	return func(r *recording) {
		n, _ := r.rules.NativeFee.Get()
		change(&n)
		r.rules.NativeFee = chain.Some(n)
	}
}

func destinationsOf(change func(d *rule.Destinations)) func(r *recording) {
	return func(r *recording) {
		d, _ := r.rules.Destinations.Get()
		change(&d)
		r.rules.Destinations = chain.Some(d)
	}
}

// TestHubsWithOtherInputs judges recorded blocks without an input, or with another one: what needs it is not checked, with the
// reason, and is no finding.
func TestHubsWithOtherInputs(t *testing.T) {
	asRecorded := func(altered) {}
	noMultiplier := func(height int) func(r *recording) {
		return func(r *recording) { r.multipliers[height-1] = chain.Optional[chain.StoredMultiplier]{} }
	}
	noDestinations := func(r *recording) { r.rules.Destinations = chain.Optional[rule.Destinations]{} }
	noTreasury := func(r *recording) { r.rules.Treasury = chain.Optional[chain.Address]{} }
	unchanged := func(*recording) {}
	const (
		held          = "" // in place of a reason
		unknownBase   = "the base fee is unknown"
		noAccount     = "the table does not contain the treasury's account"
		noDestination = "the table does not contain the destinations of this runtime's fees"
		noNode        = "only a node has the encoded extrinsics (--node)"
		noClass       = "the gateway does not return the class of each extrinsic"
	)
	hubs := loadHubs(t)
	for what, c := range map[string]struct {
		chain         string
		height, index int
		alter         func(x altered)
		other         func(r *recording)
		want          map[string]string // why the check is not made; held if it is
	}{
		"no multiplier": {stack, 8, 2, asRecorded, noMultiplier(8), map[string]string{
			"evm.hold": unknownBase, "evm.price": unknownBase, "evm.formula": "the parent's multiplier is unknown", "evm.cash": held, "evm.split": held,
		}},
		"the multiplier of another block": {stack, 8, 2, asRecorded, func(r *recording) { r.multipliers[7] = r.multipliers[6] }, map[string]string{"evm.formula": "the parent's multiplier is unknown"}},
		"no node":                         {stack, 8, 2, asRecorded, func(r *recording) { delete(r.encoded, r.blocks[8].Hash) }, map[string]string{"evm.formula": noNode, "evm.hold": held}},
		"no destinations":                 {passet, 17, 2, asRecorded, noDestinations, map[string]string{"evm.cash": held, "evm.split": noDestination}},
		"no treasury":                     {passet, 17, 2, asRecorded, noTreasury, map[string]string{"evm.cash": noAccount, "evm.split": noAccount, "evm.formula": held}},
		"no treasury, but all is burned":  {stack, 8, 2, asRecorded, noTreasury, map[string]string{"evm.cash": held, "evm.split": held}},
		"no treasury for native fees":     {passet, 21, 2, asRecorded, noTreasury, map[string]string{"native.cash": held, "native.split": noAccount}},
		"no destinations for an asset":    {passet, 37, 2, asRecorded, noDestinations, map[string]string{"native.asset": noDestination}},
		"no treasury for an asset":        {passet, 37, 2, asRecorded, noTreasury, map[string]string{"native.asset": noAccount}},
		"an equivalent below the deposit, burned": {passet, 37, 2, func(x altered) {
			x.remove(returned, 0)
			x.insert(assetFee, 0, burnt, "38660075")
		}, unchanged, map[string]string{"native.asset": held}},
		"no class":                   {stack, 8, 2, func(x altered) { delete(x.outcome(), "class") }, unchanged, map[string]string{"evm.paid": "the gateway does not return class or paysFee", "evm.formula": noClass}},
		"no class of a native one":   {stack, 20, 5, func(x altered) { delete(x.outcome(), "class") }, unchanged, map[string]string{"native.formula": noClass}},
		"an unknown base weight":     {stack, 20, 5, func(x altered) { x.outcome()["class"] = "Operational" }, formulaOf(func(n *rule.NativeFee) { n.OperationalBaseWeight = chain.Optional[chain.RefTime]{} }), map[string]string{"native.formula": "unknown base weight of class Operational"}},
		"a waived fee":               {stack, 20, 6, func(x altered) { x.outcome()["paysFee"] = "No"; x.put("0", feeOf, 0, 1) }, unchanged, map[string]string{"native.cash": held, "native.waived": held, "native.formula": "the fee was waived"}},
		"a formula as a lower bound": {stack, 20, 5, asRecorded, formulaOf(func(n *rule.NativeFee) { n.Reclaims, n.LowerBound = false, true }), map[string]string{"native.formula": held}},
		"a deposit of the call":      {stack, 20, 5, func(x altered) { x.insert(burnt, 0, returned, eve, "7") }, unchanged, map[string]string{"native.cash": held, "native.split": held}},
		"another account's money": {stack, 8, 2, func(x altered) {
			x.insert("balances.Burned", 0, withdrew, bob, "7")
			x.insert("balances.Burned", 0, returned, eve, "7")
		}, unchanged, map[string]string{"evm.cash": held, "evm.deposit": held}},
		"two deposits to the payer":    {stack, 8, 2, func(x altered) { x.by(-7, returned, 0, 1); x.insert("balances.Burned", 0, returned, alith, "7") }, unchanged, map[string]string{"evm.cash": held, "evm.deposit": "the payer was given money back more than once"}},
		"a second fee":                 {stack, 8, 2, func(x altered) { x.insert(feeOf, 0, feeOf, slices.Clone(x.data(feeOf, 0))...) }, unchanged, map[string]string{}},
		"an outcome that is not there": {stack, 8, 2, func(x altered) { x.remove("system.ExtrinsicSuccess", 0) }, unchanged, map[string]string{"evm.cash": held}},
	} {
		t.Run(what, func(t *testing.T) {
			h := hubs[c.chain].unlike(c.other)
			b := tree(t, h.change(t, c.height, c.index, c.alter)).(object)
			r, err := h.judge(t, c.height, encoded(t, b))
			require.NoError(t, err)
			for check, why := range c.want {
				for _, f := range r.Findings {
					require.False(t, f.Check == check && f.Extrinsic == chain.Some(c.index), "%v", f)
				}
				have := tally(t, r, check)
				require.Equal(t, why, have.Why, check)
				require.Equal(t, why == held, have.NotApplicable == 0, check)
				require.True(t, why != held || have.Held > 0, check)
			}
			if len(c.want) == 0 {
				require.Equal(t, 1, r.Totals.Undetermined)
				require.Zero(t, tally(t, r, "evm.cash").Broken)
			}
		})
	}
}

// TestHubsWithOtherRules judges recorded transactions by rules that are not the chain's.
func TestHubsWithOtherRules(t *testing.T) {
	hubs := loadHubs(t)
	for what, c := range map[string]struct {
		chain         string
		height, index int
		alter         func(x altered)
		other         func(r *recording)
		check, states string
	}{
		// The formula without proof size: see the alteration of a fee below that of the ref time.
		"no proof is reclaimed":   {stack, 20, 5, func(altered) {}, formulaOf(func(n *rule.NativeFee) { n.Reclaims = false }), "native.formula", "the fee is 1497912855 wei, but 1476179672 follows from its weight, length and multiplier"},
		"less than a lower bound": {stack, 20, 5, func(x altered) { x.everywhere(1476179671 - 1497912855) }, formulaOf(func(n *rule.NativeFee) { n.Reclaims, n.LowerBound = false, true }), "native.formula", "the fee is 1476179671 wei, but 1476179672 follows"},
		"fees are burned":         {passet, 37, 2, func(altered) {}, destinationsOf(func(d *rule.Destinations) { d.NativeBase = rule.Burned }), "native.asset", "the equivalent of the fee was credited, not burned"},
		"nothing below the deposit is burned": {passet, 37, 2, func(x altered) {
			x.remove(returned, 0)
			x.insert(assetFee, 0, burnt, "38660075")
		}, destinationsOf(func(d *rule.Destinations) { d.BurnedBelowDeposit = false }), "native.asset", "the equivalent of the fee was burned, not credited to the staking pot"},
		"another pot": {passet, 17, 2, func(altered) {}, func(r *recording) { r.rules.Treasury = chain.Some(parsedAccount(t, alith)) }, "evm.cash", "the chain charged 0 wei, but the fee is 49729975"},
		"a fee per byte that no balance pays": {stack, 20, 5, func(altered) {}, formulaOf(func(n *rule.NativeFee) {
			most, err := chain.ParseWei("340282366920938463463374607431768211455")
			require.NoError(t, err)
			n.LengthFee.Linear = most
		}), "native.formula", "fee of a length of 147 bytes: "},
		"one encoded extrinsic less": {stack, 20, 6, func(altered) {}, func(r *recording) {
			hash := r.blocks[20].Hash
			r.encoded[hash] = r.encoded[hash][:6]
		}, "extrinsic.hash", "the gateway has 7 extrinsics, but the node has 6"},
	} {
		t.Run(what, func(t *testing.T) {
			h := hubs[c.chain].unlike(c.other)
			r, err := h.judge(t, c.height, h.change(t, c.height, c.index, c.alter))
			require.NoError(t, err)
			requireFinding(t, r, c.check, c.index, c.states)
		})
	}
}

// TestFormulaOfAFeeInAnAsset checks the equivalent of a fee in an asset with the formula: for 200 bytes, a ref time of
// 689,790,000 and a multiplier of 0.999887798681222891 it is
// 1,000,000 + 200 × 100,000 + floor(0.999887798681222891 × 4,518,320) = 25,517,813.
func TestFormulaOfAFeeInAnAsset(t *testing.T) {
	h := loadHub(t, passet).unlike(func(r *recording) {
		long := make([]byte, 200)
		r.encoded[r.blocks[37].Hash] = [][]byte{long, long, long}
	})
	for amount, want := range map[string]string{
		"25517813": "",
		"25517812": "the fee is 25517812 wei, but 25517813 follows from its weight, length and multiplier",
		"25517814": "the fee is 25517814 wei, which follows from its weight, length and multiplier with no whole number of bytes of proof",
	} {
		r, err := h.judge(t, 37, h.change(t, 37, 2, func(x altered) { x.swapped(amount) }))
		require.NoError(t, err)
		require.Empty(t, messageOf(r, "native.asset"))
		require.Equal(t, want, messageOf(r, "native.formula"))
		require.Equal(t, want == "", tally(t, r, "native.formula").Held == 1)
	}
}

func parsedAccount(t *testing.T, account string) chain.Address {
	t.Helper()
	a, err := chain.ParseAccount(account)
	require.NoError(t, err)
	return a
}
