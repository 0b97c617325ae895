package scalejson

import (
	"fmt"
	"strconv"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// metadataVersion is the version that a node's state_getMetadata returns, and the only one for which Sidecar's
// form is known.
const metadataVersion = 14

// Metadata writes the codec's metadata as /runtime/metadata does. It reads and writes them in one pass and
// builds nothing.
//
// Values of constants are decoded, all others are hex. In Sidecar, polkadot-js writes a constant first, unless
// it is just an integer of at most 128 bits: then an integer of more than 52 bits is hex, field names have no
// trailing underscore, and an era is hex. Sidecar decodes constants with the types that it has loaded: at a
// block with an upgrade, those of the old runtime, so it writes wrong values. Metadata does not reproduce
// that.
func (c *Codec) Metadata(bytes []byte) ([]byte, error) {
	w := &Writer{Reader: scale.NewReader(bytes), Text: make([]byte, 0, 5*len(bytes)/2)}
	w.member(`{"magicNumber":`, func() { w.number(uint64(w.U32())) })
	if version := w.U8(); w.Err() == nil && version != metadataVersion {
		return nil, fmt.Errorf("metadata of version %d: only version %d can be written", version, metadataVersion)
	}
	w.member(`,"metadata":{"v14":{"lookup":{"types":`, w.each(w.registered))
	w.member(`},"pallets":`, w.each(func() { c.pallet(w) }))
	w.member(`,"extrinsic":{"type":`, w.compact)
	w.member(`,"version":`, w.octet)
	w.member(`,"signedExtensions":`, w.each(func() {
		w.member(`{"identifier":`, w.text)
		w.member(`,"type":`, w.compact)
		w.member(`,"additionalSigned":`, w.compact)
		w.byte('}')
	}))
	w.member(`},"type":`, w.compact)
	w.raw("}}}")
	if err := w.End(); err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return w.Text, nil
}

// member writes the text before a value, and the value.
func (w *Writer) member(before string, value func()) {
	w.raw(before)
	value()
}

func (w *Writer) number(n uint64) {
	w.byte('"')
	w.Text = strconv.AppendUint(w.Text, n, 10)
	w.byte('"')
}

func (w *Writer) compact() { w.number(w.CompactUint()) }

func (w *Writer) octet() { w.number(uint64(w.U8())) }

// each writes a list of elements.
func (w *Writer) each(element func()) func() {
	return func() { w.list(w.Length(1), func(int) { element() }) }
}

// optional writes a value, or null.
func (w *Writer) optional(value func()) func() {
	return func() {
		if w.Option() {
			value()
		} else {
			w.raw("null")
		}
	}
}

// one writes the name for an index.
func (w *Writer) one(what string, names ...string) func() {
	return func() {
		if i := w.U8(); int(i) < len(names) {
			w.String(names[i])
		} else {
			w.Fail("no %s is %d", what, i)
		}
	}
}

func (w *Writer) docs() {
	w.member(`,"docs":`, w.each(w.text))
	w.byte('}')
}

// registered writes a type with its number.
func (w *Writer) registered() {
	w.member(`{"id":`, w.compact)
	w.member(`,"type":{"path":`, w.each(w.text))
	w.member(`,"params":`, w.each(func() {
		w.member(`{"name":`, w.text)
		w.member(`,"type":`, w.optional(w.compact))
		w.byte('}')
	}))
	w.member(`,"def":`, w.definition)
	w.docs()
	w.byte('}')
}

// definition writes the content of a type.
func (w *Writer) definition() {
	switch kind := metadata.Kind(w.U8()); kind {
	case metadata.Composite:
		w.member(`{"composite":{"fields":`, w.each(w.field))
	case metadata.Variant:
		w.member(`{"variant":{"variants":`, w.each(func() {
			w.member(`{"name":`, w.text)
			w.member(`,"fields":`, w.each(w.field))
			w.member(`,"index":`, w.octet)
			w.docs()
		}))
	case metadata.Sequence:
		w.member(`{"sequence":{"type":`, w.compact)
	case metadata.Array:
		w.member(`{"array":{"len":`, func() { w.number(uint64(w.U32())) })
		w.member(`,"type":`, w.compact)
	case metadata.Tuple:
		w.member(`{"tuple":`, w.each(w.compact))
		w.byte('}')
		return
	case metadata.Primitive:
		w.member(`{"primitive":`, w.one("primitive type",
			"Bool", "Char", "Str", "U8", "U16", "U32", "U64", "U128", "U256", "I8", "I16", "I32", "I64", "I128", "I256"))
		w.byte('}')
		return
	case metadata.Compact:
		w.member(`{"compact":{"type":`, w.compact)
	case metadata.Bits:
		w.member(`{"bitSequence":{"bitStoreType":`, w.compact)
		w.member(`,"bitOrderType":`, w.compact)
	default:
		w.Fail("unknown kind of type %d", kind)
	}
	w.raw("}}")
}

func (w *Writer) field() {
	w.member(`{"name":`, w.optional(w.text))
	w.member(`,"type":`, w.compact)
	w.member(`,"typeName":`, w.optional(w.text))
	w.docs()
}

func (c *Codec) pallet(w *Writer) {
	part := w.optional(func() {
		w.member(`{"type":`, w.compact)
		w.byte('}')
	})
	w.member(`{"name":`, w.text)
	w.member(`,"storage":`, w.optional(func() {
		w.member(`{"prefix":`, w.text)
		w.member(`,"items":`, w.each(w.entry))
		w.byte('}')
	}))
	w.member(`,"calls":`, part)
	w.member(`,"events":`, part)
	w.member(`,"constants":`, w.each(func() { c.constant(w) }))
	w.member(`,"errors":`, part)
	w.member(`,"index":`, w.octet)
	w.byte('}')
}

// entry writes an item of a pallet's storage.
func (w *Writer) entry() {
	w.member(`{"name":`, w.text)
	w.member(`,"modifier":`, w.one("modifier of a storage entry", "Optional", "Default"))
	switch kind := w.U8(); kind {
	case 0:
		w.member(`,"type":{"plain":`, w.compact)
		w.byte('}')
	case 1:
		w.member(`,"type":{"map":{"hashers":`, w.each(w.one("hasher",
			"Blake2_128", "Blake2_256", "Blake2_128Concat", "Twox128", "Twox256", "Twox64Concat", "Identity")))
		w.member(`,"key":`, w.compact)
		w.member(`,"value":`, w.compact)
		w.raw("}}")
	default:
		w.Fail("unknown kind of storage entry %d", kind)
	}
	w.member(`,"fallback":`, func() { w.Hex(w.Blob()) })
	w.docs()
}

func (c *Codec) constant(w *Writer) {
	w.member(`{"name":`, w.text)
	id := w.CompactUint()
	w.member(`,"type":`, func() { w.number(id) })
	coded := w.Blob()
	if w.Err() == nil && id >= uint64(len(c.nodes)) {
		w.Fail("type %d does not exist", id)
	}
	if w.Err() != nil {
		return
	}
	value := &Writer{Reader: scale.NewReader(coded), Text: append(w.Text, `,"value":`...), depth: w.depth}
	c.Constant(value, metadata.TypeID(id))
	if err := value.End(); err != nil {
		w.Fail("value of a constant: %w", err)
		return
	}
	w.Text = value.Text
	w.docs()
}

// Constant writes a value in Sidecar's form for metadata.
func (c *Codec) Constant(w *Writer, id metadata.TypeID) {
	n := c.nodes[id]
	w.unsanitized = n.kind == named || n.bits == 0 || n.bits > 128
	w.value(n)
}
