package jsonscan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

// The texts here are valid for encoding/json: what wire refuses of them, it
// refuses by one of its stricter rules.

func TestKeys(t *testing.T) {
	for name, test := range map[string]struct {
		text   string
		want   bool
		reason string
	}{
		"twice":                          {`{"a":1,"a":2}`, false, "either value could be the wrong one"},
		"twice with equal values":        {`{"a":1,"a":1}`, false, "the rule is about keys, not values"},
		"twice, empty":                   {`{"":1,"":2}`, false, "the empty key is a key"},
		"twice, not adjacent":            {`{"a":1,"b":2,"a":3}`, false, "all keys of the object count"},
		"twice around an object":         {`{"a":{"b":1},"a":2}`, false, "an inner object does not hide the outer keys"},
		"twice around an array":          {`{"a":[{"b":1},{"b":1}],"a":2}`, false, "nor does an array"},
		"twice in an inner object":       {`{"x":{"a":1,"a":2}}`, false, "at any depth"},
		"twice in an object of an array": {`[{"b":1},{"a":1,"a":2}]`, false, "at any depth"},
		"twice after an inner object":    {`{"x":{"y":1},"b":1,"b":2}`, false, "the inner keys are forgotten, not the place"},
		"twice with space":               {"{ \"a\" :1 ,\n\"a\"\t: 2 }", false, "space is no part of a key"},
		"second escaped":                 {`{"a":1,"\u0061":2}`, false, "keys are compared unescaped"},
		"first escaped":                  {`{"\u0061":1,"a":2}`, false, "keys are compared unescaped"},
		"both escaped":                   {`{"\u0061":1,"\u0061":2}`, false, "keys are compared unescaped"},
		"escapes in two spellings":       {`{"\n":1,"\u000A":2}`, false, "keys are compared unescaped"},
		"escaped solidus":                {`{"a/b":1,"a\/b":2}`, false, "keys are compared unescaped"},
		"escaped in a long key":          {`{"maxFeePerGas":1,"max\u0046eePerGas":2}`, false, "also beyond the first word"},
		"escaped surrogate pair":         {`{"😀":1,"\ud83d\ude00":2}`, false, "keys are compared unescaped"},
		"non-ASCII twice":                {`{"é":1,"é":2}`, false, "any key counts"},
		"long twice":                     {`{"maxPriorityFeePerGas":1,"maxPriorityFeePerGas":2}`, false, "longer than a word"},
		"eight bytes twice":              {`{"gasPrice":1,"gasPrice":2}`, false, "exactly a word"},
		"differ after eight bytes":       {`{"gasPrice1":1,"gasPrice2":2}`, true, "equal in the first word only"},
		"eight bytes and longer":         {`{"gasPrice":1,"gasPriceX":2}`, true, "one is the other's beginning"},
		"seven bytes and eight":          {`{"gasPric":1,"gasPrice":2}`, true, "one is the other's beginning"},
		"differ in length":               {`{"a":1,"aa":2,"aaa":3,"":4}`, true, "padding is no part of a key"},
		"differ by a NUL":                {`{"a":1,"a\u0000":2,"\u0000":3,"":4}`, true, "padding is no part of a key"},
		"seven bytes and a NUL":          {`{"gasPric":1,"gasPric\u0000":2}`, true, "a word that ends with zero"},
		"NUL twice":                      {`{"a\u0000":1,"a\u0000":2}`, false, "a NUL is part of a key"},
		"differ in case":                 {`{"a":1,"A":2}`, true, "encoding/json's leniency is not ours"},
		"differ in normal form":          {`{"é":1,"e\u0301":2}`, true, "code points are compared, not looks"},
		"escaped backslash":              {`{"\\u0061":1,"a":2}`, true, "that is no escape of a"},
		"in two objects of an array":     {`[{"a":1},{"a":2}]`, true, "each object has its own keys"},
		"in parent and child":            {`{"a":{"a":{"a":1}}}`, true, "each object has its own keys"},
		"in siblings":                    {`{"x":{"a":1},"y":{"a":2},"a":3}`, true, "each object has its own keys"},
		"as key and as value":            {`{"a":"a","b":"a"}`, true, "values are not keys"},
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, json.Valid([]byte(test.text)), "the case is wrong: encoding/json refuses it")
			require.Equal(t, test.want, acceptable(test.text), "the oracle does not agree: %s", test.reason)
			requireVerdict(t, test.want, test.text)
		})
	}
}

// The way to read a key depends on its length and on what is left of the text.
func TestKeyLengths(t *testing.T) {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	for length := range len(letters) {
		key := letters[:length]
		for pad := range 10 {
			space := strings.Repeat(" ", pad)
			once := `{"` + key + `":0}` + space
			requireVerdict(t, true, once)
			requireSame(t, map[string]any{key: json.Number("0")}, parse(t, once))

			requireVerdict(t, false, `{"`+key+`":0,"`+key+`":0}`+space)
			requireVerdict(t, false, `{"`+key+`":0,"x":0,"`+key+`":0}`+space)
			requireVerdict(t, true, `{"`+key+`":0,"`+key+`z":0}`+space)
			requireVerdict(t, true, `{"`+key+`z":0,"`+key+`y":0}`+space)
			for n := range len(once) - pad {
				requireVerdict(t, false, once[:n])
			}
		}
	}
}

