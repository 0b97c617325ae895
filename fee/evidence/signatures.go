package evidence

import (
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
)

// identity checks a part of who an EVM transaction is by its signature.
func identity(part identityPart) func(*subject) {
	return func(s *subject) {
		switch id := s.t.identity; {
		case !s.t.readable: // the fee is undetermined, and says why
		case id.whyNot != "":
			s.skip(id.whyNot)
		case id.err != nil:
			if part == hashPart {
				s.broken("%v", id.err)
			}
		default:
			for _, m := range id.wrong {
				if m.Part == part || m.Part == contractPart && part == recipientPart {
					s.broken("ethereum.Executed has %s, and the payload gives %s", m.Claimed, m.Recovered)
					return
				}
			}
			s.held()
		}
	}
}

const notAsked = "signatures are not asked for"

// nativeSignature checks whose key signed a native extrinsic.
func (s *subject) nativeSignature() {
	list, known := s.options.NativeSigners.Get()
	from, signed := s.t.From.Get()
	switch {
	case !s.options.Signatures:
		s.skip(notAsked)
		return
	case !known:
		s.skip(noNode)
		return
	case !signed:
		s.skip("the signer is not known")
		return
	}
	i := slices.IndexFunc(list, func(n chain.NativeSigner) bool { return n.Extrinsic == s.t.Index })
	if i < 0 {
		s.broken("the node's extrinsic has no signature")
		return
	}
	switch signer, found := list[i].Signer.Get(); {
	case list[i].WhyNot != "":
		s.skip(list[i].WhyNot)
	case !found:
		s.broken("the signature is not one that a key makes, and %v is said to have signed", from)
	case signer != from:
		s.broken("%v signed by the signature, and %v is said to have signed", signer, from)
	default:
		s.held()
	}
}

// identified is what a signature proves beside ethereum.Executed.
type identified struct {
	whyNot string
	err    error
	wrong  []mismatch
}

func (p *prover) identify(t *transaction) (id identified) {
	executed, err := evm.FindExecuted(t.x)
	if err != nil {
		id.whyNot = "there is no ethereum.Executed to compare with"
		return id
	}
	if !p.options.Signatures {
		id.whyNot = notAsked
		return id
	}
	own, err := identify(t.x)
	if err != nil {
		id.err = err
		return id
	}
	id.wrong = own.Check(executed)
	return id
}
