package evidence

import (
	"bytes"
	"errors"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network/rule"
)

// encoded checks each extrinsic's hash, the BLAKE2b-256 of the encoded extrinsic.
func (s *subject) encoded() {
	list, ok := s.options.Encoded.Get()
	switch {
	case !ok:
		s.skip(noNode)
		return
	case len(list) != len(s.block.Extrinsics):
		s.broken("the gateway has %d extrinsics, but the node has %d", len(s.block.Extrinsics), len(list))
		return
	}
	for i, encoded := range list {
		var hash chain.Hash
		if from := s.block.Encoded; i < len(from) && bytes.Equal(from[i].Bytes, encoded) {
			hash = from[i].Hash
		} else {
			hash = blake2b.Sum256(encoded)
		}
		if have := s.block.Extrinsics[i].Hash; hash != have {
			s.brokenAt(i, "the gateway has %v, but the node's extrinsic has %v", have, hash)
		} else {
			s.held()
		}
	}
}

const noNode = "only a node has the encoded extrinsics (--node)"

// formula compares a native fee with the formula over its weight and length. The formula thereby proves a fee
// that is otherwise known only from cash movements.
func (s *subject) formula() {
	t := s.t
	paid, determined := t.Fee.Get()
	tip, knownTip := t.paidTip()
	if t.AssetFee != nil {
		paid, determined = t.AssetFee.Equivalent.Get()
	}
	switch whyNot := s.whyNoFormula(paid == tip); {
	case !determined:
		return
	case !knownTip:
		s.skip("the tip is unknown")
		return
	case whyNot != "":
		s.skip(whyNot)
		return
	}
	native, _ := s.rules.NativeFee.Get()
	list, _ := s.options.Encoded.Get()
	multiplier, _ := s.proved.Multiplier.Get()
	in := rule.NativeInput{Length: uint64(len(list[t.Index])), Multiplier: multiplier.Value, Tip: tip}
	var want chain.Wei
	err := readOutcome(t.x, &in)
	if err == nil {
		want, err = native.Fee(in)
	}
	size, explained := chain.Optional[uint64]{}, true
	switch {
	case errors.Is(err, rule.ErrUnknownBaseWeight), errors.Is(err, errNoClass):
		s.skip(err.Error())
		return
	case err != nil:
		s.broken("%v", err)
		return
	case want == paid, native.LowerBound && paid.Cmp(want) > 0:
	case native.Reclaims && paid.Cmp(want) > 0:
		if size, explained, err = native.ProofSize(paid, in); err != nil || !explained {
			s.broken("the fee is %v wei, which follows from its weight, length and multiplier with no whole number of bytes of proof", paid)
			return
		}
	default:
		s.broken("the fee is %v wei, but %v follows from its weight, length and multiplier", paid, want)
		return
	}
	if native.Reclaims {
		t.ProofSize, t.WeightProof = size, WeightByFormula
		if size.Known() {
			t.WeightProof = WeightByProofSize
		}
		if err := s.queried(native, in, paid); err != nil {
			t.ProofSize, t.WeightProof = chain.Optional[uint64]{}, ""
			s.broken("%v", err)
			return
		}
	}
	s.held()
	if verdict, _ := t.Verdict.Get(); verdict == CashOnly && want == paid {
		t.Verdict = chain.Some(Match)
	}
}

// whyNoFormula returns why the formula cannot be applied, or "".
func (s *subject) whyNoFormula(tipAlone bool) string {
	list, encoded := s.options.Encoded.Get()
	multiplier, stored := s.proved.Multiplier.Get()
	switch {
	case !encoded || s.t.Index >= len(list):
		return noNode
	case !stored || multiplier.At+1 != s.proved.Number:
		return "the parent's multiplier is unknown"
	case s.isWaived(s.t.x, tipAlone):
		return "the fee was waived"
	}
	return ""
}

// isWaived reports whether the chain waived the fee: according to the outcome or, if that contains only the
// declaration, because only a tip was paid.
func (p *prover) isWaived(x *chain.Extrinsic, tipAlone bool) bool {
	outcome, err := x.Outcome()
	if err != nil {
		return tipAlone
	}
	pays, err := outcome.PaysFee()
	if err != nil {
		return tipAlone
	}
	return !pays || p.rules.DeclaredPaysFee && tipAlone
}

// readOutcome adds the class and the weight that the chain states.
func readOutcome(x *chain.Extrinsic, in *rule.NativeInput) error {
	outcome, err := x.Outcome()
	if err != nil {
		return err
	}
	in.Class, err = outcome.Class()
	if errors.Is(err, chain.ErrMissing) {
		return errNoClass
	}
	if err == nil {
		in.Weight, err = outcome.Weight()
	}
	return err
}
