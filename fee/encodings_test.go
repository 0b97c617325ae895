package fee_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Gateways and their versions write the same block differently. The report is byte-identical for every form.

// rewrite changes a JSON value; key is the name of the enclosing member.
type rewrite func(key string, v any) any

var rewrites = map[string]rewrite{
	"same values":     func(_ string, v any) any { return v },
	"hex":             numbers(func(n *big.Int) any { return "0x" + n.Text(16) }),
	"hex, padded":     numbers(func(n *big.Int) any { return fmt.Sprintf("0x%064x", n) }),
	"hex, upper case": numbers(func(n *big.Int) any { return fmt.Sprintf("0x%X", n) }),
	"JSON numbers":    numbers(func(n *big.Int) any { return json.Number(n.String()) }),
	"decimal, padded": numbers(func(n *big.Int) any { return fmt.Sprintf("%050d", n) }),
	"mixed":           numbers(mixed()),
	"weights in snake case": weights(func(refTime, proofSize any) any {
		return object{"ref_time": refTime, "proof_size": proofSize}
	}),
	"weights as a string":       weights(func(refTime, _ any) any { return refTime }),
	"weights as a JSON number":  weights(func(refTime, _ any) any { return json.Number(anyNumber(refTime).String()) }),
	"weights in hex":            weights(func(refTime, _ any) any { return "0x" + anyNumber(refTime).Text(16) }),
	"weights without proofSize": weights(func(refTime, _ any) any { return object{"refTime": refTime} }),
	"unknown fields": func(_ string, v any) any {
		if o, ok := v.(object); ok && len(o) > 1 { // an object with one member is a variant
			o["aUnknown"] = object{"weight": []any{"1", nil, true}, "refTime": "7"}
			o["zUnknown"] = json.Number("1e400")
		}
		return v
	},
	"unknown events and pallets": func(key string, v any) any {
		if list, ok := v.([]any); ok && key == "events" {
			unknown := object{"method": object{"pallet": "dappStaking", "method": "Executed"}, "data": []any{object{"weight": "1"}, "5"}}
			return append(append([]any{unknown}, list...), object{"method": object{"pallet": "newPallet", "method": "ExtrinsicSuccess"}, "data": []any{}})
		}
		return v
	},
	"addresses in lower case": func(_ string, v any) any {
		if s, ok := v.(string); ok && len(s) == 42 && strings.HasPrefix(s, "0x") {
			return strings.ToLower(s)
		}
		return v
	},
	"no fields that no rule reads": func(_ string, v any) any {
		if o, ok := v.(object); ok {
			for _, key := range []string{"info", "era", "paysFee", "success", "logs", "stateRoot", "extrinsicsRoot", "authorId", "class"} {
				delete(o, key)
			}
		}
		return v
	},
}

// layouts write a JSON value as text.
var layouts = map[string]*layout{
	"sorted keys":                {},
	"keys in reverse":            {order: func(keys []string) { slices.Reverse(keys) }},
	"keys shuffled":              {order: shuffle()},
	"white space":                {space: "\n\t \r "},
	"keys shuffled, white space": {order: shuffle(), space: " "},
	"every character escaped":    {escape: true},
	"escaped, shuffled and wide": {escape: true, order: shuffle(), space: "\r\n"},
}

// subjects returns the blocks to rewrite, by name.
func subjects(t *testing.T) map[string]subject {
	r := record(t, "moonbeam-2100", 2100, 27)
	all := map[string]subject{}
	for _, height := range []int{3, 9, 10, 16, 25} {
		all[fmt.Sprintf("recorded block %d", height)] = subject{r.block(t, height), "moonbeam", 2100, r.multiplier(t, height-1)}
	}
	for _, e := range []era{eraOf("moonbeam", 3702), eraOf("moonbeam", 4500), eraOf("moonriver", 1900), eraOf("moonriver", 1000), eraOf("moonbase", 1250)} {
		m := number("1234567890123456789")
		all[fmt.Sprintf("synthetic block of %s/%d", e.network, e.to)] = subject{text(t, e.scenarios(e.to, m)), e.network, e.to, m}
	}
	return all
}

type subject struct {
	text       string
	network    string
	runtime    uint32
	multiplier *big.Int
}

func (s subject) report(t *testing.T, text string) string {
	t.Helper()
	report, err := json.Marshal(priced(t, text, runtimeRules(t, s.network, s.runtime), s.multiplier))
	require.NoError(t, err)
	return string(report)
}

func TestReportDoesNotDependOnTheForm(t *testing.T) {
	for what, s := range subjects(t) {
		want := s.report(t, s.text)
		require.Contains(t, want, `"transactions":[{`)
		check := func(name, form string) {
			t.Run(what+": "+name+", "+form, func(t *testing.T) {
				text := layouts[form].text(walk("", tree(t, s.text), rewrites[name]))
				require.NotEqual(t, s.text, text)
				require.Equal(t, want, s.report(t, text))
			})
		}
		for name := range rewrites {
			check(name, "keys in reverse")
			check(name, "keys shuffled, white space")
		}
		for form := range layouts {
			check("mixed", form)
			check("unknown fields", form)
		}
	}
}

