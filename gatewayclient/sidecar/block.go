package sidecar

import (
	"fmt"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/schema"
)

// DecodeBlock decodes a block as the gateway serves it. It verifies that the text is valid JSON to the last
// byte; unknown fields, pallets, calls and events are kept or skipped. The block shares the text's memory.
//
// Fields that identify the block and its parts are required: an error, of type *[DecodeError], names the
// field. A malformed argument or value of an event does not refuse the block: only the rules that need it fail.
func DecodeBlock(text string) (*chain.Block, error) {
	var b *chain.Block
	var numbered bool
	var err error
	badJSON := jsonscan.Scan(text, func(s *jsonscan.Scanner) {
		d := decoders.Get().(*blockDecoder)
		d.Scanner = s
		b, numbered, err = d.block()
		own(b)
		b.Reported, b.Size = jsonread.Reported(text), len(text)
		d.release()
	})
	if badJSON != nil {
		err = badJSON
	}
	if err != nil {
		if refused := Refusal(text); refused != nil {
			err = refused
		}
		what := "block"
		if numbered {
			what = fmt.Sprintf("block %d", b.Number)
		}
		return nil, &DecodeError{what, err}
	}
	return b, nil
}

// blockDecoder reads to the end even if a field is missing or malformed: invalid JSON after it is the more
// serious error. It collects extrinsics and events in buffers that it reuses for the next block, and copies
// each block's share out of them.
type blockDecoder struct {
	*jsonscan.Scanner
	list   []chain.Extrinsic
	events []chain.Event // of all lists of events
	values chain.Values  // of all events and calls
}

var decoders = sync.Pool{New: func() any { return new(blockDecoder) }}

// maxKept is the largest buffer, in extrinsics or events, with which a decoder is reused.
const maxKept = 4096

func (d *blockDecoder) release() {
	if cap(d.list) > maxKept || cap(d.events) > maxKept || cap(d.values) > 4*maxKept {
		return
	}
	clear(d.list) // release the text; nothing is beyond the length
	clear(d.events)
	clear(d.values)
	*d = blockDecoder{list: d.list[:0], events: d.events[:0], values: d.values[:0]}
	decoders.Put(d)
}

func (d *blockDecoder) block() (b *chain.Block, numbered bool, err error) {
	b = &chain.Block{}
	var fields firstError
	var hash, parent, extrinsics bool
	d.Object()
	for d.Member() {
		switch key := d.Key(); key {
		case "number":
			b.Number, err = jsonread.Uint64(d.Value())
			numbered = err == nil
			fields.at(key, err)
		case "hash":
			b.Hash, err = jsonread.Hash(d.Value())
			hash = true
			fields.at(key, err)
		case "parentHash":
			b.ParentHash, err = jsonread.Hash(d.Value())
			parent = true
			fields.at(key, err)
		case "finalized":
			b.Finalized, err = readFinalized(d.Value())
			fields.at(key, err)
		case "logs":
			b.Digest = chain.DecodedOf(d.digest())
		case "onInitialize":
			b.OnInitialize, err = d.hook()
			fields.at(key, err)
		case "onFinalize":
			b.OnFinalize, err = d.hook()
			fields.at(key, err)
		case "extrinsics":
			b.Extrinsics, err = d.extrinsics()
			extrinsics = true
			fields.at(key, err)
		default:
			d.Skip()
		}
	}
	fields.need("number", numbered)
	fields.need("hash", hash)
	fields.need("parentHash", parent)
	fields.need("extrinsics", extrinsics)
	return b, numbered, fields.err
}

func readFinalized(v jsonscan.Value) (chain.Optional[bool], error) {
	if v.Kind() == jsonscan.Null {
		return chain.Optional[bool]{}, nil
	}
	final, ok := v.Bool()
	if !ok {
		return chain.Optional[bool]{}, fmt.Errorf("want a bool, have %v", v.Kind())
	}
	return chain.Some(final), nil
}

// hook decodes {"events": [...]}, the events outside extrinsics.
func (d *blockDecoder) hook() (events []chain.Event, err error) {
	var fields firstError
	if !d.IsObject() {
		return nil, unwanted("an object", d.Value())
	}
	d.Object()
	for d.Member() {
		if d.Key() != "events" {
			d.Skip()
			continue
		}
		events, err = d.eventList()
		fields.at("events", err)
	}
	return events, fields.err
}

func (d *blockDecoder) extrinsics() ([]chain.Extrinsic, error) {
	if !d.IsArray() {
		return nil, unwanted("an array", d.Value())
	}
	var fields firstError
	d.Array()
	for d.Element() {
		if fields.err != nil { // stop collecting: the block is rejected anyway
			d.Skip()
			continue
		}
		d.list = append(d.list, chain.Extrinsic{Index: len(d.list)})
		x := &d.list[len(d.list)-1]
		fields.atIndex(x.Index, d.extrinsic(x))
	}
	list := make([]chain.Extrinsic, len(d.list))
	copy(list, d.list)
	return list, fields.err
}

// parts are the parts of an extrinsic that are decoded once its call is known.
type parts struct{ signature, nonce, tip, era, args jsonscan.Value }

