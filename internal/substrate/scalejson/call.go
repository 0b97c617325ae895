package scalejson

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// Call is a call of the runtime.
type Call struct {
	Method    string   // its names as JSON, {"pallet","method"}
	Docs      []string // lines
	index     [2]byte
	arguments []argument
}

type argument struct {
	member
	opaque bool // bytes that may be a call
}

// Event is an event of the runtime.
type Event struct {
	Method string // its names as JSON, {"pallet","method"}
	Name   string
	Docs   []string // lines
	index  [2]byte
	fields []*node
	pays   int // the field that states whether a fee was due, -1 if none
}

// pallets compiles the calls and events of all pallets. Pallets that share types share the compiled results
// too.
func (c *Codec) pallets() {
	arguments := map[metadata.TypeID][][]argument{}
	data := map[metadata.TypeID][]Event{}
	for i := range c.metadata.Pallets {
		p := &c.metadata.Pallets[i]
		method := func(name string) string {
			text := AppendString([]byte(`{"pallet":`), CamelCase(p.Name))
			return string(append(AppendString(append(text, `,"method":`...), name), '}'))
		}
		if p.Calls != nil {
			c.calls[p.Index] = new([256]*Call)
			variants := c.metadata.Types[*p.Calls].Variants
			if arguments[*p.Calls] == nil {
				for _, v := range variants {
					arguments[*p.Calls] = append(arguments[*p.Calls], c.arguments(v.Fields))
				}
			}
			for i, v := range variants {
				c.calls[p.Index][v.Index] = &Call{method(CamelCase(v.Name)), v.Docs, [2]byte{p.Index, v.Index}, arguments[*p.Calls][i]}
			}
		}
		if p.Events != nil {
			c.events[p.Index] = new([256]*Event)
			variants := c.metadata.Types[*p.Events].Variants
			if data[*p.Events] == nil {
				for _, v := range variants {
					data[*p.Events] = append(data[*p.Events], c.data(v.Fields))
				}
			}
			for i, v := range variants {
				e := data[*p.Events][i]
				e.Method, e.Name, e.Docs, e.index = method(v.Name), v.Name, v.Docs, [2]byte{p.Index, v.Index}
				c.events[p.Index][v.Index] = &e
			}
		}
	}
}

// data compiles an event's values, without its name.
func (c *Codec) data(fields []metadata.Field) Event {
	e := Event{pays: -1}
	for i, f := range fields {
		e.fields = append(e.fields, c.node(f.Type))
		info := &c.metadata.Types[f.Type]
		pays := slices.ContainsFunc(info.Fields, func(f metadata.Field) bool { return f.Name == "pays_fee" })
		if !pays || e.pays >= 0 {
			continue
		}
		if e.pays = i; info.Fields[len(info.Fields)-1].Name != "pays_fee" {
			n := unknown(info, "more follows pays_fee")
			e.fields[i] = &n
		}
	}
	return e
}

func (c *Codec) arguments(fields []metadata.Field) []argument {
	arguments := make([]argument, len(fields))
	for i, f := range fields {
		name, n := f.Name, c.node(f.Type)
		if name == "" {
			name = "param" + strconv.Itoa(i)
		}
		arguments[i] = argument{member{key(i, name), n}, name == "call" && n.kind == blob}
	}
	return arguments
}

// Find reads which of a pallet's calls or events follows, or returns nil on an error. What names them in the error.
func Find[T any](r *scale.Reader, table *[256]*[256]*T, what string) *T {
	pallet, member := r.U8(), r.U8()
	if r.Err() != nil {
		return nil
	}
	if table[pallet] == nil || table[pallet][member] == nil {
		r.Fail("the runtime has no %s %d.%d", what, pallet, member)
		return nil
	}
	return table[pallet][member]
}

// Call reads which call follows, or returns nil on an error. Its arguments come next.
func (c *Codec) Call(w *Writer) *Call { return Find(w.Reader, &c.calls, "call") }

