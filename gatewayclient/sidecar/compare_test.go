package sidecar_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/blocktest"
)

const anAccount = "0x6d6F646C70792F74727372790000000000000000"

func decoded(t testing.TB, text string) *chain.Block {
	t.Helper()
	b, err := sidecar.DecodeBlock(text)
	require.NoError(t, err)
	return b
}

// A block is like itself, and like no other of its chain.
func TestCompareRecordedBlocks(t *testing.T) {
	texts := recordedBlocks(t)
	var before *chain.Block
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		b := decoded(t, texts[name])
		require.Empty(t, sidecar.Compare(b, decoded(t, texts[name])), name)
		if before != nil {
			require.NotEmpty(t, sidecar.Compare(before, b), name)
		}
		before = b
	}
}

func TestCompareNamesThePlace(t *testing.T) {
	zeros := "0x" + strings.Repeat("0", 64)
	const args = `{"remark":"0x00ff","isOn":true,"list":[1,2],"weight":{"refTime":"5","proofSize":"0"},"none":null}`
	call := blocktest.ExtrinsicText("system.remark", args, blocktest.Signed(anAccount), `"nonce":"1"`, `"tip":"0"`,
		`"events":[`+blocktest.EventText("system.ExtrinsicSuccess", `[{"weight":"5","paysFee":"Yes"}]`)+`]`)
	base := `{"number":"7","hash":"` + zeros + `","parentHash":"` + zeros + `","onInitialize":{"events":[` + blocktest.EventText("a.B", `["1"]`) +
		`]},"extrinsics":[` + call + `],"onFinalize":{"events":[` + blocktest.EventText("c.D", `[]`) + `]}}`
	type change struct{ old, text string }
	to := func(text string) change { return change{args, text} }
	const rest = `,"list":[1,2],"weight":"5"`
	for what, c := range map[string]struct {
		change change
		want   string
	}{
		"nothing":            {change{}, ""},
		"number":             {change{`"number":"7"`, `"number":"8"`}, "number: 7, and 8"},
		"hash":               {change{`"hash":"0x00`, `"hash":"0x01`}, "hash: " + zeros + ", and 0x01" + strings.Repeat("0", 62)},
		"parent":             {change{`"parentHash":"0x00`, `"parentHash":"0x01`}, "parentHash: " + zeros + ", and 0x01" + strings.Repeat("0", 62)},
		"no extrinsics":      {change{call, ""}, "the number of extrinsics: 1, and 0"},
		"first events":       {change{blocktest.EventText("a.B", `["1"]`), ""}, "onInitialize: the number of events: 1, and 0"},
		"first event's data": {change{`["1"]`, `["2"]`}, `onInitialize.events[0].data[0]: "1", and "2"`},
		"last event's name":  {change{`"D"`, `"E"`}, "onFinalize.events[0].method: c.D, and c.E"},
		"last event's case":  {change{`"D"`, `"d"`}, ""},
		"call":               {change{`"remark"}`, `"set"}`}, "extrinsics[0].method: system.remark, and system.set"},
		"not signed":         {change{blocktest.Signed(anAccount), `"signature":null`}, "extrinsics[0].signature: true, and false"},
		"signer":             {change{`"signer":"` + anAccount + `"`, `"signer":"0x01"`}, `extrinsics[0].signature.signer: "` + anAccount + `", and "0x01"`},
		"tip missing":        {change{`"tip":"0",`, ``}, `extrinsics[0].tip: "0", and `},
		"other flag":         {to(`{"remark":"0x00ff","isOn":"No"` + rest + `}`), `extrinsics[0].args.isOn: true, and "No"`},
		"same flag":          {to(`{"remark":"0x00ff","isOn":"Yes"` + rest + `}`), ""},
		"flag and number":    {to(`{"remark":"0x00ff","isOn":"1"` + rest + `}`), `extrinsics[0].args.isOn: true, and "1"`},
		"not the same bytes": {to(`{"remark":"0xff","isOn":true` + rest + `}`),
			`extrinsics[0].args.remark: "0x00ff", and "0xff"`},
		"list's length": {to(`{"remark":"0x00ff","isOn":true,"list":[1],"weight":"5"}`), "extrinsics[0].args.list: the length: 2, and 1"},
		"list's value":  {to(`{"remark":"0x00ff","isOn":true,"list":[1,3],"weight":"5"}`), "extrinsics[0].args.list[1]: 2, and 3"},
		"list in hex":   {to(`{"remark":"0x00FF","is_on":true,"list":["0x01","2"],"weight":5}`), ""},
		"other weight":  {to(`{"remark":"0x00ff","isOn":true,"list":[1,2],"weight":"6"}`), `extrinsics[0].args.weight: {"refTime":"5","proofSize":"0"}, and "6"`},
		"other proof size": {to(`{"remark":"0x00ff","isOn":true,"list":[1,2],"weight":{"refTime":"5","proofSize":"1"}}`),
			`extrinsics[0].args.weight.proofSize: "0", and "1"`},
		"member missing":     {to(`{"isOn":true` + rest + `}`), `extrinsics[0].args.remark: "0x00ff", and `},
		"one member more":    {to(`{"remark":"0x00ff","isOn":true` + rest + `,"more":"1"}`), `extrinsics[0].args.more: nothing, and "1"`},
		"one null more":      {to(`{"remark":"0x00ff","isOn":true` + rest + `,"more":null}`), ""},
		"list for an object": {to(`[]`), `extrinsics[0].args: {"remark":"0x00ff","isOn":true,"list":[1,2],"weight":{"refTime":"5",…, and []`},
	} {
		require.Contains(t, base, c.change.old, what)
		other := decoded(t, strings.Replace(base, c.change.old, c.change.text, 1))
		if c.want == "" {
			require.Empty(t, sidecar.Compare(decoded(t, base), other), what)
			continue
		}
		have := sidecar.Compare(decoded(t, base), other)
		require.True(t, strings.HasPrefix(have, strings.Split(c.want, "…")[0]), "%s: %s", what, have)
		if !strings.Contains(c.want, "…") {
			require.Equal(t, c.want, have, what)
		}
	}
}

// Gateways write the parity of a signature as a bool, or as 0 and 1. Other values with these forms differ.
func TestCompareParity(t *testing.T) {
	block := func(args string) *chain.Block {
		return blocktest.Block(t, blocktest.ExtrinsicText("ethereum.transact", args))
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"oddYParity":true}`, `{"oddYParity":1}`, true},
		{`{"oddYParity":1}`, `{"oddYParity":true}`, true},
		{`{"oddYParity":false}`, `{"odd_y_parity":"0x0"}`, true},
		{`{"signature":{"oddYParity":"1"}}`, `{"signature":{"oddYParity":true}}`, true},
		{`{"oddYParity":true}`, `{"oddYParity":0}`, false},
		{`{"oddYParity":false}`, `{"oddYParity":1}`, false},
		{`{"oddYParity":true}`, `{"oddYParity":2}`, false},
		{`{"oddYParity":true}`, `{"oddYParity":"Yes"}`, false},
		{`{"approve":true}`, `{"approve":1}`, false},
		{`{"approve":1}`, `{"approve":true}`, false},
	} {
		require.Equal(t, c.same, sidecar.Compare(block(c.a), block(c.b)) == "", "%s and %s", c.a, c.b)
	}
}
