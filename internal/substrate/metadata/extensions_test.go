package metadata_test

import (
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/realmetadata"
)

// roles returns the type of the value of each role.
func roles(m *metadata.Metadata, extensions []metadata.Extension) map[metadata.Role]metadata.TypeID {
	found := map[metadata.Role]metadata.TypeID{}
	for _, part := range slices.Concat(m.Parts(extensions)...) {
		if part.Role != metadata.NoRole {
			found[part.Role] = part.Type
		}
	}
	return found
}

// compactBits returns the number of bits of a compact integer.
func compactBits(m *metadata.Metadata, id metadata.TypeID) int {
	t := &m.Types[id]
	if t.Kind != metadata.Compact || m.Types[t.Element].Kind != metadata.Primitive {
		return 0
	}
	return 8 << (m.Types[t.Element].Primitive - metadata.U8)
}

// requireUsual requires nonce, tip and era: a compact integer of 32 bits, one of tipBits, and an enum of 256 variants.
func requireUsual(t *testing.T, m *metadata.Metadata, tipBits int, name string) map[metadata.Role]metadata.TypeID {
	found := roles(m, m.Extrinsic.Extensions)
	for _, role := range []metadata.Role{metadata.Nonce, metadata.Tip, metadata.Era} {
		require.Contains(t, found, role, name)
	}
	require.Equal(t, 32, compactBits(m, found[metadata.Nonce]), name)
	require.Equal(t, tipBits, compactBits(m, found[metadata.Tip]), name)
	require.Len(t, m.Types[found[metadata.Era]].Variants, 256, name)
	return found
}

// Every real runtime has a nonce, a tip and an era. Metadata of version 13 have no types to find them by, and are never
// used to decode extrinsics.
func TestPartsOfRealMetadata(t *testing.T) {
	untyped := 0
	realmetadata.Each(t, func(name string, text []byte) {
		m, err := metadata.Parse(text)
		require.NoError(t, err, name)
		if !m.Typed() {
			require.EqualValues(t, 13, m.Version, name)
			untyped++
			return
		}
		require.Len(t, requireUsual(t, m, 128, name), 3, name)
	})
	require.Equal(t, 24, untyped)
}

// The recorded runtimes: one has a type CheckNonce of its own and tips of 64 bits, one an asset beside the tip.
func TestPartsOfRecordedRuntimes(t *testing.T) {
	for name, c := range map[string]struct {
		tipBits int
		asset   bool
	}{
		"bittensor-218": {64, false}, "creditcoin3-87": {128, false}, "vflow-2000": {128, false}, "datahaven-100": {128, false},
		"stack-template-3": {128, false}, "passet-1019002": {128, true},
	} {
		text, err := os.ReadFile(pairs.Path(t, name, "node", "metadata.hex"))
		require.NoError(t, err)
		raw, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(string(text)), "0x"))
		require.NoError(t, err)
		m, err := metadata.Parse(raw)
		require.NoError(t, err)
		found := requireUsual(t, m, c.tipBits, name)
		asset, known := found[metadata.Asset]
		require.Equal(t, c.asset, known, name)
		if known {
			require.Equal(t, "Option", m.Types[asset].Name())
			require.Equal(t, "Location", m.Types[m.Types[asset].Variants[1].Fields[0].Type].Name())
		}
	}
}

// Types of a sample runtime, by number.
const (
	u8 metadata.TypeID = iota
	u32
	u128
	compact32
	compact128
	void
	era
	option  // of u32
	free    // where the types of a case begin
	mortal  = free
	ownCase = free + 1
)

func typesOf(more ...metadata.Type) *metadata.Metadata {
	primitive := func(p metadata.PrimitiveKind) metadata.Type {
		return metadata.Type{Kind: metadata.Primitive, Primitive: p}
	}
	return &metadata.Metadata{Version: 14, Types: append([]metadata.Type{
		primitive(metadata.U8), primitive(metadata.U32), primitive(metadata.U128),
		{Kind: metadata.Compact, Element: u32}, {Kind: metadata.Compact, Element: u128},
		{Kind: metadata.Tuple},
		{Kind: metadata.Variant, Path: []string{"sp_runtime", "generic", "era", "Era"}},
		{Kind: metadata.Variant, Path: []string{"Option"}, Variants: []metadata.VariantOf{{Name: "None"}, {Name: "Some", Fields: []metadata.Field{{Type: u32}}}}},
		structOf("CheckMortality", "", era),
	}, more...)}
}

// structOf returns a struct with a name, of fields in pairs of name and type.
func structOf(name string, fields ...any) metadata.Type {
	t := metadata.Type{Kind: metadata.Composite, Path: []string{"some_pallet", name}}
	for i := 0; i < len(fields); i += 2 {
		t.Fields = append(t.Fields, metadata.Field{Name: fields[i].(string), Type: fields[i+1].(metadata.TypeID)})
	}
	return t
}

func tupleOf(elements ...metadata.TypeID) metadata.Type {
	return metadata.Type{Kind: metadata.Tuple, Elements: elements}
}

