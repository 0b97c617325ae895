package sidecar

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// The functions here decode extrinsics and events in the exact form that the gateway writes: these keys, in
// this order, without white space. They exist only for speed. If they return false they have consumed nothing,
// and the functions of block.go decode or reject the text.

func (d *blockDecoder) usualExtrinsic(x *chain.Extrinsic) bool {
	mark, events := d.Mark(), len(d.events)
	var signature, other chain.Value
	var hash string
	usual := d.Literal(`{"method":{"pallet":`, 2) && d.text(&x.Pallet) &&
		d.Literal(`,"method":`, 0) && d.text(&x.Call) &&
		d.Literal(`},"signature":`, -1) && d.value(&signature) &&
		d.Literal(`,"nonce":`, 0) && d.value(&x.Nonce) &&
		d.Literal(`,"args":`, 0) && d.value(&x.Args) &&
		d.Literal(`,"tip":`, 0) && d.value(&x.Tip) &&
		d.Literal(`,"hash":`, 0) && d.text(&hash) &&
		d.Literal(`,"info":`, 0) && d.value(&other) &&
		d.Literal(`,"era":`, 0) && d.value(&x.Era) &&
		d.Literal(`,"events":`, 0) && d.eventsOf(x) &&
		d.Literal(`,"success":`, 0) && d.value(&other) &&
		d.Literal(`,"paysFee":`, 0) && d.value(&other) &&
		d.Literal(`}`, -1)
	if usual {
		var err error
		x.Hash, err = chain.ParseHash(hash)
		usual = err == nil
	}
	if !usual {
		d.Back(mark)
		clear(d.events[events:])
		d.events = d.events[:events]
		return false
	}
	x.Signed, x.Signer = readSignature(signature)
	return true
}

func (d *blockDecoder) usualEvent(e *chain.Event) bool {
	mark := d.Mark()
	usual := d.Literal(`{"method":{"pallet":`, 2) && d.text(&e.Pallet) &&
		d.Literal(`,"method":`, 0) && d.text(&e.Name) &&
		d.Literal(`},"data":`, -1) && d.value(&e.Data) &&
		e.Data.Kind() == jsonscan.Array &&
		d.Literal(`}`, -1)
	if !usual {
		d.Back(mark)
	}
	return usual
}

func (d *blockDecoder) text(text *string) bool {
	if !d.IsString() {
		return false
	}
	*text = d.Text()
	return *text != ""
}

func (d *blockDecoder) value(v *chain.Value) bool {
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
