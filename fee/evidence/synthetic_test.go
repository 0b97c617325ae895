package evidence_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// The functions here make blocks with one transaction and chosen events.

const (
	payer    = "0x1000000000000000000000000000000000000001"
	stranger = "0x2000000000000000000000000000000000000002"
	author   = "0x3000000000000000000000000000000000000003"
	height   = 5_000_000
)

// event returns an event in the gateway's form, with its values as JSON.
func event(t testing.TB, name string, data ...any) chain.Event {
	t.Helper()
	if data == nil {
		data = []any{}
	}
	return blocktest.Event(t, name, encoded(t, data))
}

func withdraw(t testing.TB, who, amount string) chain.Event {
	return event(t, "balances.Withdraw", who, amount)
}

func credit(t testing.TB, who, amount string) chain.Event {
	return event(t, "balances.Deposit", who, amount)
}

func ended(t testing.TB, refTime string) chain.Event {
	return event(t, "system.ExtrinsicSuccess", object{"weight": object{"refTime": refTime, "proofSize": "0"}, "class": "Normal", "paysFee": "No"})
}

func paidNative(t testing.TB, pays string) chain.Event {
	return event(t, "system.ExtrinsicSuccess", object{"weight": object{"refTime": "250000000", "proofSize": "0"}, "class": "Normal", "paysFee": pays})
}

func feePaid(t testing.TB, amount, tip string) chain.Event {
	return event(t, "transactionPayment.TransactionFeePaid", payer, amount, tip)
}

// native returns a signed transaction with events.
func native(t testing.TB, tip string, events ...chain.Event) chain.Extrinsic {
	t.Helper()
	return chain.Extrinsic{
		Pallet: "balances", Call: "transfer", Events: events,
		Signed: &chain.Signed{Signer: accountOf(t, payer), Nonce: chain.Uint64Value(3), Tip: amountOf(t, tip)},
	}
}

// ethereum returns an EVM transaction with a payload and events.
func ethereum(t testing.TB, kind string, fields object, events ...chain.Event) chain.Extrinsic {
	t.Helper()
	all := object{"nonce": "1", "gasLimit": "30000", "value": "0", "input": "0x", "action": object{"call": stranger}}
	for key, v := range fields {
		all[key] = v
	}
	return chain.Extrinsic{Pallet: "ethereum", Call: "transact", Payload: chain.DecodedOf(sidecar.DecodePayload(encoded(t, object{"transaction": object{kind: all}}))), Events: events}
}

func executed(t testing.TB) chain.Event {
	return event(t, "ethereum.Executed", payer, stranger, "0x"+strings.Repeat("ab", 32), object{"succeed": "Stopped"})
}

func block(extrinsics ...chain.Extrinsic) *chain.Block {
	for i := range extrinsics {
		extrinsics[i].Index = i
		extrinsics[i].Hash[0] = byte(i)
		if extrinsics[i].Signed != nil { // all by one account
			extrinsics[i].Signed.Nonce = chain.Uint64Value(uint64(i))
		}
	}
	if !slices.ContainsFunc(extrinsics, func(x chain.Extrinsic) bool { return x.SetsTime() }) {
		extrinsics = append(extrinsics, chain.Extrinsic{Index: len(extrinsics), Hash: chain.Hash{0xff}, Pallet: "timestamp", Call: "set", Events: timed})
	}
	return &chain.Block{Number: height, Finalized: chain.Some(true), Extrinsics: extrinsics}
}

// timed are the events of the inherent that sets the time. Its class is Normal, so it can come last: the
// transactions of a [block] then have the indices 0, 1, and so on.
var timed = []chain.Event{{Pallet: "system", Name: "ExtrinsicSuccess", Data: chain.Values{chain.DispatchValue(chain.Weight{}, chain.DispatchInfo{
	Class: chain.DecodedOf(chain.Normal, nil), PaysFee: chain.DecodedOf(true, nil), RefTime: "weight.refTime",
})}}}

var one = at(height-1, 1_000_000_000_000_000_000)

// proved prices and verifies a block with the multiplier 1.
func proved(b *chain.Block, rules network.Rules, o evidence.Options) *evidence.Report {
	return evidence.Prove(b, fee.Price(b, &rules, one), rules, o)
}

// row returns the proof of the only transaction of a report in one line.
func row(r *evidence.Report) string {
	t := &r.Transactions[0]
	return fmt.Sprintf("%s charged=%s drift=%s class=%s burned=%s treasury=%s author=%s", word(t.Verdict), shown(t.Charged),
		shown(t.Drift), word(t.Class), shown(t.Burned), shown(t.Treasury), shown(t.Author))
}

