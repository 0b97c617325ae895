package scalejson

import (
	"fmt"
	"strings"
	"sync"

	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
)

// Encoder makes SCALE of the JSON that a [Codec] writes: the bytes that were read, where the
// text tells all of them. It does not in few places: a text without its byte order mark, what
// followed a call in bytes, an Option of what has no bytes itself.
//
// It also takes what people write: integers as JSON numbers, hex digits in any case, an address
// without its checksum; a checksum that is there must be right. A call is {"method", "args"} or
// {"callIndex", "args"} wherever one is wanted, or 0x and the hex digits of its call data.
// Objects have all of their members and no others.
//
// It is compiled once, and is for any number of goroutines at a time.
type Encoder struct {
	metadata *metadata.Metadata
	event    *metadata.TypeID
	nodes    []*coding // by type
	depth    int       // of the type that is compiled
	calls    membersOf
	events   membersOf
	codec    func() *Codec // compiled where it is needed
}

// EncodeError says which part of a value is not what its type wants.
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

// Call appends a call with its names: {"method": {"pallet", "method"}, "args"}.
func (e *Encoder) Call(to []byte, v jsonscan.Value) ([]byte, error) { return e.encode(to, v, e.call) }

func (e *Encoder) encode(to []byte, v jsonscan.Value, write func(*coder, jsonscan.Value)) ([]byte, error) {
	c := coder{bytes: to, most: len(to) + mostText}
	c.with(write, v)
	if c.err != nil {
		return nil, c.err
	}
	return c.bytes, nil
}

// coder is a value on its way to SCALE.
type coder struct {
	bytes []byte
	most  int // bytes
	err   error
	path  []step
	depth int
}

// step leads from a value to a part of it: a name, or a place in an array where that is "".
type step struct {
	name  string
	index int
}

// with writes a value, as deep as values may be nested.
func (c *coder) with(write func(*coder, jsonscan.Value), v jsonscan.Value) {
	switch {
	case c.err != nil:
		return
	case c.depth == mostDepth:
		c.wrong(fmt.Sprintf("values nested at most %d deep", mostDepth), v)
		return
	case len(c.bytes) > c.most:
		c.wrong(fmt.Sprintf("values of at most %d bytes", mostText), v)
		return
	}
	c.depth++
	write(c, v)
	c.depth--
}

// part writes a part of a value, which has a name.
func (c *coder) part(name string, write func(*coder, jsonscan.Value), v jsonscan.Value) {
	c.at(step{name: name}, write, v)
}

func (c *coder) at(s step, write func(*coder, jsonscan.Value), v jsonscan.Value) {
	c.path = append(c.path, s)
	c.with(write, v)
	c.path = c.path[:len(c.path)-1]
}

// wrong says what was wanted in the place of a value.
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

// coding is a type, compiled.
type coding struct {
	write func(*coder, jsonscan.Value)
	kind  kind
	bits  int // of an unsigned integer, 0 for other types
}

// node is a type's. While a type is compiled, those inside it may refer to it.
func (e *Encoder) node(id metadata.TypeID) *coding {
	if n := e.nodes[id]; n != nil {
		return n
	}
	n := &coding{}
	e.nodes[id] = n
	if e.depth++; e.depth > mostTypes {
		*n = cannot(&e.metadata.Types[id], "it is nested too deep in other types")
	} else {
		*n = e.compile(id)
	}
	e.depth--
	return n
}

// value writes a value of a type, which may be compiled later than what refers to it.
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
	return cannot(t, "bits are not known")
}

// cannot is a type that no rule is known for.
func cannot(t *metadata.Type, why string) coding {
	name := strings.Join(t.Path, "::")
	if name == "" {
		name = "a type without a name"
	}
	return coding{write: func(c *coder, v jsonscan.Value) {
		c.wrong(fmt.Sprintf("no value of %s, which cannot be encoded: %s", name, why), v)
	}}
}

// inner is a type that looks like the one inside it.
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

// fields are those of a struct or of a variant.
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

// parameter is a member of an object with the type that its value has.
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

// list writes the elements of an array, of which there must be so many.
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
	if t.Length > mostElements {
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

// alternative is a variant as it is named in JSON.
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
		if alternatives[name] != nil { // JSON does not tell them apart
			alternatives[name].node = &coding{write: cannot(t, "two variants are called "+name).write}
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
