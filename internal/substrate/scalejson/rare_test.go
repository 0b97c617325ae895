package scalejson_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// rareTexts are the oracle's texts for types that the sample does not have: lines of a type's name, a value,
// and its text.
const rareTexts = "testdata/rare.values"

// rare are the types, added to those of the sample.
type rare struct {
	next  metadata.TypeID
	coded []byte
	named map[string]metadata.TypeID
}

func number(n int) []byte { return compact(nil, binary.LittleEndian.AppendUint32(nil, uint32(n))) }

func word(text string) []byte { return append(number(len(text)), text...) }

// add adds a type with a definition; all its parameters are called T.
func (r *rare) add(name, path string, parameters []metadata.TypeID, definition ...[]byte) metadata.TypeID {
	id := r.next
	r.next++
	r.named[name] = id
	r.coded = append(r.coded, number(int(id))...)
	var parts []string
	if path != "" {
		parts = strings.Split(path, "::")
	}
	r.coded = append(r.coded, number(len(parts))...)
	for _, part := range parts {
		r.coded = append(r.coded, word(part)...)
	}
	r.coded = append(r.coded, number(len(parameters))...)
	for _, p := range parameters {
		r.coded = append(append(append(r.coded, word("T")...), 1), number(int(p))...)
	}
	r.coded = append(append(r.coded, slices.Concat(definition...)...), 0) // no docs
	return id
}

// struc returns a struct of fields, which have a name or "".
func struc(fields ...any) []byte { return append([]byte{0}, fieldsOf(fields...)...) }

func fieldsOf(fields ...any) []byte {
	coded := number(len(fields) / 2)
	for i := 0; i < len(fields); i += 2 {
		if name := fields[i].(string); name == "" {
			coded = append(coded, 0)
		} else {
			coded = append(append(coded, 1), word(name)...)
		}
		coded = append(coded, number(int(fields[i+1].(metadata.TypeID)))...)
		coded = append(coded, 0, 0) // no type name, no docs
	}
	return coded
}

// rareTypes returns the sample with types that no runtime of the collection has.
func rareTypes(t testing.TB) ([]byte, map[string]metadata.TypeID) {
	bytes := unzip(t, sample)
	m := parse(t, bytes)
	find := func(is func(*metadata.Type) bool) metadata.TypeID {
		i := slices.IndexFunc(m.Types, func(x metadata.Type) bool { return is(&x) })
		require.GreaterOrEqual(t, i, 0)
		return metadata.TypeID(i)
	}
	of := func(p metadata.PrimitiveKind) metadata.TypeID {
		return find(func(x *metadata.Type) bool { return x.Kind == metadata.Primitive && x.Primitive == p })
	}
	octet, u32, u128 := of(metadata.U8), of(metadata.U32), of(metadata.U128)
	array := func(n uint32) metadata.TypeID {
		return find(func(x *metadata.Type) bool { return x.Kind == metadata.Array && x.Element == octet && x.Length == n })
	}
	sequence := find(func(x *metadata.Type) bool { return x.Kind == metadata.Sequence && x.Element == octet })
	packed := find(func(x *metadata.Type) bool { return x.Kind == metadata.Compact && x.Element == u32 })
	account := find(func(x *metadata.Type) bool { return x.Is("account", "AccountId20") })

	r := &rare{next: metadata.TypeID(len(m.Types)), named: map[string]metadata.TypeID{}}
	lsb := r.add("Lsb0", "bitvec::order::Lsb0", nil, struc())
	msb := r.add("Msb0", "bitvec::order::Msb0", nil, struc())
	bits := func(store, order metadata.TypeID) []byte {
		return slices.Concat([]byte{7}, number(int(store)), number(int(order)))
	}
	r.add("BitVec Lsb0", "", nil, bits(octet, lsb))
	r.add("BitVec Msb0", "", nil, bits(octet, msb))
	r.add("BitVec turned", "", nil, bits(lsb, octet))
	r.add("BitVec u32", "", nil, bits(u32, lsb))
	address := append([]byte{1}, number(5)...)
	for i, form := range []struct {
		name string
		of   metadata.TypeID
	}{{"Id", account}, {"Index", packed}, {"Raw", sequence}, {"Address32", array(32)}, {"Address20", array(20)}} {
		address = append(append(append(append(address, word(form.name)...), fieldsOf("", form.of)...), byte(i)), 0)
	}
	to := r.add("MultiAddress", "sp_runtime::multiaddress::MultiAddress", []metadata.TypeID{account, u32}, address)
	r.add("transfer", "pallet::Transfer", nil, struc("to", to, "value", u128))
	r.add("Range", "Range", []metadata.TypeID{u32}, struc("start", u32, "end", u32))
	r.add("RangeInclusive", "RangeInclusive", []metadata.TypeID{u128}, struc("start", u128, "end", u128))
	r.add("EthereumAddress", "polkadot_runtime_common::claims::EthereumAddress", nil, struc("", array(20)))
	r.add("WrapperOpaque", "frame_support::traits::misc::WrapperOpaque", []metadata.TypeID{u32}, struc("", packed, "", u32))
	r.add("WrapperKeepOpaque", "frame_support::traits::misc::WrapperKeepOpaque", []metadata.TypeID{m.Extrinsic.Call}, struc("", packed, "", m.Extrinsic.Call))

	end := typesEnd(t, bytes)
	return slices.Concat(bytes[:5], number(int(r.next)), bytes[5+len(number(len(m.Types))):end], r.coded, bytes[end:]), r.named
}