// proportion is FeesTreasuryProportion in parts per billion.
func proportion(t testing.TB, n uint64) evidence.Options {
	t.Helper()
	p, err := chain.NewPerbill(n)
	require.NoError(t, err)
	return evidence.Options{FeesTreasuryProportion: chain.Some(p)}
}

// Runtime 2100 burns a native tip and gives the treasury 20 % of the rest. The fee of 1000 has no tip here, so
// the treasury receives 200, unless a case differs.
func TestNativeCash(t *testing.T) {
	transfer := event(t, "balances.Transfer", payer, stranger, "5")
	told := event(t, "treasury.Deposit", "200")
	for what, c := range map[string]struct {
		events []chain.Event
		tip    string
		want   string
		broken []string
	}{
		"as it should be": {[]chain.Event{withdraw(t, payer, "1500"), transfer, credit(t, payer, "500"), credit(t, treasuryAccount, "200"), told, feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", nil},
		"a refund of 0": {[]chain.Event{withdraw(t, payer, "1000"), transfer, credit(t, payer, "0"), credit(t, treasuryAccount, "200"), told, feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", nil},
		"no refund": {[]chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "200"), told, feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", nil},
		"a refund without credits": {[]chain.Event{withdraw(t, payer, "1500"), transfer, credit(t, payer, "500"), feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "match charged=1000 drift=- class=- burned=1000 treasury=0 author=0", []string{"native.split"}},
		"the call's own deposit before the refund": {[]chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "77"), credit(t, payer, "500"), credit(t, treasuryAccount, "200"), told, feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", nil},
		"the call's own credit to the treasury before the refund": {[]chain.Event{withdraw(t, payer, "1500"), credit(t, treasuryAccount, "9"), credit(t, payer, "500"), credit(t, treasuryAccount, "200"), told, feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", nil},
		"a deposit to somebody else": {[]chain.Event{withdraw(t, payer, "1500"), credit(t, stranger, "9"), credit(t, payer, "500"), credit(t, treasuryAccount, "200"), told, feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", nil},
		"no Withdraw": {[]chain.Event{transfer, feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "drift charged=0 drift=-1000 class=unknown burned=- treasury=- author=-", []string{"native.cash"}},
		"no Withdraw for a fee of 0": {[]chain.Event{transfer, feePaid(t, "0", "0"), paidNative(t, "No")},
			"0", "match charged=0 drift=- class=- burned=0 treasury=0 author=0", nil},
		"two Withdraws": {[]chain.Event{withdraw(t, payer, "1500"), withdraw(t, payer, "3"), transfer, credit(t, payer, "500"), credit(t, treasuryAccount, "200"), told, feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", nil},
		"more given back than withdrawn": {[]chain.Event{withdraw(t, payer, "1500"), transfer, credit(t, payer, "1501"), feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "no_evidence charged=- drift=- class=- burned=- treasury=- author=-", []string{"native.cash"}},
		"somebody else's Withdraw": {[]chain.Event{withdraw(t, stranger, "1000"), credit(t, treasuryAccount, "200"), told, feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "drift charged=0 drift=-1000 class=unknown burned=- treasury=- author=-", []string{"native.cash"}},
		"a Withdraw that cannot be read": {[]chain.Event{event(t, "balances.Withdraw", payer), feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "no_evidence charged=- drift=- class=- burned=- treasury=- author=-", []string{"native.cash"}},
		"a payer left without anything": {[]chain.Event{withdraw(t, payer, "1500"), transfer, event(t, "system.KilledAccount", payer), credit(t, treasuryAccount, "300"), feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "drift charged=1500 drift=500 class=zeroed_payer burned=1200 treasury=300 author=0", []string{"native.cash"}},
		"another account left without anything": {[]chain.Event{withdraw(t, payer, "1500"), transfer, event(t, "system.KilledAccount", stranger), credit(t, treasuryAccount, "300"), feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "drift charged=1500 drift=500 class=unknown burned=1200 treasury=300 author=0", []string{"native.cash"}},
		"left without anything, and charged too little": {[]chain.Event{withdraw(t, payer, "900"), transfer, event(t, "system.KilledAccount", payer), credit(t, treasuryAccount, "180"), feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "drift charged=900 drift=-100 class=unknown burned=720 treasury=180 author=0", []string{"native.cash"}},
		"left without anything, and given something back": {[]chain.Event{withdraw(t, payer, "1500"), event(t, "system.KilledAccount", payer), transfer, credit(t, payer, "100"), credit(t, treasuryAccount, "280"), feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "drift charged=1400 drift=400 class=unknown burned=1120 treasury=280 author=0", []string{"native.cash"}},
		// A tip of 100 is burned: 20 % of the other 900.
		"a tip": {[]chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "180"), event(t, "treasury.Deposit", "180"), feePaid(t, "1000", "100"), paidNative(t, "Yes")},
			"100", "match charged=1000 drift=- class=- burned=820 treasury=180 author=0", nil},
		"a tip that was not signed": {[]chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "180"), feePaid(t, "1000", "100"), paidNative(t, "Yes")},
			"99", "match charged=1000 drift=- class=- burned=820 treasury=180 author=0", []string{"native.tip"}},
		"a tip that cannot be read": {[]chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "180"), feePaid(t, "1000", "100"), paidNative(t, "Yes")},
			"a lot", "match charged=1000 drift=- class=- burned=820 treasury=180 author=0", []string{"native.tip"}},
		"waived but for the tip": {[]chain.Event{withdraw(t, payer, "1500"), transfer, credit(t, payer, "1400"), feePaid(t, "100", "100"), paidNative(t, "No")},
			"100", "match charged=100 drift=- class=- burned=100 treasury=0 author=0", nil},
		"waived, and yet paid": {[]chain.Event{withdraw(t, payer, "1500"), transfer, credit(t, payer, "500"), credit(t, treasuryAccount, "180"), feePaid(t, "1000", "100"), paidNative(t, "No")},
			"100", "match charged=1000 drift=- class=- burned=820 treasury=180 author=0", []string{"native.waived"}},
		// 1 wei is not divided: floor(0.8) is burned, the treasury has the rest.
		"a fee of 1": {[]chain.Event{withdraw(t, payer, "1"), credit(t, treasuryAccount, "1"), feePaid(t, "1", "0"), paidNative(t, "Yes")},
			"0", "match charged=1 drift=- class=- burned=0 treasury=1 author=0", nil},
		"more credited than charged": {[]chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "1001"), feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "match charged=1000 drift=- class=- burned=- treasury=- author=-", []string{"native.split"}},
		"two credits to the treasury": {[]chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "150"), credit(t, treasuryAccount, "50"), feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", nil},
		"the treasury tells of nothing": {[]chain.Event{withdraw(t, payer, "1000"), event(t, "treasury.Deposit", "200"), credit(t, treasuryAccount, "200"), feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", []string{"native.split"}},
		"the treasury tells of what cannot be read": {[]chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "200"), event(t, "treasury.Deposit"), feePaid(t, "1000", "0"), paidNative(t, "Yes")},
			"0", "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", []string{"native.split"}},
		"no outcome": {[]chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "200"), feePaid(t, "1000", "0")},
			"0", "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", []string{"block.outcome", "block.weight"}},
		"no fee event": {[]chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "200"), paidNative(t, "Yes")},
			"0", "cash_only charged=1000 drift=- class=- burned=800 treasury=200 author=0", nil},
		"no fee event and no Withdraw": {[]chain.Event{paidNative(t, "Yes")},
			"0", "no_evidence charged=- drift=- class=- burned=- treasury=- author=-", []string{"native.cash"}},
	} {
		r := proved(block(native(t, c.tip, c.events...)), rulesOf(t, "moonbeam", 2100), evidence.Options{})
		require.Equal(t, c.want, row(r), what)
		if c.broken == nil {
			c.broken = []string{}
		}
		require.Equal(t, c.broken, broken(r), "%s: %v", what, r.Findings)
	}
}

// From runtime 3500 on the author receives the tip and the priority fee, and the treasury its parameter's part
// of the rest. Here: 1000 with a tip of 100, 25 %.
func TestAuthorAndParameter(t *testing.T) {
	paid := []chain.Event{feePaid(t, "1000", "100"), paidNative(t, "Yes")}
	for what, c := range map[string]struct {
		runtime uint32
		options evidence.Options
		cash    []chain.Event
		want    string
		broken  []string
	}{
		"treasury and author": {3702, proportion(t, 250_000_000), []chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, treasuryAccount, "225"), credit(t, author, "100")},
			"match charged=1000 drift=- class=- burned=675 treasury=225 author=100", nil},
		"the parameter not known": {3702, evidence.Options{}, []chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, treasuryAccount, "225"), credit(t, author, "100")},
			"match charged=1000 drift=- class=- burned=675 treasury=225 author=100", nil},
		"the author is the payer": {3702, proportion(t, 250_000_000), []chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, treasuryAccount, "225"), credit(t, payer, "100")},
			"match charged=1000 drift=- class=- burned=675 treasury=225 author=100", nil},
		"the author is the payer, without a refund": {3702, proportion(t, 250_000_000), []chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "225"), credit(t, payer, "100")},
			"match charged=1000 drift=- class=- burned=675 treasury=225 author=100", nil},
		"nothing for the treasury": {3702, proportion(t, 0), []chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, author, "100")},
			"match charged=1000 drift=- class=- burned=900 treasury=0 author=100", nil},
		"nothing for the treasury, the author is the payer": {3702, proportion(t, 0), []chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, payer, "100")},
			"match charged=1000 drift=- class=- burned=900 treasury=0 author=100", nil},
		"all for the treasury": {3702, proportion(t, 1_000_000_000), []chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "900"), credit(t, author, "100")},
			"match charged=1000 drift=- class=- burned=0 treasury=900 author=100", nil},
		"no credit for the author": {3702, proportion(t, 250_000_000), []chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, treasuryAccount, "225")},
			"match charged=1000 drift=- class=- burned=775 treasury=225 author=0", []string{"native.split"}},
		"too much for the author": {3702, proportion(t, 250_000_000), []chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, treasuryAccount, "225"), credit(t, author, "101")},
			"match charged=1000 drift=- class=- burned=674 treasury=225 author=101", []string{"native.split"}},
		"another parameter": {3702, proportion(t, 260_000_000), []chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, treasuryAccount, "225"), credit(t, author, "100")},
			"match charged=1000 drift=- class=- burned=675 treasury=225 author=100", []string{"native.split"}},
		"credited to somebody else too": {3702, proportion(t, 0), []chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, stranger, "5"), credit(t, author, "100")},
			"match charged=1000 drift=- class=- burned=900 treasury=0 author=100", []string{"native.split"}},
		"the call's own deposit, and no refund": {3702, proportion(t, 0), []chain.Event{withdraw(t, payer, "1000"), credit(t, stranger, "5"), credit(t, author, "100")},
			"match charged=1000 drift=- class=- burned=900 treasury=0 author=100", nil},
		// 3300: the parameter for the base part, 20 % of the tip.
		"base part by the parameter only": {3300, proportion(t, 0), []chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "20")},
			"match charged=1000 drift=- class=- burned=980 treasury=20 author=0", nil},
		// 3400: the parameter for both, each divided on its own.
		"both parts by the parameter": {3400, proportion(t, 250_000_000), []chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "250")},
			"match charged=1000 drift=- class=- burned=750 treasury=250 author=0", nil},
	} {
		events := append(c.cash[:len(c.cash):len(c.cash)], paid...)
		r := proved(block(native(t, "100", events...)), rulesOf(t, "moonbeam", c.runtime), c.options)
		require.Equal(t, c.want, row(r), what)
		if c.broken == nil {
			c.broken = []string{}
		}
		require.Equal(t, c.broken, broken(r), "%s: %v", what, r.Findings)
		if !c.options.FeesTreasuryProportion.Known() {
			require.Equal(t, evidence.Tally{NotApplicable: 1, Why: "FeesTreasuryProportion: missing"}, tally(t, r, "native.split"))
		}
	}
}

