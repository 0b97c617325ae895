package decoders

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// wellFormed is a block in which @place@ stands for a value that the job does
// not need.
const wellFormed = `{"number":"7","hash":"0x0101010101010101010101010101010101010101010101010101010101010101","parentHash":"0x0202020202020202020202020202020202020202020202020202020202020202",` +
	`"stateRoot":@top-level@,"logs":[{"type":"Seal","value":["0x00",@log@]}],` +
	`"onInitialize":{"events":[{"method":{"pallet":"p","method":"m","docs":@event-name@},"data":[@other-event@]}]},` +
	`"extrinsics":[` +
	`{"method":{"pallet":"timestamp","method":"set"},"signature":null,"nonce":null,"args":{"now":@args@},` +
	`"tip":null,"hash":"0x0303030303030303030303030303030303030303030303030303030303030303","info":{"x":@info@},"era":{"immortalEra":"0x00"},` +
	`"events":[{"method":{"pallet":"system","method":"ExtrinsicSuccess"},"data":[{"weight":"1","class":@event-data@}]}],` +
	`"success":true,"paysFee":false},` +
	`{"method":{"pallet":"balances","method":"transfer"},"signature":{"signature":@signature@,"signer":"0x05"},` +
	`"nonce":"0","args":{},"tip":"0","hash":"0x0606060606060606060606060606060606060606060606060606060606060606","info":{},"era":{},"events":[],"success":false,"paysFee":true},` +
	`{"method":{"pallet":"ethereum","method":"transact"},"signature":null,"nonce":null,` +
	`"args":{"transaction":{"legacy":{"nonce":"1","gasPrice":"2","gasLimit":"3","action":{"call":"0x07"},"value":"4",` +
	`"input":"0x","signature":{"x":@payload@}}}},"tip":null,"hash":"0x0808080808080808080808080808080808080808080808080808080808080808","info":{},"era":{},"events":[],"success":true,` +
	`"paysFee":false}],"onFinalize":{"events":[]},"finalized":true}`

var places = []string{
	"top-level", "log", "event-name", "other-event", "args", "info", "event-data", "signature", "payload",
}

// blockWith is the block with value at one place and null at all others.
func blockWith(place, value string) string {
	out := wellFormed
	for _, p := range places {
		if p == place {
			out = strings.ReplaceAll(out, "@"+p+"@", value)
		} else {
			out = strings.ReplaceAll(out, "@"+p+"@", "null")
		}
	}
	return out
}

const (
	escapes     = "bad escapes"
	controls    = "control characters"
	numbers     = "bad numbers"
	literals    = "bad literals"
	outside     = "text after the end"
	duplicates  = "duplicate names"
	invalidUTF8 = "invalid UTF-8"
)

// malformed are values, by what is wrong with them. Duplicate names and invalid
// UTF-8 no grammar forbids, but two readers may understand them differently.
var malformed = map[string][]string{
	escapes:       {`"\q"`, `"\u12g4"`, `"\u12"`, `"0x\x41"`, `{"\q":1}`},
	controls:      {"\"a\nb\"", "\"a\x00b\"", "\"\x1f\"", "{\"a\tb\":1}"},
	numbers:       {`01`, `-`, `+1`, `1.`, `.5`, `1e`, `1e+`, `0x10`, `1.2.3`, `--1`, `1a`, `-01`, `[01]`, `{"a":1.}`},
	literals:      {`nul`, `True`, `nulll`, `truefalse`, `NaN`, `Infinity`, `undefined`, `[tru]`, `[nullnull]`},
	"bad commas":  {`[1,]`, `{"a":1,}`, `[,1]`, `[1,,2]`, `{,}`, `["a" "b"]`, `{"a":1 "b":2}`, `{"a":[1,],"b":2}`},
	"bad colons":  {`{"a" 1}`, `{"a"}`, `{"a":}`, `{"a"::1}`, `{"a",1}`, `["a":1]`},
	"bad nesting": {`[1}`, `{"a":1]`, `[[1]`, `[1]]`, `{"a":{}`, `]`, `}`},
	"bad quotes":  {`'a'`, `{a:1}`, `{1:2}`, `{null:1}`, `"a`, `a"`, `"a""b"`},
	"comments":    {`1/**/`, "1//\n", "[1,#\n2]"},
	"bad spaces":  {"\v1", "\u00a01", "\ufeff1", "\x001"},
	duplicates:    {`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`},
	invalidUTF8:   {"\"\xff\"", "\"\xed\xa0\x80\"", "{\"\xff\":1}"},
}

// around are texts before or after the value, where %s stands.
var around = []string{"%s}", "%s,", "%s1", "%s null", "%s\x00", "}%s", ",%s", "[%s"}

func TestMalformed(t *testing.T) {
	for _, c := range candidates {
		t.Run("decode/"+c.name, func(t *testing.T) { testMalformed(t, c.new(), c.accepts) })
	}
	for _, v := range validators {
		t.Run("valid/"+v.name, func(t *testing.T) { testMalformed(t, validator(v.valid), v.accepts) })
	}
}

func testMalformed(t *testing.T, d decoder, accepts []string) {
	for _, value := range []string{`null`, `"a\u00e9\n\"\\"`, `[1,-2.5e+3,{"a":[]}]`, "\t1 ", `""`, `{}`} {
		for _, place := range places {
			if err := d.decode([]byte(blockWith(place, value))); err != nil {
				t.Errorf("rejects %s at %s: %v", value, place, err)
			}
		}
	}

	accepted := map[string][]string{}
	try := func(class, what, body string) {
		if d.decode([]byte(body)) == nil {
			accepted[class] = append(accepted[class], what)
		}
	}
	for class, values := range malformed {
		for _, value := range values {
			for _, place := range places {
				try(class, fmt.Sprintf("%q at %s", value, place), blockWith(place, value))
			}
		}
	}
	body := blockWith("", "")
	for _, format := range around {
		try(outside, format, fmt.Sprintf(format, body))
	}
	for i := range body {
		try("truncation", fmt.Sprint(i), body[:i])
	}
	try(duplicates, "a needed member twice", strings.Replace(body, `"hash":"0x0101010101010101010101010101010101010101010101010101010101010101"`, `"hash":"0x0101010101010101010101010101010101010101010101010101010101010101","hash":"0x0101010101010101010101010101010101010101010101010101010101010101"`, 1))

	for class, what := range accepted {
		if !slices.Contains(accepts, class) {
			t.Errorf("%s: accepts %s", class, strings.Join(what, "; "))
		}
	}
	for _, class := range accepts {
		if len(accepted[class]) == 0 {
			t.Errorf("%s: accepts none", class)
		}
	}
}

// No recorded block with one byte changed is accepted unless encoding/json, too,
// finds it valid.
func TestOneByteChanged(t *testing.T) {
	const interesting = "\"\"\"\\\\{}[],:0x1-.eEtn \x00\n\x1f\x7f"
	all := bodies(t)
	for _, c := range candidates {
		if slices.Contains(c.accepts, escapes) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			d, random := c.new(), rand.New(rand.NewPCG(1, 2))
			for range 5_000 {
				body := bytes.Clone(all[random.IntN(len(all))])
				i := random.IntN(len(body))
				was := body[i]
				body[i] = interesting[random.IntN(len(interesting))]
				if d.decode(body) == nil && !json.Valid(body) {
					t.Errorf("accepts %q for %q in %.60q", body[i], was, body[max(0, i-30):])
				}
			}
		})
	}
}
