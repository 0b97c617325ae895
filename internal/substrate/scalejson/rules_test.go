package scalejson_test

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// The right column is the output of stringCamelCase of @polkadot/util 12.6.2 for the left one.
func TestCamelCase(t *testing.T) {
	for name, want := range map[string]string{
		"NextFeeMultiplier": "nextFeeMultiplier", "EVM": "evm", "XCMExecuted": "xcmExecuted", "NFTOrder": "nftOrder",
		"UUID64": "uuid64", "set_validation_data": "setValidationData", "__Private": "private", "a__b": "aB", "AB": "ab",
		"ABc": "aBc", "Abc": "abc", "A1b": "a1b", "A1B2c": "a1b2c", "H160": "h160", "X1": "x1", "XCMP_queue": "xcmpQueue",
		"EIP1559": "eip1559", "BlakeTwo256": "blakeTwo256", "DMPQueue": "dmpQueue", "r#type": "r#type",
		"ERC20_xcm_Bridge": "erc20XcmBridge", "xcm v3": "xcmV3", "Raw0": "raw0", "V2": "v2", "MMRLeaf": "mmrLeaf",
		"transaction-payment": "transactionPayment", "OneÜ": "oneÜ", "ABÜ": "abÜ", "A-B.C,D": "aBCD",
	} {
		require.Equal(t, want, scalejson.CamelCase(name), name)
	}
}

// types are metadata with nothing but types.
func types(list ...metadata.Type) *metadata.Metadata {
	call := metadata.TypeID(len(list)) // no type's
	return &metadata.Metadata{Version: 14, Types: list, Extrinsic: metadata.Extrinsic{Call: call}}
}

func primitive(p metadata.PrimitiveKind) metadata.Type {
	return metadata.Type{Kind: metadata.Primitive, Primitive: p}
}

func write(m *metadata.Metadata, id metadata.TypeID, bytes []byte) (string, error) {
	w := &scalejson.Writer{Reader: scale.NewReader(bytes)}
	scalejson.New(m).Value(w, id)
	return string(w.Text), w.End()
}

func TestIntegers(t *testing.T) {
	m := types(primitive(metadata.U128), primitive(metadata.U256), primitive(metadata.I128), primitive(metadata.I8), primitive(metadata.I64),
		metadata.Type{Kind: metadata.Compact, Element: 0}, metadata.Type{Kind: metadata.Compact, Element: 1})
	k := newMaker(m, 3)
	for id, signed := range map[metadata.TypeID]bool{0: false, 1: false, 2: true, 3: true, 4: true, 5: false, 6: false} {
		for range 2000 {
			bytes := k.value(nil, id, 0)
			if id == 5 || id == 6 {
				number := k.value(nil, id-5, 0)
				want := integer(number, false)
				have, err := write(m, id, compact(nil, number))
				require.NoError(t, err)
				require.Equal(t, want, have)
				continue
			}
			have, err := write(m, id, bytes)
			require.NoError(t, err)
			require.Equal(t, integer(bytes, signed), have)
		}
	}
	for _, edge := range []string{"00", "80", "ff", "7f"} {
		bytes, _ := hex.DecodeString(edge)
		have, err := write(m, 3, bytes)
		require.NoError(t, err)
		require.Equal(t, integer(bytes, true), have)
	}
	_, err := write(m, 5, compact(nil, append(make([]byte, 16), 1)))
	require.ErrorContains(t, err, "more than 128 bits")
}

// integer returns a little-endian integer in math/big's text form.
func integer(bytes []byte, signed bool) string {
	bytes = slices.Clone(bytes)
	slices.Reverse(bytes)
	n := new(big.Int).SetBytes(bytes)
	if signed && bytes[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
	}
	return `"` + n.String() + `"`
}

func TestStrings(t *testing.T) {
	m := types(primitive(metadata.Str))
	for _, want := range []string{"", "fee", "a \"b\" \\ \n\t\b\f\r\x01\x1f\x7f/", "日本 ü 😀\u2028"} {
		text, err := write(m, 0, append(compact(nil, []byte{byte(len(want))}), want...))
		require.NoError(t, err)
		var have string
		require.NoError(t, json.Unmarshal([]byte(text), &have))
		require.Equal(t, want, have)
	}
	text, err := write(m, 0, []byte("\x18\xef\xbb\xbffee"))
	require.NoError(t, err)
	require.Equal(t, `"fee"`, text, "a byte order mark goes")
	text, err = write(m, 0, []byte("\x08\x1f\x7f"))
	require.NoError(t, err)
	require.Equal(t, `"\u001f`+"\x7f\"", text)
	_, err = write(m, 0, []byte("\x04\xff"))
	require.Error(t, err)
}

