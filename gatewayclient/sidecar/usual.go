package sidecar

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// The functions here decode extrinsics, events and Ethereum transactions in the exact form that the gateway writes: these keys,
// in this order, without white space. They exist only for speed. If they return false, the functions of block.go decode or reject
// the text: usualExtrinsic, usualEvent and transact then go back to where they began.

func (d *blockDecoder) usualExtrinsic(x *chain.Extrinsic, p *parts) bool {
	mark := d.Mark()
	var other jsonscan.Value
	usual := d.Literal(`{"method":`, 1) && d.call(x) == nil &&
		(d.Literal(`,"signature":null,"nonce":null,"args":`, 0) ||
			d.Literal(`,"signature":`, 0) && d.value(&p.signature) &&
				d.Literal(`,"nonce":`, 0) && d.value(&p.nonce) &&
				d.Literal(`,"args":`, 0)) && (isTransact(x) && d.IsObject() && d.transact(x) || d.value(&p.args)) &&
		(d.Literal(`,"tip":null,"hash":`, 0) ||
			d.Literal(`,"tip":`, 0) && d.value(&p.tip) && d.Literal(`,"hash":`, 0)) && d.hash(&x.Hash) &&
		(d.Literal(`,"info":{},"era":{"immortalEra":"0x00"},"events":`, 0) ||
			d.Literal(`,"info":`, 0) && d.value(&other) &&
				d.Literal(`,"era":`, 0) && d.value(&p.era) &&
				d.Literal(`,"events":`, 0)) && d.eventsOf(x) &&
		(d.Literal(`,"success":true,"paysFee":false}`, -1) ||
			d.Literal(`,"success":`, 0) && d.value(&other) &&
				d.Literal(`,"paysFee":`, 0) && d.value(&other) &&
				d.Literal(`}`, -1))
	if !usual {
		d.Back(mark)
	}
	return usual
}

func (d *blockDecoder) usualEvent(e *chain.Event) bool {
	mark := d.Mark()
	usual := d.Literal(`{"method":`, 1)
	if usual {
		m, err := d.method()
		if usual = err == nil && d.Literal(`,"data":`, 0) && d.IsArray(); usual {
			d.data(d.Scanner, e, m)
			usual = d.Literal(`}`, -1)
		}
	}
	if !usual {
		d.Back(mark)
	}
	return usual
}

// usualEnd is the end of the data of a system.ExtrinsicSuccess, after its weight.
type usualEnd struct {
	text string
	of   chain.Value // what it means, with a weight of zero
}

// The frequent ends come first. The path is that of the ref time.
func usualEnds(path string) [4]usualEnd {
	end := func(class chain.DispatchClass, word string, pays bool) usualEnd {
		return usualEnd{`,"class":"` + string(class) + `","paysFee":"` + word + `"}]`, chain.DispatchValue(chain.Weight{}, chain.DispatchInfo{
			Class: chain.DecodedOf(class, nil), PaysFee: chain.DecodedOf(pays, nil), RefTime: path,
		})}
	}
	return [...]usualEnd{
		end(chain.Mandatory, "No", false), end(chain.Normal, "No", false), end(chain.Normal, "Yes", true), end(chain.Mandatory, "Yes", true),
	}
}

var endsOfOne, endsOfTwo = usualEnds("weight"), usualEnds("weight.refTime")

// usualDispatch decodes the data of a system.ExtrinsicSuccess, whose weight has one or two dimensions.
func usualDispatch(s *jsonscan.Scanner) (chain.Value, bool) {
	mark := s.Mark()
	var time, proof uint64
	ends, ok := &endsOfTwo, s.Literal(`[{"weight":{"refTime":`, 3)
	if ok {
		if time, ok = s.Decimal(); ok && s.Literal(`,"proofSize":`, 0) {
			proof, ok = s.Decimal()
		}
		ok = ok && s.Literal(`}`, -1)
	} else if ok = s.Literal(`[{"weight":`, 2); ok {
		ends = &endsOfOne
		time, ok = s.Decimal()
	}
	for i := range ends {
		if ok && s.Literal(ends[i].text, -2) {
			return ends[i].of.WithWeight(chain.Weight{RefTime: chain.NewRefTime(time), ProofSize: proof}), true
		}
	}
	s.Back(mark)
	return chain.Value{}, false
}

// usualExits are frequent exits, and what they mean.
var usualExits = [...]struct {
	text string
	of   chain.Value
}{
	{`{"succeed":"Stopped"}`, chain.ExitValue(chain.Exit{State: chain.ExitSucceed, Reason: "Stopped"})},
	{`{"succeed":"Returned"}`, chain.ExitValue(chain.Exit{State: chain.ExitSucceed, Reason: "Returned"})},
	{`{"revert":"Reverted"}`, chain.ExitValue(chain.Exit{State: chain.ExitRevert, Reason: "Reverted"})},
}

