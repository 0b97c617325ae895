package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
)

// The account that signed must be the reported signer. If it is unknown, or the check was not requested,
// nothing is compared, and the check gives the reason.
func TestNativeSignature(t *testing.T) {
	x := native(t, "0", withdraw(t, payer, "1000"), feePaid(t, "1000", "0"), paidNative(t, "Yes"))
	address := func(text string) chain.Address {
		a, err := chain.ParseAddress(text)
		require.NoError(t, err)
		return a
	}
	other := chain.Some(address(treasuryAccount))
	for name, c := range map[string]struct {
		signers chain.Optional[[]chain.NativeSigner]
		want    evidence.Tally
		says    string
	}{
		"its signer":   {signersOf(chain.NativeSigner{Signer: chain.Some(address(payer))}), evidence.Tally{Held: 1}, ""},
		"another":      {signersOf(chain.NativeSigner{Signer: other}), evidence.Tally{Broken: 1}, "the signature is from " + address(treasuryAccount).String() + ", but the gateway reports " + address(payer).String() + " as the signer"},
		"nobody":       {signersOf(chain.NativeSigner{}), evidence.Tally{Broken: 1}, "no key produces this signature, but the gateway reports " + address(payer).String() + " as the signer"},
		"not known":    {signersOf(chain.NativeSigner{WhyNot: "no metadata"}), evidence.Tally{NotApplicable: 1, Why: "no metadata"}, ""},
		"not there":    {signersOf(), evidence.Tally{Broken: 1}, "the node's extrinsic does not have a signature"},
		"another one":  {signersOf(chain.NativeSigner{Extrinsic: 1, Signer: chain.Some(address(payer))}), evidence.Tally{Broken: 1}, "the node's extrinsic does not have a signature"},
		"without node": {chain.Optional[[]chain.NativeSigner]{}, evidence.Tally{NotApplicable: 1, Why: "only a node has the encoded extrinsics (--node)"}, ""},
	} {
		r := proved(block(x), rulesOf(t, "moonbeam", 2100), evidence.Options{Signatures: true, NativeSigners: c.signers})
		require.Equal(t, c.want, tally(t, r, "native.signature"), name)
		var said []string
		for _, f := range r.Findings {
			if f.Check == "native.signature" {
				require.Equal(t, chain.Some(0), f.Extrinsic)
				said = append(said, f.Message)
			}
		}
		if c.says == "" {
			require.Empty(t, said, name)
		} else {
			require.Equal(t, []string{c.says}, said, name)
		}
		r = proved(block(x), rulesOf(t, "moonbeam", 2100), evidence.Options{NativeSigners: c.signers})
		require.Equal(t, evidence.Tally{NotApplicable: 1, Why: "signature checks were not requested"}, tally(t, r, "native.signature"), name)
	}
}

func signersOf(list ...chain.NativeSigner) chain.Optional[[]chain.NativeSigner] {
	return chain.Some(list)
}
