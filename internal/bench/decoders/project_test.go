package decoders

import (
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

// project is this project's own reader, which copies the body to a string.
type project struct {
	block    *chain.Block
	payloads []*chain.Payload
}

func newProject() decoder { return &project{} }

func (p *project) decode(body []byte) (err error) {
	p.payloads = p.payloads[:0]
	if p.block, err = sidecar.DecodeBlock(string(body)); err != nil {
		return err
	}
	for i := range p.block.Extrinsics {
		if x := &p.block.Extrinsics[i]; x.Pallet == "ethereum" && x.Call == "transact" {
			payload, err := x.Ethereum()
			if err != nil {
				return err
			}
			p.payloads = append(p.payloads, payload)
		}
	}
	return nil
}

func (p *project) decoded() block[string] {
	b := block[string]{Number: strconv.FormatUint(p.block.Number, 10), Hash: p.block.Hash.String(), ParentHash: p.block.ParentHash.String()}
	payloads := p.payloads
	for i, x := range p.block.Extrinsics {
		outcome, _ := x.Outcome()
		d := extrinsic[string]{Method: name{x.Pallet, x.Call}, Hash: x.Hash.String(), Success: outcome.Success}
		if x.Signed != nil {
			d.Signature = signed
		}
		if d.Method.isTransact() {
			d.Transaction = transactionOf(payloads[0])
			payloads = payloads[1:]
		}
		for k, e := range x.Events {
			data, err := p.block.EventData(chain.EventList(i), k)
			if err != nil {
				panic(err) // the block was decoded from text
			}
			d.Events = append(d.Events, event[string]{name{e.Pallet, e.Name}, data})
		}
		b.Extrinsics = append(b.Extrinsics, d)
	}
	return b
}

func transactionOf(p *chain.Payload) *transaction {
	t := &transaction{Type: string(p.Type)}
	t.Nonce, t.GasLimit, t.Value = p.Nonce.String(), p.GasLimit.String(), p.Value.String()
	if p.Type == chain.EIP1559 {
		t.MaxFeePerGas, t.MaxPriorityFeePerGas = p.MaxFeePerGas.String(), p.MaxPriorityFeePerGas.String()
	} else {
		t.GasPrice = p.LegacyGasPrice.String()
	}
	return t
}
