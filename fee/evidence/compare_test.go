package evidence_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
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
