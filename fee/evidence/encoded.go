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
	native, _ := s.rules.NativeFee.Get()
	list, encoded := s.options.Encoded.Get()
	multiplier, stored := s.proved.Multiplier.Get()
	paid, determined := t.Fee.Get()
	tip, knownTip := t.Tip.Get()
	switch {
	case !determined:
		return
	case !knownTip:
		s.skip("the tip is unknown")
		return
	case !encoded || t.Index >= len(list):
		s.skip(noNode)
		return
	case !stored || multiplier.At+1 != s.proved.Number:
		s.skip("the parent's multiplier is unknown")
		return
	case s.isWaived(t.x, paid == tip):
		s.skip("the fee was waived")
		return
	}
	want, err := formulaOf(native, t.x, uint64(len(list[t.Index])), multiplier.Value, tip)
	switch {
	case errors.Is(err, rule.ErrUnknownBaseWeight), errors.Is(err, errNoClass):
		s.skip(err.Error())
		return
	case err != nil:
		s.broken("%v", err)
		return
	case want != paid && !(native.LowerBound && paid.Cmp(want) > 0):
		s.broken("the fee is %v wei, but %v follows from its weight, length and multiplier", paid, want)
		return
	}
	s.held()
	if verdict, _ := t.Verdict.Get(); verdict == CashOnly && want == paid {
		t.Verdict = chain.Some(Match)
	}
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

func formulaOf(native rule.NativeFee, x *chain.Extrinsic, length uint64, multiplier chain.Multiplier, tip chain.Wei) (none chain.Wei, err error) {
	outcome, err := x.Outcome()
	if err != nil {
		return none, err
	}
	class, err := outcome.Class()
	if errors.Is(err, chain.ErrMissing) {
		return none, errNoClass
	}
	if err != nil {
		return none, err
	}
	weight, err := outcome.Weight()
	if err != nil {
		return none, err
	}
	return native.Fee(class, weight, length, multiplier, tip)
}
