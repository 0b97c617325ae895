package sidecar

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/wire"
)

// The functions here read extrinsics and events in the very form in which the
// gateway writes them: these keys, in this order, without white space. They are
// there for speed alone. Where they return false they have read nothing, and what
// they could not take is read, or refused, by the functions of block.go.

func (d *blockDecoder) usualExtrinsic(x *chain.Extrinsic) bool {
	mark, events := d.Mark(), len(d.events)
	var signature, other wire.Value
	var hash string
	usual := d.textAfter(`{"method":{"pallet":`, &x.Pallet) &&
		d.textAfter(`,"method":`, &x.Call) &&
		d.valueAfter(`},"signature":`, &signature) &&
		d.valueAfter(`,"nonce":`, &x.Nonce) &&
		d.valueAfter(`,"args":`, &x.Args) &&
		d.valueAfter(`,"tip":`, &x.Tip) &&
		d.textAfter(`,"hash":`, &hash) &&
		d.valueAfter(`,"info":`, &other) &&
		d.valueAfter(`,"era":`, &other) &&
		d.eventsAfter(`,"events":`, &x.Events) &&
		d.valueAfter(`,"success":`, &other) &&
		d.valueAfter(`,"paysFee":`, &other) &&
		d.Literal(`}`)
	if usual {
		var err error
		x.Hash, err = chain.ParseHash(hash)
		usual = err == nil
	}
	if !usual {
		d.Back(mark)
		d.events = d.events[:events]
		return false
	}
	x.Signed, x.Signer = readSignature(signature)
	return true
}

func (d *blockDecoder) usualEvent(e *chain.Event) bool {
	mark := d.Mark()
	usual := d.textAfter(`{"method":{"pallet":`, &e.Pallet) &&
		d.textAfter(`,"method":`, &e.Name) &&
		d.valueAfter(`},"data":`, &e.Data) &&
		e.Data.Kind() == wire.Array &&
		d.Literal(`}`)
	if !usual {
		d.Back(mark)
	}
	return usual
}

func (d *blockDecoder) textAfter(literal string, text *string) bool {
	if !d.Literal(literal) || !d.IsString() {
		return false
	}
	*text = d.Text()
	return *text != ""
}

func (d *blockDecoder) valueAfter(literal string, v *wire.Value) bool {
	if !d.Literal(literal) {
		return false
	}
	*v = d.Value()
	return true
}

func (d *blockDecoder) eventsAfter(literal string, events *[]chain.Event) bool {
	if !d.Literal(literal) || !d.IsArray() {
		return false
	}
	var err error
	*events, err = d.eventList()
	return err == nil
}
