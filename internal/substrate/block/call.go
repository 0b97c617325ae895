package block

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/schema"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// call is a call of the runtime.
type call struct {
	pallet, name string
	fields       []metadata.Field
	arguments    []argument // nil if rules read none
	read         int        // number of arguments that rules read
}

// argument is an argument of a call: one that rules read, the transaction of ethereum.transact or revive.ethTransact, or
// neither.
type argument struct {
	of      metadata.TypeID
	read    reader
	at      int // of the value, in the order of the schema
	payload payloadReader
	encoded bool // the transaction is in its wire encoding
}

// calls compiles the calls of all pallets.
func (t *types) calls(m *metadata.Metadata) (all [256]*[256]*call) {
	for i := range m.Pallets {
		p := &m.Pallets[i]
		if p.Calls == nil {
			continue
		}
		list := new([256]*call)
		for i := range t.of[*p.Calls].Variants {
			v := &t.of[*p.Calls].Variants[i]
			list[v.Index] = t.call(scalejson.CamelCase(p.Name), scalejson.CamelCase(v.Name), v.Fields)
		}
		all[p.Index] = list
	}
	return all
}

func (t *types) call(pallet, name string, fields []metadata.Field) *call {
	c := &call{pallet: pallet, name: name, fields: fields}
	read := schema.OfCall(pallet, name)
	transact := pallet == "ethereum" && name == "transact"
	encoded := pallet == "revive" && name == "ethTransact"
	if c.read = len(read); c.read == 0 && !transact && !encoded {
		return c
	}
	c.arguments = make([]argument, len(fields))
	for i, f := range fields {
		a := &c.arguments[i]
		a.of = f.Type
		for at, as := range read {
			switch {
			case as.Name != f.Name:
			case as.Name == "dest":
				a.read, a.at = t.address(f.Type, "Id", "Address20"), at
			default:
				a.read, a.at = t.value(f.Type, as.Type), at
			}
		}
		a.encoded = encoded && f.Name == "payload" && t.isBlob(f.Type)
		if transact && f.Name == "transaction" {
			a.payload = t.payload(f.Type)
		}
	}
	return c
}

// arguments reads the arguments of a call, and appends the values that rules read.
func (t *types) arguments(r *scale.Reader, c *call, x *chain.Extrinsic, to chain.Values) chain.Values {
	if c.arguments == nil {
		t.skipFields(r, c.fields)
		return to
	}
	start := len(to)
	for range c.read {
		to = append(to, chain.Value{}) // missing unless read
	}
	for i := range c.arguments {
		switch a := &c.arguments[i]; {
		case a.read != nil:
			to[start+a.at] = a.read(r)
		case a.encoded:
			x.Payload = ethtx.ReadPayload(r.Blob())
		case a.payload != nil:
			x.Payload = chain.DecodedOf(a.payload(r))
		default:
			t.skip(r, a.of)
		}
	}
	return to
}
