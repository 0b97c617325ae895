package scalejson_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/feeledger/fees/internal/substrate/metadata"
)

// maker generates values of a runtime's types.
type maker struct {
	*rand.Rand
	m      *metadata.Metadata
	height []int // of the smallest value of each type, in levels
}

const endless = 1 << 20

func newMaker(m *metadata.Metadata, seed uint64) *maker {
	k := &maker{rand.New(rand.NewPCG(seed, 0)), m, make([]int, len(m.Types))}
	for i := range k.height {
		k.height[i] = endless
	}
	for changed := true; changed; {
		changed = false
		for i := range m.Types {
			if h := 1 + k.least(&m.Types[i]); h < k.height[i] {
				k.height[i], changed = h, true
			}
		}
	}
	return k
}

func (k *maker) least(t *metadata.Type) (h int) {
	switch t.Kind {
	case metadata.Composite:
		return k.tallest(t.Fields)
	case metadata.Variant:
		h = endless
		for _, v := range t.Variants {
			h = min(h, k.tallest(v.Fields))
		}
	case metadata.Array:
		return k.height[t.Element]
	case metadata.Tuple:
		for _, e := range t.Elements {
			h = max(h, k.height[e])
		}
	}
	return h
}

func (k *maker) tallest(fields []metadata.Field) (h int) {
	for _, f := range fields {
		h = max(h, k.height[f.Type])
	}
	return h
}

// value appends a value; when no room is left, one of the smallest.
func (k *maker) value(to []byte, id metadata.TypeID, room int) []byte {
	t := &k.m.Types[id]
	switch {
	case t.Is("pallet_identity", "types", "BitFlags"):
		var flags uint64
		for _, v := range k.m.Types[*t.Parameters[0].Type].Variants {
			if k.IntN(2) == 0 {
				flags |= uint64(v.Index)
			}
		}
		return binary.LittleEndian.AppendUint64(to, flags)
	case t.Is("BTreeMap"), t.Is("BTreeSet"):
		return k.sorted(to, t, room)
	}
	switch t.Kind {
	case metadata.Composite:
		return k.fields(to, t.Fields, room)
	case metadata.Variant:
		if len(t.Variants) == 0 {
			return to // it has no values
		}
		v := &t.Variants[k.IntN(len(t.Variants))]
		for tries := 0; k.tallest(v.Fields) > max(room, k.height[id]-1) && tries < 1000; tries++ {
			v = &t.Variants[k.IntN(len(t.Variants))]
		}
		return k.fields(append(to, v.Index), v.Fields, room)
	case metadata.Sequence:
		n := 0
		if room > k.height[t.Element] {
			n = k.IntN(4)
		}
		if k.m.Types[t.Element].Kind == metadata.Primitive {
			n = k.IntN(80)
		}
		to = compact(to, binary.LittleEndian.AppendUint64(nil, uint64(n)))
		for range n {
			to = k.value(to, t.Element, room-1)
		}
	case metadata.Array:
		for range t.Length {
			to = k.value(to, t.Element, room-1)
		}
	case metadata.Tuple:
		for _, e := range t.Elements {
			to = k.value(to, e, room-1)
		}
	case metadata.Primitive:
		return k.primitive(to, t.Primitive)
	case metadata.Compact:
		return compact(to, k.value(nil, t.Element, room))
	}
	return to
}

func (k *maker) fields(to []byte, fields []metadata.Field, room int) []byte {
	for _, f := range fields {
		if t := &k.m.Types[f.Type]; f.Name == "call" && t.Kind == metadata.Sequence && k.IntN(4) > 0 { // bytes that are a call
			inner := k.value(nil, k.m.Extrinsic.Call, room-2)
			to = append(compact(to, binary.LittleEndian.AppendUint32(nil, uint32(len(inner)))), inner...)
			continue
		}
		to = k.value(to, f.Type, room-1)
	}
	return to
}

// sorted sorts a map or a set in the order in which a chain encodes it.
func (k *maker) sorted(to []byte, t *metadata.Type, room int) []byte {
	var keys [][]byte
	for range k.IntN(4) {
		keys = append(keys, k.value(nil, *t.Parameters[0].Type, 0))
	}
	key := &k.m.Types[*t.Parameters[0].Type]
	bigFirst := key.Kind == metadata.Primitive && key.Primitive != metadata.U8 // integers are little-endian
	slices.SortFunc(keys, func(a, b []byte) int {
		if bigFirst {
			a, b = slices.Clone(a), slices.Clone(b)
			slices.Reverse(a)
			slices.Reverse(b)
		}
		return bytes.Compare(a, b)
	})
	keys = slices.CompactFunc(keys, bytes.Equal)
	fixed := bigFirst || key.Kind == metadata.Array || len(key.Fields) == 1 && k.m.Types[key.Fields[0].Type].Kind == metadata.Array
	if !fixed && len(keys) > 1 {
		keys = keys[:1]
	}
	to = compact(to, []byte{byte(len(keys))})
	for _, key := range keys {
		to = append(to, key...)
		if len(t.Parameters) > 1 {
			to = k.value(to, *t.Parameters[1].Type, room-2)
		}
	}
	return to
}

var texts = []string{"", "fee", "a \"quoted\"\\ text\n\t\b\f\r\x01\x1f\x7f", "\uFEFFmark", "日本 \u2028 ü 😀"}

func (k *maker) primitive(to []byte, p metadata.PrimitiveKind) []byte {
	switch p {
	case metadata.Bool:
		return append(to, byte(k.IntN(2)))
	case metadata.Str:
		text := texts[k.IntN(len(texts))]
		return append(compact(to, []byte{byte(len(text))}), text...)
	case metadata.Char:
		return binary.LittleEndian.AppendUint32(to, uint32(k.IntN(0xd800)))
	}
	size := 1 << (p - metadata.U8)
	if p >= metadata.I8 {
		size = 1 << (p - metadata.I8)
	}
	full := k.IntN(size + 1)
	for i := range size {
		switch {
		case i < full:
			to = append(to, byte(k.Uint32()))
		case i == full && p >= metadata.I8 && k.IntN(2) == 0:
			full = size // negative
			to = append(to, 0xff)
		default:
			to = append(to, 0)
		}
	}
	return to
}

// compact appends an unsigned little-endian integer in the compact form.
func compact(to, n []byte) []byte {
	for len(n) > 1 && n[len(n)-1] == 0 {
		n = n[:len(n)-1]
	}
	if len(n) <= 4 {
		var value uint32
		for i, b := range n {
			value |= uint32(b) << (8 * i)
		}
		switch {
		case value < 1<<6:
			return append(to, byte(value<<2))
		case value < 1<<14:
			return binary.LittleEndian.AppendUint16(to, uint16(value<<2)|1)
		case value < 1<<30:
			return binary.LittleEndian.AppendUint32(to, value<<2|2)
		}
	}
	for len(n) < 4 {
		n = append(n, 0)
	}
	return append(append(to, byte(len(n)-4)<<2|3), n...)
}
