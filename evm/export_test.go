package evm

// OddYParity is oddYParity for tests.
func (p *Payload) OddYParity() (bool, error) { return p.oddYParity() }
