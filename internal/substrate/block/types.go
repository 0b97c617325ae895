package block

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// types are a runtime's types.
type types struct {
	of    []metadata.Type
	sizes []int // in bytes, by type; unsized if it depends on the value, which then has a byte at least
	codec *scalejson.Codec
}

const unsized = -1

const (
	// maxDepth is the maximum nesting of values, such as batches of batches.
	maxDepth = 512
	// maxTypes is the maximum nesting of a runtime's types: more than the number of types in any runtime.
	maxTypes = 10000
)

func newTypes(m *metadata.Metadata, codec *scalejson.Codec) (*types, error) {
	t := &types{of: m.Types, sizes: make([]int, len(m.Types)), codec: codec}
	measured := make([]bool, len(m.Types))
	for id := range m.Types {
		if !t.measure(metadata.TypeID(id), measured, 0) {
			return nil, fmt.Errorf("types of this runtime are nested more than %d deep", maxTypes)
		}
	}
	return t, nil
}

// measure determines the size of a type, unless types are nested too deep.
func (t *types) measure(id metadata.TypeID, measured []bool, depth int) bool {
	if measured[id] {
		return true
	}
	if depth > maxTypes {
		return false
	}
	measured[id], t.sizes[id] = true, unsized // also for a type that contains itself
	var ids []metadata.TypeID
	of := &t.of[id]
	switch of.Kind {
	case metadata.Composite:
		ids = typesOf(of.Fields)
	case metadata.Tuple:
		ids = of.Elements
	case metadata.Array, metadata.Compact, metadata.Sequence:
		ids = []metadata.TypeID{of.Element}
	case metadata.Bits:
		ids = []metadata.TypeID{of.Element, of.Order}
	case metadata.Variant:
		for i := range of.Variants {
			ids = append(ids, typesOf(of.Variants[i].Fields)...)
		}
	}
	size := 0
	for _, id := range ids {
		if !t.measure(id, measured, depth+1) {
			return false
		}
		if n := t.sizes[id]; n == unsized || size+n > maxSize {
			size = unsized
			break
		}
		size += t.sizes[id]
	}
	switch {
	case of.Kind == metadata.Primitive && of.Primitive != metadata.Str:
		t.sizes[id] = primitiveBits(of.Primitive) / 8
	case of.Kind == metadata.Array && of.Length == 0, of.Kind == metadata.Variant && len(of.Variants) == 0:
		t.sizes[id] = 0 // no value of it has bytes
	case of.Kind == metadata.Array && size > 0 && int64(of.Length) > int64(maxSize/size):
	case of.Kind == metadata.Array && size != unsized:
		t.sizes[id] = size * int(of.Length)
	case of.Kind == metadata.Composite, of.Kind == metadata.Tuple, of.Kind == metadata.Compact && size == 0:
		t.sizes[id] = size
	}
	return true
}

// maxSize is the largest size, in bytes, of a type that is skipped at once, and more than that of a block.
const maxSize = 1 << 29

func typesOf(fields []metadata.Field) []metadata.TypeID {
	ids := make([]metadata.TypeID, len(fields))
	for i, f := range fields {
		ids[i] = f.Type
	}
	return ids
}

// primitiveBits returns the number of bits that a primitive type other than a text occupies.
func primitiveBits(p metadata.PrimitiveKind) int {
	switch {
	case p == metadata.Bool:
		return 8
	case p == metadata.Char:
		return 32
	case p >= metadata.I8:
		return 8 << (p - metadata.I8)
	}
	return 8 << (p - metadata.U8)
}

// skip reads a value of a type, and checks its structure.
func (t *types) skip(r *scale.Reader, id metadata.TypeID) { t.skipAt(r, id, 0) }