// 21,000 gas at 110 Gwei, of which 100 Gwei are the base fee of runtimes up to
// 2201: 2,310,000 Gwei, with a priority part of 210,000 Gwei.
var eip1559 = object{"maxFeePerGas": "200000000000", "maxPriorityFeePerGas": "10000000000", "chainId": "1284", "accessList": []any{}}

func TestEVMCash(t *testing.T) {
	for what, c := range map[string]struct {
		runtime uint32
		fields  object
		events  []chain.Event
		want    string
		broken  []string
	}{
		// 30,000 gas at 110 Gwei are held: 990,000 Gwei come back. The treasury has
		// 420,000 and 42,000 Gwei.
		"as it should be": {2100, nil, []chain.Event{withdraw(t, payer, "3300000000000000"), credit(t, payer, "990000000000000"), credit(t, treasuryAccount, "420000000000000"), credit(t, treasuryAccount, "42000000000000"), executed(t), ended(t, "525000000")},
			"match charged=2310000000000000 drift=- class=- burned=1848000000000000 treasury=462000000000000 author=0", nil},
		"another hold": {2100, nil, []chain.Event{withdraw(t, payer, "3300000000000001"), credit(t, payer, "990000000000001"), credit(t, treasuryAccount, "420000000000000"), credit(t, treasuryAccount, "42000000000000"), executed(t), ended(t, "525000000")},
			"match charged=2310000000000000 drift=- class=- burned=1848000000000000 treasury=462000000000000 author=0", []string{"evm.hold"}},
		// Before runtime 2000 the chain held what the sender allowed.
		"another hold of an older runtime": {1701, nil, []chain.Event{withdraw(t, payer, "6000000000000000"), credit(t, payer, "3690000000000000"), credit(t, treasuryAccount, "420000000000000"), credit(t, treasuryAccount, "42000000000000"), executed(t), ended(t, "525000000")},
			"match charged=2310000000000000 drift=- class=- burned=1848000000000000 treasury=462000000000000 author=0", nil},
		// Runtimes 1201 to 1504 divided the whole, and minted the priority part again.
		"the priority part minted anew": {1401, nil, []chain.Event{withdraw(t, payer, "6000000000000000"), credit(t, payer, "3690000000000000"), credit(t, treasuryAccount, "462000000000000"), credit(t, author, "210000000000000"), executed(t), ended(t, "525000000")},
			"match charged=2310000000000000 drift=- class=- burned=1848000000000000 treasury=462000000000000 author=210000000000000", nil},
		"the priority part minted for the payer": {1401, nil, []chain.Event{withdraw(t, payer, "6000000000000000"), credit(t, payer, "3690000000000000"), credit(t, treasuryAccount, "462000000000000"), credit(t, payer, "210000000000000"), executed(t), ended(t, "525000000")},
			"match charged=2310000000000000 drift=- class=- burned=1848000000000000 treasury=462000000000000 author=210000000000000", nil},
		"the priority part not minted": {1401, nil, []chain.Event{withdraw(t, payer, "6000000000000000"), credit(t, payer, "3690000000000000"), credit(t, treasuryAccount, "462000000000000"), executed(t), ended(t, "525000000")},
			"match charged=2310000000000000 drift=- class=- burned=1848000000000000 treasury=462000000000000 author=0", []string{"evm.split"}},
		"no Withdraw event yet": {1102, nil, []chain.Event{executed(t), ended(t, "525000000")},
			"no_evidence charged=- drift=- class=- burned=- treasury=- author=-", nil},
		"no Withdraw": {2100, nil, []chain.Event{executed(t), ended(t, "525000000")},
			"drift charged=0 drift=-2310000000000000 class=unknown burned=- treasury=- author=-", []string{"evm.cash"}},
		"without anything left": {2100, nil, []chain.Event{withdraw(t, payer, "3300000000000000"), event(t, "system.KilledAccount", payer), credit(t, treasuryAccount, "420000000000000"), credit(t, treasuryAccount, "42000000000000"), executed(t), ended(t, "525000000")},
			"drift charged=3300000000000000 drift=990000000000000 class=unknown burned=2838000000000000 treasury=462000000000000 author=0", []string{"evm.cash"}},
		"nobody executed it": {2100, nil, []chain.Event{withdraw(t, payer, "3300000000000000"), credit(t, payer, "990000000000000"), credit(t, treasuryAccount, "462000000000000"), ended(t, "525000000")},
			"cash_only charged=2310000000000000 drift=- class=- burned=1848000000000000 treasury=462000000000000 author=0", []string{"evm.executed"}},
		"no price in the payload": {2100, object{"maxFeePerGas": nil}, []chain.Event{withdraw(t, payer, "3300000000000000"), credit(t, payer, "990000000000000"), executed(t), ended(t, "525000000")},
			"cash_only charged=2310000000000000 drift=- class=- burned=2310000000000000 treasury=0 author=0", nil},
		"a weight that is no gas": {2100, nil, []chain.Event{withdraw(t, payer, "3300000000000000"), credit(t, payer, "989999995600000"), credit(t, treasuryAccount, "462000000880000"), executed(t), ended(t, "525000001")},
			"match charged=2310000004400000 drift=- class=- burned=1848000003520000 treasury=462000000880000 author=0", []string{"evm.weight"}},
		"less gas than any": {2100, nil, []chain.Event{withdraw(t, payer, "3300000000000000"), credit(t, payer, "990110000000000"), credit(t, treasuryAccount, "419980000000000"), credit(t, treasuryAccount, "41998000000000"), executed(t), ended(t, "524975000")},
			"match charged=2309890000000000 drift=- class=- burned=1847912000000000 treasury=461978000000000 author=0", []string{"evm.gas"}},
		"more gas than the limit": {2100, object{"gasLimit": "20999"}, []chain.Event{withdraw(t, payer, "2309890000000000"), credit(t, treasuryAccount, "420000000000000"), credit(t, treasuryAccount, "42000000000000"), executed(t), ended(t, "525000000")},
			"drift charged=2309890000000000 drift=-110000000000 class=unknown burned=1847890000000000 treasury=462000000000000 author=0", []string{"evm.gas", "evm.cash"}},
		// min(99, 100 + 10) Gwei: less than the base fee.
		"a price below the base fee": {2100, object{"maxFeePerGas": "99000000000"}, []chain.Event{withdraw(t, payer, "2970000000000000"), credit(t, payer, "891000000000000"), credit(t, treasuryAccount, "415800000000000"), executed(t), ended(t, "525000000")},
			"match charged=2079000000000000 drift=- class=- burned=1663200000000000 treasury=415800000000000 author=0", []string{"evm.price"}},
		"the weight of a native fee": {2100, nil, []chain.Event{withdraw(t, payer, "3300000000000000"), credit(t, payer, "990000000000000"), credit(t, treasuryAccount, "462000000000000"), executed(t), paidNative(t, "Yes")},
			"drift charged=2310000000000000 drift=1210000000000000 class=unknown burned=1848000000000000 treasury=462000000000000 author=0", []string{"evm.gas", "evm.cash", "evm.outcome"}},
	} {
		fields := object{}
		for key, v := range eip1559 {
			fields[key] = v
		}
		for key, v := range c.fields {
			fields[key] = v
		}
		r := proved(block(ethereum(t, "eip1559", fields, c.events...)), rulesOf(t, "moonbeam", c.runtime), evidence.Options{})
		require.Equal(t, c.want, row(r), what)
		if c.broken == nil {
			c.broken = []string{}
		}
		require.Equal(t, c.broken, broken(r), "%s: %v", what, r.Findings)
	}
}

