package evm

// OddYParity returns the parity in the signature of a typed transaction.
func (p *Payload) OddYParity() (bool, error) { return readParity(p.signature()) }