// transact decodes the arguments of ethereum.transact. If false, it has consumed nothing.
func (d *blockDecoder) transact(x *chain.Extrinsic) bool {
	mark := d.Mark()
	p := d.payload()
	if p == nil {
		d.Back(mark)
		return false
	}
	x.Payload = chain.DecodedOf(p, nil)
	return true
}

// payload decodes a typed transaction. If nil, it may have consumed a part.
func (d *blockDecoder) payload() *chain.Payload {
	d.payloads = append(room(d.payloads, 1, 16), chain.Payload{})
	p := &d.payloads[0]
	switch {
	case d.Literal(`{"transaction":{"eip1559":{"chainId":`, 3):
		p.Type = chain.EIP1559
	case d.Literal(`{"transaction":{"eip2930":{"chainId":`, 3):
		p.Type = chain.EIP2930
	case d.Literal(`{"transaction":{"legacy":{"nonce":`, 3):
		p.Type = chain.Legacy
	default:
		return nil
	}
	var chainID, nonce, price, priority, limit uint64
	var action chain.Action
	var signature chain.Signature
	legacy, dynamic := p.Type == chain.Legacy, p.Type.DynamicFee()
	usual := (legacy || d.number(&chainID) && d.Literal(`,"nonce":`, 0)) && d.number(&nonce) &&
		(!dynamic && d.Literal(`,"gasPrice":`, 0) ||
			dynamic && d.Literal(`,"maxPriorityFeePerGas":`, 0) && d.number(&priority) && d.Literal(`,"maxFeePerGas":`, 0)) && d.number(&price) &&
		d.Literal(`,"gasLimit":`, 0) && d.number(&limit) &&
		(d.Literal(`,"action":{"call":`, 1) && d.address(&action.To) && d.Literal(`},"value":`, -1) || d.creates(&action)) && d.amount(&p.Value) &&
		d.Literal(`,"input":`, 0) && d.IsString()
	if !usual {
		return nil
	}
	input, err := chain.ReadBytes(d.Text())
	if err != nil {
		return nil
	}
	p.AccessList = chain.DecodedOf[[]chain.AccessEntry](nil, nil)
	if legacy {
		usual = d.Literal(`,"signature":{"v":`, 1) && d.number(&signature.V)
	} else if usual = d.Literal(`,"accessList":[]`, 0); !usual && d.Literal(`,"accessList":`, 0) {
		p.AccessList = chain.DecodedOf(inside("accessList", d.Value(), readAccessList))
		usual = true
	}
	if usual && !legacy && !d.Literal(`,"oddYParity":false`, 0) {
		usual = d.Literal(`,"oddYParity":true`, 0)
		signature.V = 1
	}
	usual = usual && d.Literal(`,"r":`, 0) && d.hash(&signature.R) && d.Literal(`,"s":`, 0) && d.hash(&signature.S) &&
		(legacy && d.Literal(`}}}}`, -4) || !legacy && d.Literal(`}}}`, -3))
	if !usual {
		return nil
	}
	p.Nonce, p.GasLimit = chain.NewNonce(nonce), chain.NewGas(limit)
	if dynamic {
		p.MaxFeePerGas, p.MaxPriorityFeePerGas = chain.NewGasPrice(price), chain.NewGasPrice(priority)
	} else {
		p.LegacyGasPrice = chain.NewGasPrice(price)
	}
	if !legacy {
		p.ChainID = chain.DecodedOf(chainID, nil)
	}
	p.Action, p.Input, p.Signature = chain.DecodedOf(action, nil), chain.DecodedOf(input, nil), chain.DecodedOf(signature, nil)
	return p
}

func (d *blockDecoder) creates(a *chain.Action) bool {
	a.Create = d.Literal(`,"action":{"create":null},"value":`, 0)
	return a.Create
}

func (d *blockDecoder) number(n *uint64) (usual bool) {
	*n, usual = d.Decimal()
	return usual
}

func (d *blockDecoder) amount(w *chain.Wei) bool {
	var err error
	*w, err = next(d.Scanner, false, chain.NewWei, jsonread.Wei)
	return err == nil
}

func (d *blockDecoder) address(a *chain.Address) bool {
	text, ok := d.Sized(usualAddress)
	if !ok {
		return false
	}
	var err error
	if *a, err = chain.ReadAddress(text); err == nil {
		d.Pass(text)
	}
	return err == nil
}

func (d *blockDecoder) hash(hash *chain.Hash) (usual bool) {
	*hash, usual = usualHash(d.Scanner)
	return usual
}

// usualHash decodes a hash.
func usualHash(s *jsonscan.Scanner) (hash chain.Hash, usual bool) {
	text, ok := s.Sized(usualHashSize)
	if !ok {
		return hash, false
	}
	hash, err := chain.ParseHash(text)
	if err == nil {
		s.Pass(text)
	}
	return hash, err == nil
}

func (d *blockDecoder) value(v *jsonscan.Value) bool {
	*v = d.Value()
	return true
}

func (d *blockDecoder) eventsOf(x *chain.Extrinsic) bool {
	if !d.IsArray() {
		return false
	}
	var err error
	x.Events, err = d.eventList()
	return err == nil
}
