package extrinsic

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx/recovery"
)

// Signer returns the account whose key signed a payload. As on the chain, the last byte may have 27 added, and
// s may be in the upper half.
//
// Source: moonbeam, primitives/account: EthereumSignature::verify; polkadot-sdk, primitives/io:
// secp256k1_ecdsa_recover.
func (s Signature) Signer(payload []byte) (chain.Address, error) {
	const ethereums = 27
	if last := &s[SignatureLength-1]; *last >= ethereums {
		*last -= ethereums
	}
	return recovery.Signer(Digest(payload), s)
}

// IsSigned reports whether a length-prefixed extrinsic has a signature.
func IsSigned(encoded []byte) bool {
	content, ok := Content(encoded)
	return ok && len(content) > 0 && content[0] == signedVersion
}
