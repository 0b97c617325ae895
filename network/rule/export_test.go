package rule

import "github.com/feeledger/fees/chain"

// Of exposes of to tests.
func (l LengthFee) Of(length uint64) (chain.Wei, error) { return l.of(length) }