func (d *blockDecoder) extrinsic(x *chain.Extrinsic) error {
	var p parts
	if !d.usualExtrinsic(x, &p) {
		p, x.Payload = parts{}, chain.Decoded[*chain.Payload]{}
		if err := d.otherExtrinsic(x, &p); err != nil {
			return err
		}
	}
	if !isNothing(p.signature) {
		x.Signed = &chain.Signed{
			Signer: readValue(readSigner(p.signature.Member("signer")), schema.Account),
			Nonce:  readValue(p.nonce, schema.Number),
			Tip:    readValue(p.tip, schema.Amount),
			Era:    readEra(p.era),
		}
	}
	switch {
	case p.args.Kind() == jsonscan.Absent:
	case isTransact(x):
		payload, err := readPayload(p.args)
		if formOnly(err) != nil {
			return err
		}
		x.Payload = chain.DecodedOf(payload, err)
	case x.Call == "ethTransact" && x.Pallet == "revive":
		encoded, err := inside("args.payload", p.args.Member("payload"), readInput)
		if err != nil {
			x.Payload = chain.DecodedOf[*chain.Payload](nil, err)
			break
		}
		x.Payload = ethtx.ReadPayload(encoded)
	}
	start := len(d.values)
	d.values = appendArguments(d.values, x.Pallet, x.Call, p.args)
	x.Args = d.values[start:]
	return nil
}

// isTransact reports whether the call is ethereum.transact.
func isTransact(x *chain.Extrinsic) bool { return x.Call == "transact" && x.Pallet == "ethereum" }

func (d *blockDecoder) otherExtrinsic(x *chain.Extrinsic, p *parts) (err error) {
	if !d.IsObject() {
		return unwanted("an object", d.Value())
	}
	var fields firstError
	var method, hash, signature, events bool
	d.Object()
	for d.Member() {
		switch key := d.Key(); key {
		case "method":
			x.Pallet, x.Call, err = d.method()
			method = true
			fields.at(key, err)
		case "signature":
			p.signature = d.Value()
			signature = true
		case "nonce":
			p.nonce = d.Value()
		case "tip":
			p.tip = d.Value()
		case "era":
			p.era = d.Value()
		case "args":
			p.args = d.Value()
		case "hash":
			x.Hash, err = jsonread.Hash(d.Value())
			hash = true
			fields.at(key, err)
		case "events":
			x.Events, err = d.eventList()
			events = true
			fields.at(key, err)
		default:
			d.Skip()
		}
	}
	fields.need("method", method)
	fields.need("signature", signature)
	fields.need("hash", hash)
	fields.need("events", events)
	return fields.err
}

func (d *blockDecoder) eventList() ([]chain.Event, error) {
	if !d.IsArray() {
		return nil, unwanted("an array", d.Value())
	}
	var fields firstError
	start := len(d.events)
	d.Array()
	for d.Element() {
		if fields.err != nil {
			d.Skip()
			continue
		}
		d.events = append(d.events, chain.Event{})
		fields.atIndex(len(d.events)-1-start, d.event(&d.events[len(d.events)-1]))
	}
	return d.events[start:], fields.err
}

// own copies the events and values of a block into slices that the block owns.
func own(b *chain.Block) {
	events, values := len(b.OnInitialize)+len(b.OnFinalize), 0
	count := func(list []chain.Event) {
		for i := range list {
			values += len(list[i].Data)
		}
	}
	count(b.OnInitialize)
	for i := range b.Extrinsics {
		events += len(b.Extrinsics[i].Events)
		values += len(b.Extrinsics[i].Args)
		count(b.Extrinsics[i].Events)
	}
	count(b.OnFinalize)
	all := owned{make([]chain.Event, 0, events), make(chain.Values, 0, values)}
	all.takeEvents(&b.OnInitialize)
	for i := range b.Extrinsics {
		all.takeValues(&b.Extrinsics[i].Args)
		all.takeEvents(&b.Extrinsics[i].Events)
	}
	all.takeEvents(&b.OnFinalize)
}

// owned are the slices of a block, each part of which is an event's or an extrinsic's.
type owned struct {
	events []chain.Event
	values chain.Values
}

func (o *owned) takeEvents(list *[]chain.Event) {
	start := len(o.events)
	o.events = append(o.events, *list...)
	*list = o.events[start:len(o.events):len(o.events)]
	for i := range *list {
		o.takeValues(&(*list)[i].Data)
	}
}

func (o *owned) takeValues(list *chain.Values) {
	if len(*list) == 0 {
		*list = nil
		return
	}
	start := len(o.values)
	o.values = append(o.values, *list...)
	*list = o.values[start:len(o.values):len(o.values)]
}

func (d *blockDecoder) event(e *chain.Event) (err error) {
	if d.usualEvent(e) {
		return nil
	}
	if !d.IsObject() {
		return unwanted("an object", d.Value())
	}
	var fields firstError
	var method, hasData bool
	var data jsonscan.Value
	d.Object()
	for d.Member() {
		switch key := d.Key(); key {
		case "method":
			e.Pallet, e.Name, err = d.method()
			method = true
			fields.at(key, err)
		case "data":
			if !d.IsArray() {
				err = unwanted("an array", d.Value())
			} else {
				data, err = d.Value(), nil
			}
			hasData = true
			fields.at(key, err)
		default:
			d.Skip()
		}
	}
	fields.need("method", method)
	fields.need("data", hasData)
	if fields.err == nil && data.Kind() == jsonscan.Array {
		s := data.Scanner()
		d.data(&s, e)
	}
	return fields.err
}

// method decodes {"pallet": …, "method": …}, the name of a call or an event.
func (d *blockDecoder) method() (pallet, name string, err error) {
	if !d.IsObject() {
		return "", "", unwanted("an object", d.Value())
	}
	var fields firstError
	d.Object()
	for d.Member() {
		switch key := d.Key(); {
		case key == "pallet" && d.IsString():
			pallet = d.Text()
		case key == "method" && d.IsString():
			name = d.Text()
		default:
			d.Skip()
		}
	}
	fields.need("pallet", pallet != "")
	fields.need("method", name != "")
	return pallet, name, fields.err
}
