package scalejson

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// special returns the node of types that polkadot-js identifies by their path, or splits into their
// parameters.
func (c *Codec) special(id metadata.TypeID, t *metadata.Type) (node, bool) {
	switch {
	case id == c.metadata.Extrinsic.Call, inRuntime(t, "RuntimeCall"):
		return node{kind: call, write: c.codedCall, argument: c.parsedCall}, true
	case c.event != nil && id == *c.event, inRuntime(t, "RuntimeEvent"):
		return node{write: c.codedEvent}, true
	case len(t.Path) == 0:
		return node{}, false
	}
	switch strings.Join(t.Path, "::") {
	case "account::AccountId20", "fp_account::AccountId20", "polkadot_runtime_common::claims::EthereumAddress":
		return node{write: (*Writer).address}, true
	case "sp_core::crypto::AccountId32":
		return c.account32(t), true
	case "sp_runtime::generic::era::Era":
		return node{write: (*Writer).era}, true
	case "sp_runtime::multiaddress::MultiAddress":
		return c.multiAddress(t), true
	case "primitive_types::U256":
		return unsigned(256), true
	case "frame_support::weights::weight_v2::Weight", "sp_weights::weight_v2::Weight":
		if len(t.Fields) == 1 {
			return c.named(t), true
		}
		return node{}, false
	case "pallet_identity::types::BitFlags":
		return c.flags(t), true
	case "BTreeMap":
		return c.withParameters(t, 2, func(of []*node) node { return c.dictionary(of[0], of[1]) }), true
	case "BTreeSet": // not an array for Sidecar: calls inside are not converted
		return c.withParameters(t, 1, func(of []*node) node {
			n := c.sequence(&node{write: func(w *Writer) { w.value(of[0]) }})
			n.argument = nil
			return n
		}), true
	}
	last := t.Path[len(t.Path)-1]
	switch {
	case len(t.Path) == 3 && t.Path[0] == "sp_arithmetic" && t.Path[1] == "per_things" && len(t.Fields) == 1:
		return c.named(t), true
	case len(t.Path) == 3 && t.Path[1] == "vote" && last == "Vote" && (strings.HasSuffix(t.Path[0], "_democracy") || strings.HasSuffix(t.Path[0], "_conviction_voting")):
		return node{write: (*Writer).vote}, true
	case len(t.Path) == 3 && t.Path[1] == "types" && last == "Data" && strings.HasSuffix(t.Path[0], "_identity"):
		return node{write: (*Writer).data}, true
	case t.Path[0] == "Option" && t.Kind == metadata.Variant:
		return c.withParameters(t, 1, func(of []*node) node { return option(of[0]) }), true
	case t.Path[0] == "Result" && t.Kind == metadata.Variant:
		return c.withParameters(t, 2, func(of []*node) node { return result(of[0], of[1]) }), true
	case slices.Contains([]string{"Range", "RangeInclusive"}, t.Path[0]) && t.Kind == metadata.Composite:
		return c.withParameters(t, 1, func(of []*node) node { return elements(of[0], of[0]) }), true
	case slices.Contains([]string{"WrapperOpaque", "WrapperKeepOpaque"}, last) && t.Kind == metadata.Composite:
		return c.withParameters(t, 1, func(of []*node) node { return wrapper(t, of[0]) }), true
	}
	return node{}, false
}

// named returns the node of an integer with a type name: a Percent is not a byte, and several are not written
// as hex.
func (c *Codec) named(t *metadata.Type) node {
	n := forward(c.node(t.Fields[0].Type))
	n.kind = named
	return n
}

