package sidecar_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/jsonscan"
)

const recordings = "../../testdata/recordings"

// recordedBlocks returns the texts of all recorded blocks by file.
func recordedBlocks(t testing.TB) map[string]string {
	paths, err := filepath.Glob(filepath.Join(recordings, "*/blocks/*.json"))
	require.NoError(t, err)
	require.Len(t, paths, 50)
	texts := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		texts[path] = string(text)
	}
	return texts
}

// model is a block as encoding/json reads it, for comparison.
type model struct {
	Number       string `json:"number"`
	Hash         string `json:"hash"`
	ParentHash   string `json:"parentHash"`
	Finalized    *bool  `json:"finalized"`
	OnInitialize struct{ Events []modelEvent }
	OnFinalize   struct{ Events []modelEvent }
	Extrinsics   []modelExtrinsic
}

type modelMethod struct{ Pallet, Method string }

type modelEvent struct {
	Method modelMethod
	Data   json.RawMessage
}

type modelExtrinsic struct {
	Method    modelMethod
	Signature json.RawMessage
	Nonce     json.RawMessage
	Args      json.RawMessage
	Tip       json.RawMessage
	Hash      string
	Events    []modelEvent
}

func requireSame(t *testing.T, m model, b *chain.Block) {
	require.Equal(t, m.Number, decimal(b.Number))
	require.Equal(t, m.Hash, b.Hash.String())
	require.Equal(t, m.ParentHash, b.ParentHash.String())
	final, known := b.Finalized.Get()
	require.Equal(t, m.Finalized != nil, known)
	require.Equal(t, m.Finalized != nil && *m.Finalized, final)
	requireSameEvents(t, m.OnInitialize.Events, b, chain.OnInitialize, b.OnInitialize)
	requireSameEvents(t, m.OnFinalize.Events, b, chain.OnFinalize, b.OnFinalize)
	require.Len(t, b.Extrinsics, len(m.Extrinsics))
	for i, x := range b.Extrinsics {
		want := m.Extrinsics[i]
		require.Equal(t, i, x.Index)
		require.Equal(t, want.Method, modelMethod{x.Pallet, x.Call})
		require.Equal(t, want.Hash, x.Hash.String())
		require.Equal(t, string(want.Signature) != "null", x.Signed != nil)
		if x.Signed != nil {
			require.Contains(t, strings.ToLower(string(want.Signature)), strings.ToLower(x.Signed.Signer.String()))
			require.Equal(t, strings.Trim(string(want.Nonce), `"`), x.Signed.Nonce.String())
			require.Equal(t, strings.Trim(string(want.Tip), `"`), x.Signed.Tip.String())
		} else {
			require.Equal(t, "null null", string(want.Nonce)+" "+string(want.Tip))
		}
		requireSameEvents(t, want.Events, b, chain.EventList(i), x.Events)
	}
}

func requireSameEvents(t *testing.T, want []modelEvent, b *chain.Block, list chain.EventList, events []chain.Event) {
	require.Len(t, events, len(want))
	for i, e := range events {
		require.Equal(t, want[i].Method, modelMethod{e.Pallet, e.Name})
		data, err := b.EventData(list, i)
		require.NoError(t, err)
		require.Equal(t, string(want[i].Data), data)
	}
}

func decimal(n uint64) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// The decoder extracts the same from every recorded block as encoding/json, also with different white space or
// key order.
func TestDecodeBlock(t *testing.T) {
	for path, text := range recordedBlocks(t) {
		var tree any
		require.NoError(t, json.Unmarshal([]byte(text), &tree))
		sorted, err := json.Marshal(tree) // maps are written with sorted keys
		require.NoError(t, err)
		indented, err := json.MarshalIndent(tree, "", "\t")
		require.NoError(t, err)
		for form, text := range map[string]string{"as sent": text, "sorted keys": string(sorted), "indented": string(indented)} {
			t.Run(filepath.Base(path)+" "+form, func(t *testing.T) {
				var want model
				require.NoError(t, json.Unmarshal([]byte(text), &want))
				got, err := sidecar.DecodeBlock(text)
				require.NoError(t, err)
				requireSame(t, want, got)
			})
		}
	}
}