// typesEnd returns the end of the types in metadata.
func typesEnd(t testing.TB, bytes []byte) int {
	r := scale.NewReader(bytes)
	list := func(skip func()) {
		for range r.CompactUint() {
			skip()
		}
	}
	text := func() { r.Text() }
	id := func() { r.CompactUint() }
	maybe := func(skip func()) {
		if r.Option() {
			skip()
		}
	}
	field := func() { maybe(text); id(); maybe(text); list(text) }
	r.Bytes(5)
	list(func() {
		id()
		list(text)
		list(func() { text(); maybe(id) })
		switch kind := metadata.Kind(r.U8()); kind {
		case metadata.Composite:
			list(field)
		case metadata.Variant:
			list(func() { text(); list(field); r.U8(); list(text) })
		case metadata.Array:
			r.U32()
			id()
		case metadata.Tuple:
			list(id)
		case metadata.Primitive:
			r.U8()
		default:
			id()
		}
		list(text)
	})
	require.NoError(t, r.Err())
	return r.At()
}

// If an address contains an account that is of neither 20 nor 32 bytes, Sidecar decodes it as the chain's.
func TestAddressesOfOtherAccounts(t *testing.T) {
	m := types(primitive(metadata.U8), metadata.Type{Kind: metadata.Array, Element: 0, Length: 32},
		metadata.Type{Kind: metadata.Composite, Path: []string{"sp_core", "crypto", "AccountId16"}, Fields: []metadata.Field{{Type: 1}}},
		metadata.Type{Kind: metadata.Variant, Path: []string{"sp_runtime", "multiaddress", "MultiAddress"},
			Variants: []metadata.VariantOf{{Name: "Id", Fields: []metadata.Field{{Type: 2}}}}})
	_, err := write(m, 3, make([]byte, 33))
	require.ErrorContains(t, err, "its accounts are not of 20 or 32 bytes")
}

// rareValues are values of these types by their names.
var rareValues = [][2]string{
	{"BitVec Lsb0", "00"}, {"BitVec Lsb0", "0401"}, {"BitVec Lsb0", "1415"}, {"BitVec Lsb0", "20ff"}, {"BitVec Lsb0", "2480ff"}, {"BitVec Lsb0", "2801ff"},
	{"BitVec Lsb0", "2101" + "0102030405060708090a"[:18]}, {"BitVec Msb0", "2801c0"}, {"BitVec turned", "1415"}, {"BitVec u32", "1415000000"},
	{"MultiAddress", "00" + "f24ff3a9cf04c71dbc94d0b566f7a27b94566cac"}, {"MultiAddress", "01" + "04"}, {"MultiAddress", "01" + "02093d00"},
	{"MultiAddress", "02" + "0c010203"}, {"MultiAddress", "02" + "00"}, {"MultiAddress", "02" + "2801020304050607080910"},
	{"transfer", "00" + "f24ff3a9cf04c71dbc94d0b566f7a27b94566cac" + "0100000000000000000000000000000f"},
	{"transfer", "01" + "a8" + "0100000000000000000000000000000f"}, {"transfer", "02" + "0c010203" + "0100000000000000000000000000000f"},
	{"MultiAddress", "03" + "f24ff3a9cf04c71dbc94d0b566f7a27b94566cacf24ff3a9cf04c71dbc94d0b5"},
	{"MultiAddress", "04" + "f24ff3a9cf04c71dbc94d0b566f7a27b94566cac"}, {"MultiAddress", "05"},
	{"Range", "01000000" + "ffffffff"}, {"RangeInclusive", "00000000000000000000000000000001" + "ffffffffffffffffffffffffffffffff"},
	{"EthereumAddress", "f24ff3a9cf04c71dbc94d0b566f7a27b94566cac"},
	{"WrapperOpaque", "10" + "2a000000"}, {"WrapperOpaque", "08" + "2a00"}, {"WrapperKeepOpaque", "0c" + "000000"}, {"WrapperKeepOpaque", "08" + "ffff"},
}

func TestRareTypesAreSidecars(t *testing.T) {
	bytes, named := rareTypes(t)
	if *oracle != "" && *update {
		var lines []string
		for _, v := range rareValues {
			lines = append(lines, fmt.Sprintf("value %d %s", named[v[0]], v[1]))
		}
		var said []byte
		for i, text := range askOracle(t, bytes, lines) {
			said = fmt.Appendf(said, "%s\t%s\t%s\n", rareValues[i][0], rareValues[i][1], text)
		}
		require.NoError(t, os.WriteFile(rareTexts, said, 0o644))
	}
	said, err := os.ReadFile(rareTexts)
	require.NoError(t, err)
	c := scalejson.New(parse(t, bytes))
	compared := 0
	for line := range strings.Lines(string(said)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		have, err := text(c, fmt.Sprintf("value %d %s", named[parts[0]], parts[1]))
		compared++
		if strings.HasPrefix(parts[2], "error ") || strings.Contains(parts[2], `{"index"`) {
			require.ErrorContains(t, err, "as Sidecar does: it", line)
			continue
		}
		require.NoError(t, err, line)
		require.Equal(t, parts[2], have, line)
	}
	require.Equal(t, len(rareValues), compared)
}
