package scalejson

import (
	"fmt"
	"strings"
	"sync"

	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
)

// Encoder converts the JSON that a [Codec] writes back to SCALE. The result is the original bytes if the text
// determines them. In a few cases it does not: a text without its byte order mark, bytes after a call in
// bytes, an Option of a type without bytes.
//
// It also accepts what people write: integers as JSON numbers, hex digits in any case, an address without a
// checksum; a checksum must be right if present. A call is {"method", "args"} or {"callIndex", "args"}
// wherever one is required, or its call data in 0x-hex. Objects must have exactly their members.
//
// It is compiled once, and is safe for concurrent use.
type Encoder struct {
	metadata *metadata.Metadata
	event    *metadata.TypeID
	nodes    []*coding // by type
	depth    int       // of the type being compiled
	calls    membersOf
	events   membersOf
	codec    func() *Codec // compiled on demand
}

// EncodeError names the part of a value that does not match its type.
type EncodeError struct {
	Path string // such as args.calls[2].value, "" for the value itself
	Want string
	Have string
}

func (e *EncodeError) Error() string {
	at := e.Path
	if at != "" {
		at += ": "
	}
	return fmt.Sprintf("%swant %s, have %s", at, e.Want, e.Have)
}

// NewEncoder compiles the types of a runtime.
func NewEncoder(m *metadata.Metadata) *Encoder {
	e := &Encoder{metadata: m, event: eventType(m), nodes: make([]*coding, len(m.Types))}
	e.codec = sync.OnceValue(func() *Codec { return New(m) })
	for id := range m.Types {
		e.node(metadata.TypeID(id))
	}
	e.pallets()
	return e
}

// Value appends a value of a type.
func (e *Encoder) Value(to []byte, id metadata.TypeID, v jsonscan.Value) ([]byte, error) {
	return e.encode(to, v, e.nodes[id].write)
}

// Call appends a call given by its names: {"method": {"pallet", "method"}, "args"}.
func (e *Encoder) Call(to []byte, v jsonscan.Value) ([]byte, error) { return e.encode(to, v, e.call) }

func (e *Encoder) encode(to []byte, v jsonscan.Value, write func(*coder, jsonscan.Value)) ([]byte, error) {
	c := coder{bytes: to, limit: len(to) + maxText}
	c.with(write, v)
	if c.err != nil {
		return nil, c.err
	}
	return c.bytes, nil
}

// coder is the state of encoding a value.
type coder struct {
	bytes []byte
	limit int // in bytes
	err   error
	path  []step
	depth int
}

// step leads from a value to a part of it: a name, or an index in an array if the name is "".
type step struct {
	name  string
	index int
}

// with writes a value, within the limit of nesting.
func (c *coder) with(write func(*coder, jsonscan.Value), v jsonscan.Value) {
	switch {
	case c.err != nil:
		return
	case c.depth == maxDepth:
		c.wrong(fmt.Sprintf("values nested at most %d deep", maxDepth), v)
		return
	case len(c.bytes) > c.limit:
		c.wrong(fmt.Sprintf("values of at most %d bytes", maxText), v)
		return
	}
	c.depth++
	write(c, v)
	c.depth--
}

// part writes a named part of a value.
func (c *coder) part(name string, write func(*coder, jsonscan.Value), v jsonscan.Value) {
	c.at(step{name: name}, write, v)
}

func (c *coder) at(s step, write func(*coder, jsonscan.Value), v jsonscan.Value) {
	c.path = append(c.path, s)
	c.with(write, v)
	c.path = c.path[:len(c.path)-1]
}

// wrong records an error: the form required instead of a value.
func (c *coder) wrong(want string, v jsonscan.Value) {
	have := v.Kind().String()
	if v.Kind() != jsonscan.Absent {
		have = jsonscan.Excerpt(v.Raw())
	}
	c.wrongAs(want, have)
}

