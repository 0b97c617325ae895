package metadata

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/zeebo/blake3"

	"github.com/feeledger/fees/internal/substrate/scale"
)

// Digest returns the hash that a runtime with the signed extension CheckMetadataHash compares with its own:
// the merkleized metadata of version 4 extrinsics, 32 bytes of BLAKE3. Token symbol and decimals are those
// that the runtime was built with; metadata do not contain them.
//
// A runtime computes it from its metadata of version 15. Version 14 may number the types differently, so it is
// an error.
//
// Source: RFC-0078, "Metadata digest" and "Building the Merkle Tree Root".
func (m *Metadata) Digest(symbol string, decimals uint8) (hash [32]byte, err error) {
	const minVersion = 15
	if m.Version < minVersion {
		return hash, fmt.Errorf("metadata of version %d do not define a digest: want version %d or later", m.Version, minVersion)
	}
	v, known := m.RuntimeVersion()
	if !known {
		return hash, errors.New("the metadata do not name their runtime in System.Version")
	}
	prefix, known := m.SS58Prefix()
	if !known {
		return hash, errors.New("the metadata do not have the constant System.SS58Prefix")
	}
	d := digester{Metadata: m, order: map[TypeID]uint64{}}
	d.collect()
	root, extrinsic := d.root(), blake3.Sum256(d.extrinsic())
	if d.err != nil {
		return hash, d.err
	}
	text := append([]byte{1}, root[:]...) // version 1 of the digest
	text = append(text, extrinsic[:]...)
	text = binary.LittleEndian.AppendUint32(text, v.SpecVersion)
	text = appendText(text, v.SpecName)
	text = binary.LittleEndian.AppendUint16(text, prefix)
	text = append(text, decimals)
	return blake3.Sum256(appendText(text, symbol)), nil
}

// digester encodes the types that an extrinsic can contain, in the form of RFC-0078.
type digester struct {
	*Metadata
	order map[TypeID]uint64 // the new number of each type
	types []TypeID          // by their new numbers
	err   error             // the first error
}

// collect numbers the types that an extrinsic reaches, in the order of their metadata numbers. Primitive
// types, compact integers and types without content get no number.
func (d *digester) collect() {
	x := &d.Extrinsic
	open := []TypeID{x.Call, x.Address, x.Signature}
	for _, e := range x.Extensions {
		open = append(open, e.Type, e.Signed)
	}
	for len(open) > 0 {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		t := &d.Types[id]
		if _, seen := d.order[id]; seen || t.void() || t.Kind == Primitive || t.Kind == Compact {
			continue
		}
		d.order[id] = 0
		d.types = append(d.types, id)
		switch t.Kind {
		case Sequence, Array:
			open = append(open, t.Element)
		case Tuple:
			open = append(open, t.Elements...)
		default:
			for _, f := range t.Fields {
				open = append(open, f.Type)
			}
			for _, v := range t.Variants {
				for _, f := range v.Fields {
					open = append(open, f.Type)
				}
			}
		}
	}
	slices.Sort(d.types)
	for i, id := range d.types {
		d.order[id] = uint64(i)
	}
}

// void reports whether the type has no content: no field, no variant, no element.
func (t *Type) void() bool {
	switch t.Kind {
	case Composite:
		return len(t.Fields) == 0
	case Variant:
		return len(t.Variants) == 0
	case Tuple:
		return len(t.Elements) == 0
	}
	return false
}

// root returns the root of the complete binary tree over the encoded types. Each variant is a separate leaf.
func (d *digester) root() (empty [32]byte) {
	var leaves [][32]byte
	for number, id := range d.types {
		t := &d.Types[id]
		if t.Kind != Variant {
			leaves = append(leaves, d.leaf(t, number, d.definition(t)))
			continue
		}
		variants := slices.Clone(t.Variants)
		slices.SortFunc(variants, func(a, b VariantOf) int { return int(a.Index) - int(b.Index) })
		for _, v := range variants {
			leaves = append(leaves, d.leaf(t, number, d.variant(v)))
		}
	}
	if len(leaves) == 0 {
		return empty
	}
	// Node i is the parent of nodes 2i+1 and 2i+2; the leaves are the last nodes.
	nodes := append(make([][32]byte, len(leaves)-1), leaves...)
	for i := len(leaves) - 2; i >= 0; i-- {
		nodes[i] = blake3.Sum256(append(nodes[2*i+1][:], nodes[2*i+2][:]...))
	}
	return nodes[0]
}

