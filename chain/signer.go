package chain

// NativeSigner is the account whose key signed a native extrinsic.
type NativeSigner struct {
	Extrinsic int // the index in its block
	// Signer is recovered from the signature and from what was signed. It is not known where no key makes the signature,
	// or where WhyNot has a reason why what was signed is not known.
	Signer Optional[Address]
	WhyNot string
}