func (c *coder) wrongAs(want, have string) {
	if c.err == nil {
		var path strings.Builder
		for i, s := range c.path {
			switch {
			case s.name == "":
				fmt.Fprintf(&path, "[%d]", s.index)
				continue
			case i > 0:
				path.WriteByte('.')
			}
			path.WriteString(s.name)
		}
		c.err = &EncodeError{Path: path.String(), Want: want, Have: have}
	}
}

func (c *coder) add(bytes ...byte) { c.bytes = append(c.bytes, bytes...) }

// coding is a compiled type.
type coding struct {
	write func(*coder, jsonscan.Value)
	kind  kind
	bits  int // of an unsigned integer, 0 for other types
}

// node returns a type's coding. While a type is being compiled, types inside it may refer to it.
func (e *Encoder) node(id metadata.TypeID) *coding {
	if n := e.nodes[id]; n != nil {
		return n
	}
	n := &coding{}
	e.nodes[id] = n
	if e.depth++; e.depth > maxTypes {
		*n = cannot(&e.metadata.Types[id], "it is nested too deeply")
	} else {
		*n = e.compile(id)
	}
	e.depth--
	return n
}

// value writes a value of a type, which may be compiled later than its references.
func (n *coding) value(c *coder, v jsonscan.Value) { n.write(c, v) }

func (e *Encoder) compile(id metadata.TypeID) coding {
	t := &e.metadata.Types[id]
	if n, special := e.special(id, t); special {
		return n
	}
	switch t.Kind {
	case metadata.Composite:
		return e.fields(t, t.Fields)
	case metadata.Variant:
		return e.variant(t)
	case metadata.Sequence:
		return e.sequence(e.node(t.Element))
	case metadata.Array:
		return e.array(t)
	case metadata.Tuple:
		return e.tuple(t.Elements)
	case metadata.Primitive:
		return primitiveCoding(t.Primitive)
	case metadata.Compact:
		return e.compact(t)
	}
	return cannot(t, "bits are not supported")
}

// cannot returns the coding of a type without a known rule.
func cannot(t *metadata.Type, why string) coding {
	name := strings.Join(t.Path, "::")
	if name == "" {
		name = "an unnamed type"
	}
	return coding{write: func(c *coder, v jsonscan.Value) {
		c.wrong(fmt.Sprintf("no value of %s, which cannot be encoded: %s", name, why), v)
	}}
}

// inner returns the coding of a type written like the one inside it.
func inner(n *coding) coding {
	if n.write == nil { // it contains itself
		return coding{write: func(c *coder, v jsonscan.Value) { c.with(n.value, v) }}
	}
	return *n
}

var noBytes = coding{kind: null, write: func(c *coder, v jsonscan.Value) {
	if v.Kind() != jsonscan.Null {
		c.wrong("null", v)
	}
}}

// fields returns the coding of the fields of a struct or a variant.
func (e *Encoder) fields(t *metadata.Type, fields []metadata.Field) coding {
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
		return e.tuple(ids)
	case len(fields):
		members := make([]parameter, len(fields))
		for i, f := range fields {
			members[i] = parameter{fieldName(f.Name), e.node(f.Type)}
		}
		return coding{write: func(c *coder, v jsonscan.Value) { c.object(members, v) }}
	}
	return cannot(t, "some fields have names, others have none")
}

// parameter is a member of an object and the type of its value.
type parameter struct {
	name string
	node *coding
}

// object writes the members of an object in the order of their types.
func (c *coder) object(want []parameter, v jsonscan.Value) {
	if v.Kind() != jsonscan.Object {
		c.wrong("an object of "+names(want), v)
		return
	}
	values := make([]jsonscan.Value, len(want))
	next := 0 // most objects have their members in order
	for name, value := range v.Members() {
		i := next
		for n := 0; n < len(want) && want[i%len(want)].name != name; n++ {
			i++
		}
		if len(want) == 0 || want[i%len(want)].name != name {
			c.wrongAs("an object of "+names(want), "the member "+jsonscan.Excerpt(name))
			return
		}
		values[i%len(want)] = value
		next = i + 1
	}
	for i := range want {
		c.part(want[i].name, want[i].node.value, values[i])
	}
}

