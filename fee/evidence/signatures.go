package evidence

import (
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
)

// identity returns a check of one part of an EVM transaction's identity against its signature.
func identity(part identityPart) func(*subject) {
	return func(s *subject) {
		switch id := s.t.identity; {
		case !s.t.readable: // the fee is undetermined, with a reason
		case id.whyNot != "":
			s.skip(id.whyNot)
		case id.err != nil:
			if part == hashPart {
				s.broken("%v", id.err)
			}
		default:
			for _, m := range id.wrong {
				if m.Part == part || m.Part == contractPart && part == recipientPart {
					s.broken("ethereum.Executed has %s, but the payload gives %s", m.Claimed, m.Recovered)
					return
				}
			}
			s.held()
		}
	}
}

const notAsked = "signature checks were not requested"

// nativeSignature checks the signer of a native extrinsic.
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
		s.skip("the signer is unknown")
		return
	}
	i := slices.IndexFunc(list, func(n chain.NativeSigner) bool { return n.Extrinsic == s.t.Index })
	if i < 0 {
		s.broken("the node's extrinsic does not have a signature")
		return
	}
	switch signer, found := list[i].Signer.Get(); {
	case list[i].WhyNot != "":
		s.skip(list[i].WhyNot)
	case !found:
		s.broken("no key produces this signature, but the gateway reports %v as the signer", from)
	case signer != from:
		s.broken("the signature is from %v, but the gateway reports %v as the signer", signer, from)
	default:
		s.held()
	}
}

// identified is the result of comparing a signature with ethereum.Executed.
type identified struct {
	whyNot string
	err    error
	wrong  []mismatch
}

func (p *prover) identify(t *transaction) (id identified) {
	executed, err := evm.FindExecuted(t.x)
	if err != nil {
		id.whyNot = "the event ethereum.Executed is missing"
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
