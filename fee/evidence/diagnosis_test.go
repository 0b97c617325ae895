package evidence_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network"
)

// paying returns an EVM transaction of 21,000 gas that was charged an amount.
func paying(t testing.TB, kind string, fields object, charged string) chain.Extrinsic {
	t.Helper()
	limited := object{"gasLimit": "21000"}
	for key, v := range fields {
		limited[key] = v
	}
	return ethereum(t, kind, limited, withdraw(t, payer, charged), executed(t), ended(t, "525000000"))
}

// dynamic allows and adds prices in wei per gas, and is charged one of them.
func dynamic(t testing.TB, largest, priority, charged string) chain.Extrinsic {
	t.Helper()
	fields := object{"maxFeePerGas": largest, "maxPriorityFeePerGas": priority, "chainId": "1284", "accessList": []any{}}
	return paying(t, "eip1559", fields, of21000(charged))
}

func legacy(t testing.TB, price, charged string) chain.Extrinsic {
	t.Helper()
	return paying(t, "legacy", object{"gasPrice": price}, of21000(charged))
}

func of21000(price string) string {
	n := number(price)
	return n.Mul(n, big.NewInt(21_000)).String()
}

// Each block drifts for one reason, and the diagnosis finds it.
func TestDiagnose(t *testing.T) {
	const gwei = "000000000"
	own := legacy(t, "200"+gwei, "200"+gwei) // matches with any base fee
	nextMultiplier := chain.StoredMultiplier{At: height, Value: chain.NewMultiplier(1_004_000_000_000_000_000)}
	for what, c := range map[string]struct {
		runtime    uint32
		multiplier uint64
		block      *chain.Block
		around     evidence.Neighbours
		class      evidence.Class
		message    string // "" for no diagnosis
		deciding   int
		base       string
	}{
		// 125 Gwei until runtime 3300, 31.25 Gwei from 3400 on.
		"the runtime changed with the block": {3300, 1e18, block(own, dynamic(t, "200"+gwei, "1"+gwei, "32250000000")),
			evidence.Neighbours{Rules: []network.Rules{rulesOf(t, "moonbeam", 3400)}},
			evidence.UpgradeBoundary, "the rules of moonbeam/3400 match: the runtime changed with this block", 1, "31250000000"},
		// 31.25 Gwei × 1.004 = 31.375 Gwei.
		"the multiplier of the block itself": {3702, 1e18, block(dynamic(t, "200"+gwei, "0", "31375000000"), own, dynamic(t, "200"+gwei, "1"+gwei, "32375000000")),
			evidence.Neighbours{Multipliers: []chain.StoredMultiplier{{At: height - 2, Value: chain.NewMultiplier(2e18)}, nextMultiplier}},
			evidence.MultiplierHeight, "the multiplier stored at block 5000000 matches: 1004000000000000000. See --multiplier-at.", 2, "31375000000"},
		"a price that was not capped": {1401, 1e18, block(own, dynamic(t, "105"+gwei, "10"+gwei, "110"+gwei), dynamic(t, "200"+gwei, "10"+gwei, "110"+gwei)),
			evidence.Neighbours{}, evidence.HistoricBug,
			"a gas price not capped by maxFeePerGas matches, as in moonbase 1200 to 1300, moonbeam 1201 to 1300, moonriver 1201 to 1300. Set price_uncapped in a network file (--network-file).", 1, "100000000000"},
		// 110 Gwei × (525,000,000 + 86,298,000) / 25,000.
		"a weight without its base": {2100, 1e18, block(paying(t, "legacy", object{"gasPrice": "110" + gwei}, "2689711200000000")),
			evidence.Neighbours{}, evidence.HistoricBug,
			"a weight without the base weight of 86298000 matches, as in moonbeam 1900 to 1901, moonriver 1900 to 1901. Set weight_correction in a network file (--network-file).", 1, "100000000000"},
		// 110 Gwei × 775,000,000 / 25,000.
		"a weight without the other base": {2100, 1e18, block(paying(t, "legacy", object{"gasPrice": "110" + gwei}, "3410000000000000")),
			evidence.Neighbours{}, evidence.HistoricBug,
			"a weight without the base weight of 250000000 matches, as in moonbase 1900 to 1901. Set weight_correction in a network file (--network-file).", 1, "100000000000"},
		"another static base fee": {2100, 1e18, block(own, dynamic(t, "200"+gwei, "10"+gwei, "100"+gwei), dynamic(t, "200"+gwei, "0", "90"+gwei)),
			evidence.Neighbours{}, evidence.BaseConstant,
			"a static base fee of 90000000000 wei per gas matches. Set static_base_fee in a network file (--network-file).", 2, "90000000000"},
		// floor(33,333,333,333 × 1.5) = 49,999,999,999.
		"another constant": {3702, 1_500_000_000_000_000_000, block(dynamic(t, "200"+gwei, "0", "49999999999"), own),
			evidence.Neighbours{}, evidence.BaseConstant,
			"the base constant 33333333333 matches; the rules have 31250000000. Set base_fee_constant in a network file (--network-file).", 1, "49999999999"},
		// No constant yields 50 Gwei at 1.5: 33,333,333,333 is too low by one wei, and one more is too high by one.
		"a base fee that no constant makes": {3702, 1_500_000_000_000_000_000, block(dynamic(t, "200"+gwei, "0", "50"+gwei)), evidence.Neighbours{}, evidence.Unknown, "", 0, ""},
		"a multiplier of 0":                 {3702, 0, block(dynamic(t, "200"+gwei, "0", "50"+gwei)), evidence.Neighbours{}, evidence.Unknown, "", 0, ""},
		"two base fees in one block":        {3702, 1e18, block(dynamic(t, "200"+gwei, "0", "40"+gwei), dynamic(t, "200"+gwei, "0", "50"+gwei)), evidence.Neighbours{}, evidence.Unknown, "", 0, ""},
		"a match that would break":          {3702, 1e18, block(dynamic(t, "200"+gwei, "0", "40"+gwei), dynamic(t, "200"+gwei, "0", "31250000000")), evidence.Neighbours{}, evidence.Unknown, "", 0, ""},
		"a price that the sender named":     {3702, 1e18, block(legacy(t, "200"+gwei, "150"+gwei)), evidence.Neighbours{}, evidence.Unknown, "", 0, ""},
		"a price at the cap":                {3702, 1e18, block(dynamic(t, "200"+gwei, "0", "200"+gwei)), evidence.Neighbours{}, evidence.Unknown, "", 0, ""},
		"a price below its priority fee":    {3702, 1e18, block(dynamic(t, "200"+gwei, "50"+gwei, "40"+gwei)), evidence.Neighbours{}, evidence.Unknown, "", 0, ""},
		"a wei too much": {3702, 1e18, block(paying(t, "eip1559", object{"maxFeePerGas": "200" + gwei, "maxPriorityFeePerGas": "0"}, "656250000000001")),
			evidence.Neighbours{Rules: []network.Rules{rulesOf(t, "moonbeam", 3300)}}, evidence.Unknown, "", 0, ""},
	} {
		rules := rulesOf(t, "moonbeam", c.runtime)
		report := func() *evidence.Report {
			return evidence.Prove(c.block, fee.Price(c.block, &rules, at(height-1, c.multiplier)), rules, evidence.Options{})
		}
		r := report()
		require.True(t, r.DriftsOnEVM(), what)
		require.Nil(t, r.Diagnosis)
		r.Diagnose(c.block, rules, c.around)
		for i := range r.Transactions {
			if transaction := &r.Transactions[i]; transaction.Drift.Known() {
				require.Equal(t, string(c.class), word(transaction.Class), what)
			} else {
				require.False(t, transaction.Class.Known(), what)
			}
		}
		if c.message == "" {
			require.Nil(t, r.Diagnosis, what)
			continue
		}
		base, err := chain.ParseGasPrice(c.base)
		require.NoError(t, err)
		require.Equal(t, &evidence.Diagnosis{Class: c.class, Message: c.message, Deciding: c.deciding, BaseFeePerGas: chain.Some(base)}, r.Diagnosis, what)
		require.False(t, r.Holds(), "a drift that is explained is one")
	}
}