// Arguments writes the arguments of an extrinsic's call.
func (c *Codec) Arguments(w *Writer, of *Call) {
	if len(of.arguments) == 0 {
		w.raw("{}")
		return
	}
	for _, a := range of.arguments {
		w.raw(a.key)
		if a.opaque {
			c.opaqueCall(w)
		} else {
			w.with(a.node.asArgument)
		}
	}
	w.byte('}')
}

// opaqueCall writes bytes as a call if they are one. Bytes after the call are ignored, as in Sidecar.
func (c *Codec) opaqueCall(w *Writer) {
	blob := w.Blob()
	inner := &Writer{Reader: scale.NewReader(blob), Text: w.Text, Addresses: w.Addresses, depth: w.depth}
	inner.with(c.parsedCall)
	if inner.Err() == nil && w.Err() == nil {
		w.Text = inner.Text
		return
	}
	w.Hex(blob)
}

// parsedCall writes a call with its names.
func (c *Codec) parsedCall(w *Writer) {
	call := c.Call(w)
	if call == nil {
		return
	}
	w.raw(`{"method":`)
	w.raw(call.Method)
	w.raw(`,"args":`)
	c.Arguments(w, call)
	w.byte('}')
}

// codedCall writes a call in Sidecar's form for calls that it does not parse.
func (c *Codec) codedCall(w *Writer) {
	call := c.Call(w)
	if call == nil {
		return
	}
	w.raw(`{"callIndex":`)
	w.Hex(call.index[:])
	w.raw(`,"args":`)
	if len(call.arguments) == 0 {
		w.byte('{')
	}
	for _, a := range call.arguments {
		w.raw(a.key)
		w.value(a.node)
	}
	w.raw("}}")
}

// Event reads which event follows, or returns nil on an error. Its data come next.
func (c *Codec) Event(w *Writer) *Event { return Find(w.Reader, &c.events, "event") }

// Data writes the data of an event. It returns whether they state that a fee was due, as "Yes" or "No", or "".
func (e *Event) Data(w *Writer) (pays string) {
	w.list(len(e.fields), func(i int) {
		from := len(w.Text)
		w.value(e.fields[i])
		if i == e.pays {
			pays = payment(w.Text[from:])
		}
	})
	return pays
}

// payment returns the end of a DispatchInfo's text.
func payment(text []byte) string {
	switch {
	case bytes.HasSuffix(text, []byte(`"Yes"}`)):
		return "Yes"
	case bytes.HasSuffix(text, []byte(`"No"}`)):
		return "No"
	}
	return ""
}

// Signer writes the signer of an extrinsic: an account of 20 bytes with its EIP-55 checksum, even if the
// runtime defines it as H160.
func (c *Codec) Signer(w *Writer) {
	id := c.metadata.Extrinsic.Address
	if c.metadata.Types[id].Is("primitive_types", "H160") {
		w.with((*Writer).address)
		return
	}
	c.Value(w, id)
}

// Signature writes the signature of an extrinsic, without its kind if the runtime has several.
func (c *Codec) Signature(w *Writer) {
	id := c.metadata.Extrinsic.Signature
	if !c.metadata.Types[id].Is("sp_runtime", "MultiSignature") {
		c.Value(w, id)
		return
	}
	size, known := 64, true
	kind := w.U8()
	switch kind {
	case 0, 1: // Ed25519, Sr25519
	case 2, 3: // ECDSA, and in newer runtimes ECDSA of a Keccak hash
		size++
		known = int(kind) < len(c.metadata.Types[id].Variants)
	default:
		known = false
	}
	if !known {
		w.Fail("unknown kind of signature %d", kind)
		return
	}
	w.Hex(w.Bytes(size))
}

// codedEvent writes an event inside another value.
func (c *Codec) codedEvent(w *Writer) {
	event := c.Event(w)
	if event == nil {
		return
	}
	w.raw(`{"index":`)
	w.Hex(event.index[:])
	w.raw(`,"data":`)
	event.Data(w)
	w.byte('}')
}