// What the gateway says of the end of an EVM transaction.
func TestEVMOutcome(t *testing.T) {
	for info, c := range map[string]struct{ broken, why string }{
		`{"weight":"525000000","class":"Normal","paysFee":"No"}`:      {"", ""},
		`{"weight":"525000000","class":"Normal","paysFee":"Yes"}`:     {"according to the chain it paid a native fee", ""},
		`{"weight":"525000000","class":"Operational","paysFee":"No"}`: {"its class is Operational", ""},
		`{"weight":"525000000","class":"Odd","paysFee":"No"}`:         {"class: want Normal, Operational or Mandatory", ""},
		`{"weight":"525000000","class":"Normal"}`:                     {"", "the gateway does not return class or paysFee"},
		`{"weight":"525000000","paysFee":"No"}`:                       {"", "the gateway does not return class or paysFee"},
	} {
		end := blocktest.Event(t, "system.ExtrinsicSuccess", "["+info+"]")
		r := proved(block(ethereum(t, "eip1559", eip1559, withdraw(t, payer, "2310000000000000"), executed(t), end)), rulesOf(t, "moonbeam", 2100), evidence.Options{})
		have := tally(t, r, "evm.outcome")
		switch {
		case c.broken != "":
			require.Equal(t, evidence.Tally{Broken: 1}, have, info)
			message := ""
			for _, f := range r.Findings {
				if f.Check == "evm.outcome" {
					message = f.Message
				}
			}
			require.Equal(t, c.broken, message)
		case c.why != "":
			require.Equal(t, evidence.Tally{NotApplicable: 1, Why: c.why}, have, info)
		default:
			require.Equal(t, evidence.Tally{Held: 1}, have, info)
		}
	}
}

