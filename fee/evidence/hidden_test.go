package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network/rule"
)

// A runtime's extensions may hide nonce and tip. The fee is then what the chain's events state, the transaction names what
// could not be read, and what needs it is not checked: it is neither a finding nor held.
func TestHiddenNonceAndTip(t *testing.T) {
	hidden := func(x chain.Extrinsic) *chain.Block {
		b := block(x)
		x.Signed.Nonce = chain.MalformedValue(chain.UnreportedError("no nonce here"))
		x.Signed.Tip = chain.MalformedValue(chain.UnreportedError("no tip here"))
		return b
	}
	credited := []chain.Event{withdraw(t, payer, "1000"), credit(t, treasuryAccount, "180"), event(t, "treasury.Deposit", "180")}
	stated := hidden(native(t, "0", append(credited, feePaid(t, "1000", "100"), paidNative(t, "Yes"))...))
	r := proved(stated, rulesOf(t, "moonbeam", 2100), evidence.Options{})
	x := r.Transactions[0]
	require.Equal(t, "match charged=1000 drift=- class=- burned=820 treasury=180 author=0", row(r))
	require.Equal(t, chain.Some(chain.NewWei(100)), x.Tip)
	require.False(t, x.Nonce.Known())
	require.Equal(t, []string{"nonce: no nonce here", "tip: no tip here"}, x.Notes)
	require.Equal(t, evidence.Tally{NotApplicable: 1, Why: "tip: no tip here"}, tally(t, r, "native.tip"))
	require.Empty(t, r.Findings)

	// Without the fee event, the fee is what was withdrawn, of which the tip is unknown, and so are the treasury's parts.
	cash := hidden(native(t, "0", append(credited, paidNative(t, "Yes"))...))
	older := rulesOf(t, "moonbeam", 2100)
	older.NoFeeEvent = true
	r = proved(cash, older, evidence.Options{})
	x = r.Transactions[0]
	require.Equal(t, chain.Some(chain.NewWei(1000)), x.Fee)
	require.False(t, x.Tip.Known())
	require.Zero(t, tally(t, r, "native.tip").Held)
	require.Zero(t, tally(t, r, "native.split").Held)
	require.Zero(t, tally(t, r, "native.formula").Held)
	require.Empty(t, r.Findings)
}

// A general extrinsic has no signature, but may have a tip, in its extensions. A bare one has none, but a gateway of a
// runtime that has general ones need not tell them apart.
func TestTipWithoutSignature(t *testing.T) {
	unread := evidence.Tally{NotApplicable: 1, Why: "the extrinsic has no signature, and a tip in its extensions is not read"}
	for _, c := range []struct {
		tip     string
		general bool
		kind    rule.EVM
		want    evidence.Tally
	}{
		{"0", false, rule.Frontier, evidence.Tally{Held: 1}}, {"100", false, rule.Frontier, evidence.Tally{Broken: 1}}, {"100", false, rule.NoEVM, unread},
		{"0", true, rule.Frontier, unread}, {"100", true, rule.Frontier, unread},
	} {
		x := native(t, "0", withdraw(t, payer, "1000"), credit(t, treasuryAccount, "180"), event(t, "treasury.Deposit", "180"), feePaid(t, "1000", c.tip), paidNative(t, "Yes"))
		x.Signed, x.General = nil, c.general
		rules := rulesOf(t, "moonbeam", 2100)
		rules.EVM = c.kind
		r := proved(block(x), rules, evidence.Options{})
		require.Equal(t, chain.Some(chain.NewWei(1000)), r.Transactions[0].Fee)
		require.Equal(t, c.want, tally(t, r, "native.tip"))
		require.Zero(t, tally(t, r, "native.payer").Broken)
	}
}

// A general extrinsic that pays nothing may have raised the nonce of a signer whom its extensions name.
func TestNonceAfterGeneralExtrinsic(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 2100)
	rules.NoSetCode = true
	for general, want := range map[bool]evidence.Tally{false: {Broken: 1}, true: {NotApplicable: 1, Why: "something other than a signed transaction may have raised the account's nonce"}} {
		signed := func() chain.Extrinsic {
			return native(t, "0", withdraw(t, payer, "1000"), credit(t, treasuryAccount, "200"), event(t, "treasury.Deposit", "200"), feePaid(t, "1000", "0"), paidNative(t, "Yes"))
		}
		between := chain.Extrinsic{Pallet: "some", Call: "call", General: general, Events: []chain.Event{paidNative(t, "No")}}
		b := block(signed(), between, signed()) // with the nonces 0 and 2
		require.Equal(t, want, tally(t, proved(b, rules, evidence.Options{}), "account.nonce"))
	}
}