// The rewrites must work as described, or the test above proves nothing.
func TestRewritesChangeWhatTheyShould(t *testing.T) {
	original := `{"number":"25","args":{"transaction":{"legacy":{"gasPrice":"100000000000","value":"1000000000000000000"}}},` +
		`"events":[{"method":{"pallet":"transactionPayment","method":"TransactionFeePaid"},"data":["0xAb","9007199254740993","0"]},` +
		`{"method":{"pallet":"system","method":"ExtrinsicSuccess"},"data":[{"weight":{"refTime":"525000000","proofSize":"0"}}]}]}`
	for name, want := range map[string][]string{
		"hex":                      {`"number":"0x19"`, `"gasPrice":"0x174876e800"`, `"data":["0xAb","0x20000000000001","0x0"]`, `"refTime":"0x1f4add40"`},
		"hex, padded":              {`"number":"0x` + strings.Repeat("0", 62) + `19"`},
		"JSON numbers":             {`"number":25`, `"value":1000000000000000000`, `"data":["0xAb",9007199254740993,0]`, `"refTime":525000000`},
		"weights in snake case":    {`"weight":{"proof_size":"0","ref_time":"525000000"}`},
		"weights as a string":      {`"weight":"525000000"`},
		"weights as a JSON number": {`"weight":525000000`},
		"unknown fields":           {`"aUnknown":{"refTime":"7","weight":["1",null,true]}`, `"zUnknown":1e400`},
	} {
		text := layouts["sorted keys"].text(walk("", tree(t, original), rewrites[name]))
		for _, part := range want {
			require.Contains(t, text, part, name)
		}
	}
	require.Equal(t, `{"\u0061":"\u0078"}`, layouts["every character escaped"].text(object{"a": "x"}))
}

// quantities are the names of numeric members, at any depth.
var quantities = []string{"number", "now", "nonce", "tip", "value", "gasPrice", "gasLimit", "maxFeePerGas", "maxPriorityFeePerGas", "chainId", "refTime", "proofSize"}

// numbers rewrites every quantity.
func numbers(form func(*big.Int) any) rewrite {
	write := func(v any) any {
		switch v.(type) {
		case string, json.Number:
			return form(anyNumber(v))
		}
		return v
	}
	return func(key string, v any) any {
		if slices.Contains(quantities, key) {
			return write(v)
		}
		event, ok := v.(object)
		if ok && fmt.Sprint(event["method"]) == "map[method:TransactionFeePaid pallet:transactionPayment]" {
			data := event["data"].([]any)
			data[1], data[2] = write(data[1]), write(data[2])
		}
		return v
	}
}

// mixed uses a different form each time, as one real gateway does.
func mixed() func(*big.Int) any {
	i := 0
	return func(n *big.Int) any {
		i++
		return []any{n.String(), "0x" + n.Text(16), json.Number(n.String()), fmt.Sprintf("0x%032x", n)}[i%4]
	}
}

func weights(form func(refTime, proofSize any) any) rewrite {
	return func(key string, v any) any {
		if weight, ok := v.(object); ok && key == "weight" {
			return form(weight["refTime"], weight["proofSize"])
		}
		return v
	}
}

// walk rewrites a value from the inside out.
func walk(key string, v any, change rewrite) any {
	switch v := v.(type) {
	case object:
		for k, member := range v {
			v[k] = walk(k, member, change)
		}
	case []any:
		for i, element := range v {
			v[i] = walk("", element, change)
		}
	}
	return change(key, v)
}

func shuffle() func([]string) {
	random := rand.New(rand.NewPCG(7, 7))
	return func(keys []string) {
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	}
}

// layout is a way to write JSON.
type layout struct {
	order  func([]string) // of sorted keys
	space  string         // around every token
	escape bool           // each character as \uXXXX
}

func (l *layout) text(v any) string {
	var b strings.Builder
	l.write(&b, v)
	return b.String()
}

func (l *layout) write(b *strings.Builder, v any) {
	b.WriteString(l.space)
	defer b.WriteString(l.space)
	switch v := v.(type) {
	case object:
		keys := []string{}
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if l.order != nil {
			l.order(keys)
		}
		b.WriteString("{" + l.space)
		for i, key := range keys {
			if i > 0 {
				b.WriteString("," + l.space)
			}
			l.string(b, key)
			b.WriteString(l.space + ":")
			l.write(b, v[key])
		}
		b.WriteString("}")
	case []any:
		b.WriteString("[" + l.space)
		for i, element := range v {
			if i > 0 {
				b.WriteString(",")
			}
			l.write(b, element)
		}
		b.WriteString("]")
	case string:
		l.string(b, v)
	default:
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		b.Write(text)
	}
}

func (l *layout) string(b *strings.Builder, s string) {
	if !l.escape {
		text, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		b.Write(text)
		return
	}
	b.WriteByte('"')
	for _, c := range s {
		fmt.Fprintf(b, `\u%04x`, c)
	}
	b.WriteByte('"')
}
