package evidence

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
)

// identity checks who an EVM transaction is by its signature.
func (p *prover) identity(t *fee.Transaction, x *chain.Extrinsic) {
	parts := [...]struct {
		part  Part
		check check
	}{{HashPart, evmHash}, {SenderPart, evmSender}, {RecipientPart, evmRecipient}}
	executed, err := evm.FindExecuted(x)
	if !p.options.Signatures || err != nil {
		why := "signatures are not asked for"
		if err != nil {
			why = "there is no ethereum.Executed to compare with"
		}
		for _, part := range parts {
			p.skip(part.check, why)
		}
		return
	}
	id, err := Identify(x)
	if err != nil {
		p.broken(evmHash, t.Index, "%v", err)
		return
	}
	wrong := map[Part]Mismatch{}
	for _, m := range id.Check(executed) {
		if m.Part == ContractPart {
			m.Part = RecipientPart
		}
		wrong[m.Part] = m
	}
	for _, part := range parts {
		if m, ok := wrong[part.part]; ok {
			p.broken(part.check, t.Index, "ethereum.Executed has %s, and the payload gives %s", m.Claimed, m.Recovered)
		} else {
			p.held(part.check)
		}
	}
}
