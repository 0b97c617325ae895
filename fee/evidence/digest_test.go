package evidence_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
)

// fron returns a digest with the frontier item that has those bytes, in hex.
func fron(data string) string {
	return `[{"type":"PreRuntime","index":"6","value":["0x6e6d6273","0x00"]},{"type":"Consensus","index":"4","value":["0x66726f6e","0x` + data + `"]}]`
}

var (
	ethereumBlock = strings.Repeat("ee", 32)
	first         = strings.Repeat("a1", 32)
	second        = strings.Repeat("b2", 32)
)

// ran returns the event of an EVM transaction with a hash.
func ran(t testing.TB, hash string) chain.Event {
	return event(t, "ethereum.Executed", payer, stranger, "0x"+hash, object{"succeed": "Stopped"})
}

// The item is as frontier encodes it: the variant, the hash of the Ethereum block, and a
// list with its length as a compact number, 4 × n in one byte, 4 × n + 1 in two, 4 × n + 2
// in four, the least significant first.
func TestDigest(t *testing.T) {
	const held = "held"
	for what, c := range map[string]struct {
		logs    string
		ran     []string
		runs    uint32 // the runtime, 0 for 2100
		want    string // held, the finding, or "not made: " and the reason
		xcm     string // executed before the first extrinsic
		genesis bool
	}{
		"both":             {logs: fron("01" + ethereumBlock + "08" + first + second), ran: []string{first, second}, want: held},
		"none":             {logs: fron("01" + ethereumBlock + "00"), want: held},
		"in a hook, first": {logs: fron("01" + ethereumBlock + "08" + first + second), xcm: first, ran: []string{second}, want: held},
		"64, in two bytes": {logs: fron("01" + ethereumBlock + "0101" + strings.Repeat(first, 64)), ran: repeated(first, 64), want: held},
		"in another order": {logs: fron("01" + ethereumBlock + "08" + first + second), ran: []string{second, first},
			want: "the header lists 0x" + first + " as EVM transaction 0 of the block, but the block has 0x" + second + ""},
		"one left out": {logs: fron("01" + ethereumBlock + "08" + first + second), ran: []string{first}, want: "the header lists 2 EVM transactions, but the block has 1: 0x" + second + " is missing"},
		"one too many": {logs: fron("01" + ethereumBlock + "04" + first), ran: []string{first, second}, want: "the header lists 1 EVM transactions, but not 0x" + second + ""},
		"one twice":    {logs: fron("01" + ethereumBlock + "04" + first), ran: []string{first, first}, want: "the header lists 1 EVM transactions, but not 0x" + first + ""},
		"a hash that is none": {logs: fron("01" + ethereumBlock + "04" + first), ran: []string{"12"},
			want: `event ethereum.Executed: data[2]: "0x12" is not a hash: want 0x and 64 hex digits`},

		"no digest":               {want: "not made: the gateway does not return the header's digest"},
		"null":                    {logs: "null", want: "not made: the gateway does not return the header's digest"},
		"an object":               {logs: "{}", want: "the header's digest: want an array, have an object"},
		"empty":                   {logs: "[]", want: "the header's digest: no item of the engine fron, which lists the EVM transactions"},
		"of another engine":       {logs: strings.Replace(fron("00"), "0x66726f6e", "0x52505352", 1), want: "the header's digest: no item of the engine fron, which lists the EVM transactions"},
		"in another form":         {logs: `["0x0466726f6e"]`, want: "not made: the gateway returns the header's digest in an unknown form"},
		"a value in another form": {logs: `[{"type":"Consensus","value":"0x66726f6e"}]`, want: "not made: the gateway returns the header's digest in an unknown form"},
		"twice":                   {logs: strings.TrimSuffix(fron("00"), "]") + "," + strings.TrimPrefix(fron("00"), "["), want: "the header's digest: 2 items of the engine fron, want one"},
		"the whole block":         {logs: fron("02"), want: "not made: the header's digest does not list the EVM transactions"},
		"the block's hash":        {logs: fron("03" + ethereumBlock), want: "not made: the header's digest does not list the EVM transactions"},
		"another variant":         {logs: fron("04"), want: "the header's digest: fron: unknown variant 4"},
		"nothing":                 {logs: fron(""), want: "the header's digest: fron: the item is empty"},
		"no hex":                  {logs: fron("0g"), want: `the header's digest: fron: want 0x and hex digits, have "0x0g"`},
		"half a digit":            {logs: fron("0"), want: `the header's digest: fron: want 0x and hex digits, have "0x0"`},
		"cut in the hash":         {logs: fron("01" + ethereumBlock[:62]), want: "the header's digest: fron: the item ends within the hash of the Ethereum block"},
		"no list":                 {logs: fron("01" + ethereumBlock), want: badLength},
		"cut in the length":       {logs: fron("01" + ethereumBlock + "01"), want: badLength},
		"cut in the list":         {logs: fron("01" + ethereumBlock + "08" + first), want: badLength},
		"more after the list":     {logs: fron("01" + ethereumBlock + "04" + first + "00"), want: badLength},
		"a long length":           {logs: fron("01" + ethereumBlock + "0500" + first), want: badLength},
		"a longer length":         {logs: fron("01" + ethereumBlock + "06000000" + first), want: badLength},
		"a length of 2^30 - 1":    {logs: fron("01" + ethereumBlock + "feffffff" + first), want: badLength},
		"a length above 30 bits":  {logs: fron("01" + ethereumBlock + "0300000040" + first), want: badLength},

		"of block 0":        {genesis: true, want: "not made: block 0 does not have a digest"},
		"of an old runtime": {runs: 1103, logs: fron("01" + ethereumBlock + "04" + first), want: "not made: the runtime's digest may also list invalid transactions"},
	} {
		var list []chain.Extrinsic
		for _, hash := range c.ran {
			list = append(list, ethereum(t, "eip1559", eip1559, ran(t, hash)))
		}
		b := block(list...)
		if c.genesis {
			b.Number = 0
		}
		if c.xcm != "" {
			b.OnInitialize = []chain.Event{ran(t, c.xcm)}
		}
		if c.logs != "" {
			b.Digest = decoded(t, `{"number":"1","hash":"0x`+first+`","parentHash":"0x`+first+`","extrinsics":[],"logs":`+c.logs+`}`).Digest
		}
		r := proved(b, rulesOf(t, "moonbeam", cmp.Or(c.runs, 2100)), evidence.Options{})
		require.Equal(t, c.want, outcome(t, r, "block.digest"), what)
	}
}

const badLength = "the header's digest: fron: the list of hashes does not have its stated length"

func repeated(text string, n int) (list []string) {
	for range n {
		list = append(list, text)
	}
	return list
}

// outcome returns the result of a check that is made once: "held", the message of the finding, or why it was
// not made.
func outcome(t testing.TB, r *evidence.Report, check string) string {
	t.Helper()
	switch have := tally(t, r, check); have {
	case evidence.Tally{Held: 1}:
		return "held"
	case evidence.Tally{Broken: 1}:
		for _, f := range r.Findings {
			if f.Check == check {
				return f.Message
			}
		}
	default:
		if have.NotApplicable == 1 && have.Held+have.Broken == 0 {
			return "not made: " + have.Why
		}
		return fmt.Sprintf("%+v", have)
	}
	return "no finding"
}