// 2^128 - 1 is the most that a balance can be.
const largest = "340282366920938463463374607431768211455"

// Sums above the highest balance are unknown, in a block and over blocks; they do not affect the check.
func TestTotalsOverflow(t *testing.T) {
	b := block(
		native(t, "0", withdraw(t, payer, largest), feePaid(t, largest, "0"), paidNative(t, "Yes")),
		native(t, "0", withdraw(t, payer, largest), feePaid(t, "1", "0"), paidNative(t, "Yes")),
	)
	r := proved(b, rulesOf(t, "moonbeam", 2100), evidence.Options{})
	require.Equal(t, 1, r.Totals.Undetermined, "the second fee is one too much")
	require.Equal(t, "-", shown(r.Totals.Charged))
	require.Equal(t, "-", shown(r.Totals.Burned))
	require.Equal(t, "0", shown(r.Totals.Treasury))
	text, err := json.Marshal(r.Totals)
	require.NoError(t, err)
	require.Contains(t, string(text), `"charged":null,"burned":null,"treasury":"0","author":"0"`)
	require.NotContains(t, broken(r), "block.totals")

	s := evidence.NewSummary()
	s.Add(proved(block(native(t, "0", withdraw(t, payer, largest), feePaid(t, largest, "0"), paidNative(t, "Yes"))), rulesOf(t, "moonbeam", 2100), evidence.Options{}))
	require.Equal(t, largest, shown(s.Charged))
	s.Add(proved(block(native(t, "0", withdraw(t, payer, "1"), feePaid(t, "1", "0"), paidNative(t, "Yes"))), rulesOf(t, "moonbeam", 2100), evidence.Options{}))
	require.Equal(t, "-", shown(s.Charged))
	require.Equal(t, "-", shown(s.Fee))
	s.Add(r)
	require.Equal(t, "-", shown(s.Charged), "it stays unknown")
	require.Equal(t, 3, s.Blocks)
	require.False(t, s.Holds())
}

