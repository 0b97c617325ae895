package block_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/block"
	"github.com/feeledger/fees/internal/substrate/metadata"
)

// builder builds a small runtime.
type builder struct{ types []metadata.Type }

func (b *builder) add(t metadata.Type) metadata.TypeID {
	b.types = append(b.types, t)
	return metadata.TypeID(len(b.types) - 1)
}

func (b *builder) primitive(p metadata.PrimitiveKind) metadata.TypeID {
	return b.add(metadata.Type{Kind: metadata.Primitive, Primitive: p})
}

func (b *builder) bytes(n uint32) metadata.TypeID {
	return b.add(metadata.Type{Kind: metadata.Array, Element: b.primitive(metadata.U8), Length: n})
}

func (b *builder) blob() metadata.TypeID { return b.list(b.primitive(metadata.U8)) }

func (b *builder) list(of metadata.TypeID) metadata.TypeID {
	return b.add(metadata.Type{Kind: metadata.Sequence, Element: of})
}

func (b *builder) tuple(of ...metadata.TypeID) metadata.TypeID {
	return b.add(metadata.Type{Kind: metadata.Tuple, Elements: of})
}

func (b *builder) compact(p metadata.PrimitiveKind) metadata.TypeID {
	return b.add(metadata.Type{Kind: metadata.Compact, Element: b.primitive(p)})
}

// wrapped returns a struct with a path and one element without a name.
func (b *builder) wrapped(of metadata.TypeID, path ...string) metadata.TypeID {
	return b.add(metadata.Type{Kind: metadata.Composite, Path: path, Fields: []metadata.Field{{Type: of}}})
}

// struc returns a struct of names and types.
func (b *builder) struc(fields ...any) metadata.TypeID {
	return b.add(metadata.Type{Kind: metadata.Composite, Fields: fieldsOf(fields...)})
}

func fieldsOf(pairs ...any) (list []metadata.Field) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, metadata.Field{Name: pairs[i].(string), Type: pairs[i+1].(metadata.TypeID)})
	}
	return list
}

// enum returns a variant of names, each with the types that it contains.
func (b *builder) enum(variants ...metadata.VariantOf) metadata.TypeID {
	for i := range variants {
		variants[i].Index = uint8(i)
	}
	return b.add(metadata.Type{Kind: metadata.Variant, Path: []string{"a", "Choice"}, Variants: variants})
}

// option returns the type of a value that may be missing.
func (b *builder) option(of metadata.TypeID) metadata.TypeID {
	id := b.enum(variant("None"), variant("Some", of))
	b.types[id].Path, b.types[id].Parameters = []string{"Option"}, []metadata.Parameter{{Name: "T", Type: &of}}
	return id
}

func variant(name string, types ...metadata.TypeID) metadata.VariantOf {
	v := metadata.VariantOf{Name: name}
	for _, id := range types {
		v.Fields = append(v.Fields, metadata.Field{Type: id})
	}
	return v
}

func (b *builder) hash() metadata.TypeID { return b.wrapped(b.bytes(32), "primitive_types", "H256") }

func (b *builder) h160() metadata.TypeID { return b.wrapped(b.bytes(20), "primitive_types", "H160") }

func (b *builder) account20() metadata.TypeID {
	return b.wrapped(b.bytes(20), "account", "AccountId20")
}

func (b *builder) account32() metadata.TypeID {
	return b.wrapped(b.bytes(32), "sp_core", "crypto", "AccountId32")
}

func (b *builder) word() metadata.TypeID {
	return b.wrapped(b.add(metadata.Type{Kind: metadata.Array, Element: b.primitive(metadata.U64), Length: 4}), "primitive_types", "U256")
}

// runtime returns a runtime with one pallet besides System: one event and one call of fields.
func (b *builder) runtime(t testing.TB, pallet, event string, data []metadata.Field, call string, arguments []metadata.Field) *metadata.Metadata {
	id := func(n metadata.TypeID) *metadata.TypeID { return &n }
	events := b.enum(metadata.VariantOf{Name: event, Fields: data})
	calls := b.enum(metadata.VariantOf{Name: call, Fields: arguments})
	phase := b.enum(variant("ApplyExtrinsic", b.primitive(metadata.U32)), variant("Finalization"), variant("Initialization"))
	record := b.add(metadata.Type{
		Kind: metadata.Composite, Path: []string{"frame_system", "EventRecord"},
		Fields: fieldsOf("phase", phase, "event", events, "topics", b.list(b.hash())),
	})
	list := b.list(record)
	address, signature := b.account20(), b.bytes(65)
	extensions := []metadata.Extension{
		{Name: "CheckMortality", Type: b.add(metadata.Type{Kind: metadata.Composite, Path: []string{"sp_runtime", "generic", "era", "Era"}})},
		{Name: "CheckNonce", Type: b.wrapped(b.compact(metadata.U32))},
		{Name: "CheckGenesis", Type: b.tuple()},
		{Name: "ChargeTransactionPayment", Type: b.wrapped(b.compact(metadata.U128))},
	}
	system := metadata.Pallet{Name: "System", Index: 0, Storage: []metadata.StorageEntry{{Name: "Events", Value: list}},
		Constants: []metadata.Constant{{Name: "SS58Prefix", Value: []byte{42, 0}}}}
	own := &metadata.Pallet{Name: pallet, Index: 1}
	pallets := []metadata.Pallet{system, *own}
	if pallet == "System" {
		pallets = []metadata.Pallet{system}
		pallets[0].Index = 1
	}
	last := &pallets[len(pallets)-1]
	last.Events, last.Calls = id(events), id(calls)
	return &metadata.Metadata{
		Version: 14, Types: b.types, Pallets: pallets,
		Extrinsic: metadata.Extrinsic{Address: address, Signature: signature, Call: b.add(metadata.Type{}), Extensions: extensions},
	}
}

// event returns a block with one event, of pallet 1, whose data are encoded.
func event(data []byte) *block.Encoded {
	return &block.Encoded{Events: append(append([]byte{4, 2, 1, 0}, data...), 0)}
}

// extrinsic returns a block with one extrinsic without a signature.
func extrinsic(arguments []byte) *block.Encoded {
	return &block.Encoded{Extrinsics: [][]byte{prefixed(append([]byte{4, 1, 0}, arguments...))}}
}

// prefixed returns bytes with their length before them.
func prefixed(bytes []byte) []byte {
	n := uint32(len(bytes))<<2 | 2 // in four bytes
	if len(bytes) < 64 {
		return append([]byte{byte(len(bytes)) << 2}, bytes...)
	}
	if len(bytes) < 1<<14 {
		return append([]byte{byte(len(bytes))<<2 | 1, byte(len(bytes) >> 6)}, bytes...)
	}
	return append([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}, bytes...)
}

// decode decodes a block.
func (r *runtime) decode(t testing.TB, e *block.Encoded) *chain.Block {
	t.Helper()
	b, err := r.decoder.Decode(e)
	require.NoError(t, err)
	return b
}
