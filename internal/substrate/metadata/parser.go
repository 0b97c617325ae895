package metadata

import "github.com/feeledger/fees/internal/substrate/scale"

// parser decodes metadata of one version.
type parser struct {
	*scale.Reader
	version uint8
	named   []TypeID // all referenced types
}

// list decodes a list of elements of at size size bytes each.
func list[T any](p *parser, size int, read func() T) []T {
	n := p.Length(size)
	if n == 0 {
		return nil
	}
	elements := make([]T, 0, min(n, 4096))
	for range n {
		if elements = append(elements, read()); p.Err() != nil {
			return nil
		}
	}
	return elements
}

func (p *parser) metadata(m *Metadata) {
	next := TypeID(0)
	m.Types = list(p, 5, func() Type {
		if id := p.id(); id != next {
			p.Fail("found type %d, want type %d", id, next)
		}
		next++
		return p.typ()
	})
	m.Pallets = list(p, 7, p.pallet)
	m.Extrinsic = p.extrinsic(m)
	if p.version == 14 {
		p.typeID() // of the runtime
		return
	}
	if p.version == 15 {
		p.typeID()
	}
	list(p, 3, p.api)
	for range 3 { // the outer enums of calls, events and errors
		p.typeID()
	}
	list(p, 3, func() struct{} { // custom values
		p.Text()
		p.typeID()
		p.Blob()
		return struct{}{}
	})
}

// id decodes the number of a type.
func (p *parser) id() TypeID {
	n := p.CompactUint()
	if n > 1<<31 {
		p.Fail("type %d does not exist", n)
	}
	return TypeID(n)
}

// typeID decodes a reference to a type.
func (p *parser) typeID() TypeID {
	id := p.id()
	p.named = append(p.named, id)
	return id
}

func (p *parser) optionalType() *TypeID {
	if !p.Option() {
		return nil
	}
	id := p.typeID()
	return &id
}

func (p *parser) docs() []string { return list(p, 1, p.Text) }

func (p *parser) typ() (t Type) {
	t.Path = list(p, 1, p.Text)
	t.Parameters = list(p, 2, func() Parameter { return Parameter{p.Text(), p.optionalType()} })
	switch t.Kind = Kind(p.U8()); t.Kind {
	case Composite:
		t.Fields = list(p, 4, p.field)
	case Variant:
		t.Variants = list(p, 4, func() (v VariantOf) {
			v.Name = p.Text()
			v.Fields = list(p, 4, p.field)
			v.Index = p.U8()
			v.Docs = p.docs()
			return v
		})
	case Sequence, Compact:
		t.Element = p.typeID()
	case Array:
		t.Length = p.U32()
		t.Element = p.typeID()
	case Tuple:
		t.Elements = list(p, 1, p.typeID)
	case Primitive:
		if t.Primitive = PrimitiveKind(p.U8()); t.Primitive >= primitiveCount {
			p.Fail("unknown primitive type %d", t.Primitive)
		}
	case Bits:
		t.Element, t.Order = p.typeID(), p.typeID()
	default:
		p.Fail("unknown kind of type %d", t.Kind)
	}
	p.docs()
	return t
}

func (p *parser) field() (f Field) {
	if p.Option() {
		f.Name = p.Text()
	}
	f.Type = p.typeID()
	if p.Option() {
		f.TypeName = p.Text()
	}
	p.docs()
	return f
}

func (p *parser) pallet() (x Pallet) {
	x.Name = p.Text()
	if p.Option() {
		x.Prefix = p.Text()
		x.Storage = list(p, 6, p.entry)
	}
	x.Calls = p.part()
	x.Events = p.part()
	x.Constants = list(p, 4, func() Constant {
		c := Constant{p.Text(), p.typeID(), p.Blob()}
		p.docs()
		p.deprecation()
		return c
	})
	x.Errors = p.part()
	if p.version >= 16 {
		list(p, 3, func() struct{} { // associated types
			p.Text()
			p.typeID()
			p.docs()
			return struct{}{}
		})
		list(p, 36, func() struct{} { // view functions
			p.Bytes(32)
			p.function()
			p.deprecation()
			return struct{}{}
		})
	}
	x.Index = p.U8()
	if p.version >= 15 {
		p.docs()
	}
	p.deprecation()
	return x
}

// part decodes the type of a pallet's calls, events or errors.
func (p *parser) part() *TypeID {
	id := p.optionalType()
	if id == nil || p.version < 16 {
		return id
	}
	list(p, 2, func() struct{} { // deprecated variants
		p.U8()
		p.deprecated(p.U8())
		return struct{}{}
	})
	return id
}

