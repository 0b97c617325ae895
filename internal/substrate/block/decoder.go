package block

import (
	"fmt"
	"slices"
	"sync"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/schema"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Encoded is a block as a node serves it, with its events.
type Encoded struct {
	Hash       chain.Hash
	Header     header.Header
	Extrinsics [][]byte
	Events     []byte // System.Events, nil if nothing is stored
	Finalized  chain.Optional[bool]
}

// Decoder decodes blocks that a runtime executed. It is safe for concurrent use.
type Decoder struct {
	*types
	records    *Records
	events     [256]*[256]*event
	calls      [256]*[256]*call
	signer     reader
	signature  metadata.TypeID
	extensions map[uint8][]extension // by their version
	hidden     chain.Signed          // the reasons for values that no extension is known to contain
}

// NewDecoder compiles a runtime's metadata, which contain its types. The codec is of the same metadata.
func NewDecoder(m *metadata.Metadata, records *Records, codec *scalejson.Codec) (*Decoder, error) {
	t, err := newTypes(m, codec)
	if err != nil {
		return nil, err
	}
	d := &Decoder{
		types:      t,
		records:    records,
		events:     t.events(m),
		calls:      t.calls(m),
		signer:     t.address(m.Extrinsic.Address, "Id"),
		signature:  m.Extrinsic.Signature,
		extensions: map[uint8][]extension{},
		hidden:     chain.Signed{Nonce: chain.MalformedValue(errNoNonce), Tip: chain.MalformedValue(errNoTip)},
	}
	for version, list := range m.Extrinsic.ByVersion() {
		d.extensions[version] = t.extensionsOf(m.Parts(list))
	}
	return d, nil
}

// Decode decodes a block. The block shares memory with what it is decoded from, and reports no text.
func (d *Decoder) Decode(e *Encoded) (*chain.Block, error) {
	b, err := d.decode(e)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", e.Header.Number, err)
	}
	return b, nil
}

func (d *Decoder) decode(e *Encoded) (*chain.Block, error) {
	b := &chain.Block{
		Number: e.Header.Number, Hash: e.Hash, ParentHash: e.Header.ParentHash, Finalized: e.Finalized,
		Extrinsics: make([]chain.Extrinsic, len(e.Extrinsics)), Encoded: make([]chain.Encoded, len(e.Extrinsics)), Size: len(e.Events),
	}
	if err := readDigest(b, e.Header.Logs); err != nil {
		return nil, err
	}
	p := pool.Get().(*parts)
	defer p.release()
	if err := d.readEvents(p, e.Events, len(e.Extrinsics)); err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	for i, encoded := range e.Extrinsics {
		x := &b.Extrinsics[i]
		b.Encoded[i] = chain.Encoded{Bytes: encoded, Hash: blake2b.Sum256(encoded)}
		x.Index, x.Hash = i, b.Encoded[i].Hash
		b.Size += len(encoded)
		from := len(p.values)
		if err := d.extrinsic(x, encoded, p); err != nil {
			return nil, fmt.Errorf("extrinsic %d: %w", i, err)
		}
		p.arguments = append(p.arguments, span{from, len(p.values)})
	}
	p.assemble(b)
	const eventSize, valueSize = 64, 48 // bytes, rounded up
	b.Size += eventSize*len(p.events) + valueSize*len(p.values)
	return b, nil
}

// readDigest finds the items of the engine "fron" in a header's digest.
func readDigest(b *chain.Block, logs [][]byte) error {
	var items [][]byte
	for i, log := range logs {
		item, err := header.ReadDigest(log)
		if err != nil {
			return fmt.Errorf("digest %d: %w", i, err)
		}
		if item.Kind == header.Consensus && string(item.Engine) == chain.FrontierEngine {
			items = append(items, item.Data)
		}
	}
	b.Digest = chain.DecodedOf(chain.ReadFrontier(items...))
	return nil
}

// readEvents decodes System.Events.
func (d *Decoder) readEvents(p *parts, encoded []byte, extrinsics int) error {
	p.counts = slices.Grow(p.counts[:0], extrinsics+2)[:extrinsics+2]
	clear(p.counts)
	if encoded == nil {
		return nil
	}
	r := scale.NewReader(encoded)
	for range r.Length(1) {
		at := d.records.Phase(r, extrinsics)
		if r.Err() != nil {
			return r.Err()
		}
		e := scalejson.Find(r, &d.events, "event")
		if e == nil {
			return r.Err()
		}
		from := len(p.values)
		p.values = e.data(r, p.values)
		for _, id := range d.records.Rest {
			d.skip(r, id)
		}
		if r.Err() != nil {
			return r.Err()
		}
		p.events = append(p.events, emitted{e, at, span{from, len(p.values)}})
		p.counts[at]++
	}
	return r.End()
}