// One unknown amount makes the sum unknown, wherever it is; known amounts do not change that.
func TestTotalsWithAnUnknownPart(t *testing.T) {
	paid := func(amount string) chain.Extrinsic {
		return native(t, "0", withdraw(t, payer, amount), feePaid(t, amount, "0"), paidNative(t, "Yes"))
	}
	unread := native(t, "0", event(t, "balances.Withdraw", payer), feePaid(t, "1000", "0"), paidNative(t, "Yes"))
	rules := rulesOf(t, "moonbeam", 2100)
	rules.Destinations = chain.Optional[rule.Destinations]{}
	for place := range 3 {
		list := []chain.Extrinsic{paid("5"), paid("7")}
		r := proved(block(slices.Insert(list, place, unread)...), rules, evidence.Options{})
		require.Equal(t, []string{"-", "-", "-", "-"}, []string{shown(r.Totals.Charged), shown(r.Totals.Burned), shown(r.Totals.Treasury), shown(r.Totals.Author)})
		require.Equal(t, "1012", r.Totals.Fee.String())
		require.Zero(t, r.Totals.Unaccounted, "of the third it is not known what was charged")
		s := evidence.NewSummary()
		s.Add(proved(block(paid("3")), rules, evidence.Options{}))
		require.Equal(t, "3", shown(s.Charged))
		s.Add(r)
		s.Add(proved(block(paid("3")), rules, evidence.Options{}))
		require.Equal(t, "-", shown(s.Charged))
	}
	credited := native(t, "0", withdraw(t, payer, "9"), credit(t, stranger, "2"), feePaid(t, "9", "0"), paidNative(t, "Yes"))
	r := proved(block(paid("5"), credited), rules, evidence.Options{})
	require.Empty(t, r.Findings)
	require.Equal(t, []string{"14", "-", "-", "-"}, []string{shown(r.Totals.Charged), shown(r.Totals.Burned), shown(r.Totals.Treasury), shown(r.Totals.Author)})
	require.Equal(t, 1, r.Totals.Unaccounted)
	require.False(t, r.Holds(), "2 of the 14 wei went somewhere")
	s := evidence.NewSummary()
	s.Add(r)
	require.Equal(t, 1, s.Unaccounted)
	require.False(t, s.Holds())
}

