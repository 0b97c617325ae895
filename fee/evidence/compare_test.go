package evidence_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/blocktest"
)

// rewrites write the same content in other forms, as other gateways and versions do. Key is the name of the
// enclosing member.
var rewrites = map[string]func(key string, v any) any{
	"nothing":             func(_ string, v any) any { return v },
	"hex numbers":         numbers(func(n *big.Int) any { return "0x" + n.Text(16) }),
	"hex numbers, padded": numbers(func(n *big.Int) any { return fmt.Sprintf("0x%064x", n) }),
	"JSON numbers":        numbers(func(n *big.Int) any { return json.Number(n.String()) }),
	"decimal, padded":     numbers(func(n *big.Int) any { return fmt.Sprintf("%050d", n) }),
	"flags as bools":      flags(map[string]any{"Yes": true, "No": false}),
	"hex in upper case":   hexText(func(digits string) string { return "0x" + strings.ToUpper(digits) }),
	"hex in lower case":   hexText(func(digits string) string { return "0x" + strings.ToLower(digits) }),
	"keys in snake case": keys(func(key string) string {
		return strings.ToLower(regexp.MustCompile(`[A-Z]`).ReplaceAllString(key, "_$0"))
	}),
	"keys without a case": keys(strings.ToLower),
	"no nulls":            without(func(v any) bool { return v == nil }),
	"weights as one number": func(key string, v any) any {
		if w, ok := v.(object); ok && key == "weight" && w["proofSize"] == "0" {
			return w["refTime"]
		}
		return v
	},
	"few bytes as an array": func(_ string, v any) any {
		text, ok := v.(string)
		if digits, hex := strings.CutPrefix(text, "0x"); ok && hex && len(digits) == 0 {
			return []any{}
		} else if hex && len(digits) == 2 {
			n, _ := new(big.Int).SetString(digits, 16)
			return []any{n.String()}
		}
		return v
	},
	"fields that nobody reads": func(_ string, v any) any {
		if o, ok := v.(object); ok && o["method"] != nil && o["hash"] != nil {
			o["unknown"] = []any{"1", nil}
		}
		return v
	},
}

func numbers(form func(*big.Int) any) func(string, any) any {
	return func(_ string, v any) any {
		if text, ok := v.(string); ok && !strings.HasPrefix(text, "0x") {
			if n, ok := new(big.Int).SetString(text, 10); ok {
				return form(n)
			}
		}
		return v
	}
}

func flags(words map[string]any) func(string, any) any {
	return func(_ string, v any) any {
		if text, ok := v.(string); ok && words[text] != nil {
			return words[text]
		}
		return v
	}
}

func hexText(form func(string) string) func(string, any) any {
	return func(_ string, v any) any {
		if text, ok := v.(string); ok && strings.HasPrefix(text, "0x") {
			return form(text[2:])
		}
		return v
	}
}

// keys respells the keys of arguments and event data; those of the response itself are fixed.
func keys(form func(string) string) func(string, any) any {
	return func(key string, v any) any {
		if key != "args" && key != "data" {
			return v
		}
		return rewritten("", v, func(_ string, v any) any {
			o, ok := v.(object)
			if !ok {
				return v
			}
			spelt := object{}
			for key, member := range o {
				if key == "transaction" || key == "weight" { // found by its name
					spelt[key] = member
				} else {
					spelt[form(key)] = member
				}
			}
			return spelt
		})
	}
}

func without(drop func(any) bool) func(string, any) any {
	return func(key string, v any) any {
		if o, ok := v.(object); ok && len(o) > 1 && key != "" {
			for key, member := range o {
				if drop(member) {
					delete(o, key)
				}
			}
		}
		return v
	}
}

// rewritten changes a value from the inside out.
func rewritten(key string, v any, change func(string, any) any) any {
	switch v := v.(type) {
	case object:
		for k, member := range v {
			v[k] = rewritten(k, member, change)
		}
	case []any:
		for i, element := range v {
			v[i] = rewritten("", element, change)
		}
	}
	return change(key, v)
}

// Responses in different forms are equal.
func TestCompareLooksThroughTheForm(t *testing.T) {
	for _, runtime := range []uint32{2100, 1701} {
		h := load(t, runtime)
		for height, text := range h.blocks {
			b := decoded(t, text)
			for name, rewrite := range rewrites {
				other := encoded(t, rewritten("", tree(t, text), rewrite))
				c := decoded(t, other)
				require.Empty(t, sidecar.Compare(b, c), "runtime %d, block %d: %s", runtime, height, name)
				require.Empty(t, sidecar.Compare(c, b), "runtime %d, block %d: %s, the other way", runtime, height, name)
			}
		}
	}
}