// Values that polkadot-js writes differently, or not at all, are an error that names the type.
func TestUnknownTypes(t *testing.T) {
	u8 := primitive(metadata.U8)
	of := metadata.TypeID(0)
	parameter := []metadata.Parameter{{Name: "T", Type: &of}}
	for want, typ := range map[string]metadata.Type{
		"bits in elements of more than a byte":      {Kind: metadata.Bits, Element: 1, Order: 1},
		"a::WrapperOpaque as":                       {Kind: metadata.Composite, Path: []string{"a", "WrapperOpaque"}},
		"more than 2048 elements":                   {Kind: metadata.Array, Length: 2049},
		"some fields have names":                    {Kind: metadata.Composite, Fields: []metadata.Field{{Name: "a"}, {}}},
		"the wrong number of parameters":            {Kind: metadata.Composite, Path: []string{"BTreeMap"}, Parameters: parameter},
		"a parameter's type is missing":             {Kind: metadata.Variant, Path: []string{"Option"}, Parameters: []metadata.Parameter{{Name: "T"}}},
		"the runtime does not define SS58Prefix":    {Kind: metadata.Composite, Path: []string{"sp_core", "crypto", "AccountId32"}},
		"its flags are missing":                     {Kind: metadata.Composite, Path: []string{"pallet_identity", "types", "BitFlags"}},
		"an unnamed type as Sidecar does: it is co": {Kind: metadata.Compact, Element: 1},
	} {
		_, err := write(types(u8, typ), 1, make([]byte, 64))
		require.ErrorContains(t, err, want)
	}
}

// Types that double each other, contain themselves or are nested without end terminate.
func TestHostileTypes(t *testing.T) {
	double := []metadata.Type{{Kind: metadata.Tuple}}
	for i := range metadata.TypeID(100) {
		double = append(double, metadata.Type{Kind: metadata.Tuple, Elements: []metadata.TypeID{i, i}})
	}
	_, err := write(types(double...), 100, nil)
	require.ErrorContains(t, err, "longer than")

	self := metadata.Type{Kind: metadata.Composite, Fields: []metadata.Field{{Type: 0}}}
	_, err = write(types(self), 0, nil)
	require.ErrorContains(t, err, "nested")
	_, err = write(types(metadata.Type{Kind: metadata.Composite, Fields: []metadata.Field{{Name: "self", Type: 0}}}), 0, nil)
	require.ErrorContains(t, err, "nested")
	_, err = write(types(metadata.Type{Kind: metadata.Array, Length: 2048, Element: 0}), 0, nil)
	require.ErrorContains(t, err, "nested")

	list := metadata.Type{Kind: metadata.Sequence, Element: 0}
	_, err = write(types(list), 0, []byte(strings.Repeat("\x04", 10000)))
	require.ErrorContains(t, err, "nested")
	_, err = write(types(metadata.Type{Kind: metadata.Sequence, Element: 1}, metadata.Type{Kind: metadata.Tuple}), 0, []byte{0xfe, 0xff, 0xff, 0xff})
	require.ErrorContains(t, err, "do not fit")

	long := make([]metadata.Type, 500000) // each is the next
	for i := range long {
		long[i] = metadata.Type{Kind: metadata.Composite, Fields: []metadata.Field{{Type: metadata.TypeID(min(i+1, len(long)-1))}}}
	}
	_, err = write(types(long...), 0, nil)
	require.ErrorContains(t, err, "nested")
}

// Metadata that repeat the same types do not take more memory for it.
func TestPalletsThatShareTheirTypes(t *testing.T) {
	m := small()
	fields := make([]metadata.Field, 10000)
	for i := range fields {
		fields[i] = metadata.Field{Name: "a", Type: 0}
	}
	calls := metadata.TypeID(len(m.Types))
	m.Types = append(m.Types, metadata.Type{Kind: metadata.Variant, Variants: []metadata.VariantOf{{Name: "a", Fields: fields}}})
	for i := range 200 {
		m.Pallets = append(m.Pallets, metadata.Pallet{Name: "More", Index: uint8(10 + i), Calls: &calls, Events: &calls})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	scalejson.New(m)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(20<<20))
}