// A truncated body is always an error.
func TestDecodeBlockCut(t *testing.T) {
	text := recordedBlocks(t)[filepath.Join(recordings, "moonbeam-2100/blocks/25.json")]
	for length := range text {
		b, err := sidecar.DecodeBlock(text[:length])
		require.Nil(t, b, "cut at byte %d", length)
		var malformed *sidecar.DecodeError
		require.ErrorAs(t, err, &malformed, "cut at byte %d", length)
	}
}

const (
	hash1     = `"0x1111111111111111111111111111111111111111111111111111111111111111"`
	goodEvent = `{"method":{"pallet":"system","method":"Remarked"},"data":[]}`
	goodStart = `"method":{"pallet":"balances","method":"transfer"},"signature":null,"hash":` + hash1
)

func withExtrinsic(x string) string {
	return `{"number":"25","hash":` + hash1 + `,"parentHash":` + hash1 + `,"extrinsics":[` + x + `]}`
}

func withEvent(e string) string { return withExtrinsic(`{` + goodStart + `,"events":[` + e + `]}`) }

func TestDecodeBlockErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"not an object":             {`[]`, "malformed block: invalid JSON at byte 0: want an object"},
		"empty":                     {``, "malformed block: invalid JSON at byte 0: the text ends too early"},
		"a web page":                {`<html></html>`, "malformed block: invalid JSON at byte 0: want an object"},
		"no number":                 {`{}`, "malformed block: number: missing"},
		"number null":               {`{"number":null}`, "malformed block: number: missing"},
		"number negative":           {`{"number":"-1"}`, `malformed block: number: "-1" is not a non-negative integer`},
		"number through a float":    {`{"number":25.0}`, `malformed block: number: "25.0" is not a non-negative integer`},
		"no hash":                   {`{"number":25}`, "malformed block 25: hash: missing"},
		"hash too short":            {`{"number":25,"hash":"0x12"}`, `malformed block 25: hash: "0x12" is not a hash: want 0x and 64 hex digits`},
		"no parent":                 {`{"number":25,"hash":` + hash1 + `}`, "malformed block 25: parentHash: missing"},
		"no extrinsics":             {`{"number":25,"hash":` + hash1 + `,"parentHash":` + hash1 + `}`, "malformed block 25: extrinsics: missing"},
		"extrinsics an object":      {`{"number":25,"hash":` + hash1 + `,"parentHash":` + hash1 + `,"extrinsics":{}}`, "malformed block 25: extrinsics: want an array, have an object"},
		"finalized a string":        {`{"number":25,"finalized":"yes"}`, "malformed block 25: finalized: want a bool, have a string"},
		"onInitialize an array":     {`{"number":25,"onInitialize":[]}`, "malformed block 25: onInitialize: want an object, have an array"},
		"onFinalize event broken":   {`{"number":25,"onFinalize":{"events":[` + goodEvent + `,7]}}`, "malformed block 25: onFinalize.events[1]: want an object, have a number"},
		"extrinsic a string":        {withExtrinsic(`"x"`), "malformed block 25: extrinsics[0]: want an object, have a string"},
		"extrinsic without method":  {withExtrinsic(`{"signature":null,"hash":` + hash1 + `,"events":[]}`), "malformed block 25: extrinsics[0].method: missing"},
		"method a string":           {withExtrinsic(`{"method":"balances.transfer"}`), "malformed block 25: extrinsics[0].method: want an object, have a string"},
		"method without pallet":     {withExtrinsic(`{"method":{"method":"transfer"}}`), "malformed block 25: extrinsics[0].method.pallet: missing"},
		"method name a number":      {withExtrinsic(`{"method":{"pallet":"balances","method":7}}`), "malformed block 25: extrinsics[0].method.method: missing"},
		"extrinsic without sign":    {withExtrinsic(`{"method":{"pallet":"a","method":"b"},"hash":` + hash1 + `,"events":[]}`), "malformed block 25: extrinsics[0].signature: missing"},
		"extrinsic without hash":    {withExtrinsic(`{"method":{"pallet":"a","method":"b"},"signature":null,"events":[]}`), "malformed block 25: extrinsics[0].hash: missing"},
		"extrinsic without events":  {withExtrinsic(`{` + goodStart + `}`), "malformed block 25: extrinsics[0].events: missing"},
		"events null":               {withExtrinsic(`{` + goodStart + `,"events":null}`), "malformed block 25: extrinsics[0].events: want an array, have null"},
		"event without method":      {withEvent(goodEvent + `,{"data":[]}`), "malformed block 25: extrinsics[0].events[1].method: missing"},
		"event without data":        {withEvent(`{"method":{"pallet":"a","method":"b"}}`), "malformed block 25: extrinsics[0].events[0].data: missing"},
		"event data an object":      {withEvent(`{"method":{"pallet":"a","method":"b"},"data":{}}`), "malformed block 25: extrinsics[0].events[0].data: want an array, have an object"},
		"event pallet empty":        {withEvent(`{"method":{"pallet":"","method":"b"},"data":[]}`), "malformed block 25: extrinsics[0].events[0].method.pallet: missing"},
		"bad JSON after bad field":  {withExtrinsic(`{"method":7},`), "malformed block 25: invalid JSON at byte 200: want a value after a comma"},
		"key twice in the block":    {`{"number":25,"number":26}`, `malformed block 25: invalid JSON at byte 13: key "number" twice in one object`},
		"key twice in unused value": {withEvent(`{"method":{"pallet":"a","method":"b"},"data":[{"c":1,"c":2}]}`), `key "c" twice in one object`},
		"nested too deep":           {`{"x":` + strings.Repeat("[", 600), "nested more than 512 levels deep"},
		"text after the end":        {`{"number":25} {}`, "text after the end of the value"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := sidecar.DecodeBlock(c.text)
			require.Nil(t, b)
			require.ErrorContains(t, err, c.want)
			var malformed *sidecar.DecodeError
			require.ErrorAs(t, err, &malformed)
		})
	}
}

