package scalejson

import (
	"fmt"
	"strconv"

	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// membersOf are the calls or events of a runtime, by name and by index.
type membersOf struct {
	what    string
	named   map[string]*palletMember // pallet.method, in camelCase
	indexed map[[2]byte]*palletMember
}

// palletMember is a call or an event.
type palletMember struct {
	index [2]byte
	parts []parameter
}

// pallets compiles the calls and events of all pallets.
func (e *Encoder) pallets() {
	e.calls = membersOf{"call", map[string]*palletMember{}, map[[2]byte]*palletMember{}}
	e.events = membersOf{"event", map[string]*palletMember{}, map[[2]byte]*palletMember{}}
	parts := map[metadata.TypeID][][]parameter{} // pallets that share types share these too
	for i := range e.metadata.Pallets {
		p := &e.metadata.Pallets[i]
		if p.Calls != nil {
			e.members(&e.calls, p, *p.Calls, CamelCase, e.arguments, parts)
		}
		if p.Events != nil {
			e.members(&e.events, p, *p.Events, func(name string) string { return name }, e.values, parts)
		}
	}
}

func (e *Encoder) members(to *membersOf, p *metadata.Pallet, id metadata.TypeID, spelled func(string) string,
	of func([]metadata.Field) []parameter, shared map[metadata.TypeID][][]parameter) {
	variants := e.metadata.Types[id].Variants
	if shared[id] == nil {
		for _, v := range variants {
			shared[id] = append(shared[id], of(v.Fields))
		}
	}
	for i, v := range variants {
		m := &palletMember{[2]byte{p.Index, v.Index}, shared[id][i]}
		to.named[CamelCase(p.Name)+"."+spelled(v.Name)] = m
		to.indexed[m.index] = m
	}
}

// arguments returns the parameters of a call; bytes named call may be given as a call.
func (e *Encoder) arguments(fields []metadata.Field) []parameter {
	list := make([]parameter, len(fields))
	for i, f := range fields {
		name, n := f.Name, e.node(f.Type)
		if name == "" {
			name = "param" + strconv.Itoa(i)
		}
		if name == "call" && n.kind == blob {
			n = &coding{write: e.opaqueCall(n)}
		}
		list[i] = parameter{name, n}
	}
	return list
}

// values returns the parameters of an event, which have no names.
func (e *Encoder) values(fields []metadata.Field) []parameter {
	list := make([]parameter, len(fields))
	for i, f := range fields {
		list[i] = parameter{node: e.node(f.Type)}
	}
	return list
}

// find returns a call or an event by its names, or by its index in hex.
func (of *membersOf) find(c *coder, method, index jsonscan.Value) *palletMember {
	if index.Kind() != jsonscan.Absent {
		bytes, ok := c.hex(index, 2)
		if ok && of.indexed[[2]byte(bytes)] == nil {
			c.wrong(fmt.Sprintf("the number of a %s of the runtime", of.what), index)
		}
		if !ok {
			return nil
		}
		return of.indexed[[2]byte(bytes)]
	}
	pallet, _ := method.Member("pallet").Text()
	name, _ := method.Member("method").Text()
	m := of.named[pallet+"."+name]
	if m == nil {
		c.wrong(fmt.Sprintf(`{"pallet", "method"} of a %s of the runtime, in camelCase`, of.what), method)
	}
	return m
}

// call writes a call, given by its names or its index, or already encoded.
func (e *Encoder) call(c *coder, v jsonscan.Value) {
	if v.Kind() == jsonscan.String {
		e.encodedCall(c, v)
		return
	}
	if v.Kind() != jsonscan.Object {
		c.wrong(`a call: {"method": {"pallet", "method"}, "args"}`, v)
		return
	}
	m := e.calls.find(c, v.Member("method"), v.Member("callIndex"))
	if m == nil {
		return
	}
	c.add(m.index[:]...)
	c.part("args", func(c *coder, v jsonscan.Value) { c.object(m.parts, v) }, v.Member("args"))
}

// encodedCall writes the bytes of a call; they must be exactly one call.
func (e *Encoder) encodedCall(c *coder, v jsonscan.Value) {
	bytes, ok := c.hex(v, -1)
	if !ok {
		return
	}
	r := Writer{Reader: scale.NewReader(bytes), depth: c.depth}
	r.with(e.codec().parsedCall)
	if err := r.End(); err != nil {
		c.wrong("the bytes of a call of the runtime ("+err.Error()+")", v)
		return
	}
	c.add(bytes...)
}

// opaqueCall writes bytes, or the bytes of a call if one is given.
func (e *Encoder) opaqueCall(bytes *coding) func(*coder, jsonscan.Value) {
	return func(c *coder, v jsonscan.Value) {
		if v.Kind() != jsonscan.Object {
			bytes.value(c, v)
			return
		}
		from := len(c.bytes)
		e.call(c, v)
		inner := append([]byte(nil), c.bytes[from:]...)
		c.bytes = c.bytes[:from]
		c.length(len(inner))
		c.add(inner...)
	}
}

// codedEvent writes an event inside another value.
func (e *Encoder) codedEvent(c *coder, v jsonscan.Value) {
	if index := v.Member("index"); index.Kind() != jsonscan.Absent {
		e.eventOf(c, v, e.events.find(c, jsonscan.Value{}, index))
		return
	}
	c.wrong(`an event: {"index", "data"}`, v)
}

func (e *Encoder) eventOf(c *coder, v jsonscan.Value, m *palletMember) {
	if m == nil {
		return
	}
	c.add(m.index[:]...)
	c.part("data", func(c *coder, v jsonscan.Value) {
		c.list(len(m.parts), func(i int) *coding { return m.parts[i].node }, v)
	}, v.Member("data"))
}