func names(of []parameter) string {
	if len(of) == 0 {
		return "nothing"
	}
	list := make([]string, len(of))
	for i := range of {
		list[i] = of[i].name
	}
	return strings.Join(list, ", ")
}

func (e *Encoder) tuple(ids []metadata.TypeID) coding {
	switch len(ids) {
	case 0:
		return noBytes
	case 1:
		return inner(e.node(ids[0]))
	}
	elements := make([]*coding, len(ids))
	for i, id := range ids {
		elements[i] = e.node(id)
	}
	return coding{write: func(c *coder, v jsonscan.Value) {
		c.list(len(elements), func(i int) *coding { return elements[i] }, v)
	}}
}

// list writes the elements of an array, exactly n of them.
func (c *coder) list(n int, of func(i int) *coding, v jsonscan.Value) {
	if v.Kind() != jsonscan.Array {
		c.wrong(fmt.Sprintf("an array of %d", n), v)
		return
	}
	i := 0
	for element := range v.Elements() {
		if i < n && c.err == nil {
			c.at(step{index: i}, of(i).value, element)
		}
		i++
	}
	if i != n {
		c.wrongAs(fmt.Sprintf("an array of %d", n), fmt.Sprint(i))
	}
}

func (e *Encoder) sequence(element *coding) coding {
	if element.kind == octet {
		return coding{kind: blob, write: func(c *coder, v jsonscan.Value) {
			if bytes, ok := c.hex(v, -1); ok {
				c.length(len(bytes))
				c.add(bytes...)
			}
		}}
	}
	return coding{write: func(c *coder, v jsonscan.Value) {
		if v.Kind() != jsonscan.Array {
			c.wrong("an array", v)
			return
		}
		n := 0
		for range v.Elements() {
			n++
		}
		c.length(n)
		c.list(n, func(int) *coding { return element }, v)
	}}
}

func (e *Encoder) array(t *metadata.Type) coding {
	n := int(t.Length)
	if t.Length > maxElements {
		return cannot(t, "it is an array of more than 2048 elements")
	}
	element := e.node(t.Element)
	if element.kind == octet {
		return coding{write: func(c *coder, v jsonscan.Value) {
			bytes, _ := c.hex(v, n)
			c.add(bytes...)
		}}
	}
	return coding{write: func(c *coder, v jsonscan.Value) { c.list(n, func(int) *coding { return element }, v) }}
}

// alternative is a variant by its name in JSON.
type alternative struct {
	parameter
	index uint8
}

func (e *Encoder) variant(t *metadata.Type) coding {
	if len(t.Variants) == 0 {
		return noBytes
	}
	alternatives := map[string]*alternative{}
	basic := true
	nodes := make([]coding, len(t.Variants))
	for i, v := range t.Variants {
		nodes[i] = e.fields(t, v.Fields)
		basic = basic && nodes[i].kind == null
	}
	var list []string
	for i, v := range t.Variants {
		name := CamelCase(v.Name)
		if basic {
			name = v.Name
		}
		if alternatives[name] != nil { // JSON cannot distinguish them
			alternatives[name].node = &coding{write: cannot(t, "two variants have the name "+name).write}
			continue
		}
		alternatives[name] = &alternative{parameter{name, &nodes[i]}, v.Index}
		list = append(list, name)
	}
	name := strings.Join(t.Path, "::")
	want := fmt.Sprintf("one of the %d variants of %s", len(list), name)
	if len(list) <= 16 {
		want = fmt.Sprintf("a variant of %s: %s", name, strings.Join(list, ", "))
	}
	if basic {
		return coding{write: func(c *coder, v jsonscan.Value) {
			text, ok := v.Text()
			if a := alternatives[text]; ok && a != nil {
				c.add(a.index)
				return
			}
			c.wrong(want, v)
		}}
	}
	return coding{write: func(c *coder, v jsonscan.Value) {
		key, value, only := v.Only()
		a := alternatives[key]
		if !only || a == nil {
			c.wrong(want, v)
			return
		}
		c.add(a.index)
		c.part(a.name, a.node.value, value)
	}}
}