func (t *types) skipAt(r *scale.Reader, id metadata.TypeID, depth int) {
	if n := t.sizes[id]; n != unsized {
		r.Bytes(n)
		return
	}
	if depth == maxDepth {
		r.Fail("values are nested more than %d deep", maxDepth)
		return
	}
	each := func(n int, id metadata.TypeID) {
		for i := 0; i < n && r.Err() == nil; i++ {
			t.skipAt(r, id, depth+1)
		}
	}
	switch of := &t.of[id]; of.Kind {
	case metadata.Composite:
		for i := range of.Fields {
			each(1, of.Fields[i].Type)
		}
	case metadata.Tuple:
		for _, id := range of.Elements {
			each(1, id)
		}
	case metadata.Variant:
		if v := readVariant(r, of); v != nil {
			for i := range v.Fields {
				each(1, v.Fields[i].Type)
			}
		}
	case metadata.Sequence:
		size := t.sizes[of.Element]
		n := r.Length(size)
		if size == unsized {
			each(n, of.Element)
		} else {
			r.Bytes(n * size)
		}
	case metadata.Array:
		each(int(min(of.Length, maxSize)), of.Element) // each has a byte at least, and a block less than maxSize
	case metadata.Compact:
		r.Compact()
	case metadata.Bits:
		t.skipBits(r, of)
	default: // a text
		r.Text()
	}
}

// skipFields reads the fields of a variant, as skip does.
func (t *types) skipFields(r *scale.Reader, fields []metadata.Field) {
	for i := range fields {
		t.skip(r, fields[i].Type)
	}
}

// skipBits reads the number of bits, and the elements that store them. Older metadata name the order first.
func (t *types) skipBits(r *scale.Reader, of *metadata.Type) {
	width := uint64(8 * max(t.sizes[of.Element], t.sizes[of.Order], 1))
	if n := r.CompactUint(); r.Err() == nil && n > 8*uint64(r.Left()) {
		r.Fail("%w: %d bits do not fit into %d bytes", scale.ErrShort, n, r.Left())
	} else {
		r.Bytes(int((n + width - 1) / width * width / 8))
	}
}

// readVariant reads which variant follows, or returns nil on an error.
func readVariant(r *scale.Reader, of *metadata.Type) *metadata.VariantOf {
	index := r.U8()
	if r.Err() != nil {
		return nil
	}
	if int(index) < len(of.Variants) && of.Variants[index].Index == index { // if no index is skipped
		return &of.Variants[index]
	}
	for i := range of.Variants {
		if of.Variants[i].Index == index {
			return &of.Variants[i]
		}
	}
	r.Fail("%s does not have a variant %d", strings.Join(of.Path, "::"), index)
	return nil
}

// inner returns the type inside structs and tuples of one element without a name, which Sidecar writes like that element.
// A weight of one dimension is such a struct, too.
func (t *types) inner(id metadata.TypeID) metadata.TypeID {
	for range maxDepth {
		switch of := &t.of[id]; {
		case of.Kind == metadata.Composite && len(of.Fields) == 1 && (of.Fields[0].Name == "" || of.Name() == "Weight") && !of.Is("primitive_types", "U256"):
			id = of.Fields[0].Type
		case of.Kind == metadata.Tuple && len(of.Elements) == 1:
			id = of.Elements[0]
		default:
			return id
		}
	}
	return id
}

// octets returns the length of an array of bytes, otherwise 0.
func (t *types) octets(id metadata.TypeID) int {
	of := &t.of[t.inner(id)]
	if of.Kind == metadata.Array && t.isOctet(of.Element) {
		return int(of.Length)
	}
	return 0
}

// isBlob reports whether a type is a sequence of bytes.
func (t *types) isBlob(id metadata.TypeID) bool {
	of := &t.of[t.inner(id)]
	return of.Kind == metadata.Sequence && t.isOctet(of.Element)
}

func (t *types) isOctet(id metadata.TypeID) bool {
	of := &t.of[t.inner(id)]
	return of.Kind == metadata.Primitive && of.Primitive == metadata.U8
}