func TestDecodeBlockKeepsHookEvents(t *testing.T) {
	b, err := sidecar.DecodeBlock(`{"number":1,"hash":` + hash1 + `,"parentHash":` + hash1 + `,"extrinsics":[],
		"onInitialize":{"other":1,"events":[` + goodEvent + `]},"onFinalize":{"events":[` + goodEvent + `,` + goodEvent + `]}}`)
	require.NoError(t, err)
	require.Len(t, b.OnInitialize, 1)
	require.Len(t, b.OnFinalize, 2)
	require.Equal(t, "Remarked", b.OnFinalize[1].Name)
	require.False(t, b.Finalized.Known())
}

func TestDecodeSmallAnswers(t *testing.T) {
	m, err := sidecar.DecodeMultiplier(`{"at":{"hash":` + hash1 + `,"height":"24"},"value":"0x0de0b6b3a7640000"}`)
	require.NoError(t, err)
	require.Equal(t, uint64(24), m.At)
	require.Equal(t, "1000000000000000000", m.Value.String())
	require.True(t, m.AtHash.Known())
	_, err = sidecar.DecodeMultiplier(`{"at":{"height":"24"}}`)
	require.EqualError(t, err, "malformed multiplier: value: missing")
	_, err = sidecar.DecodeMultiplier(`{"value":"1"}`)
	require.EqualError(t, err, "malformed multiplier: at.height: missing")
	_, err = sidecar.DecodeMultiplier(`{"at":{"height":1,"hash":"0x1"},"value":"1"}`)
	require.ErrorContains(t, err, "at.hash")
	_, err = sidecar.DecodeMultiplier(`{"at":{"height":1},"value":1e18}`)
	require.ErrorContains(t, err, `"1e18" is not a non-negative integer`)
	_, err = sidecar.DecodeMultiplier(`"1"`)
	require.EqualError(t, err, "malformed multiplier: want an object, have a string")

	r, err := sidecar.DecodeRuntime(`{"at":{"height":24},"specName":"moonbeam","specVersion":2100}`)
	require.NoError(t, err)
	require.Equal(t, chain.AtBlock[chain.Runtime]{At: 24, Value: chain.Runtime{SpecName: "moonbeam", SpecVersion: 2100}}, r)
	_, err = sidecar.DecodeRuntime(`{"at":{"height":24},"specVersion":"2100"}`)
	require.EqualError(t, err, "malformed runtime spec: specName: missing")
	_, err = sidecar.DecodeRuntime(`{"at":{"height":24},"specName":"moonbeam","specVersion":"4294967296"}`)
	require.EqualError(t, err, "malformed runtime spec: specVersion: 4294967296 is more than 32 bits")

	n, err := sidecar.DecodeNodeVersion(`{"clientImplName":"moonbeam","chain":7}`)
	require.NoError(t, err)
	require.Equal(t, chain.NodeVersion{ClientImplName: "moonbeam"}, n)
	_, err = sidecar.DecodeNodeVersion(`{"message":"ok"}`)
	require.EqualError(t, err, "malformed node version: clientImplName: missing")
	_, err = sidecar.DecodeNodeVersion(`{`)
	require.EqualError(t, err, "malformed node version: invalid JSON at byte 1: the text ends too early")
}