func TestParts(t *testing.T) {
	type part = metadata.Part
	nonce, tip, age, asset := metadata.Nonce, metadata.Tip, metadata.Era, metadata.Asset
	const (
		a = ownCase + iota
		b
		c
		d
	)
	extension := func(name string, id metadata.TypeID) metadata.Extension {
		return metadata.Extension{Name: name, Type: id, Signed: void}
	}
	for what, test := range map[string]struct {
		types      []metadata.Type
		extensions []metadata.Extension
		want       [][]part
	}{
		"types, whatever the identifiers": {
			[]metadata.Type{structOf("CheckNonce", "", compact32), structOf("ChargeTransactionPayment", "", compact128)},
			[]metadata.Extension{extension("X", mortal), extension("ChargeTransactionPayment", a), extension("CheckNonce", b)},
			[][]part{{{age, era}}, {{nonce, compact32}}, {{tip, compact128}}},
		},
		"tip and asset, in any order": {
			[]metadata.Type{structOf("ChargeAssetTxPayment", "asset_id", option, "tip", compact128)},
			[]metadata.Extension{extension("X", a)},
			[][]part{{{asset, option}, {tip, compact128}}},
		},
		"one wrapper with all": {
			[]metadata.Type{structOf("CheckNonce", "", compact32), structOf("ChargeAssetTxPayment", "tip", compact128, "asset_id", option), tupleOf(u8, mortal, a, b, void), structOf("StorageWeightReclaim", "", c)},
			[]metadata.Extension{extension("StorageWeightReclaim", d)},
			[][]part{{{0, u8}, {age, era}, {nonce, compact32}, {tip, compact128}, {asset, option}, {0, void}}},
		},
		"fields without bytes": {
			[]metadata.Type{structOf("ChargeTransactionPayment", "", void, "", compact128)},
			[]metadata.Extension{extension("X", a)},
			[][]part{{{0, void}, {tip, compact128}}},
		},
		"identifiers of types without names": {
			nil,
			[]metadata.Extension{extension("CheckNonce", u32), extension("ChargeTransactionPayment", compact128)},
			[][]part{{{nonce, u32}}, {{tip, compact128}}},
		},
		"fields": {
			[]metadata.Type{structOf("Pay", "asset_id", option, "tip", u128, "nonce", compact32)},
			[]metadata.Extension{extension("Pay", a)},
			[][]part{{{asset, option}, {tip, u128}, {0, compact32}}},
		},
		"a type before an identifier, and an identifier before a field": {
			[]metadata.Type{structOf("Pay", "tip", u128), structOf("ChargeFrqTransactionPayment", "", compact128), structOf("More", "nonce", compact32)},
			[]metadata.Extension{extension("Pay", a), extension("CheckNonce", c), extension("X", b), extension("ChargeTransactionPayment", u128)},
			[][]part{{{0, a}}, {{nonce, compact32}}, {{tip, compact128}}, {{0, u128}}},
		},
		"the first of two": {
			[]metadata.Type{structOf("CheckNonce", "", compact32), structOf("CheckNonce", "", u32)},
			[]metadata.Extension{extension("X", b), extension("X", a)},
			[][]part{{{nonce, u32}}, {{0, a}}},
		},
		"an identifier does not rename what a type is": {
			[]metadata.Type{structOf("ChargeTransactionPayment", "", compact128)},
			[]metadata.Extension{extension("CheckNonce", a)},
			[][]part{{{tip, compact128}}},
		},
		"several fields without names, or with others": {
			[]metadata.Type{structOf("ChargeTransactionPayment", "", u8, "", compact128), structOf("CheckNonce", "salt", u8), tupleOf(u8, u32)},
			[]metadata.Extension{extension("X", a), extension("X", b), extension("CheckNonce", c)},
			[][]part{{{0, a}}, {{0, b}}, {{0, c}}},
		},
		"another era, and an enum": {
			[]metadata.Type{{Kind: metadata.Variant, Path: []string{"staking", "Era"}}, {Kind: metadata.Variant, Path: []string{"CheckNonce"}, Variants: []metadata.VariantOf{{Fields: []metadata.Field{{Type: compact32}}}}}},
			[]metadata.Extension{extension("CheckEra", a), extension("CheckNonce", b)},
			[][]part{{{0, a}}, {{0, b}}},
		},
		"a type that contains itself": {
			[]metadata.Type{structOf("A", "", b, "more", b), structOf("B", "", a, "tip", compact128)},
			[]metadata.Extension{extension("X", a)},
			[][]part{{{0, b}, {0, a}, {tip, compact128}, {0, compact128}, {0, b}}}, // of no finite value
		},
		"none": {nil, nil, [][]part{}},
	} {
		t.Run(what, func(t *testing.T) {
			m := typesOf(test.types...)
			require.Equal(t, test.want, m.Parts(test.extensions))
			require.Equal(t, test.want, m.Parts(test.extensions), "the same again")
		})
	}
}

// Types that double each other do not grow without bound.
func TestPartsOfDoublingTypes(t *testing.T) {
	var types []metadata.Type
	const depth = 2000
	for i := range metadata.TypeID(depth) {
		types = append(types, tupleOf(ownCase+i+1, ownCase+i+1))
	}
	m := typesOf(append(types, structOf("Pay", "tip", compact128))...)
	parts := m.Parts([]metadata.Extension{{Name: "X", Type: ownCase}})[0]
	require.Len(t, parts, depth+1)
	require.Equal(t, metadata.Part{Role: metadata.Tip, Type: compact128}, parts[0])
}
