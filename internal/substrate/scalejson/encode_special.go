package scalejson

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
)

// special returns the coding of types that [Codec] identifies by their path, or splits into their parameters.
func (e *Encoder) special(id metadata.TypeID, t *metadata.Type) (coding, bool) {
	switch {
	case id == e.metadata.Extrinsic.Call, inRuntime(t, "RuntimeCall"):
		return coding{kind: call, write: e.call}, true
	case e.event != nil && id == *e.event, inRuntime(t, "RuntimeEvent"):
		return coding{write: e.codedEvent}, true
	case len(t.Path) == 0:
		return coding{}, false
	}
	switch strings.Join(t.Path, "::") {
	case "account::AccountId20", "fp_account::AccountId20":
		return coding{write: (*coder).address}, true
	case "sp_core::crypto::AccountId32":
		return e.account32(t), true
	case "sp_runtime::generic::era::Era":
		return coding{write: (*coder).era}, true
	case "sp_runtime::multiaddress::MultiAddress":
		return e.variant(t), true
	case "polkadot_runtime_common::claims::EthereumAddress":
		return cannot(t, "it does not occur on chains with accounts of 20 bytes"), true
	case "primitive_types::U256":
		return unsignedCoding(256), true
	case "frame_support::weights::weight_v2::Weight", "sp_weights::weight_v2::Weight":
		if len(t.Fields) == 1 {
			return inner(e.node(t.Fields[0].Type)), true
		}
		return coding{}, false
	case "pallet_identity::types::BitFlags":
		return e.flags(t), true
	case "BTreeMap":
		return e.withParameters(t, 2, func(of []*coding) coding { return dictionaryCoding(of[0], of[1]) }), true
	case "BTreeSet":
		return e.withParameters(t, 1, func(of []*coding) coding {
			return e.sequence(&coding{write: of[0].value})
		}), true
	}
	last := t.Path[len(t.Path)-1]
	switch {
	case len(t.Path) == 3 && t.Path[0] == "sp_arithmetic" && t.Path[1] == "per_things" && len(t.Fields) == 1:
		n := inner(e.node(t.Fields[0].Type))
		n.kind = other
		return n, true
	case len(t.Path) == 3 && t.Path[1] == "vote" && last == "Vote" && (strings.HasSuffix(t.Path[0], "_democracy") || strings.HasSuffix(t.Path[0], "_conviction_voting")):
		return coding{write: (*coder).vote}, true
	case len(t.Path) == 3 && t.Path[1] == "types" && last == "Data" && strings.HasSuffix(t.Path[0], "_identity"):
		return coding{write: (*coder).data}, true
	case t.Path[0] == "Option" && t.Kind == metadata.Variant:
		return e.withParameters(t, 1, func(of []*coding) coding { return optionCoding(of[0]) }), true
	case t.Path[0] == "Result" && t.Kind == metadata.Variant:
		return e.withParameters(t, 2, func(of []*coding) coding { return resultCoding(of[0], of[1]) }), true
	case slices.Contains([]string{"WrapperOpaque", "WrapperKeepOpaque"}, last), slices.Contains([]string{"Range", "RangeInclusive"}, t.Path[0]):
		return cannot(t, "no known runtime has it"), true
	}
	return coding{}, false
}

func (e *Encoder) withParameters(t *metadata.Type, n int, of func([]*coding) coding) coding {
	nodes := make([]*coding, n)
	if len(t.Parameters) != n {
		return cannot(t, "it has the wrong number of parameters")
	}
	for i, p := range t.Parameters {
		if p.Type == nil {
			return cannot(t, "a parameter's type is missing")
		}
		nodes[i] = e.node(*p.Type)
	}
	return of(nodes)
}

func optionCoding(some *coding) coding {
	return coding{write: func(c *coder, v jsonscan.Value) {
		if v.Kind() == jsonscan.Null {
			c.add(0)
			return
		}
		c.add(1)
		c.with(some.value, v)
	}}
}

func resultCoding(ok, err *coding) coding {
	basic := ok.kind == null && err.kind == null
	return coding{write: func(c *coder, v jsonscan.Value) {
		text, _ := v.Text()
		key, value, only := v.Only()
		switch {
		case basic && text == "Ok":
			c.add(0)
		case basic && text == "Err":
			c.add(1)
		case !basic && only && key == "ok":
			c.add(0)
			c.part(key, ok.value, value)
		case !basic && only && key == "err":
			c.add(1)
			c.part(key, err.value, value)
		case basic:
			c.wrong("Ok or Err", v)
		default:
			c.wrong("an object of ok or err", v)
		}
	}}
}

