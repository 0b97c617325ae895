package fee

import (
	"github.com/feeledger/fees/chain"
)

// Outcome is the result of a transaction. It differs from the extrinsic's own success: an EVM transaction that
// was reverted is a successful extrinsic, which charged for it.
type Outcome string

// The outcomes. A failed call inside a successful native call, as in utility.batch or proxy.proxy, does not
// make the transaction fail.
const (
	Succeeded Outcome = "succeeded"
	Reverted  Outcome = "reverted"   // EVM only: by the contract
	OutOfGas  Outcome = "out_of_gas" // EVM only
	Failed    Outcome = "failed"     // for any other reason; for an EVM transaction, the status gives it
)

// Outcomes returns the outcomes in the order of their declaration.
func Outcomes() []Outcome { return []Outcome{Succeeded, Reverted, OutOfGas, Failed} }

// OutcomeCounts counts the transactions that did not succeed. They paid too.
type OutcomeCounts struct {
	EVMFailed      uint64 `json:"evm_failed"` // reverted, out of gas, or failed
	NativeFailed   uint64 `json:"native_failed"`
	OutcomeUnknown uint64 `json:"outcome_unknown"` // on both layers, not counted above
}

// CountOutcome counts a transaction of a layer.
func (c *OutcomeCounts) CountOutcome(layer Layer, outcome Outcome) {
	switch outcome {
	case Succeeded:
	case Reverted, OutOfGas, Failed:
		if layer == EVM {
			c.EVMFailed++
		} else {
			c.NativeFailed++
		}
	default:
		c.OutcomeUnknown++
	}
}

// AddOutcomes adds other counts.
func (c *OutcomeCounts) AddOutcomes(x OutcomeCounts) {
	c.EVMFailed += x.EVMFailed
	c.NativeFailed += x.NativeFailed
	c.OutcomeUnknown += x.OutcomeUnknown
}

// extrinsicOutcome returns the outcome of a transaction that succeeds or fails with its extrinsic.
func extrinsicOutcome(success bool) Outcome {
	if success {
		return Succeeded
	}
	return Failed
}

// evmOutcome returns the outcome of an EVM transaction whose extrinsic succeeded, from the reason why the EVM
// stopped. It is unknown if that cannot be decoded.
func evmOutcome(exit chain.Exit) (none chain.Optional[Outcome]) {
	switch {
	case exit.State == chain.ExitSucceed:
		return chain.Some(Succeeded)
	case exit.State == chain.ExitRevert:
		return chain.Some(Reverted)
	case exit.OutOfGas():
		return chain.Some(OutOfGas)
	case exit.State == chain.ExitError, exit.State == chain.ExitFatal:
		return chain.Some(Failed)
	}
	return none
}
