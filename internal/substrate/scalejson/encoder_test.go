package scalejson_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/realmetadata"
)

// both are the two directions of a runtime.
type both struct {
	m      *metadata.Metadata
	codec  *scalejson.Codec
	encode *scalejson.Encoder
}

func twoWays(m *metadata.Metadata) *both {
	return &both{m, scalejson.New(m), scalejson.NewEncoder(m)}
}

// value requires the next value of a reader to encode to the bytes read, and appends it.
func (b *both) value(t testing.TB, to []byte, r *scale.Reader, id metadata.TypeID) []byte {
	from := r.At()
	w := &scalejson.Writer{Reader: r}
	b.codec.Value(w, id)
	require.NoError(t, r.Err())
	bytes, err := b.encode.Value(nil, id, parsed(t, string(w.Text)))
	require.NoError(t, err, "%s", w.Text)
	require.Equal(t, hex.EncodeToString(r.Since(from)), hex.EncodeToString(bytes), "%s", w.Text)
	return append(to, bytes...)
}

func parsed(t testing.TB, text string) jsonscan.Value {
	v, err := jsonscan.Parse(text)
	require.NoError(t, err)
	return v
}

func unhex(t testing.TB, text string) []byte {
	bytes, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(text), "0x"))
	require.NoError(t, err)
	return bytes
}

// extrinsic requires Sidecar's text of an extrinsic to encode to its call, and the preceding values to survive
// a round trip.
func (b *both) extrinsic(t testing.TB, bytes []byte, said jsonscan.Value) {
	r := scale.NewReader(bytes)
	r.Length(1)
	have := append([]byte(nil), r.Since(0)...)
	version := r.U8()
	have = append(have, version)
	if version&0x80 != 0 {
		have = b.value(t, have, r, b.m.Extrinsic.Address)
		have = b.value(t, have, r, b.m.Extrinsic.Signature)
		for _, e := range b.m.Extrinsic.Extensions {
			have = b.value(t, have, r, e.Type)
		}
	}
	have, err := b.encode.Call(have, said)
	require.NoError(t, err)
	require.Equal(t, hex.EncodeToString(bytes), hex.EncodeToString(have))
}

// events requires Sidecar's text of a block's events to encode to the node's bytes, event by event. It returns
// their number.
func (b *both) events(t testing.TB, bytes []byte, block jsonscan.Value) (n int) {
	entry := b.m.Pallet("System").Entry("Events")
	fields := b.m.Types[b.m.Types[entry.Value].Element].Fields
	said := map[string][]jsonscan.Value{}
	collect := func(phase string, list jsonscan.Value) {
		for e := range list.Elements() {
			said[phase] = append(said[phase], e)
		}
	}
	collect(`{"initialization":null}`, block.Member("onInitialize").Member("events"))
	collect(`{"finalization":null}`, block.Member("onFinalize").Member("events"))
	i := 0
	for x := range block.Member("extrinsics").Elements() {
		collect(fmt.Sprintf(`{"applyExtrinsic":"%d"}`, i), x.Member("events"))
		i++
	}
	r := scale.NewReader(bytes)
	for range r.Length(1) {
		w := &scalejson.Writer{Reader: r}
		from := r.At()
		b.codec.Value(w, fields[0].Type)
		phase := string(w.Text)
		list := said[phase]
		require.NotEmpty(t, list, phase)
		said[phase] = list[1:]
		have, err := b.encode.Value(nil, fields[0].Type, parsed(t, phase))
		require.NoError(t, err)
		have, err = b.encode.Event(have, list[0])
		require.NoError(t, err)
		b.codec.Event(w).Data(w)
		require.Equal(t, r.Since(from), have, "%v", list[0].Raw())
		b.codec.Value(w, fields[2].Type) // topics
		n++
	}
	require.NoError(t, r.End())
	for phase, list := range said {
		require.Empty(t, list, phase)
	}
	return n
}

