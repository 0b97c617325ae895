package fee

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
)

// Outcome is what came of a transaction. It is not the extrinsic's own success: an
// EVM transaction that was reverted is a successful extrinsic, which charged for it.
type Outcome string

// The outcomes. A call that failed inside of a native call that itself did not, as in
// utility.batch or proxy.proxy, does not make the transaction fail.
const (
	Succeeded Outcome = "succeeded"
	Reverted  Outcome = "reverted"   // EVM only: by the contract
	OutOfGas  Outcome = "out_of_gas" // EVM only
	Failed    Outcome = "failed"     // in any other way; of an EVM transaction, the status says in which
)

// Outcomes lists the outcomes in the order of their declaration.
func Outcomes() []Outcome { return []Outcome{Succeeded, Reverted, OutOfGas, Failed} }

// OutcomeCounts count the transactions that did not succeed. They paid too.
type OutcomeCounts struct {
	EVMFailed      uint64 `json:"evm_failed"` // reverted, out of gas, or failed
	NativeFailed   uint64 `json:"native_failed"`
	OutcomeUnknown uint64 `json:"outcome_unknown"` // of both layers, in neither of the two
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

// extrinsicOutcome is that of a transaction which does what its extrinsic does.
func extrinsicOutcome(success bool) Outcome {
	if success {
		return Succeeded
	}
	return Failed
}

// evmOutcome is that of an EVM transaction whose extrinsic succeeded, by how the EVM
// stopped. Not known where that cannot be read.
func evmOutcome(exit evm.Exit) (none chain.Optional[Outcome]) {
	switch {
	case exit.State == evm.Succeed:
		return chain.Some(Succeeded)
	case exit.State == evm.Revert:
		return chain.Some(Reverted)
	case exit.OutOfGas():
		return chain.Some(OutOfGas)
	case exit.State == evm.Error, exit.State == evm.Fatal:
		return chain.Some(Failed)
	}
	return none
}
