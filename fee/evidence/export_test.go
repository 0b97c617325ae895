package evidence

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// Internals that the tests of this package use.
type (
	Identity = signedIdentity
	Mismatch = mismatch
)

const (
	HashPart      = hashPart
	SenderPart    = senderPart
	RecipientPart = recipientPart
	ContractPart  = contractPart
)

var Identify = identify

func (e Evidence) And(other Evidence) Evidence { return e.and(other) }

func (c *Check) WhyNot(r *network.Rules) string { return c.whyNot(r) }

func (t *Transaction) FollowsBaseFee(x *chain.Extrinsic, rules *network.Rules) bool {
	return t.followsBaseFee(x, rules)
}

func (r *Report) Predecessor() Predecessor { return r.predecessor() }
