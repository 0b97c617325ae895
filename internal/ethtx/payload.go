package ethtx

import (
	"fmt"

	"github.com/feeledger/fees/chain"
)

// ReadPayload parses the argument of revive.ethTransact: a signed transaction in its wire encoding. An error names the
// argument.
func ReadPayload(raw []byte) chain.Decoded[*chain.Payload] {
	p, err := parsePayload(raw)
	if err != nil {
		err = fmt.Errorf("args.payload: %w", err)
	}
	return chain.DecodedOf(p, err)
}

func parsePayload(raw []byte) (*chain.Payload, error) {
	t, err := Parse(raw)
	if err != nil {
		return nil, err
	}
	p := &chain.Payload{
		Type: t.Type, Nonce: t.Nonce, LegacyGasPrice: t.GasPrice, MaxFeePerGas: t.MaxFeePerGas, MaxPriorityFeePerGas: t.MaxPriorityFeePerGas,
		GasLimit: t.GasLimit, Value: t.Value,
		Input: chain.DecodedOf(t.Input, nil), AccessList: chain.DecodedOf(t.AccessList, nil),
	}
	to, call := t.To.Get()
	p.Action = chain.DecodedOf(chain.Action{Create: !call, To: to}, nil)
	signature, _ := t.Signature.Get()
	p.Signature = chain.DecodedOf(signature, nil)
	if t.Type != chain.Legacy {
		p.ChainID = chain.DecodedOf(t.ChainID, nil)
	}
	if t.Type == chain.EIP7702 {
		p.Authorizations = chain.DecodedOf(t.Authorizations, nil)
	}
	return p, nil
}