// Sidecar's texts for eight blocks of Moonbeam 2600 encode to its node's bytes.
func TestEncodesTheSample(t *testing.T) {
	b := twoWays(parse(t, unzip(t, sample)))
	events := 0
	for line := range strings.Lines(string(unzip(t, "../render/testdata/moonbeam-2600.blocks.zst"))) {
		var block struct {
			Extrinsics []string
			Events     *string
			Answer     string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &block))
		said := parsed(t, block.Answer)
		i := 0
		for x := range said.Member("extrinsics").Elements() {
			b.extrinsic(t, unhex(t, block.Extrinsics[i]), x)
			i++
		}
		require.Len(t, block.Extrinsics, i)
		if block.Events == nil {
			continue
		}
		events += b.events(t, unhex(t, *block.Events), said)
		b.value(t, nil, scale.NewReader(unhex(t, *block.Events)), b.m.Pallet("System").Entry("Events").Value)
	}
	require.Greater(t, events, 100)
}

// All recordings of seven chains: Sidecar's texts of calls and events encode to the node's bytes, and so do the
// package's texts of all values in storage.
func TestEncodesWhatWasRecorded(t *testing.T) {
	for _, name := range append([]string{"vflow-2000", "creditcoin3-87", "passet-1019002", "stack-template-3"}, tier.Some(1, pairs.RealRuntimes)...) {
		dir := pairs.Path(t, name, "node")
		read := func(name string, v any) {
			text, err := os.ReadFile(filepath.Join(dir, name+".json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, v))
		}
		text, err := os.ReadFile(filepath.Join(dir, "metadata.hex"))
		require.NoError(t, err)
		b := twoWays(parse(t, unhex(t, string(text))))
		var heights []struct {
			Height uint64
			Hash   string
		}
		read("heights", &heights)
		var blocks map[string]struct {
			Result struct{ Block struct{ Extrinsics []string } }
		}
		read("chain_getBlock", &blocks)
		var storage map[string]struct{ Result *string }
		read("state_getStorage", &storage)
		extrinsics, events, values := 0, 0, 0
		for _, h := range heights {
			answer, err := os.ReadFile(filepath.Join(dir, "../gateway/blocks", strconv.FormatUint(h.Height, 10)+".json"))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			require.NoError(t, err)
			said, i := parsed(t, string(answer)), 0
			list := blocks[fmt.Sprintf("[%q]", h.Hash)].Result.Block.Extrinsics
			for x := range said.Member("extrinsics").Elements() {
				b.extrinsic(t, unhex(t, list[i]), x)
				i++
			}
			require.Len(t, list, i)
			extrinsics += i
			if stored := storage[fmt.Sprintf("[%q,%q]", place("System", "Events"), h.Hash)].Result; stored != nil {
				events += b.events(t, unhex(t, *stored), said)
			}
		}
		for question, stored := range storage {
			entry := b.entry(strings.Split(question, `"`)[1])
			if entry == nil || stored.Result == nil { // one of the chain's own keys, such as :code
				continue
			}
			r := scale.NewReader(unhex(t, *stored.Result))
			b.value(t, nil, r, entry.Value)
			require.NoError(t, r.End(), entry.Name)
			values++
		}
		t.Logf("%s: %d extrinsics, %d events, %d values of the storage", dir, extrinsics, events, values)
		require.Greater(t, extrinsics, 100)
		require.Greater(t, events, 100)
		require.Greater(t, values, 100)
	}
}

// place returns the key prefix of an item of the storage.
func place(pallet, item string) string {
	var b []byte
	for _, name := range []string{pallet, item} {
		for seed := range uint64(2) {
			d := xxhash.NewWithSeed(seed)
			d.WriteString(name)
			sum := d.Sum(nil)
			slices.Reverse(sum)
			b = append(b, sum...)
		}
	}
	return "0x" + hex.EncodeToString(b)
}

// entry returns the item of the storage that a key belongs to, or nil.
func (b *both) entry(key string) *metadata.StorageEntry {
	for i := range b.m.Pallets {
		p := &b.m.Pallets[i]
		for j := range p.Storage {
			if strings.HasPrefix(key, place(p.Prefix, p.Storage[j].Name)) {
				return &p.Storage[j]
			}
		}
	}
	return nil
}

// again requires the text of a generated value to encode to it. It reports whether it was a value: some
// generated bytes are not, and some have incomplete texts.
func (b *both) again(t testing.TB, line string) bool {
	written, err := text(b.codec, line)
	if err != nil {
		return false
	}
	words := strings.Split(line, " ")
	if words[0] == "constant" { // of which there is another form
		return false
	}
	want := unhex(t, words[len(words)-1])
	v := parsed(t, written)
	var have []byte
	switch words[0] {
	case "value":
		id, _ := strconv.Atoi(words[1])
		have, err = b.encode.Value(nil, metadata.TypeID(id), v)
	case "call":
		have, err = b.encode.Call(nil, v)
	case "event":
		have, err = b.encode.Event(nil, v)
	}
	require.NoError(t, err, "%s\n%s", line, written)
	if string(have) != string(want) && (strings.Contains(string(want), "\xef\xbb\xbf") || strings.Contains(written, `"call":{"method":`)) {
		words[len(words)-1] = hex.EncodeToString(have)
		same, err := text(b.codec, strings.Join(words, " "))
		require.NoError(t, err)
		require.Equal(t, written, same, "the text does not tell a text's mark, and what follows a call in bytes")
		return false
	}
	require.Equal(t, hex.EncodeToString(want), hex.EncodeToString(have), "%s\n%s", line, written)
	return true
}

// Generated values of all calls, events and items of storage survive a round trip.
func TestEncodesMadeUpValues(t *testing.T) {
	m := parse(t, unzip(t, sample))
	b := twoWays(m)
	compared := 0
	for seed := range uint64(5) {
		for _, line := range values(m, seed) {
			if b.again(t, line) {
				compared++
			}
		}
	}
	require.Greater(t, compared, 4500)
}

// So do those of all runtimes whose metadata are available.
func TestEncodesAllTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	compared := 0
	realmetadata.Each(t, func(name string, bytes []byte) {
		if version(bytes) < 14 {
			return
		}
		m := parse(t, bytes)
		b := twoWays(m)
		for _, line := range values(m, 7) {
			if b.again(t, line) {
				compared++
			}
		}
	})
	require.Greater(t, compared, 80_000)
	t.Logf("%d values", compared)
}

// A nested call may be given as its bytes, which must be exactly one call of the runtime.
func TestCallsThatAreEncoded(t *testing.T) {
	e := scalejson.NewEncoder(parse(t, unzip(t, sample)))
	const transfer = `{"method":{"pallet":"balances","method":"transferAllowDeath"},"args":{"dest":"0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac","value":"7"}}`
	batch := func(call string) ([]byte, error) {
		return e.Call(nil, parsed(t, `{"method":{"pallet":"utility","method":"batch"},"args":{"calls":[`+call+`]}}`))
	}
	one, err := e.Call(nil, parsed(t, transfer))
	require.NoError(t, err)
	want, err := batch(transfer)
	require.NoError(t, err)
	encoded := "0x" + hex.EncodeToString(one)
	have, err := batch(`"` + encoded + `"`)
	require.NoError(t, err)
	require.Equal(t, want, have)
	for given, want := range map[string]string{
		encoded + "00": "want the bytes of a call of the runtime", encoded[:len(encoded)-2]: "want the bytes of a call of the runtime", "0xffff": "want the bytes of a call of the runtime",
		"0x": "want the bytes of a call of the runtime", "0x0": "want 0x and pairs of hex digits", "a call": "want 0x and pairs of hex digits",
	} {
		_, err := batch(`"` + given + `"`)
		require.ErrorContains(t, err, "args.calls[0]: "+want, given)
	}
}

// The error contains the required form, and the position.
func TestEncodeErrors(t *testing.T) {
	m := parse(t, unzip(t, sample))
	e := scalejson.NewEncoder(m)
	const to = `"dest":"0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"`
	transfer := func(args string) string {
		return `{"method":{"pallet":"balances","method":"transferAllowDeath"},"args":{` + args + `}}`
	}
	for given, want := range map[string]string{
		transfer(to + `,"value":"1"`):                                       "",
		transfer(`"value":"1",` + to):                                       "",
		transfer(to + `,"value":1000`):                                      "",
		transfer(to + `,"value":"1.5"`):                                     `args.value: want an unsigned integer of 128 bits in decimal digits, have "1.5"`,
		transfer(to + `,"value":-1`):                                        `args.value: want an unsigned integer of 128 bits`,
		transfer(to + `,"value":"340282366920938463463374607431768211455"`): "",
		transfer(to + `,"value":"340282366920938463463374607431768211456"`): `args.value: want an unsigned integer of 128 bits`,
		transfer(to + `,"value":"` + strings.Repeat("9", 100_000) + `"`):    `args.value: want an unsigned integer of 128 bits`,
		transfer(to):                            `args.value: want an unsigned integer of 128 bits in decimal digits, have absent`,
		transfer(to + `,"value":"1","tip":"2"`): `args: want an object of dest, value, have the member tip`,
		transfer(`"dest":"0xF24FF3a9CF04c71Dbc94D0b566f7A27B94566cac","value":"1"`): `args.dest: want an address`,
		transfer(`"dest":"0xf24ff3","value":"1"`):                                   `args.dest: want an address`,
		`{"method":{"pallet":"balances","method":"nonesuch"},"args":{}}`:            `want {"pallet", "method"} of a call of the runtime`,
		`{"callIndex":"0x0a63","args":{}}`:                                          `want the number of a call of the runtime, have "0x0a63"`,
		`{"callIndex":"0x0a","args":{}}`:                                            `want 0x and the hex digits of 2 bytes`,
		`{"callIndex":"0x1502","args":null}`:                                        `want the number of a call`,
		`{}`:                                                                        `have absent`,
		`[]`:                                                                        `want a call`,
		`{"method":{"pallet":"system","method":"remark"},"args":{"remark":"0x0"}}`:                                                                          `args.remark: want 0x and pairs of hex digits`,
		`{"method":{"pallet":"system","method":"remark"},"args":{"remark":"00"}}`:                                                                           `args.remark: want 0x and pairs of hex digits`,
		`{"method":{"pallet":"system","method":"remark"},"args":{"remark":["0"]}}`:                                                                          `args.remark: want 0x and pairs of hex digits`,
		`{"method":{"pallet":"system","method":"setHeapPages"},"args":{"pages":true}}`:                                                                      `args.pages: want an unsigned integer of 64 bits in decimal digits, have true`,
		`{"method":{"pallet":"utility","method":"batch"},"args":{"calls":{}}}`:                                                                              `args.calls: want an array, have {}`,
		`{"method":{"pallet":"utility","method":"batch"},"args":{"calls":[` + transfer(to+`,"value":"1"`) + `,` + transfer(to) + `]}}`:                      `args.calls[1].args.value: want`,
		`{"method":{"pallet":"proxy","method":"addProxy"},"args":{"delegate":"0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac","proxy_type":"any","delay":"0"}}`: `args.proxy_type: want a variant of moonbeam_runtime::ProxyType: Any, NonTransfer`,
		`{"method":{"pallet":"ethereum","method":"transact"},"args":{"transaction":{"eip4844":{}}}}`:                                                        `args.transaction: want a variant of ethereum::transaction::TransactionV2: legacy, eip2930, eip1559`,
	} {
		_, err := e.Call(nil, parsed(t, given))
		if want == "" {
			require.NoError(t, err, given)
			continue
		}
		var wrong *scalejson.EncodeError
		require.ErrorAs(t, err, &wrong, given)
		require.ErrorContains(t, err, want, given)
		require.Less(t, len(err.Error()), 1000)
	}
}

// Sidecar's form of integers covers all their values.
func TestEncodeIntegers(t *testing.T) {
	m := types(primitive(metadata.I8), primitive(metadata.I256), primitive(metadata.U256), primitive(metadata.U8), primitive(metadata.Bool), primitive(metadata.Str), metadata.Type{Kind: metadata.Compact, Element: 2})
	e := scalejson.NewEncoder(m)
	half := "57896044618658097711785492504343953926634992332820282019728792003956564819968" // 2^255
	for _, test := range []struct {
		id          metadata.TypeID
		given, want string // hex, "" for an error
	}{
		{0, `"127"`, "7f"}, {0, `"128"`, ""}, {0, `"-128"`, "80"}, {0, `"-129"`, ""}, {0, `"-0"`, "00"}, {0, `-1`, "ff"}, {0, `"--1"`, ""}, {0, `""`, ""}, {0, `"200"`, ""}, {0, `"-200"`, ""},
		{1, `"-` + half + `"`, strings.Repeat("00", 31) + "80"}, {1, `"` + half + `"`, ""}, {1, `"-1"`, strings.Repeat("ff", 32)},
		{1, `"-57896044618658097711785492504343953926634992332820282019728792003956564819969"`, ""},
		{2, `"` + half + `"`, strings.Repeat("00", 31) + "80"}, {2, `"115792089237316195423570985008687907853269984665640564039457584007913129639936"`, ""}, {2, `1e3`, ""}, {2, `"-1"`, ""},
		{3, `"255"`, "ff"}, {3, `256`, ""}, {3, `null`, ""}, {4, `true`, "01"}, {4, `"true"`, ""}, {5, `"ü"`, "08c3bc"}, {5, `1`, ""},
		{6, `"0"`, "00"}, {6, `"63"`, "fc"}, {6, `"64"`, "0101"}, {6, `"16383"`, "fdff"}, {6, `"16384"`, "02000100"}, {6, `"1073741823"`, "feffffff"}, {6, `"1073741824"`, "0300000040"},
		{6, `"4294967296"`, "070000000001"}, {6, `"` + half + `"`, "73" + strings.Repeat("00", 31) + "80"},
	} {
		have, err := e.Value(nil, test.id, parsed(t, test.given))
		if test.want == "" {
			require.Error(t, err, "%d %s", test.id, test.given)
			continue
		}
		require.NoError(t, err, "%d %s", test.id, test.given)
		require.Equal(t, test.want, hex.EncodeToString(have), "%d %s", test.id, test.given)
	}
}

// Types that contain themselves or double each other terminate.
func TestEncodeHostileTypes(t *testing.T) {
	self := types(metadata.Type{Kind: metadata.Composite, Fields: []metadata.Field{{Type: 0}}})
	_, err := scalejson.NewEncoder(self).Value(nil, 0, parsed(t, `null`))
	require.ErrorContains(t, err, "nested")
	u8 := primitive(metadata.U8)
	bomb := []metadata.Type{u8}
	for i := range metadata.TypeID(6) {
		bomb = append(bomb, metadata.Type{Kind: metadata.Array, Length: 2048, Element: i})
	}
	_, err = scalejson.NewEncoder(types(bomb...)).Value(nil, 6, parsed(t, `[]`))
	require.ErrorContains(t, err, "want an array of 2048, have 0")
	long := make([]metadata.Type, 500000) // each is the next
	for i := range long {
		long[i] = metadata.Type{Kind: metadata.Composite, Fields: []metadata.Field{{Type: metadata.TypeID(min(i+1, len(long)-1))}}}
	}
	_, err = scalejson.NewEncoder(types(long...)).Value(nil, 0, parsed(t, `null`))
	require.ErrorContains(t, err, "nested")
	list := types(metadata.Type{Kind: metadata.Sequence, Element: 0})
	_, err = scalejson.NewEncoder(list).Value(nil, 0, parsed(t, strings.Repeat("[", 120)+strings.Repeat("]", 120)))
	require.NoError(t, err)
}

// FuzzEncode: JSON that encodes to a value of any type survives a round trip.
func FuzzEncode(f *testing.F) {
	b := twoWays(parse(f, unzip(f, sample)))
	k := newMaker(b.m, 2)
	for id := range b.m.Types {
		w := &scalejson.Writer{Reader: scale.NewReader(k.value(nil, metadata.TypeID(id), 4))}
		if b.codec.Value(w, metadata.TypeID(id)); w.Err() == nil {
			f.Add(uint16(id), string(w.Text))
		}
	}
	f.Fuzz(func(t *testing.T, n uint16, given string) {
		id := metadata.TypeID(int(n) % len(b.m.Types))
		v, err := jsonscan.Parse(given)
		if err != nil {
			return
		}
		bytes, err := b.encode.Value(nil, id, v)
		if err != nil {
			return
		}
		w := &scalejson.Writer{Reader: scale.NewReader(bytes)}
		b.codec.Value(w, id)
		if w.End() != nil { // a map that names a key twice, or a text that is too long
			return
		}
		again, err := b.encode.Value(nil, id, parsed(t, string(w.Text)))
		if err != nil || string(again) != string(bytes) && !strings.Contains(string(bytes), "\xef\xbb\xbf") {
			t.Fatalf("%s: %x, then %s: %x %v", given, bytes, w.Text, again, err)
		}
	})
}

// The error contains the required form of a special type; types with missing information are rejected.
func TestEncodeErrorsOfSpecialTypes(t *testing.T) {
	const byte8, nothing = 0, 1
	of := func(ids ...metadata.TypeID) (list []metadata.Parameter) {
		for _, id := range ids {
			list = append(list, metadata.Parameter{Type: &id})
		}
		return list
	}
	special := func(kind metadata.Kind, path string, parameters ...metadata.Parameter) metadata.Type {
		return metadata.Type{Kind: kind, Path: strings.Split(path, "::"), Parameters: parameters}
	}
	wide := special(metadata.Composite, "pallet_identity::types::BitFlags", of(byte8)...)
	wide.Fields = []metadata.Field{{Type: nothing}}
	all := []metadata.Type{primitive(metadata.U8), {Kind: metadata.Tuple}}
	for _, c := range []struct {
		of          metadata.Type
		given, want string // hex, or part of the error
	}{
		{special(metadata.Variant, "Result", of(byte8, byte8)...), `{"ok":"7"}`, "0007"},
		{special(metadata.Variant, "Result", of(byte8, byte8)...), `{"err":"7"}`, "0107"},
		{special(metadata.Variant, "Result", of(byte8, byte8)...), `"Ok"`, "want an object of ok or err"},
		{special(metadata.Variant, "Result", of(byte8, byte8)...), `{"ok":"7","err":"7"}`, "want an object of ok or err"},
		{special(metadata.Variant, "Result", of(nothing, nothing)...), `"Err"`, "01"},
		{special(metadata.Variant, "Result", of(nothing, nothing)...), `"Neither"`, "want Ok or Err"},
		{special(metadata.Variant, "Result", of(byte8)...), `"Ok"`, "it has the wrong number of parameters"},
		{special(metadata.Variant, "Option", metadata.Parameter{}), `null`, "a parameter's type is missing"},
		{special(metadata.Composite, "BTreeMap", of(byte8, byte8)...), `{"1":"2","3":"4"}`, "0801020304"},
		{special(metadata.Composite, "BTreeMap", of(byte8, byte8)...), `["1"]`, "want an object"},
		{special(metadata.Composite, "pallet_identity::types::BitFlags"), `[]`, "its flags are missing"},
		{wide, `[]`, "its flags are not in an integer of 64 bits"},
		{special(metadata.Composite, "pallet_democracy::vote::Vote"), `"0x86"`, "86"},
		{special(metadata.Composite, "pallet_democracy::vote::Vote"), `"0x87"`, "want a vote with a conviction of at most 6"},
		{special(metadata.Variant, "pallet_identity::types::Data"), `{"raw":"0x` + strings.Repeat("00", 33) + `"}`, "want {\"none\": null}"},
		{special(metadata.Variant, "pallet_identity::types::Data"), `{"md5":"0x00"}`, "want {\"none\": null}"},
		{special(metadata.Variant, "sp_runtime::generic::era::Era"), `{"mortalEra":["64","63"]}`, "f503"},
		{special(metadata.Variant, "sp_runtime::generic::era::Era"), `{"mortalEra":["64","64"]}`, "with a period of 4 to 65536"},
		{special(metadata.Variant, "sp_runtime::generic::era::Era"), `{"mortalEra":"64"}`, "with a period of 4 to 65536"},
		{special(metadata.Variant, "polkadot_runtime_common::claims::EthereumAddress"), `"0x"`, "it does not occur on chains with accounts of 20 bytes"},
		{special(metadata.Composite, "WrapperOpaque"), `"0x"`, "no known runtime has it"},
		{special(metadata.Composite, "sp_core::crypto::AccountId32"), `"x"`, "the runtime does not define SS58Prefix"},
	} {
		e := scalejson.NewEncoder(types(append(slices.Clone(all), c.of)...))
		have, err := e.Value(nil, 2, parsed(t, c.given))
		if _, is := hex.DecodeString(c.want); is == nil {
			require.NoError(t, err, "%v %s", c.of.Path, c.given)
			require.Equal(t, c.want, hex.EncodeToString(have), "%v %s", c.of.Path, c.given)
			continue
		}
		require.ErrorContains(t, err, c.want, "%v %s", c.of.Path, c.given)
	}
}

// A signer that the runtime defines as H160 is written as an account, with its checksum.
func TestSignerOfH160(t *testing.T) {
	m := types(metadata.Type{Kind: metadata.Composite, Path: []string{"primitive_types", "H160"}})
	w := &scalejson.Writer{Reader: scale.NewReader(unhex(t, "0xf24ff3a9cf04c71dbc94d0b566f7a27b94566cac"))}
	scalejson.New(m).Signer(w)
	require.NoError(t, w.Err())
	require.Equal(t, `"0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"`, string(w.Text))
}
