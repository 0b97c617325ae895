package metadata

import (
	"fmt"
	"strings"
)

// maxDescribed is the depth to which a type is described: deeper types are only named.
const maxDescribed = 4

// Describe returns a type in short source notation: u128, Compact<u128>, Vec<AccountId20>, [u8; 32],
// Option<u32>. It omits modules.
func (m *Metadata) Describe(id TypeID) string { return m.describe(id, 0) }

func (m *Metadata) describe(id TypeID, depth int) string {
	if int(id) >= len(m.Types) {
		return fmt.Sprintf("type %d", id)
	}
	t := &m.Types[id]
	if depth > maxDescribed {
		return "…"
	}
	inner := func(id TypeID) string { return m.describe(id, depth+1) }
	switch t.Kind {
	case Sequence:
		return "Vec<" + inner(t.Element) + ">"
	case Array:
		return fmt.Sprintf("[%s; %d]", inner(t.Element), t.Length)
	case Compact:
		return "Compact<" + inner(t.Element) + ">"
	case Bits:
		return "bits"
	case Primitive:
		return primitiveNames[t.Primitive]
	case Tuple:
		names := make([]string, len(t.Elements))
		for i, id := range t.Elements {
			names[i] = inner(id)
		}
		return "(" + strings.Join(names, ", ") + ")"
	}
	var parameters []string
	for _, p := range t.Parameters {
		if p.Type != nil {
			parameters = append(parameters, inner(*p.Type))
		}
	}
	switch name := t.Name(); {
	case name == "":
		return "an unnamed type"
	case len(parameters) == 0 || len(t.Path) > 2: // those of a pallet name the runtime
		return name
	default:
		return name + "<" + strings.Join(parameters, ", ") + ">"
	}
}

var primitiveNames = [primitiveCount]string{
	Bool: "bool", Char: "char", Str: "text", U8: "u8", U16: "u16", U32: "u32", U64: "u64", U128: "u128", U256: "u256",
	I8: "i8", I16: "i16", I32: "i32", I64: "i64", I128: "i128", I256: "i256",
}