// multiAddress returns the node of an address in one of several forms. Two of them are errors: an index, which
// Sidecar writes in SS58 of a different network; and a form followed by few bytes, because Sidecar then
// guesses the form from the number of bytes left.
func (c *Codec) multiAddress(t *metadata.Type) node {
	for _, v := range t.Variants {
		if v.Name != "Id" {
			continue
		}
		if len(v.Fields) != 1 || !slices.Contains([]string{"AccountId20", "AccountId32"}, c.metadata.Types[v.Fields[0].Type].Name()) {
			return unknown(t, "its accounts are not of 20 or 32 bytes")
		}
	}
	form := c.variant(t)
	index := unknown(t, "it is an index, in SS58")
	guess := unknown(t, "its form is guessed from the last 8, 20 or 32 bytes")
	return node{write: func(w *Writer) {
		if left := w.Left(); left <= 8 || left == 20 || left == 32 {
			guess.write(w)
			return
		}
		from := len(w.Text)
		if form.write(w); bytes.HasPrefix(w.Text[from:], []byte(`{"index"`)) {
			index.write(w)
		}
	}}
}

// wrapper returns the node of a value with a length prefix: Sidecar leaves it encoded. It would decode one
// that is a call if the argument has that name.
func wrapper(t *metadata.Type, of *node) node {
	n := node{write: func(w *Writer) { w.Hex(w.Blob()) }}
	if of.kind == call {
		n.argument = unknown(t, "it is a call as an argument").write
	}
	return n
}

// inRuntime reports whether the type is defined by the runtime itself.
func inRuntime(t *metadata.Type, name string) bool {
	return len(t.Path) == 2 && t.Path[1] == name && strings.HasSuffix(t.Path[0], "_runtime")
}

// withParameters returns the node of a generic type, built from those of its parameters.
func (c *Codec) withParameters(t *metadata.Type, n int, of func([]*node) node) node {
	nodes := make([]*node, n)
	if len(t.Parameters) != n {
		return unknown(t, "it has the wrong number of parameters")
	}
	for i, p := range t.Parameters {
		if p.Type == nil {
			return unknown(t, "a parameter's type is missing")
		}
		nodes[i] = c.node(*p.Type)
	}
	return of(nodes)
}

func option(some *node) node {
	return node{write: func(w *Writer) {
		if w.Option() {
			w.value(some)
		} else {
			w.raw("null")
		}
	}}
}

func result(ok, err *node) node {
	basic := ok.kind == null && err.kind == null
	return node{write: func(w *Writer) {
		failed := w.Bool()
		switch {
		case basic && failed:
			w.raw(`"Err"`)
		case basic:
			w.raw(`"Ok"`)
		case failed:
			w.raw(`{"err":`)
			w.value(err)
			w.byte('}')
		default:
			w.raw(`{"ok":`)
			w.value(ok)
			w.byte('}')
		}
	}}
}

// dictionary returns the node of a map: an object, whose keys are strings whatever their type.
func (c *Codec) dictionary(key, value *node) node {
	return node{write: func(w *Writer) {
		w.byte('{')
		previous := ""
		for i := range w.Length(1) {
			if i > 0 {
				w.byte(',')
			}
			from, unsanitized := len(w.Text), w.unsanitized
			w.unsanitized = false // a key is always a string
			w.value(key)
			w.unsanitized = unsanitized
			if w.Err() != nil {
				return
			}
			switch name := string(w.Text[from:]); {
			case name[0] != '"' && unsanitized:
				w.Fail("a map's key is neither text nor a number")
				return
			case i > 0 && name == previous:
				w.Fail("a map has the key %s twice", name)
				return
			case name == "true" || name == "false":
				w.Fail("a map's key is neither text nor a number")
				return
			case name[0] != '"':
				w.Text = AppendString(w.Text[:from], name)
				previous = name
			default:
				previous = name
			}
			w.byte(':')
			w.value(value)
		}
		w.byte('}')
	}}
}