// notCompared are the members that no rule reads, which may differ between gateways.
var notCompared = regexp.MustCompile(`^(block\.(stateRoot|extrinsicsRoot|logs|authorId|finalized).*|` +
	`\w+\.(era|info|success|paysFee).*|native\.signature\.signature digit)$`)

// Every other single change is named, from both sides.
func TestCompareNamesEveryChange(t *testing.T) {
	t.Parallel()
	made, least := 0, 9000
	for runtime, heights := range walked {
		h := load(t, runtime)
		if testing.Short() {
			heights, least = heights[:3], 1000
		}
		for _, height := range heights {
			recorded := decoded(t, h.blocks[height])
			b := tree(t, h.blocks[height]).(object)
			for _, c := range changes(b) {
				key := fmt.Sprintf("%s %s", c.place, c.kind)
				undo := c.make()
				text := encoded(t, b)
				undo()
				other, err := sidecar.DecodeBlock(text)
				if err != nil {
					continue
				}
				difference := sidecar.Compare(recorded, other)
				if notCompared.MatchString(key) {
					require.Empty(t, difference, key)
					continue
				}
				made++
				require.NotEmpty(t, difference, "runtime %d, block %d: %s: %s", runtime, height, key, c.what)
				require.Contains(t, difference, lastName(c.place), key)
				require.NotEmpty(t, sidecar.Compare(other, recorded), key)
			}
		}
	}
	t.Logf("%d changes are named", made)
	require.Greater(t, made, least)
}

// lastName returns the name that a difference at a place must contain.
func lastName(p place) string {
	for _, whole := range []place{"args", "data", "weight"} {
		if strings.Contains(string(p), "."+string(whole)) {
			return string(whole)
		}
	}
	for _, name := range []string{"nonce", "tip", "signature", "hash", "Hash", "number"} {
		if strings.HasSuffix(string(p), name) {
			return name
		}
	}
	return ""
}

func TestCompareNamesThePlace(t *testing.T) {
	zeros := "0x" + strings.Repeat("0", 64)
	const args = `{"remark":"0x00ff","isOn":true,"list":[1,2],"weight":{"refTime":"5","proofSize":"0"},"none":null}`
	call := blocktest.ExtrinsicText("system.remark", args, blocktest.Signed(treasuryAccount), `"nonce":"1"`, `"tip":"0"`,
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
		"not signed":         {change{blocktest.Signed(treasuryAccount), `"signature":null`}, "extrinsics[0].signature: true, and false"},
		"signer":             {change{`"signer":"` + treasuryAccount + `"`, `"signer":"0x01"`}, `extrinsics[0].signature.signer: "` + treasuryAccount + `", and "0x01"`},
		"tip missing":        {change{`"tip":"0",`, ``}, `extrinsics[0].tip: "0", and `},
		"other flag":         {to(`{"remark":"0x00ff","isOn":"No"` + rest + `}`), `extrinsics[0].args.isOn: true, and "No"`},
		"same flag":          {to(`{"remark":"0x00ff","isOn":"Yes"` + rest + `}`), ""},
		"flag and number":    {to(`{"remark":"0x00ff","isOn":"1"` + rest + `}`), `extrinsics[0].args.isOn: true, and "1"`},
		"bytes are no number": {to(`{"remark":"0xff","isOn":true` + rest + `}`),
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

// The comparison is recorded as a check of the block, the multiplier included.
func TestCompareWith(t *testing.T) {
	h := load(t, 2100)
	b := decoded(t, h.blocks[25])
	same := at(24, 999_850_000_000_000_000)
	report := func() *evidence.Report {
		return evidence.Prove(b, fee.Price(b, &h.rules, same), h.rules, evidence.Options{})
	}

	r := report()
	r.CompareWith(b, "", same)
	require.Equal(t, evidence.Tally{Held: 1}, tally(t, r, "gateway.same"))
	require.True(t, r.Holds())

	r = report()
	r.CompareWith(b, "", at(24, 999_850_000_000_000_001))
	require.Equal(t, []string{"gateway.same"}, broken(r))
	require.Contains(t, r.Findings[0].Message, "multiplier: ")
	require.False(t, r.Holds())

	r = report()
	r.CompareWith(b, `extrinsics[4].tip: null, and "5"`, same)
	require.Equal(t, `block 25: gateway.same: extrinsics[4].tip: null, and "5"`, r.Findings[0].String())
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
