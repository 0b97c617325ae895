package sidecar

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// The functions here decode extrinsics and events in the exact form that the gateway writes: these keys, in
// this order, without white space. They exist only for speed. If they return false they have consumed nothing,
// and the functions of block.go decode or reject the text.

func (d *blockDecoder) usualExtrinsic(x *chain.Extrinsic, p *parts) bool {
	mark, events, values := d.Mark(), len(d.events), len(d.values)
	var other jsonscan.Value
	usual := d.Literal(`{"method":`, 1) && d.call(x) == nil &&
		(d.Literal(`,"signature":null,"nonce":null,"args":`, 0) ||
			d.Literal(`,"signature":`, 0) && d.value(&p.signature) &&
				d.Literal(`,"nonce":`, 0) && d.value(&p.nonce) &&
				d.Literal(`,"args":`, 0)) && (isTransact(x) && d.IsObject() && d.transact(x) || d.value(&p.args)) &&
		d.Literal(`,"tip":`, 0) && d.value(&p.tip) &&
		d.Literal(`,"hash":`, 0) && d.hash(&x.Hash) &&
		(d.Literal(`,"info":{},"era":{"immortalEra":"0x00"},"events":`, 0) ||
			d.Literal(`,"info":`, 0) && d.value(&other) &&
				d.Literal(`,"era":`, 0) && d.value(&p.era) &&
				d.Literal(`,"events":`, 0)) && d.eventsOf(x) &&
		d.Literal(`,"success":`, 0) && d.value(&other) &&
		d.Literal(`,"paysFee":`, 0) && d.value(&other) &&
		d.Literal(`}`, -1)
	if !usual {
		d.Back(mark)
		d.events, d.values = d.events[:events], d.values[:values]
	}
	return usual
}

func (d *blockDecoder) usualEvent(e *chain.Event) bool {
	mark, values := d.Mark(), len(d.values)
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
		d.values = d.values[:values]
	}
	return usual
}

// usualEnds are the ends of the data of a system.ExtrinsicSuccess, the frequent ones first, and what they mean.
var usualEnds = [...]struct {
	text  string
	class chain.DispatchClass
	pays  bool
}{
	{`,"class":"Mandatory","paysFee":"No"}]`, chain.Mandatory, false},
	{`,"class":"Normal","paysFee":"No"}]`, chain.Normal, false},
	{`,"class":"Normal","paysFee":"Yes"}]`, chain.Normal, true},
	{`,"class":"Mandatory","paysFee":"Yes"}]`, chain.Mandatory, true},
}

// usualDispatch decodes the data of a system.ExtrinsicSuccess.
func usualDispatch(s *jsonscan.Scanner) (chain.Value, bool) {
	mark := s.Mark()
	if weight, path := usualWeight(s); path != "" {
		for i := range usualEnds {
			if end := &usualEnds[i]; s.Literal(end.text, -2) {
				return chain.DispatchValue(weight, chain.DispatchInfo{
					Class: chain.DecodedOf(end.class, nil), PaysFee: chain.DecodedOf(end.pays, nil), RefTime: path,
				}), true
			}
		}
	}
	s.Back(mark)
	return chain.Value{}, false
}

// usualWeight decodes a weight at the start of the data, and returns the path of its ref time, or "".
func usualWeight(s *jsonscan.Scanner) (w chain.Weight, path string) {
	path = "weight"
	both := s.Literal(`[{"weight":{"refTime":`, 3)
	if both {
		path = "weight.refTime"
	} else if !s.Literal(`[{"weight":`, 2) {
		return w, ""
	}
	time, ok := s.Decimal()
	w.RefTime = chain.NewRefTime(time)
	if ok && both {
		if ok = s.Literal(`,"proofSize":`, 0); ok {
			w.ProofSize, ok = s.Decimal()
		}
		ok = ok && s.Literal(`}`, -1)
	}
	if !ok {
		return w, ""
	}
	return w, path
}

// transact decodes the arguments of ethereum.transact in one pass. If false, it has consumed nothing.
func (d *blockDecoder) transact(x *chain.Extrinsic) bool {
	mark := d.Mark()
	d.Object()
	if d.Member() && d.Key() == "transaction" {
		if payload, typed := readTyped(d.Scanner); typed && !d.Member() {
			x.Payload = chain.DecodedOf(payload, nil)
			return true
		}
	}
	d.Back(mark)
	return false
}

func (d *blockDecoder) hash(hash *chain.Hash) (usual bool) {
	*hash, usual = usualHash(d.Scanner)
	return usual
}

// usualHash decodes a hash.
func usualHash(s *jsonscan.Scanner) (hash chain.Hash, usual bool) {
	mark := s.Mark()
	text, ok := s.Sized(2 + 2*len(hash))
	if !ok {
		return hash, false
	}
	hash, err := chain.ParseHash(text)
	if err != nil {
		s.Back(mark)
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