// The treasury's first credit ever creates its account: the events for that are between the credit and
// treasury.Deposit. Those of another account are not.
func TestFirstCreditOfTheTreasury(t *testing.T) {
	told := event(t, "treasury.Deposit", "200")
	made := func(who string) []chain.Event {
		return []chain.Event{event(t, "system.NewAccount", who), event(t, "balances.Endowed", who, "200")}
	}
	for what, c := range map[string]struct {
		first  []chain.Event // before the fee is withdrawn
		second []chain.Event // after the credit
		broken []string
	}{
		"its account is made":                              {nil, append(made(treasuryAccount), told), []string{}},
		"another account is made":                          {nil, append(made(stranger), told), []string{"native.split"}},
		"an account that cannot be read":                   {nil, []chain.Event{event(t, "system.NewAccount"), told}, []string{"native.split"}},
		"the very first event tells of 7":                  {[]chain.Event{event(t, "treasury.Deposit", "7")}, []chain.Event{told}, []string{"native.split"}},
		"the first events make the account, and tell of 7": {append(made(treasuryAccount), event(t, "treasury.Deposit", "7")), []chain.Event{told}, []string{"native.split"}},
	} {
		events := append(c.first[:len(c.first):len(c.first)], withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, treasuryAccount, "200"))
		events = append(append(events, c.second...), feePaid(t, "1000", "0"), paidNative(t, "Yes"))
		r := proved(block(native(t, "0", events...)), rulesOf(t, "moonbeam", 2600), evidence.Options{})
		require.Equal(t, "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", row(r), what)
		require.Equal(t, c.broken, broken(r), "%s: %v", what, r.Findings)
	}
}