func TestKeys(t *testing.T) {
	m := types(primitive(metadata.U32), primitive(metadata.U128), primitive(metadata.Bool),
		metadata.Type{Kind: metadata.Composite, Path: []string{"account", "AccountId20"}})
	c := scalejson.New(m)
	for _, test := range []struct {
		id          metadata.TypeID
		given, want string // hex, or part of an error
	}{
		{0, "258", "02010000"}, {0, "4294967296", "want an integer of 32 bits"}, {0, "0x01", "want an integer"}, {0, "-1", "want an integer"},
		{1, "18446744073709551615", "ffffffffffffffff0000000000000000"}, {1, "18446744073709551616", "want an integer of 64 bits"},
		{2, "0x01", "01"}, {2, "0x02", "a bool is 2, want 0 or 1"}, {2, "0x0100", "left over"}, {2, "true", "want 0x"}, {2, "0x0", "want 0x"},
		{3, "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac", "f24ff3a9cf04c71dbc94d0b566f7a27b94566cac"},
		{3, "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566c", "too early"},
	} {
		bytes, err := c.Key(test.id, test.given)
		if err != nil {
			require.ErrorContains(t, err, test.want)
			continue
		}
		require.Equal(t, test.want, hex.EncodeToString(bytes))
	}
}

// FuzzValue: for any bytes, a value of any type is JSON or an error.
func FuzzValue(f *testing.F) {
	m := parse(f, unzip(f, sample))
	c := scalejson.New(m)
	k := newMaker(m, 1)
	for id := range m.Types {
		f.Add(uint16(id), k.value(nil, metadata.TypeID(id), 6))
	}
	f.Fuzz(func(t *testing.T, id uint16, bytes []byte) {
		w := &scalejson.Writer{Reader: scale.NewReader(bytes)}
		c.Value(w, metadata.TypeID(int(id)%len(m.Types)))
		if w.Err() == nil && !json.Valid(w.Text) {
			t.Fatalf("no JSON: %s", w.Text)
		}
	})
}

// Signatures are written without their kind. Their size follows from it, and a kind that the runtime lacks is an error.
func TestSignatures(t *testing.T) {
	variants := func(n int) metadata.Type {
		typ := metadata.Type{Kind: metadata.Variant, Path: []string{"sp_runtime", "MultiSignature"}}
		for i := range n {
			typ.Variants = append(typ.Variants, metadata.VariantOf{Name: string(rune('A' + i)), Index: uint8(i)})
		}
		return typ
	}
	m := types(primitive(metadata.U8), variants(3), variants(4), metadata.Type{Kind: metadata.Array, Element: 0, Length: 65})
	signature := func(id metadata.TypeID, text string) (string, error) {
		m.Extrinsic.Signature = id
		bytes, err := hex.DecodeString(text)
		require.NoError(t, err)
		w := &scalejson.Writer{Reader: scale.NewReader(bytes)}
		scalejson.New(m).Signature(w)
		return string(w.Text), w.End()
	}
	short, long := strings.Repeat("ab", 64), strings.Repeat("cd", 65)
	for _, c := range []struct {
		id         metadata.TypeID
		text, want string
	}{
		{1, "00" + short, short}, {1, "01" + short, short}, {1, "02" + long, long}, {2, "03" + long, long},
		{3, long, long}, // the runtime has one kind, of Ethereum
	} {
		have, err := signature(c.id, c.text)
		require.NoError(t, err)
		require.Equal(t, `"0x`+c.want+`"`, have)
	}
	for text, id := range map[string]metadata.TypeID{"03" + long: 1, "04" + long: 2, "ff" + long: 2} {
		_, err := signature(id, text)
		require.ErrorContains(t, err, "unknown kind of signature")
	}
	for text, id := range map[string]metadata.TypeID{"00" + long: 1, "02" + short: 1, "": 1} {
		_, err := signature(id, text)
		require.Error(t, err)
	}
}