// Any byte at any place of a key of up to nine bytes, near to the text's end and
// far from it.
func TestKeyBytes(t *testing.T) {
	for length := 1; length <= 9; length++ {
		for at := range length {
			for c := range 256 {
				key := []byte("abcdefghi")[:length]
				key[at] = byte(c)
				for _, after := range []string{`":0}`, `":0}          `} {
					text := `{"` + string(key) + after
					requireVerdict(t, acceptable(text), text)
				}
			}
		}
	}
}

func TestManyKeys(t *testing.T) {
	const many = 10_000
	const enough = 10 * time.Second // many times what it takes
	for name, format := range map[string]string{
		"short":                        `"%d":0`,
		"equal in the first eight":     `"same beginning %d":0`,
		"differ in the first eight":    `"%08d and the same end":0`,
		"with an escape":               `"\u0041%d":0`,
		"of objects with the same key": `"%d":{"a":0}`,
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			members := make([]string, many)
			for i := range members {
				members[i] = fmt.Sprintf(format, i)
			}
			text := `{` + strings.Join(members, ",") + `}`
			requireVerdict(t, true, text)
			_, err := jsonscan.Parse(strings.TrimSuffix(text, `}`) + `,` + members[0] + `}`)
			require.ErrorContains(t, err, "twice in one object", "the first key came again")
			require.Less(t, time.Since(start), enough, "%d keys take too long", many)
		})
	}
}

// Objects with more than a few dozen keys are checked in another way. Any two
// members may be the ones that are equal, with objects like it between them.
func TestDozensOfKeys(t *testing.T) {
	for _, format := range []string{`"%d":0`, `"same beginning %d":[]`, `"%d":{"0":0,"1":1}`} {
		for many := 60; many <= 70; many++ {
			members := make([]string, many)
			for i := range members {
				members[i] = fmt.Sprintf(format, i)
			}
			object := `{` + strings.Join(members, ",") + `}`
			requireVerdict(t, true, object)
			requireVerdict(t, true, `{"0":`+object+`,"1":`+object+`,"2":[`+object+`]}`)
			for _, pair := range [][2]int{{0, 1}, {0, many - 1}, {1, 59}, {0, 59}, {58, 59}, {30, many - 2}, {many - 2, many - 1}} {
				kept := members[pair[1]]
				members[pair[1]] = members[pair[0]]
				object := `{` + strings.Join(members, ",") + `}`
				members[pair[1]] = kept
				requireVerdict(t, false, object)
				requireVerdict(t, false, `[{"0":`+object+`}]`)
				requireVerdict(t, false, `{"0":0,"1":`+object+`,"2":0}`)
			}
		}
	}
}