// flags returns the node of a set of flags: the names of those set.
func (c *Codec) flags(t *metadata.Type) node {
	if len(t.Parameters) != 1 || t.Parameters[0].Type == nil || len(t.Fields) != 1 {
		return unknown(t, "its flags are missing")
	}
	bits := c.node(t.Fields[0].Type).bits
	if bits == 0 || bits > 64 {
		return unknown(t, "its flags are not in an integer of 64 bits")
	}
	variants := c.metadata.Types[*t.Parameters[0].Type].Variants
	return node{write: func(w *Writer) {
		var value, known uint64
		for i, b := range w.Bytes(bits / 8) {
			value |= uint64(b) << (8 * i)
		}
		w.byte('[')
		for _, v := range variants { // the index is the flag
			if value&uint64(v.Index) != uint64(v.Index) {
				continue
			}
			if known |= uint64(v.Index); w.Text[len(w.Text)-1] != '[' {
				w.byte(',')
			}
			w.String(v.Name)
		}
		w.byte(']')
		if known != value {
			w.Fail("the flags are %#x, but only %#x have names", value, known)
		}
	}}
}

// vote writes yes or no, and the number of periods for which the voter's tokens stay locked.
func (w *Writer) vote() {
	const convictions, conviction = 7, 0x7f
	bytes := w.Bytes(1)
	if bytes != nil && bytes[0]&conviction >= convictions {
		w.Fail("invalid conviction %d of a vote", bytes[0]&conviction)
	}
	w.Hex(bytes)
}

// account32 returns the node of an account of 32 bytes. The SS58 prefix is a constant of the runtime; Sidecar
// prefers it to the node's chain properties.
func (c *Codec) account32(t *metadata.Type) node {
	network, found := c.metadata.SS58Prefix()
	if !found {
		return unknown(t, "the runtime does not define SS58Prefix")
	}
	return node{write: func(w *Writer) {
		if bytes := w.Bytes(chain.LongAddressSize); bytes != nil {
			w.String(chain.Address32([chain.LongAddressSize]byte(bytes)).SS58(network))
		}
	}}
}

// ReadEra reads the lifetime of an extrinsic, and its encoding: immortal, which is the zero era, or a period and a phase.
//
// Source: polkadot-sdk, substrate/primitives/runtime/src/generic/era.rs.
func ReadEra(r *scale.Reader) (era chain.Era, encoded []byte) {
	from := r.At()
	first := r.U8()
	if first == 0 {
		return era, nil
	}
	bits := uint64(first) | uint64(r.U8())<<8
	era.Period = uint64(2) << (bits & 15)
	era.Phase = (bits >> 4) * max(era.Period>>12, 1)
	if era.Period < 4 || era.Phase >= era.Period {
		r.Fail("invalid era with the period %d and the phase %d", era.Period, era.Phase)
	}
	return era, r.Since(from)
}

// era writes the lifetime of an extrinsic: immortal, or a period and a phase.
func (w *Writer) era() {
	era, encoded := ReadEra(w.Reader)
	switch {
	case w.Err() != nil:
		return
	case era == chain.Era{}:
		w.raw(`{"immortalEra":"0x00"}`)
		return
	case w.unsanitized:
		w.raw(`{"mortalEra":`)
		w.Hex(encoded)
		w.byte('}')
		return
	}
	w.raw(`{"mortalEra":["`)
	w.Text = strconv.AppendUint(w.Text, era.Period, 10)
	w.raw(`","`)
	w.Text = strconv.AppendUint(w.Text, era.Phase, 10)
	w.raw(`"]}`)
}

// data writes a piece of an identity: nothing, up to 32 bytes, or a hash.
func (w *Writer) data() {
	switch how := w.U8(); {
	case how == 0:
		w.raw(`{"none":null}`)
		return
	case how <= 33:
		w.raw(`{"raw":`)
		w.Hex(w.Bytes(int(how) - 1))
	case how <= 37:
		w.raw([]string{`{"blakeTwo256":`, `{"sha256":`, `{"keccak256":`, `{"shaThree256":`}[how-34])
		w.Hex(w.Bytes(32))
	default:
		w.Fail("unknown kind of identity data %d", how)
		return
	}
	w.byte('}')
}
