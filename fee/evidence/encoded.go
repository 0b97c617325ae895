package evidence

import (
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
	for i := range list {
		if hash, have := chain.Hash(blake2b.Sum256(list[i])), s.block.Extrinsics[i].Hash; hash != have {
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
	in, err := inputOf(t.x, uint64(len(list[t.Index])), multiplier.Value, tip)
	var want chain.Wei
	if err == nil {
		want, err = in.fee(native)
	}
	switch {
	case errors.Is(err, rule.ErrUnknownBaseWeight), errors.Is(err, errNoClass):
		s.skip(err.Error())
		return
	case err != nil:
		s.broken("%v", err)
		return
	case want == paid, native.LowerBound && paid.Cmp(want) > 0:
	case !native.Reclaims || paid.Cmp(want) < 0:
		s.broken("the fee is %v wei, but %v follows from its weight, length and multiplier", paid, want)
		return
	default:
		size, explained, err := in.proofSize(native, paid)
		if err != nil || !explained {
			s.broken("the fee is %v wei, which follows from its weight, length and multiplier with no whole number of bytes of proof", paid)
			return
		}
		t.ProofSize = size
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

// input are the inputs of the formula of a native fee.
type input struct {
	class      chain.DispatchClass
	weight     chain.Weight
	length     uint64
	multiplier chain.Multiplier
	tip        chain.Wei
}

func inputOf(x *chain.Extrinsic, length uint64, multiplier chain.Multiplier, tip chain.Wei) (in input, err error) {
	in = input{length: length, multiplier: multiplier, tip: tip}
	outcome, err := x.Outcome()
	if err != nil {
		return in, err
	}
	in.class, err = outcome.Class()
	if errors.Is(err, chain.ErrMissing) {
		return in, errNoClass
	}
	if err == nil {
		in.weight, err = outcome.Weight()
	}
	return in, err
}

func (in *input) fee(native rule.NativeFee) (chain.Wei, error) {
	return native.Fee(in.class, in.weight, in.length, in.multiplier, in.tip)
}

func (in *input) proofSize(native rule.NativeFee, paid chain.Wei) (chain.Optional[uint64], bool, error) {
	return native.ProofSize(paid, in.class, in.weight, in.length, in.multiplier, in.tip)
}