// An account from an older runtime is upgraded when it is credited, before the corresponding event. The refund
// before that still counts as the refund.
func TestUpgradedBeforeTheCredit(t *testing.T) {
	r := proved(block(native(t, "0", withdraw(t, payer, "1500"), event(t, "system.Remarked", payer), credit(t, payer, "500"), event(t, "balances.Upgraded", treasuryAccount),
		credit(t, treasuryAccount, "200"), event(t, "treasury.Deposit", "200"), feePaid(t, "1000", "0"), paidNative(t, "Yes"))), rulesOf(t, "moonbeam", 2600), evidence.Options{})
	require.Equal(t, "match charged=1000 drift=- class=- burned=800 treasury=200 author=0", row(r))
	require.Empty(t, r.Findings)
}

// A free call of a runtime without a fee event withdraws for itself. That is not a fee.
func TestFreeCallThatWithdraws(t *testing.T) {
	r := proved(block(native(t, "0", withdraw(t, payer, "1500"), event(t, "xTokens.Sent"), paidNative(t, "No"))), rulesOf(t, "moonbeam", 1701), evidence.Options{})
	require.Equal(t, "cash_only charged=0 drift=- class=- burned=0 treasury=0 author=0", row(r))
	require.Equal(t, "0", r.Totals.Fee.String())
	require.Empty(t, r.Findings)
	require.True(t, r.Holds())
}

// The table, not the runtime's number, defines the events of a runtime: a user's network may number its
// runtimes from 1.
func TestNetworkOfAUser(t *testing.T) {
	events := []chain.Event{withdraw(t, payer, "3300000000000001"), credit(t, payer, "990000000000001"), executed(t), paidNative(t, "Yes")}
	events[3] = event(t, "system.ExtrinsicSuccess", object{"weight": "525000000", "class": "Normal", "paysFee": "Yes"})
	const table = `{"networks": [{"name": "mine", "symbol": "MINE", "last_runtime": 9, %s
		"rows": [{"from_runtime": 1, "static_base_fee": "100000000000", "source": "mine"}]}]}`
	for told, want := range map[string][]string{
		``:                             {"evm.hold", "evm.outcome"},
		`"first_exact_hold": 8,`:       {"evm.hold", "evm.outcome"},
		`"first_exact_hold": 9,`:       {"evm.outcome"},
		`"first_actual_pays_fee": 9,`:  {"evm.hold"},
		`"first_actual_pays_fee": 8,`:  {"evm.hold", "evm.outcome"},
		`"first_withdraw_event": 800,`: {"evm.hold", "evm.outcome"},
	} {
		tables, err := network.BuiltIn().With("mine.json", []byte(fmt.Sprintf(table, told)))
		require.NoError(t, err)
		n, _ := tables.Named("mine")
		rules, err := n.Rules(8)
		require.NoError(t, err)
		r := proved(block(ethereum(t, "eip1559", eip1559, events...)), rules, evidence.Options{})
		require.Equal(t, want, broken(r), told)
	}
}

// If no rule decides whether the author gets a part, or the parts are not those of the fee, a credit to an
// account other than the treasury does not count as burned.
func TestDestinationsNotKnown(t *testing.T) {
	events := []chain.Event{withdraw(t, payer, "1500"), credit(t, payer, "500"), credit(t, treasuryAccount, "225"), credit(t, author, "100"), feePaid(t, "1000", "0"), paidNative(t, "Yes")}
	unknown := rulesOf(t, "moonbeam", 3702)
	unknown.Destinations = chain.Optional[rule.Destinations]{}
	r := proved(block(native(t, "0", events...)), unknown, evidence.Options{})
	require.Equal(t, "match charged=1000 drift=- class=- burned=- treasury=- author=-", row(r))
	require.Equal(t, evidence.Tally{NotApplicable: 1, Why: "an account was credited, but no rule determines whether as the author"}, tally(t, r, "native.split"))

	events[4] = feePaid(t, "999", "0")
	r = proved(block(native(t, "0", events...)), rulesOf(t, "moonbeam", 3702), proportion(t, 250_000_000))
	require.Equal(t, "drift charged=1000 drift=1 class=unknown burned=- treasury=- author=-", row(r))

	withoutAuthor := append(events[:3:3], events[4:]...)
	r = proved(block(native(t, "0", withoutAuthor...)), unknown, evidence.Options{})
	require.Equal(t, "drift charged=1000 drift=1 class=unknown burned=775 treasury=225 author=0", row(r))
}