// The permitted depth of a response does not depend on the order of its keys.
func TestDecodeBlockDepth(t *testing.T) {
	const around = 5 // block, extrinsics, extrinsic, events, event
	for levels, fits := range map[int]bool{jsonscan.MaxDepth - around: true, jsonscan.MaxDepth - around + 1: false} {
		nested := strings.Repeat("[", levels) + strings.Repeat("]", levels)
		for order, event := range map[string]string{
			"usual":   `{"method":{"pallet":"a","method":"b"},"data":` + nested + `}`,
			"another": `{"data":` + nested + `,"method":{"pallet":"a","method":"b"}}`,
		} {
			t.Run(fmt.Sprint(levels, " levels, ", order), func(t *testing.T) {
				_, err := sidecar.DecodeBlock(withExtrinsic(usualExtrinsic(event)))
				if fits {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, "nested more than 512 levels deep")
				}
			})
		}
	}
}

// usualExtrinsic has its keys in the order in which the gateway writes them.
func usualExtrinsic(event string) string {
	return `{"method":{"pallet":"a","method":"b"},"signature":null,"nonce":null,"args":{},"tip":null,"hash":` + hash1 +
		`,"info":{},"era":{},"events":[` + event + `],"success":true,"paysFee":false}`
}

// requireUsual checks that a text is decoded identically, including its error, if a space disables the fast
// path for its extrinsics and events.
func requireUsual(t *testing.T, text string) {
	t.Helper()
	const usual, spaced = `{"method":{"pallet":`, `{ "method":{"pallet":`
	have, err := sidecar.DecodeBlock(text)
	want, wantErr := sidecar.DecodeBlock(strings.ReplaceAll(text, usual, spaced))
	if wantErr != nil {
		require.Error(t, err)
		var at, wantAt *jsonscan.SyntaxError
		if errors.As(wantErr, &wantAt) {
			require.ErrorAs(t, err, &at)
			wantAt.Offset -= strings.Count(text[:min(len(text), at.Offset+len(usual)-1)], usual)
		}
		require.Equal(t, strings.ReplaceAll(wantErr.Error(), spaced, usual), err.Error())
		return
	}
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(shown(want), spaced, usual), strings.ReplaceAll(shown(have), spaced, usual))
}

