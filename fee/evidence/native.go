package evidence

import (
	"errors"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/native"
	"github.com/feeledger/fees/network/rule"
)

func (s *subject) payer() {
	payer, paid := s.t.Payer.Get()
	from, signed := s.t.From.Get()
	switch {
	case !paid && (native.HasFeeEvent(s.t.x) || native.HasAssetFeeEvent(s.t.x)): // a fee was paid, but it is in no total
		s.broken("unknown payer: %v", s.t.Error.Err)
	case !paid: // the fee is undetermined, with a reason
	case !signed:
		s.skip("the signer is unknown")
	case from != payer:
		s.broken("%v paid, but %v signed", payer, from)
	default:
		s.held()
	}
}

func (s *subject) tip() {
	if !s.t.Payer.Known() {
		return // the fee is undetermined, with a reason
	}
	tip, _ := s.t.paidTip()
	if x := s.t.x; x.General || x.Signed == nil && !tip.IsZero() && s.rules.EVM != rule.Frontier { // a gateway need not distinguish general from bare ones
		s.skip("the extrinsic has no signature, and a tip in its extensions is not read")
		return
	}
	hidden := new(chain.UnreportedError)
	switch signed, err := native.ReadTip(s.t.x); {
	case errors.As(err, hidden):
		s.skip(err.Error())
	case err != nil:
		s.broken("%v", err)
	case signed != tip:
		s.broken("%v wei were paid, but %v signed", tip, signed)
	default:
		s.held()
	}
}

func (s *subject) waived() {
	outcome, err := s.t.x.Outcome()
	if err != nil || !s.t.Payer.Known() || s.t.AssetFee != nil {
		return
	}
	if pays, err := outcome.PaysFee(); err != nil || pays {
		return
	}
	tip, _ := s.t.Tip.Get()
	if fee, _ := s.t.Fee.Get(); fee != tip {
		s.broken("the fee was waived, but %v wei were paid besides the tip of %v", fee, tip)
	} else {
		s.held()
	}
}
