package scalejson

import (
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// Codec writes values of a runtime's types. It is safe for concurrent use.
type Codec struct {
	metadata *metadata.Metadata
	event    *metadata.TypeID
	nodes    []*node // by type
	depth    int     // of the type being compiled
	calls    [256]*[256]*Call
	events   [256]*[256]*Event
}

// node is a compiled type.
type node struct {
	write    func(*Writer)
	argument func(*Writer) // as a call's argument, if different from write
	kind     kind
	bits     int // of an unsigned integer, 0 for other types
}

// kind contains the properties of a type that enclosing types need.
type kind uint8

const (
	other kind = iota
	null       // no bytes, no value
	octet      // a plain byte: several are written as hex
	blob       // bytes with a length prefix
	call       // of this runtime
	named      // an integer for which polkadot-js has a separate name
)

// asArgument writes a value as a call's argument.
func (n *node) asArgument(w *Writer) {
	if n.argument != nil {
		n.argument(w)
		return
	}
	n.write(w)
}

// New compiles the types of a runtime.
func New(m *metadata.Metadata) *Codec {
	c := &Codec{metadata: m, event: eventType(m), nodes: make([]*node, len(m.Types))}
	for id := range m.Types {
		c.node(metadata.TypeID(id))
	}
	c.pallets()
	return c
}

// eventType returns the type of a runtime's events, or nil if not specified.
func eventType(m *metadata.Metadata) *metadata.TypeID {
	for i := range m.Types {
		if m.Types[i].Is("frame_system", "EventRecord") && len(m.Types[i].Parameters) > 0 {
			return m.Types[i].Parameters[0].Type
		}
	}
	return nil
}

// Value writes a value of a type.
func (c *Codec) Value(w *Writer, id metadata.TypeID) { w.value(c.nodes[id]) }

// node returns a type's node. While a type is being compiled, types inside it may refer to it.
func (c *Codec) node(id metadata.TypeID) *node {
	if n := c.nodes[id]; n != nil {
		return n
	}
	n := &node{}
	c.nodes[id] = n
	if c.depth++; c.depth > maxTypes {
		*n = unknown(&c.metadata.Types[id], "it is nested too deeply")
	} else {
		*n = c.compile(id)
	}
	c.depth--
	return n
}

// maxTypes is the nesting depth of a runtime's types: more than the number of types in any runtime, and small
// enough to bound memory.
const maxTypes = 10000

func (c *Codec) compile(id metadata.TypeID) node {
	t := &c.metadata.Types[id]
	if n, special := c.special(id, t); special {
		return n
	}
	switch t.Kind {
	case metadata.Composite:
		return c.fields(t, t.Fields)
	case metadata.Variant:
		return c.variant(t)
	case metadata.Sequence:
		return c.sequence(c.node(t.Element))
	case metadata.Array:
		return c.array(t)
	case metadata.Tuple:
		return c.tuple(t.Elements)
	case metadata.Primitive:
		return primitive(t.Primitive)
	case metadata.Compact:
		return c.compact(t)
	}
	return c.bits(t)
}

// unknown returns the node of a type without a known rule.
func unknown(t *metadata.Type, why string) node {
	name := strings.Join(t.Path, "::")
	if name == "" {
		name = "an unnamed type"
	}
	return node{write: func(w *Writer) { w.Fail("cannot write %s as Sidecar does: %s", name, why) }}
}

// forward returns the node of a type written like the one inside it.
func forward(n *node) node {
	if n.write == nil { // it contains itself
		return node{write: func(w *Writer) { w.value(n) }}
	}
	return *n
}

func primitive(p metadata.PrimitiveKind) node {
	switch p {
	case metadata.Bool:
		return node{write: func(w *Writer) {
			if w.Bool() {
				w.raw("true")
			} else {
				w.raw("false")
			}
		}}
	case metadata.Str:
		return node{write: (*Writer).text}
	case metadata.Char:
		return unsigned(32)
	case metadata.U8:
		n := unsigned(8)
		n.kind = octet
		return n
	case metadata.U16, metadata.U32, metadata.U64, metadata.U128, metadata.U256:
		return unsigned(8 << (p - metadata.U8))
	}
	size := 1 << (p - metadata.I8)
	return node{write: func(w *Writer) { w.signed(w.Bytes(size)) }}
}

func unsigned(bits int) node {
	return node{bits: bits, write: func(w *Writer) { w.unsigned(w.Bytes(bits/8), bits) }}
}

var nothing = node{kind: null, write: func(w *Writer) { w.raw("null") }}

// compact returns the node of a compact integer. It has no more bits than its type.
func (c *Codec) compact(t *metadata.Type) node {
	bits := c.node(t.Element).bits
	if bits == 0 {
		return unknown(&c.metadata.Types[t.Element], "it is compact but not an unsigned integer")
	}
	return node{write: func(w *Writer) {
		bytes := w.Compact()
		for _, b := range bytes[min(bits/8, len(bytes)):] {
			if b != 0 {
				w.Fail("a compact integer has more than %d bits", bits)
				return
			}
		}
		w.unsigned(bytes, bits)
	}}
}

// bits returns the node of a bit sequence: the bytes that contain the bits, after the number of bits. Older
// metadata name the order first.
func (c *Codec) bits(t *metadata.Type) node {
	if c.node(t.Element).kind != octet && c.node(t.Order).kind != octet {
		return unknown(t, "it is bits in elements of more than a byte")
	}
	return node{write: func(w *Writer) {
		n := w.CompactUint()
		if w.Err() == nil && n > 8*uint64(w.Left()) {
			w.Fail("%w: %d bits do not fit into %d bytes", scale.ErrShort, n, w.Left())
			return
		}
		w.Hex(w.Bytes(int((n + 7) / 8)))
	}}
}

// fields returns the node of the fields of a struct or a variant.
func (c *Codec) fields(t *metadata.Type, fields []metadata.Field) node {
	named := 0
	ids := make([]metadata.TypeID, len(fields))
	for i, f := range fields {
		ids[i] = f.Type
		if f.Name != "" {
			named++
		}
	}
	switch named {
	case 0:
		return c.tuple(ids)
	case len(fields):
		return c.object(fields)
	}
	return unknown(t, "some fields have names, others have none")
}

// member is a key and the value after it.
type member struct {
	key  string // with the text before and after it
	node *node
}

// field is a member of a struct.
type field struct {
	member
	own string // the key without polkadot-js's suffix
}

func (c *Codec) object(fields []metadata.Field) node {
	members := make([]field, len(fields))
	for i, f := range fields {
		members[i] = field{member{key(i, fieldName(f.Name)), c.node(f.Type)}, key(i, CamelCase(f.Name))}
	}
	return node{write: func(w *Writer) {
		for i := range members {
			if w.unsanitized {
				w.raw(members[i].own)
			} else {
				w.raw(members[i].key)
			}
			w.value(members[i].node)
		}
		w.byte('}')
	}}
}

// key returns an object's i-th key with the text before and after it.
func key(i int, name string) string {
	before := ","
	if i == 0 {
		before = "{"
	}
	return string(append(AppendString([]byte(before), name), ':'))
}

func (c *Codec) tuple(ids []metadata.TypeID) node {
	switch len(ids) {
	case 0:
		return nothing
	case 1:
		return forward(c.node(ids[0]))
	}
	nodes := make([]*node, len(ids))
	for i, id := range ids {
		nodes[i] = c.node(id)
	}
	return elements(nodes...)
}

// elements returns the node of values in sequence.
func elements(of ...*node) node {
	return node{
		write: func(w *Writer) {
			w.list(len(of), func(i int) { w.value(of[i]) })
		},
		argument: func(w *Writer) {
			w.list(len(of), func(i int) { w.with(of[i].element) })
		},
	}
}

// element writes a value inside an array that is an argument: a call in call form.
func (n *node) element(w *Writer) {
	if n.kind == call {
		n.argument(w)
		return
	}
	n.write(w)
}

func (c *Codec) sequence(element *node) node {
	if element.kind == octet {
		return node{kind: blob, write: func(w *Writer) { w.Hex(w.Blob()) }}
	}
	return node{
		write: func(w *Writer) {
			w.list(w.Length(1), func(int) { w.value(element) })
		},
		argument: func(w *Writer) {
			w.list(w.Length(1), func(int) { w.with(element.element) })
		},
	}
}

// maxElements is the maximum length of an array; polkadot-js accepts no longer one.
const maxElements = 2048

func (c *Codec) array(t *metadata.Type) node {
	n := int(t.Length)
	if t.Length > maxElements {
		return unknown(t, "it is an array of more than 2048 elements")
	}
	element := c.node(t.Element)
	if element.kind == octet {
		return node{write: func(w *Writer) { w.Hex(w.Bytes(n)) }}
	}
	return node{
		write: func(w *Writer) {
			w.list(n, func(int) { w.value(element) })
		},
		argument: func(w *Writer) {
			w.list(n, func(int) { w.with(element.element) })
		},
	}
}

// choice is a variant and its first byte.
type choice struct {
	member
	index uint8
}

func (c *Codec) variant(t *metadata.Type) node {
	if len(t.Variants) == 0 {
		return nothing
	}
	choices := make([]choice, len(t.Variants))
	basic := true
	for i, v := range t.Variants {
		n := c.fields(t, v.Fields)
		choices[i] = choice{member{key(0, CamelCase(v.Name)), &n}, v.Index}
		basic = basic && n.kind == null
	}
	if basic {
		for i, v := range t.Variants {
			choices[i].key = string(AppendString(nil, v.Name))
		}
	}
	slices.SortFunc(choices, func(a, b choice) int { return int(a.index) - int(b.index) })
	name := strings.Join(t.Path, "::")
	return node{write: func(w *Writer) {
		index := w.U8()
		v := choose(choices, index)
		if v == nil {
			w.Fail("%s does not have a variant %d", name, index)
			return
		}
		w.raw(v.key)
		if basic {
			return
		}
		w.value(v.node)
		w.byte('}')
	}}
}

// choose returns the variant with an index, or nil.
func choose(choices []choice, index uint8) *choice {
	if int(index) < len(choices) && choices[index].index == index { // if no index is skipped
		return &choices[index]
	}
	at, found := slices.BinarySearchFunc(choices, index, func(c choice, index uint8) int { return int(c.index) - int(index) })
	if !found {
		return nil
	}
	return &choices[at]
}
