package scalejson_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// small returns a generated runtime with forms that the sample does not have. The rules for them are
// polkadot-js's, verified with Sidecar's code on the whole collection of real metadata.
func small() *metadata.Metadata {
	id := func(n metadata.TypeID) *metadata.TypeID { return &n }
	of := func(ids ...metadata.TypeID) (list []metadata.Parameter) {
		for _, n := range ids {
			list = append(list, metadata.Parameter{Name: "T", Type: id(n)})
		}
		return list
	}
	const u8, u32, bytes, call, option, mixed, account, reserved, event, calls, events, result, empty, nulls, byBool, byPair, pair, set, done, system = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19
	types := make([]metadata.Type, system+1)
	types[u8] = primitive(metadata.U8)
	types[u32] = primitive(metadata.U32)
	types[bytes] = metadata.Type{Kind: metadata.Sequence, Element: u8}
	types[call] = metadata.Type{Kind: metadata.Variant, Path: []string{"small_runtime", "RuntimeCall"}, Variants: []metadata.VariantOf{{Name: "System", Fields: []metadata.Field{{Type: calls}}}}}
	types[option] = metadata.Type{Kind: metadata.Variant, Path: []string{"Option"}, Parameters: of(call)}
	types[mixed] = metadata.Type{Kind: metadata.Tuple, Elements: []metadata.TypeID{u8, call}}
	types[account] = metadata.Type{Kind: metadata.Composite, Path: []string{"sp_core", "crypto", "AccountId32"}}
	types[reserved] = metadata.Type{Kind: metadata.Composite, Path: []string{"a", "Reserved"}, Fields: []metadata.Field{
		{Name: "hash", Type: u8}, {Name: "r#type", Type: u8}, {Name: "max_keys", Type: u8}, {Name: "keys", Type: u8}}}
	types[event] = metadata.Type{Kind: metadata.Variant, Path: []string{"small_runtime", "RuntimeEvent"}}
	types[calls] = metadata.Type{Kind: metadata.Variant, Variants: []metadata.VariantOf{
		{Name: "do_nothing", Index: 0},
		{Name: "with_opaque", Index: 1, Fields: []metadata.Field{{Name: "call", Type: bytes}}},
		{Name: "with_option", Index: 2, Fields: []metadata.Field{{Name: "maybe_call", Type: option}}},
		{Name: "with_tuple", Index: 3, Fields: []metadata.Field{{Name: "hash", Type: mixed}}},
		{Name: "nameless", Index: 4, Fields: []metadata.Field{{Type: u8}}},
	}}
	types[events] = metadata.Type{Kind: metadata.Variant, Variants: []metadata.VariantOf{
		{Name: "HASDone", Index: 7, Fields: []metadata.Field{{Name: "who", Type: u8}, {Name: "info", Type: done}}}}}
	types[result] = metadata.Type{Kind: metadata.Variant, Path: []string{"Result"}, Parameters: of(empty, u32)}
	types[empty] = metadata.Type{Kind: metadata.Tuple}
	types[nulls] = metadata.Type{Kind: metadata.Variant, Path: []string{"Result"}, Parameters: of(empty, empty)}
	types[byBool] = metadata.Type{Kind: metadata.Composite, Path: []string{"BTreeMap"}, Parameters: of(system, u8)}
	types[byPair] = metadata.Type{Kind: metadata.Composite, Path: []string{"BTreeMap"}, Parameters: of(pair, u8)}
	types[pair] = metadata.Type{Kind: metadata.Tuple, Elements: []metadata.TypeID{u8, bytes}}
	types[set] = metadata.Type{Kind: metadata.Composite, Path: []string{"BTreeSet"}, Parameters: of(u8)}
	types[done] = metadata.Type{Kind: metadata.Composite, Path: []string{"a", "Info"}, Fields: []metadata.Field{{Name: "pays_fee", Type: result}}}
	types[system] = primitive(metadata.Bool)
	return &metadata.Metadata{
		Version: 14, Types: types, Extrinsic: metadata.Extrinsic{Call: call},
		Pallets: []metadata.Pallet{{Name: "System", Index: 9, Calls: id(calls), Events: id(events),
			Constants: []metadata.Constant{{Name: "SS58Prefix", Value: []byte{42, 0}}}}},
	}
}

func TestShapes(t *testing.T) {
	m := small()
	account := strings.Repeat("00", 32)
	for _, test := range []struct {
		id          metadata.TypeID
		bytes, want string
	}{
		{2, "080102", `"0x0102"`},
		{3, "0900", `{"callIndex":"0x0900","args":{}}`},
		{3, "090407", `{"callIndex":"0x0904","args":{"param0":"7"}}`},
		{4, "00", `null`},
		{4, "010900", `{"callIndex":"0x0900","args":{}}`},
		{5, "070900", `["7",{"callIndex":"0x0900","args":{}}]`},
		{6, account, `"5C4hrfjw9DjXZTzV3MwzrrAr9P1MJhSrvWGWqi1eSuyUpnhM"`},
		{7, "01020304", `{"hash_":"1","r_type":"2","maxKeys":"3","keys_":"4"}`},
		{8, "090705" + "00", `{"index":"0x0907","data":["5",{"paysFee":{"ok":null}}]}`},
		{11, "00", `{"ok":null}`},
		{11, "0102000000", `{"err":"2"}`},
		{13, "00", `"Ok"`},
		{13, "01", `"Err"`},
		{15, "08" + "010009" + "01040508", `{"[\"1\",\"0x\"]":"9","[\"1\",\"0x05\"]":"8"}`},
		{17, "080102", `["1","2"]`},
	} {
		bytes, err := hex.DecodeString(test.bytes)
		require.NoError(t, err)
		have, err := write(m, test.id, bytes)
		require.NoError(t, err)
		require.Equal(t, test.want, have)
		require.True(t, json.Valid([]byte(have)), have)
		for n := range bytes {
			if _, err := write(m, test.id, bytes[:n]); n > 0 || len(bytes) > 0 {
				require.Error(t, err, "%d bytes of %s", n, test.bytes)
			}
		}
	}
	_, err := write(m, 14, []byte{4, 1, 1})
	require.ErrorContains(t, err, "neither text nor a number")
	_, err = write(m, 15, []byte{8, 1, 0, 9, 1, 0, 8})
	require.ErrorContains(t, err, `a map has the key ["1","0x"] twice`)
}