func (d *digester) leaf(t *Type, number int, definition []byte) [32]byte {
	text := scale.AppendCompact(nil, uint64(len(t.Path)))
	for _, part := range t.Path {
		text = appendText(text, part)
	}
	text = append(text, definition...)
	return blake3.Sum256(scale.AppendCompact(text, uint64(number)))
}

// definition returns the encoded content of a type other than a variant.
func (d *digester) definition(t *Type) []byte {
	switch t.Kind {
	case Composite:
		return d.fields([]byte{0}, t.Fields)
	case Sequence:
		return d.reference([]byte{2}, t.Element)
	case Array:
		return d.reference(binary.LittleEndian.AppendUint32([]byte{3}, t.Length), t.Element)
	case Tuple:
		text := scale.AppendCompact([]byte{4}, uint64(len(t.Elements)))
		for _, id := range t.Elements {
			text = d.reference(text, id)
		}
		return text
	}
	return d.bits(t)
}

func (d *digester) variant(v VariantOf) []byte {
	return scale.AppendCompact(d.fields(appendText([]byte{1}, v.Name), v.Fields), uint64(v.Index))
}

// bits returns the encoded content of a bit sequence: the size of its storage type, and its order.
func (d *digester) bits(t *Type) []byte {
	store, order := &d.Types[t.Element], d.Types[t.Order].Name()
	size, known := map[PrimitiveKind]byte{U8: 1, U16: 2, U32: 4, U64: 8}[store.Primitive]
	if store.Kind != Primitive || !known || order != "Lsb0" && order != "Msb0" {
		d.fail("a sequence of bits is stored as %s in the order %q", d.Describe(t.Element), order)
	}
	lsb := byte(0)
	if order == "Lsb0" {
		lsb = 1
	}
	return []byte{5, size, lsb}
}

func (d *digester) fields(text []byte, fields []Field) []byte {
	text = scale.AppendCompact(text, uint64(len(fields)))
	for _, f := range fields {
		text = appendOption(text, f.Name)
		text = d.reference(text, f.Type)
		text = appendOption(text, f.TypeName)
	}
	return text
}

// The numbers of references after those of the primitive types.
const (
	compactReference = 15
	voidReference    = 21
	typeReference    = 22
)

// reference appends the reference to a type contained in another one.
func (d *digester) reference(text []byte, id TypeID) []byte {
	t := &d.Types[id]
	number, numbered := d.order[id]
	switch {
	case t.Kind == Primitive:
		return append(text, byte(t.Primitive))
	case t.Kind == Compact:
		return append(text, d.compact(t.Element))
	case numbered:
		return scale.AppendCompact(append(text, typeReference), number)
	}
	return append(text, voidReference)
}

// compact returns the reference to a compact integer: that of the integer that its type wraps.
func (d *digester) compact(id TypeID) byte {
	const maxDepth = 64
	for range maxDepth {
		switch t := &d.Types[id]; {
		case t.void():
			return voidReference
		case t.Kind == Composite && len(t.Fields) == 1:
			id = t.Fields[0].Type
		case t.Kind == Tuple && len(t.Elements) == 1:
			id = t.Elements[0]
		case t.Kind == Primitive && t.Primitive >= U8 && t.Primitive <= U256:
			return compactReference + byte(t.Primitive-U8)
		default:
			d.fail("a compact integer wraps %s", d.Describe(id))
			return 0
		}
	}
	d.fail("a compact integer wraps itself")
	return 0
}

func (d *digester) extrinsic() []byte {
	x := &d.Extrinsic
	const version = 4
	text := []byte{version}
	for _, id := range []TypeID{x.Address, x.Call, x.Signature} {
		text = d.reference(text, id)
	}
	text = scale.AppendCompact(text, uint64(len(x.Extensions)))
	for _, e := range x.Extensions {
		text = d.reference(d.reference(appendText(text, e.Name), e.Type), e.Signed)
	}
	return text
}

func (d *digester) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

func appendText(to []byte, text string) []byte { return scale.AppendBlob(to, []byte(text)) }

// appendOption appends an optional text.
func appendOption(to []byte, text string) []byte {
	if text == "" {
		return append(to, 0)
	}
	return appendText(append(to, 1), text)
}