// dictionaryCoding returns the coding of a map. A key is the text of its value, which is JSON unless it is a
// string.
func dictionaryCoding(key, value *coding) coding {
	return coding{write: func(c *coder, v jsonscan.Value) {
		if v.Kind() != jsonscan.Object {
			c.wrong("an object", v)
			return
		}
		n := 0
		for range v.Members() {
			n++
		}
		c.length(n)
		for name, of := range v.Members() {
			at := len(c.bytes)
			given := jsonscan.OfText(name)
			c.part(name, key.value, given)
			if parsed, err := jsonscan.Parse(name); c.err != nil && err == nil {
				c.err, c.bytes = nil, c.bytes[:at]
				c.part(name, key.value, parsed)
			}
			c.part(name, value.value, of)
		}
	}}
}

// flags returns the coding of a set of flags: the sum of those named.
func (e *Encoder) flags(t *metadata.Type) coding {
	if len(t.Parameters) != 1 || t.Parameters[0].Type == nil || len(t.Fields) != 1 {
		return cannot(t, "its flags are missing")
	}
	width := e.node(t.Fields[0].Type).bits
	if width == 0 || width > 64 {
		return cannot(t, "its flags are not in an integer of 64 bits")
	}
	known := map[string]uint64{}
	var list []string
	for _, v := range e.metadata.Types[*t.Parameters[0].Type].Variants {
		known[v.Name] = uint64(v.Index)
		list = append(list, v.Name)
	}
	want := "names of flags: " + strings.Join(list, ", ")
	return coding{write: func(c *coder, v jsonscan.Value) {
		if v.Kind() != jsonscan.Array {
			c.wrong(want, v)
			return
		}
		var sum uint64
		for element := range v.Elements() {
			name, _ := element.Text()
			flag, there := known[name]
			if !there {
				c.wrong(want, element)
				return
			}
			sum |= flag
		}
		c.add(binary.LittleEndian.AppendUint64(nil, sum)[:width/8]...)
	}}
}

func (c *coder) vote(v jsonscan.Value) {
	const convictions, conviction = 7, 0x7f
	bytes, ok := c.hex(v, 1)
	if ok && bytes[0]&conviction >= convictions {
		c.wrong("a vote with a conviction of at most 6", v)
	}
	c.add(bytes...)
}

// address parses an account of 20 bytes. A checksum must be right.
func (c *coder) address(v jsonscan.Value) {
	text, _ := v.Text()
	a, err := chain.ParseAddress(text)
	if err != nil || a.Size() != chain.AddressSize {
		c.wrong("an address of 0x and 40 hex digits with a valid checksum", v)
		return
	}
	c.add(a.Bytes()...)
}

func (e *Encoder) account32(t *metadata.Type) coding {
	network, known := e.metadata.SS58Prefix()
	if !known {
		return cannot(t, "the runtime does not define SS58Prefix")
	}
	return coding{write: func(c *coder, v jsonscan.Value) {
		text, _ := v.Text()
		if account, err := chain.ParseAccount(text); err == nil && account.SS58(network) == text {
			c.add(account.Bytes()...)
			return
		}
		c.wrong(fmt.Sprintf("an account in SS58 of the network %d", network), v)
	}}
}

// era parses {"immortalEra": "0x00"} or {"mortalEra": [period, phase]}.
func (c *coder) era(v jsonscan.Value) {
	const want = `{"immortalEra": "0x00"} or {"mortalEra": [period, phase]}, with a period of 4 to 65536 that is a power of two`
	key, value, _ := v.Only()
	if text, _ := value.Text(); key == "immortalEra" && text == "0x00" {
		c.add(0)
		return
	}
	if key != "mortalEra" || value.Kind() != jsonscan.Array || value.Index(2).Kind() != jsonscan.Absent {
		c.wrong(want, v)
		return
	}
	const of = 32
	p, _ := c.unsigned(value.Index(0), of)
	q, ok := c.unsigned(value.Index(1), of)
	period, phase := binary.LittleEndian.Uint64(p[:]), binary.LittleEndian.Uint64(q[:])
	step := max(period>>12, 1)
	if !ok || bits.OnesCount64(period) != 1 || period < 4 || period > 1<<16 || phase >= period || phase%step != 0 {
		c.wrong(want, v)
		return
	}
	c.bytes = binary.LittleEndian.AppendUint16(c.bytes, uint16(bits.TrailingZeros64(period)-1)|uint16(phase/step)<<4)
}

// data parses a piece of an identity.
func (c *coder) data(v jsonscan.Value) {
	const want = `{"none": null}, {"raw": at most 32 bytes}, or a hash: blakeTwo256, sha256, keccak256, shaThree256`
	key, value, _ := v.Only()
	hash := slices.Index([]string{"blakeTwo256", "sha256", "keccak256", "shaThree256"}, key)
	switch {
	case key == "none" && value.Kind() == jsonscan.Null:
		c.add(0)
	case key == "raw":
		bytes, ok := c.hex(value, -1)
		if ok && len(bytes) > 32 {
			c.wrong(want, v)
		}
		c.add(byte(len(bytes) + 1))
		c.add(bytes...)
	case hash >= 0:
		bytes, _ := c.hex(value, 32)
		c.add(byte(34 + hash))
		c.add(bytes...)
	default:
		c.wrong(want, v)
	}
}