// Bytes are written as a call only if named so and if they decode as one.
func TestCallsInCalls(t *testing.T) {
	c := scalejson.New(small())
	arguments := func(bytes string) (method, args string) {
		raw, err := hex.DecodeString(bytes)
		require.NoError(t, err)
		w := &scalejson.Writer{Reader: scale.NewReader(raw)}
		call := c.Call(w)
		require.NotNil(t, call)
		c.Arguments(w, call)
		require.NoError(t, w.End())
		return call.Method, string(w.Text)
	}
	for bytes, want := range map[string]string{
		"0900":                               `{}`,
		"0901" + "08" + "0900":               `{"call":{"method":{"pallet":"system","method":"doNothing"},"args":{}}}`,
		"0901" + "0c" + "090007":             `{"call":{"method":{"pallet":"system","method":"doNothing"},"args":{}}}`, // the rest is ignored
		"0901" + "08" + "0909":               `{"call":"0x0909"}`,
		"0901" + "08" + "0904":               `{"call":"0x0904"}`,
		"0901" + "00":                        `{"call":"0x"}`,
		"0901" + "10" + "0901" + "04" + "07": `{"call":{"method":{"pallet":"system","method":"withOpaque"},"args":{"call":"0x07"}}}`,
		"0902" + "01" + "0900":               `{"maybe_call":{"callIndex":"0x0900","args":{}}}`,
		"0903" + "07" + "0900":               `{"hash":["7",{"method":{"pallet":"system","method":"doNothing"},"args":{}}]}`,
		"0904" + "07":                        `{"param0":"7"}`,
	} {
		_, have := arguments(bytes)
		require.Equal(t, want, have, bytes)
	}
	method, _ := arguments("0900")
	require.Equal(t, `{"pallet":"system","method":"doNothing"}`, method)
}

// Nested calls in bytes are decoded as deeply as any value, and each level once.
func TestCallsInCallsWithoutEnd(t *testing.T) {
	c := scalejson.New(small())
	call := []byte{9, 0}
	for range 5000 {
		call = slices.Concat([]byte{9, 1}, compact(nil, binary.LittleEndian.AppendUint32(nil, uint32(len(call)))), call)
	}
	w := &scalejson.Writer{Reader: scale.NewReader(call)}
	c.Arguments(w, c.Call(w))
	require.NoError(t, w.End())
	require.Equal(t, 1, strings.Count(string(w.Text), `"0x`), "the rest is hex")
	require.Less(t, len(w.Text), 2*len(call)+100*512)
}

func TestEventsPay(t *testing.T) {
	m := parse(t, unzip(t, sample))
	c := scalejson.New(m)
	for bytes, want := range map[string]string{
		"0000" + "0400" + "00" + "00": "Yes", // System.ExtrinsicSuccess: weight, class, paysFee
		"0000" + "0400" + "00" + "01": "No",
		"0002":                        "", // System.CodeUpdated
	} {
		raw, err := hex.DecodeString(bytes)
		require.NoError(t, err)
		w := &scalejson.Writer{Reader: scale.NewReader(raw)}
		event := c.Event(w)
		require.NotNil(t, event, bytes)
		require.Equal(t, want, event.Data(w))
		require.NoError(t, w.End())
	}
}

// An address is written the same with and without the cache.
func TestAddresses(t *testing.T) {
	m := types(metadata.Type{Kind: metadata.Composite, Path: []string{"account", "AccountId20"}})
	c := scalejson.New(m)
	known := new(scalejson.Addresses)
	bytes := make([]byte, 20)
	for i := range 3000 {
		bytes[i%20] = byte(i * i >> 3)
		for range 2 {
			w := &scalejson.Writer{Reader: scale.NewReader(bytes), Addresses: known}
			c.Value(w, 0)
			want, err := write(m, 0, bytes)
			require.NoError(t, err)
			require.Equal(t, want, string(w.Text))
		}
	}
	w := &scalejson.Writer{Reader: scale.NewReader(make([]byte, 20)), Addresses: new(scalejson.Addresses)}
	c.Value(w, 0)
	require.Equal(t, `"0x0000000000000000000000000000000000000000"`, string(w.Text))
	w = &scalejson.Writer{Reader: scale.NewReader(make([]byte, 19)), Addresses: known}
	c.Value(w, 0)
	require.Error(t, w.Err())
}