// deprecation skips the deprecation status, from version 16 on.
func (p *parser) deprecation() {
	if p.version >= 16 {
		p.deprecated(p.U8())
	}
}

func (p *parser) deprecated(how uint8) {
	switch how {
	case 0, 1: // not deprecated, or without a note
	case 2:
		p.Text()
		if p.Option() {
			p.Text()
		}
	default:
		p.Fail("unknown kind of deprecation %d", how)
	}
}

func (p *parser) entry() (e StorageEntry) {
	e.Name = p.Text()
	p.modifier(&e)
	switch kind := p.U8(); kind {
	case 0:
		e.Value = p.typeID()
	case 1:
		e.Hashers = list(p, 1, p.hasher)
		e.Key, e.Value = p.typeID(), p.typeID()
	default:
		p.Fail("unknown kind of storage entry %d", kind)
	}
	e.Default = p.Blob()
	p.docs()
	p.deprecation()
	return e
}

// modifier decodes how a missing value of an entry is read.
func (p *parser) modifier(e *StorageEntry) {
	switch modifier := p.U8(); modifier {
	case 0:
		e.Optional = true
	case 1:
	default:
		p.Fail("unknown modifier of a storage entry %d", modifier)
	}
}

func (p *parser) hasher() Hasher {
	h := Hasher(p.U8())
	if h >= hasherCount {
		p.Fail("unknown hasher %d", h)
	}
	return h
}

func (p *parser) extrinsic(m *Metadata) (x Extrinsic) {
	extension := func() Extension { return Extension{p.Text(), p.typeID(), p.typeID()} }
	switch p.version {
	case 14:
		whole := p.typeID()
		p.U8() // the extrinsic's version
		x.Extensions = list(p, 3, extension)
		p.ofExtrinsic(m, whole, &x)
	case 15:
		p.U8()
		x.Address, x.Call, x.Signature = p.typeID(), p.typeID(), p.typeID()
		p.typeID() // of all extensions together
		x.Extensions = list(p, 3, extension)
	default:
		list(p, 1, p.U8) // the versions that the runtime supports
		x.Address, x.Call, x.Signature = p.typeID(), p.typeID(), p.typeID()
		type selection struct {
			version   uint8
			positions []uint64
		}
		selections := list(p, 2, func() selection { return selection{p.U8(), list(p, 1, p.CompactUint)} })
		all := list(p, 3, extension)
		x.Later = map[uint8][]Extension{}
		for _, s := range selections {
			x.Later[s.version] = p.chosen(all, s.positions)
		}
		known := false
		if x.Extensions, known = x.Later[0]; !known { // the ones of version 4 extrinsics
			p.Fail("the extensions of version 0 are not listed")
		}
		delete(x.Later, 0)
	}
	return x
}

// chosen returns the extensions at positions of a list.
func (p *parser) chosen(all []Extension, positions []uint64) (list []Extension) {
	for _, i := range positions {
		if i >= uint64(len(all)) {
			p.Fail("extension %d does not exist", i)
			return nil
		}
		list = append(list, all[i])
	}
	return list
}

// ofExtrinsic finds the types of an extrinsic's parts, which are the parameters of its type.
func (p *parser) ofExtrinsic(m *Metadata, whole TypeID, x *Extrinsic) {
	if p.Err() != nil {
		return
	}
	if int(whole) >= len(m.Types) {
		p.Fail("type %d does not exist", whole)
		return
	}
	found := 0
	for _, parameter := range m.Types[whole].Parameters {
		to := map[string]*TypeID{"Address": &x.Address, "Call": &x.Call, "Signature": &x.Signature}[parameter.Name]
		if to != nil && parameter.Type != nil {
			*to = *parameter.Type
			found++
		}
	}
	if found != 3 {
		p.Fail("the type of extrinsics does not name Address, Call and Signature")
	}
}

// api skips a runtime API.
func (p *parser) api() struct{} {
	p.Text()
	list(p, 4, func() struct{} {
		p.function()
		p.deprecation()
		return struct{}{}
	})
	p.docs()
	if p.version >= 16 {
		p.CompactUint() // the API's version
		p.deprecation()
	}
	return struct{}{}
}

// function skips a function with its inputs and its output.
func (p *parser) function() {
	p.Text()
	list(p, 2, func() struct{} {
		p.Text()
		p.typeID()
		return struct{}{}
	})
	p.typeID()
	p.docs()
}
