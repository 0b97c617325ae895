package evidence

import (
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// WeightProof is what proves the weight that a fee was charged for, where a runtime reclaims proof size from the weight that
// it states.
type WeightProof string

// The proofs of a weight, the strongest last. Each implies that the fee is exactly that of the formula.
const (
	WeightByFormula   WeightProof = "formula"    // the weight in the event gives the fee
	WeightByProofSize WeightProof = "proof_size" // with more proof, a whole number of bytes
	// WeightByQueryInfo: the weight that the node's runtime computes before the call, at the parent block, gives the fee, and
	// the node states the same fee. The node can only confirm the formula: without it nothing rests on its answer.
	WeightByQueryInfo WeightProof = "query_info"
)

// Words describes the proof.
func (w WeightProof) Words() string {
	switch w {
	case WeightByFormula:
		return "the formula, with the weight that the chain states"
	case WeightByProofSize:
		return "the formula, with a whole number of bytes of proof that the chain reclaimed"
	case WeightByQueryInfo:
		return "the formula, with the weight that the node's query_info states at the parent block"
	}
	return ""
}

// AsksQueryInfo returns the indexes of a block's transactions about which a node's runtime can be asked: the signed native
// ones, where the formula needs a weight that the events no longer have.
func AsksQueryInfo(b *chain.Block, r *fee.Report, rules *network.Rules) (indexes []int) {
	if native, known := rules.NativeFee.Get(); !known || !native.Reclaims {
		return nil
	}
	for i := range r.Transactions {
		if t := &r.Transactions[i]; t.Layer == fee.Native && t.Fee.Known() && b.Extrinsics[t.Index].Signed != nil {
			indexes = append(indexes, t.Index)
		}
	}
	return indexes
}

// AsksReceipts reports whether a block contains transactions with Ethereum receipts that the chain itself keeps.
func AsksReceipts(r *fee.Report, rules *network.Rules) bool {
	return rules.EVM == rule.Revive && slices.ContainsFunc(r.Transactions, func(t fee.Transaction) bool { return t.Layer == fee.EVM })
}

// queried compares a fee that follows from the formula with what the node's runtime states before the call. The chain charges
// at most that, and less if the call turned out lighter: then the answer proves nothing. It returns what contradicts the fee.
//
// Source: pallet transaction-payment, query_info; frame support, dispatch.rs, extract_actual_weight.
func (s *subject) queried(native rule.NativeFee, in rule.NativeInput, paid chain.Wei) error {
	info, asked := s.options.QueryInfos[s.t.Index]
	if !asked {
		return nil
	}
	before, err := native.Before(in, info.Weight)
	var most, stated chain.Wei
	if err == nil {
		most, err = native.Fee(before)
	}
	if err == nil {
		stated, err = info.PartialFee.Add(in.Tip)
	}
	switch {
	case err != nil:
		return fmt.Errorf("the node's query_info at the parent block: %w", err)
	case stated != most:
		return fmt.Errorf("the node's query_info at the parent block states a fee of %v wei with the tip, but %v follows from the weight that it states", stated, most)
	case paid.Cmp(most) > 0:
		return fmt.Errorf("the fee is %v wei, but at most %v according to the node's query_info at the parent block", paid, most)
	case paid == most:
		s.t.WeightProof = WeightByQueryInfo
	}
	return nil
}
