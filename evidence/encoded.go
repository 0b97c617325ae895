package evidence

import (
	"errors"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
)

// encoded checks each extrinsic's hash, which is the BLAKE2b-256 of the extrinsic
// as it is encoded.
func (p *prover) encoded(b *chain.Block) {
	list, ok := p.options.Encoded.Get()
	switch {
	case !ok:
		p.skip(extrinsicHash, noNode)
		return
	case len(list) != len(b.Extrinsics):
		p.broken(extrinsicHash, wholeBlock, "the gateway has %d extrinsics, and the node %d", len(b.Extrinsics), len(list))
		return
	}
	for i := range list {
		if hash := chain.Hash(blake2b.Sum256(list[i])); hash != b.Extrinsics[i].Hash {
			p.broken(extrinsicHash, i, "the gateway has %v, and the node's extrinsic has %v", b.Extrinsics[i].Hash, hash)
		} else {
			p.held(extrinsicHash)
		}
	}
}

const noNode = "what is encoded is known to a node only: --node"

// formula compares a native fee with that of its weight and length, and tells
// whether it is the formula's.
func (p *prover) formula(t *fee.Transaction, x *chain.Extrinsic) (fits bool) {
	rule, known := p.rules.NativeFee.Get()
	list, encoded := p.options.Encoded.Get()
	multiplier, stored := p.report.Multiplier.Get()
	paid, determined := t.Fee.Get()
	tip, _ := t.Tip.Get()
	switch {
	case !determined:
		return false
	case !known:
		p.skip(nativeFormula, "the table does not say how the native fees of this runtime are made")
		return false
	case !encoded || t.Index >= len(list):
		p.skip(nativeFormula, noNode)
		return false
	case !stored || multiplier.At+1 != p.report.Number:
		p.skip(nativeFormula, "the multiplier of the parent is not known")
		return false
	case p.waived(x, paid == tip):
		p.skip(nativeFormula, "the fee was waived")
		return false
	}
	want, err := formulaOf(rule, x, uint64(len(list[t.Index])), multiplier.Value, tip)
	switch {
	case errors.Is(err, network.ErrUnknownBaseWeight), errors.Is(err, errNoClass):
		p.skip(nativeFormula, err.Error())
		return false
	case err != nil:
		p.broken(nativeFormula, t.Index, "%v", err)
		return false
	case want != paid && !(rule.LowerBound && paid.Cmp(want) > 0):
		p.broken(nativeFormula, t.Index, "the fee is %v wei, and %v follows from its weight, length and multiplier", paid, want)
		return false
	}
	p.held(nativeFormula)
	return want == paid
}

// waived tells whether the chain waived the fee: by its outcome, or, where that
// does not say what came of it, because nothing but a tip was paid.
func (p *prover) waived(x *chain.Extrinsic, tipAlone bool) bool {
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

func formulaOf(rule network.NativeFee, x *chain.Extrinsic, length uint64, multiplier chain.Multiplier, tip chain.Wei) (none chain.Wei, err error) {
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
	return rule.Fee(class, weight, length, multiplier, tip)
}