// A block whose fees match needs no diagnosis, and neither does one whose charges are unknown.
func TestNothingToDiagnose(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 2100)
	for what, b := range map[string]*chain.Block{
		"matches":      block(legacy(t, "200000000000", "200000000000")),
		"native drift": block(native(t, "0", withdraw(t, payer, "7"), feePaid(t, "8", "0"), paidNative(t, "Yes"))),
		"empty":        block(),
	} {
		r := proved(b, rules, evidence.Options{})
		require.False(t, r.DriftsOnEVM(), what)
		r.Diagnose(b, rules, evidence.Neighbours{Rules: []network.Rules{rulesOf(t, "moonbeam", 1300)}})
		require.Nil(t, r.Diagnosis, what)
	}
}

// An alternative that cannot price one of the transactions explains nothing: here a runtime with a dynamic
// base fee and an unknown multiplier. It matches the drift of the other one, which stated its price.
func TestDiagnoseByWhatCannotPrice(t *testing.T) {
	rules, next := rulesOf(t, "moonbeam", 1901), rulesOf(t, "moonbeam", 2302)
	b := block(legacy(t, "200000000000", "200000000000"), // without the weight that 1901 adds
		paying(t, "eip1559", object{"maxFeePerGas": "200000000000", "maxPriorityFeePerGas": "0", "chainId": "1284", "accessList": []any{}}, "2445192000000000"))
	b.Number = 0
	none := chain.Optional[chain.StoredMultiplier]{}
	r := evidence.Prove(b, fee.Price(b, &rules, none), rules, evidence.Options{})
	require.Equal(t, []string{"drift", "match"}, []string{word(r.Transactions[0].Verdict), word(r.Transactions[1].Verdict)})
	r.Diagnose(b, rules, evidence.Neighbours{Rules: []network.Rules{next}})
	require.Nil(t, r.Diagnosis)
	require.Equal(t, "unknown", word(r.Transactions[0].Class))
}

// A transaction without a known charge does not prevent a diagnosis.
func TestDiagnoseBesideWhatIsNotKnown(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 2100)
	unread := dynamic(t, "200000000000", "0", "1")
	unread.Events[0] = event(t, "balances.Withdraw", payer, "much")
	b := block(unread, dynamic(t, "200000000000", "0", "90000000000"))
	r := proved(b, rules, evidence.Options{})
	r.Diagnose(b, rules, evidence.Neighbours{})
	require.Equal(t, evidence.BaseConstant, r.Diagnosis.Class)
	require.Equal(t, 1, r.Diagnosis.Deciding)
}
