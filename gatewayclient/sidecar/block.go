package sidecar

import (
	"fmt"
	"slices"
	"strings"
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
		b.Reported, b.Size = jsonread.Reported(text), len(text)
		d.Scanner = nil
		decoders.Put(d)
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
// serious error. Its lists have room for those of several blocks.
type blockDecoder struct {
	*jsonscan.Scanner
	extrinsics []chain.Extrinsic
	events     []chain.Event
	values     chain.Values
	payloads   []chain.Payload

	methods jsonscan.Recent[*method]
}

// method is the name of a call or an event.
type method struct {
	pallet, name string
	event        *schema.Event // its description, if it is an event
}

var decoders = sync.Pool{New: func() any { return new(blockDecoder) }}

// room returns the unused end of a list, which has room for a few elements, or a new one with room for many.
func room[T any](list []T, few, many int) []T {
	if list = list[len(list):]; cap(list) < few || cap(list) > many {
		return make([]T, 0, many)
	}
	return list
}

// share returns the values of an event or a call, nil if there are none.
func share(list chain.Values) chain.Values {
	if len(list) == 0 {
		return nil
	}
	return slices.Clip(list)
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
			b.Extrinsics, err = d.extrinsicList()
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

func (d *blockDecoder) extrinsicList() ([]chain.Extrinsic, error) {
	if !d.IsArray() {
		return nil, unwanted("an array", d.Value())
	}
	var fields firstError
	list := room(d.extrinsics, 8, 64)
	d.Array()
	for d.Element() {
		if fields.err != nil { // stop collecting: the block is rejected anyway
			d.Skip()
			continue
		}
		list = slices.Grow(list, 1)[:len(list)+1]
		x := &list[len(list)-1]
		x.Index = len(list) - 1
		fields.atIndex(x.Index, d.extrinsic(x))
	}
	d.extrinsics = list
	return slices.Clip(list), fields.err
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
	d.values = appendArguments(room(d.values, 16, 512), x.Pallet, x.Call, p.args)
	x.Args = share(d.values)
	return nil
}

// isTransact reports whether the call is ethereum.transact.
func isTransact(x *chain.Extrinsic) bool { return x.Call == "transact" && x.Pallet == "ethereum" }

func (d *blockDecoder) otherExtrinsic(x *chain.Extrinsic, p *parts) (err error) {
	if !d.IsObject() {
		return unwanted("an object", d.Value())
	}
	var fields firstError
	var named, hash, signature, events bool
	d.Object()
	for d.Member() {
		switch key := d.Key(); key {
		case "method":
			err = d.call(x)
			named = true
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
	fields.need("method", named)
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
	list := room(d.events, 16, 256)
	d.Array()
	for d.Element() {
		if fields.err != nil {
			d.Skip()
			continue
		}
		list = slices.Grow(list, 1)[:len(list)+1]
		fields.atIndex(len(list)-1, d.event(&list[len(list)-1]))
	}
	d.events = list
	return slices.Clip(list), fields.err
}

func (d *blockDecoder) event(e *chain.Event) (err error) {
	if d.usualEvent(e) {
		return nil
	}
	if !d.IsObject() {
		return unwanted("an object", d.Value())
	}
	var fields firstError
	var named, hasData bool
	var m *method
	var data jsonscan.Value
	d.Object()
	for d.Member() {
		switch key := d.Key(); key {
		case "method":
			m, err = d.method()
			named = true
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
	fields.need("method", named)
	fields.need("data", hasData)
	if fields.err == nil && data.Kind() == jsonscan.Array {
		s := data.Scanner()
		d.data(&s, e, m)
	}
	return fields.err
}

// call decodes the name of a call.
func (d *blockDecoder) call(x *chain.Extrinsic) error {
	m, err := d.method()
	if err == nil {
		x.Pallet, x.Call = m.pallet, m.name
	}
	return err
}

// method decodes {"pallet": …, "method": …}, the name of a call or an event.
func (d *blockDecoder) method() (*method, error) {
	if m, known := d.methods.Next(d.Scanner); known {
		return m, nil
	}
	if !d.IsObject() {
		return nil, unwanted("an object", d.Value())
	}
	mark := d.Mark()
	m := new(method)
	var fields firstError
	d.Object()
	for d.Member() {
		switch key := d.Key(); {
		case key == "pallet" && d.IsString():
			m.pallet = strings.Clone(d.Text())
		case key == "method" && d.IsString():
			m.name = strings.Clone(d.Text())
		default:
			d.Skip()
		}
	}
	fields.need("pallet", m.pallet != "")
	fields.need("method", m.name != "")
	if fields.err != nil {
		return nil, fields.err
	}
	m.event = schema.Of(m.pallet, m.name)
	d.methods.Keep(d.Scanner, mark, m)
	return m, nil
}
