package chain

// NativeSigner is the account whose key signed a native extrinsic.
type NativeSigner struct {
	Extrinsic int // the index in its block
	// Signer is recovered from the signature and the signed message. It is unknown if no key produces the
	// signature, or if WhyNot explains why the signed message is unknown.
	Signer Optional[Address]
	WhyNot string
}
