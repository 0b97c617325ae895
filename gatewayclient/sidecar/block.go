package sidecar

import (
	"fmt"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// DecodeBlock decodes a block as the gateway serves it. It verifies that the text is valid JSON to the last
// byte; unknown fields, pallets, calls and events are kept or skipped. The block shares the text's memory.
//
// Fields that identify the block and its parts are required: an error, of type *[DecodeError], names the
// field. Arguments and event data are left to the rules that need them.
func DecodeBlock(text string) (*chain.Block, error) {
	var b *chain.Block
	var numbered bool
	var err error
	badJSON := jsonscan.Scan(text, func(s *jsonscan.Scanner) {
		d := decoders.Get().(*blockDecoder)
		d.Scanner = s
		b, numbered, err = d.block()
		moveEvents(b)
		b.Size = len(text)
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
}

var decoders = sync.Pool{New: func() any { return new(blockDecoder) }}

// maxKept is the largest buffer, in extrinsics or events, with which a decoder is reused.
const maxKept = 4096

func (d *blockDecoder) release() {
	if cap(d.list) > maxKept || cap(d.events) > maxKept {
		return
	}
	clear(d.list) // release the text; nothing is beyond the length
	clear(d.events)
	*d = blockDecoder{list: d.list[:0], events: d.events[:0]}
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
			b.Number, err = chain.ReadUint64(d.Value())
			numbered = err == nil
			fields.at(key, err)
		case "hash":
			b.Hash, err = chain.Read[chain.Hash](d.Value())
			hash = true
			fields.at(key, err)
		case "parentHash":
			b.ParentHash, err = chain.Read[chain.Hash](d.Value())
			parent = true
			fields.at(key, err)
		case "finalized":
			b.Finalized, err = readFinalized(d.Value())
			fields.at(key, err)
		case "logs":
			b.Logs = d.Value()
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

func readFinalized(v chain.Value) (chain.Optional[bool], error) {
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
		err := d.extrinsic(x)
		if err == nil && x.Call == "transact" && x.Pallet == "ethereum" {
			x.Args, err = inSidecarForm(x.Args)
		}
		fields.atIndex(x.Index, err)
	}
	list := make([]chain.Extrinsic, len(d.list))
	copy(list, d.list)
	return list, fields.err
}

func (d *blockDecoder) extrinsic(x *chain.Extrinsic) (err error) {
	if d.usualExtrinsic(x) {
		return nil
	}
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
			x.Signed, x.Signer = readSignature(d.Value())
			signature = true
		case "nonce":
			x.Nonce = d.Value()
		case "tip":
			x.Tip = d.Value()
		case "era":
			x.Era = d.Value()
		case "args":
			x.Args = d.Value()
		case "hash":
			x.Hash, err = chain.Read[chain.Hash](d.Value())
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

// readSignature decodes null, or {"signature": …, "signer": address}.
func readSignature(v chain.Value) (signed bool, signer chain.Value) {
	return v.Kind() != jsonscan.Null, readSigner(v.Member("signer"))
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

// moveEvents copies the events of a block into one slice that the block owns, and makes each list a part of
// it.
func moveEvents(b *chain.Block) {
	n := len(b.OnInitialize) + len(b.OnFinalize)
	for i := range b.Extrinsics {
		n += len(b.Extrinsics[i].Events)
	}
	all := make([]chain.Event, 0, n)
	move := func(list *[]chain.Event) {
		start := len(all)
		all = append(all, *list...)
		*list = all[start:len(all):len(all)]
	}
	move(&b.OnInitialize)
	for i := range b.Extrinsics {
		move(&b.Extrinsics[i].Events)
	}
	move(&b.OnFinalize)
}

func (d *blockDecoder) event(e *chain.Event) (err error) {
	if d.usualEvent(e) {
		return nil
	}
	if !d.IsObject() {
		return unwanted("an object", d.Value())
	}
	var fields firstError
	var method, data bool
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
				e.Data, err = d.Value(), nil
			}
			data = true
			fields.at(key, err)
		default:
			d.Skip()
		}
	}
	fields.need("method", method)
	fields.need("data", data)
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