// shown returns all that a block has, except for the size of its text.
func shown(b *chain.Block) string {
	same := *b
	same.Size, same.Reported = 0, nil
	return fmt.Sprintf("%+v", same)
}

// Texts in the usual order are decoded like others, even if they contain errors.
func TestDecodeBlockUsual(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for path, text := range recordedBlocks(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			requireUsual(t, text)
			for range 40 {
				requireUsual(t, mutated(random, text))
			}
		})
	}
	for _, extrinsic := range []string{
		strings.Replace(usualExtrinsic(goodEvent), `"tip":null,`, `"tip":null,"tip":1,`, 1),
		strings.Replace(usualExtrinsic(goodEvent), `"paysFee":false`, `"paysFee":false,"tip":1`, 1),
		strings.Replace(usualExtrinsic(goodEvent), `"paysFee":false`, `"paysFee":false,"other":1`, 1),
		strings.Replace(usualExtrinsic(goodEvent), `"method":"b"}`, `"method":"b","method":"c"}`, 1),
		usualExtrinsic(strings.Replace(goodEvent, `[]`, `[],"data":[1]`, 1)),
		usualExtrinsic(strings.Replace(goodEvent, `[]`, `{}`, 1)),
		usualExtrinsic(goodEvent) + `}`,
		usualExtrinsic(goodEvent + `}`),
		usualExtrinsic(strings.TrimSuffix(goodEvent, `}`)),
	} {
		requireUsual(t, withExtrinsic(extrinsic))
	}
}

// Ethereum transactions with their fields in the usual order are decoded like others.
func TestDecodeBlockUsualTransaction(t *testing.T) {
	r := "0x" + strings.Repeat("ab", 32)
	typed := `{"transaction":{"eip1559":{"chainId":"1284","nonce":"2","maxPriorityFeePerGas":"0","maxFeePerGas":"100","gasLimit":"21000",` +
		`"action":{"call":"0x12fec127100a46e81bd09c1b07cf3d0f0c0de070"},"value":"1","input":"0x01","accessList":[],"oddYParity":false,"r":"` + r + `","s":"` + r + `"}}}`
	legacy := `{"transaction":{"legacy":{"nonce":"2","gasPrice":"100","gasLimit":"21000","action":{"create":null},"value":"1","input":"0x01",` +
		`"signature":{"v":"2604","r":"` + r + `","s":"` + r + `"}}}}`
	change := strings.NewReplacer
	for _, args := range []string{
		typed, legacy,
		change(`"oddYParity":false`, `"oddYParity":true`).Replace(typed),
		change(`"oddYParity":false`, `"oddYParity":1`).Replace(typed),
		change(`"oddYParity":false`, `"oddYParity":2`).Replace(typed),
		change(`"accessList":[]`, `"accessList":[{"address":"0x12fec127100a46e81bd09c1b07cf3d0f0c0de070","storageKeys":["`+r+`"]}]`).Replace(typed),
		change(`"accessList":[]`, `"accessList":[{}]`).Replace(typed),
		change(`"accessList":[]`, `"accessList":null`).Replace(typed),
		change(`"accessList":[]`, `"accessList":[`).Replace(typed),
		change(`"value":"1"`, `"value":"340282366920938463463374607431768211455"`).Replace(typed),
		change(`"value":"1"`, `"value":"340282366920938463463374607431768211456"`).Replace(typed),
		change(`"value":"1"`, `"value":"1","value":"2"`).Replace(typed),
		change(`"nonce":"2"`, `"nonce":2`).Replace(typed),
		change(`"nonce":"2"`, `"nonce":"0x2"`).Replace(legacy),
		change(`"nonce":"2"`, `"nonce":"-2"`).Replace(legacy),
		change(`"chainId":"1284"`, `"chainId":"x"`).Replace(typed),
		change(`"input":"0x01"`, `"input":"0x1"`).Replace(typed),
		change(`"input":"0x01"`, `"input":"0x0\u0031"`).Replace(typed),
		change(`"input":"0x01"`, `"input":"\x"`).Replace(typed),
		change(`"input":"0x01"`, `"input":[]`).Replace(typed),
		change(`eip1559`, `eip2930`).Replace(typed),
		change(`eip1559`, `eip2930`, `"maxPriorityFeePerGas":"0","maxFeePerGas"`, `"gasPrice"`).Replace(typed),
		change(`eip1559`, `other`).Replace(typed),
		change(r+`"}}}`, r+`","v":"1"}}}`).Replace(typed),
		change(r+`"}}}`, r+`"}},"other":1}`).Replace(typed),
		change(r+`"}}}}`, r+`"}}},"other":1}`).Replace(legacy),
		change(r+`"}}}}`, r+`"}}}}}`).Replace(legacy),
		change(r+`"}}}}`, r+`"}}}`).Replace(legacy),
		change(`"call":"0x12`, `"call":"0y12`).Replace(typed),
		change(`"create":null`, `"create":0`).Replace(legacy),
	} {
		requireUsual(t, withExtrinsic(change(`"args":{}`, `"args":`+args, `"pallet":"a","method":"b"},"signature"`,
			`"pallet":"ethereum","method":"transact"},"signature"`).Replace(usualExtrinsic(goodEvent))))
	}
}