// extrinsic decodes an extrinsic of a block, without its events.
func (d *Decoder) extrinsic(x *chain.Extrinsic, encoded []byte, p *parts) error {
	r, preamble, err := Open(encoded)
	if err != nil {
		return err
	}
	x.General = preamble.General
	switch extensions, known := d.extensions[preamble.Version]; {
	case preamble.Signed:
		signed := d.hidden
		x.Signed = &signed
		x.Signed.Signer = d.signer(r)
		d.skip(r, d.signature)
		for _, read := range extensions {
			read(r, x.Signed)
		}
	case preamble.General && !known:
		x.Pallet, x.Call = UnknownPallet, UnknownCall
		return nil
	case preamble.General: // an extension may contain a signer, in another form
		for _, read := range extensions {
			read(r, &chain.Signed{})
		}
	}
	c := scalejson.Find(r, &d.calls, "call")
	if c == nil {
		return r.Err()
	}
	x.Pallet, x.Call = c.pallet, c.name
	p.values = d.arguments(r, c, x, p.values)
	return r.End()
}

// The reasons why a value of a signed extrinsic is not known.
const (
	errNoNonce = chain.UnreportedError("no known extension of the runtime contains the nonce")
	errNoTip   = chain.UnreportedError("no known extension of the runtime contains the tip")
)

// extension reads a part of the extensions.
type extension func(*scale.Reader, *chain.Signed)

// extensionsOf returns the readers of the parts of a list of extensions.
func (t *types) extensionsOf(list [][]metadata.Part) (readers []extension) {
	for _, part := range slices.Concat(list...) {
		readers = append(readers, t.extension(part))
	}
	return readers
}

func (t *types) extension(part metadata.Part) extension {
	switch part.Role {
	case metadata.Nonce:
		value := t.value(part.Type, schema.Number)
		return func(r *scale.Reader, s *chain.Signed) { s.Nonce = value(r) }
	case metadata.Tip:
		value := t.value(part.Type, schema.Amount)
		return func(r *scale.Reader, s *chain.Signed) { s.Tip = value(r) }
	case metadata.Era:
		return func(r *scale.Reader, s *chain.Signed) { s.Era, _ = scalejson.ReadEra(r) }
	case metadata.Asset:
		return func(r *scale.Reader, s *chain.Signed) { s.Asset = t.asset(r, part.Type) }
	}
	return func(r *scale.Reader, _ *chain.Signed) { t.skip(r, part.Type) }
}

// maxAsset is the maximum length of an asset's ID, in bytes of text: more than that of a location of eight junctions.
const maxAsset = 2048

// asset reads the optional ID of an asset. It is unknown if Sidecar cannot write it.
func (t *types) asset(r *scale.Reader, id metadata.TypeID) (asset chain.Optional[string]) {
	at := r.At()
	t.skip(r, id)
	if r.Err() != nil {
		return asset
	}
	encoded := r.Since(at)
	if encoded[0] == 0 {
		return chain.Some("")
	}
	w := scalejson.Writer{Reader: scale.NewReader(encoded)}
	if t.codec.Value(&w, id); w.End() != nil || len(w.Text) > maxAsset {
		return asset
	}
	return chain.Some(string(w.Text))
}

// parts are the parts of a block while it is decoded. They are reused for the next block.
type parts struct {
	events    []emitted
	counts    []int        // of events, by extrinsic, then of the two hooks
	values    chain.Values // of all events and calls
	arguments []span       // by extrinsic
}

// emitted is an event that an extrinsic or a hook emitted.
type emitted struct {
	*event
	at     int
	values span
}

// span is a part of a list.
type span struct{ from, to int }

var pool = sync.Pool{New: func() any { return new(parts) }}

// maxPooled is the largest number of elements of a list that is reused.
const maxPooled = 1 << 14

func (p *parts) release() {
	if cap(p.events)+cap(p.values)+cap(p.counts)+cap(p.arguments) > maxPooled {
		return
	}
	clear(p.events)
	clear(p.values)
	*p = parts{p.events[:0], p.counts[:0], p.values[:0], p.arguments[:0]}
	pool.Put(p)
}

// assemble copies the values and events into lists of the block's own, each event to where it was emitted.
func (p *parts) assemble(b *chain.Block) {
	values := slices.Clone(p.values)
	of := func(s span) chain.Values {
		if s.from == s.to {
			return nil
		}
		return values[s.from:s.to:s.to]
	}
	all := make([]chain.Event, 0, len(p.events))
	list := func(at int) []chain.Event {
		from := len(all)
		all = all[:from+p.counts[at]]
		return all[from:from:len(all)]
	}
	n := len(b.Extrinsics)
	b.OnInitialize, b.OnFinalize = list(n), list(n+1)
	for i := range b.Extrinsics {
		b.Extrinsics[i].Events, b.Extrinsics[i].Args = list(i), of(p.arguments[i])
	}
	for i := range p.events {
		e := &p.events[i]
		to := &b.OnInitialize
		switch {
		case e.at < n:
			to = &b.Extrinsics[e.at].Events
		case e.at > n:
			to = &b.OnFinalize
		}
		*to = append(*to, chain.Event{Pallet: e.pallet, Name: e.name, Data: of(e.values)})
	}
}
