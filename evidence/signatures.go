package evidence

import "github.com/feeledger/fees/evm"

// identity checks a part of who an EVM transaction is by its signature.
func identity(part Part) func(*subject) {
	return func(s *subject) {
		switch id := s.t.identity; {
		case !s.t.readable: // the fee is undetermined, and says why
		case id.whyNot != "":
			s.skip(id.whyNot)
		case id.err != nil:
			if part == HashPart {
				s.broken("%v", id.err)
			}
		default:
			for _, m := range id.wrong {
				if m.Part == part || m.Part == ContractPart && part == RecipientPart {
					s.broken("ethereum.Executed has %s, and the payload gives %s", m.Claimed, m.Recovered)
					return
				}
			}
			s.held()
		}
	}
}

// identified is what a signature proves beside ethereum.Executed.
type identified struct {
	whyNot string
	err    error
	wrong  []Mismatch
}

func (p *prover) identify(t *transaction) (id identified) {
	executed, err := evm.FindExecuted(t.x)
	if err != nil {
		id.whyNot = "there is no ethereum.Executed to compare with"
		return id
	}
	if !p.options.Signatures {
		id.whyNot = "signatures are not asked for"
		return id
	}
	own, err := Identify(t.x)
	if err != nil {
		id.err = err
		return id
	}
	id.wrong = own.Check(executed)
	return id
}
