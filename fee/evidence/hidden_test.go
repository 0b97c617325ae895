package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
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

// A general extrinsic has no signature, but may have a tip, in its extensions.
func TestTipWithoutSignature(t *testing.T) {
	for _, tip := range []string{"0", "100"} {
		x := native(t, "0", withdraw(t, payer, "1000"), credit(t, treasuryAccount, "180"), event(t, "treasury.Deposit", "180"), feePaid(t, "1000", tip), paidNative(t, "Yes"))
		x.Signed = nil
		r := proved(block(x), rulesOf(t, "moonbeam", 2100), evidence.Options{})
		require.Equal(t, chain.Some(chain.NewWei(1000)), r.Transactions[0].Fee)
		require.Equal(t, evidence.Tally{NotApplicable: 1, Why: "the extrinsic has no signature, and a tip in its extensions is not read"}, tally(t, r, "native.tip"))
		require.Zero(t, tally(t, r, "native.payer").Broken)
	}
}