// Blocks that are decoded one after another have nothing in common.
func TestDecodeBlocksApart(t *testing.T) {
	texts := slices.Collect(maps.Values(recordedBlocks(t)))
	var blocks []*chain.Block
	var want []string
	for _, text := range texts {
		b, err := sidecar.DecodeBlock(text)
		require.NoError(t, err)
		blocks, want = append(blocks, b), append(want, shown(b))
	}
	for _, b := range blocks {
		_ = append(b.Extrinsics, chain.Extrinsic{Index: -1})
		for i := range b.Extrinsics {
			x := &b.Extrinsics[i]
			_ = append(x.Args, chain.UnreadValue())
			_ = append(x.Events, chain.Event{Name: "another"})
			for k := range x.Events {
				_ = append(x.Events[k].Data, chain.UnreadValue())
			}
		}
	}
	for i, b := range blocks {
		require.Equal(t, want[i], shown(b))
	}
}

// mutated returns a text with a part removed, duplicated, or moved.
func mutated(random *rand.Rand, text string) string {
	stretch := func() (from, to int) {
		from = random.IntN(len(text))
		if next := strings.IndexAny(text[from:], `{[,"`); next > 0 { // at the start of a token
			from += next
		}
		return from, min(len(text), from+1+random.IntN(30))
	}
	from, to := stretch()
	place, end := stretch()
	switch random.IntN(3) {
	case 0:
		return text[:from] + text[to:]
	case 1:
		return text[:to] + text[from:]
	}
	return text[:place] + text[from:to] + text[end:]
}

// FuzzDecodeBlock: for any text, the decoder returns an error or the same block as encoding/json.
func FuzzDecodeBlock(f *testing.F) {
	for _, text := range recordedBlocks(f) {
		f.Add(text)
	}
	f.Add(withEvent(goodEvent))
	f.Add(withExtrinsic(usualExtrinsic(goodEvent)))
	f.Fuzz(func(t *testing.T, text string) {
		requireUsual(t, text)
		b, err := sidecar.DecodeBlock(text)
		if err != nil {
			require.Nil(t, b)
			var malformed *sidecar.DecodeError
			require.True(t, errors.As(err, &malformed))
			return
		}
		require.True(t, json.Valid([]byte(text)))
		for i, x := range b.Extrinsics {
			require.Equal(t, i, x.Index)
			require.NotEmpty(t, x.Pallet)
			for k, e := range x.Events {
				require.NotEmpty(t, e.Name)
				data, err := b.EventData(chain.EventList(i), k)
				require.NoError(t, err)
				require.True(t, json.Valid([]byte(data)))
			}
		}
	})
}