func TestMaxKeys(t *testing.T) {
	members := make([]string, jsonscan.MaxKeys+1)
	for i := range members {
		members[i] = fmt.Sprintf(`"%d":0`, i)
	}
	first := func(n int) string { return strings.Join(members[:n], ",") }
	const most = jsonscan.MaxKeys
	for name, test := range map[string]struct {
		text string
		want bool
	}{
		"one less":            {`{` + first(most-1) + `}`, true},
		"as many as can":      {`{` + first(most) + `}`, true},
		"one more":            {`{` + first(most+1) + `}`, false},
		"one inside the last": {`{` + first(most-1) + `,"last":{"a":0}}`, false},
		"all but one inside":  {`{"a":{` + first(most-1) + `}}`, true},
		"all inside":          {`{"a":{` + first(most) + `}}`, false},
		"in an array inside":  {`{"a":[0,{` + first(most) + `}]}`, false},
		"in turn":             {`[{` + first(most) + `},{` + first(most) + `}]`, true},
		"in turn, inside":     {`{"a":{` + first(most-1) + `},"b":0}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, acceptable(test.text), "the oracle does not agree")
			requireVerdict(t, test.want, test.text)
		})
	}
	_, err := jsonscan.Parse(`{` + first(most+1) + `}`)
	require.Equal(t, &jsonscan.SyntaxError{
		Offset: len(`{` + first(most) + `,`),
		Reason: "more than 65536 keys in objects that are open",
	}, err)
}

func TestDepth(t *testing.T) {
	for name, nest := range map[string]struct{ open, close string }{
		"arrays":             {`[`, `]`},
		"arrays with space":  {"[ \n", ` ]`},
		"arrays in the end":  {`[0,`, `]`},
		"objects":            {`{"a":`, `}`},
		"objects in the end": {`{"a":0,"b":`, `}`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, inner := range []string{`0`, `""`, `null`} {
				for depth := jsonscan.MaxDepth - 1; depth <= jsonscan.MaxDepth+1; depth++ {
					text := strings.Repeat(nest.open, depth) + inner + strings.Repeat(nest.close, depth)
					require.True(t, json.Valid([]byte(text)))
					requireVerdict(t, depth <= jsonscan.MaxDepth, text)
				}
			}
			for _, inner := range []string{`[]`, `{}`} {
				for depth := jsonscan.MaxDepth - 1; depth <= jsonscan.MaxDepth; depth++ {
					text := strings.Repeat(nest.open, depth) + inner + strings.Repeat(nest.close, depth)
					requireVerdict(t, depth < jsonscan.MaxDepth, text)
				}
			}
		})
	}
}

func TestDepthOffset(t *testing.T) {
	text := strings.Repeat(`[`, 2*jsonscan.MaxDepth)
	for name, read := range map[string]func(*jsonscan.Scanner){"skipped": (*jsonscan.Scanner).Skip, "walked": walk} {
		t.Run(name, func(t *testing.T) {
			err := requireSyntaxError(t, jsonscan.Scan(text, read), text)
			require.Equal(t, jsonscan.MaxDepth, err.Offset, "the first bracket that is too deep")
			require.Equal(t, "nested more than 512 levels deep", err.Reason)
		})
	}
}

// What was left is not counted: only nesting is limited, not the number of
// arrays and objects.
func TestDepthIsLeft(t *testing.T) {
	deep := strings.Repeat(`[`, jsonscan.MaxDepth-1) + strings.Repeat(`]`, jsonscan.MaxDepth-1)
	flat := strings.Repeat(`[],{},[[]],{"a":{}},`, jsonscan.MaxDepth)
	requireVerdict(t, true, `[`+flat+deep+`,`+deep+`]`)
}

func TestDeepValue(t *testing.T) {
	v := parse(t, strings.Repeat(`[`, jsonscan.MaxDepth)+strings.Repeat(`]`, jsonscan.MaxDepth))
	for depth := 1; depth < jsonscan.MaxDepth; depth++ {
		v = v.Index(0)
		require.Equal(t, jsonscan.Array, v.Kind(), "at depth %d", depth)
	}
	require.Equal(t, `[]`, v.Raw())
}

func TestUTF8(t *testing.T) {
	for name, inside := range map[string]string{
		"continuation byte alone":       "\x80",
		"last continuation byte":        "\xbf",
		"two bytes cut short":           "\xc3",
		"three bytes cut short":         "\xe2\x82",
		"four bytes cut short":          "\xf0\x9f\x98",
		"overlong NUL":                  "\xc0\x80",
		"overlong solidus":              "\xe0\x80\xaf",
		"surrogate in UTF-8":            "\xed\xa0\x80",
		"beyond the last code point":    "\xf4\x90\x80\x80",
		"byte that no character has":    "\xff",
		"good character before":         "é\x80",
		"good character after":          "\x80é",
		"in the ninth byte":             "12345678\x80",
		"before an escape":              "\x80\\n",
		"after an escape":               "\\n\x80",
		"character cut by an escape":    "\xc3\\u00a9",
		"in a later block than a quote": "\xc3\\\"12345678\xa9",
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{
				`"` + inside + `"`,
				`["` + inside + `"]        `,
				`{"` + inside + `":0}`,
				`{"` + inside + `":0}        `,
				`{"a":"` + inside + `","b":0}`,
			} {
				require.True(t, json.Valid([]byte(text)), "the case is wrong: encoding/json refuses %q", text)
				requireVerdict(t, false, text)
			}
		})
	}
}

func TestLoneSurrogates(t *testing.T) {
	for name, inside := range map[string]string{
		"first high half":              `\ud800`,
		"last high half":               `\udbff`,
		"first low half":               `\udc00`,
		"last low half":                `\udfff`,
		"upper case":                   `\uD83D`,
		"high half before text":        `\ud83dx`,
		"high half before six letters": `\ud83dabcdef`,
		"high half before an escape":   `\ud83d\n`,
		"high half before a letter's":  `\ud83d\u0041`,
		"two high halves":              `\ud83d\ud83d`,
		"two low halves":               `\ude00\ude00`,
		"halves in the wrong order":    `\ude00\ud83d`,
		"halves apart":                 `\ud83d \ude00`,
		"second half not an escape":    `\ud83d\\ude00`,
		"pair and a high half":         `\ud83d\ude00\ud83d`,
		"pair and a low half":          `\ud83d\ude00\ude00`,
		"high half and a pair":         `\ud83d\ud83d\ude00`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{`"` + inside + `"`, `["` + inside + `"]        `, `{"` + inside + `":0}`} {
				require.True(t, json.Valid([]byte(text)), "the case is wrong: encoding/json refuses %q", text)
				requireVerdict(t, false, text)
			}
		})
	}
}
