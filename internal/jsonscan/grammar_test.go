package jsonscan_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// sample has every kind of token, and white space of every kind.
const sample = "{\n\t\"number\" : 4711, \"hash\":\"0xab\\u00e9\\ud83d\\ude00\\n\\\\\",\r\n" +
	` "parts": [true, false,null, [], {}, [[-0.5e+10]], {"x":{"é€😀":"é€😀"}} ], "long key of a member":""} `

var wellFormed = map[string]string{
	"null":                       `null`,
	"true":                       `true`,
	"false":                      `false`,
	"zero":                       `0`,
	"minus zero":                 `-0`,
	"digit":                      `7`,
	"digits":                     `1234567890`,
	"negative":                   `-12`,
	"fraction":                   `0.5`,
	"fraction with zeros":        `10.00`,
	"exponent":                   `1e3`,
	"upper exponent":             `1E3`,
	"positive exponent":          `1e+3`,
	"negative exponent":          `1e-03`,
	"fraction and exponent":      `-1.25E-7`,
	"exponent of zero":           `0e0`,
	"number of 300 digits":       `1` + zeros300,
	"empty string":               `""`,
	"string":                     `"abc"`,
	"each short escape":          `"\"\\\/\b\f\n\r\t"`,
	"unicode escape":             `"\u0041\u00e9\u20AC"`,
	"unicode escape of NUL":      `"\u0000"`,
	"surrogate pair":             `"\ud83d\ude00"`,
	"surrogate pair, upper case": `"\uD83D\uDE00"`,
	"first surrogate pair":       `"\ud800\udc00"`,
	"last surrogate pair":        `"\udbff\udfff"`,
	"beside the surrogates":      `"\ud7ff\ue000"`,
	"backslash then u":           `"\\ud800"`,
	"DEL in a string":            "\"\x7f\"",
	"several bytes a character":  `"é€😀"`,
	"replacement character":      `"` + "\uFFFD" + `"`,
	"BOM inside a string":        `"` + "\uFEFF" + `"`,
	"empty array":                `[]`,
	"empty array with space":     `[ ]`,
	"array":                      `[1,"a",null,[2],{"b":3}]`,
	"empty object":               `{}`,
	"empty object with space":    "{\n}",
	"object":                     `{"a":1,"b":[2],"c":{"d":null}}`,
	"empty key":                  `{"":1}`,
	"space everywhere":           " \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \t\r\n",
	"nothing after a number":     `[1]`,
	"sample":                     sample,
}

const zeros300 = zeros100 + zeros100 + zeros100
const zeros100 = "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"

var malformed = map[string]string{
	"empty":                          ``,
	"white space alone":              " \n",
	"BOM":                            "\uFEFF{}",
	"NUL":                            "\x00",
	"NUL before the value":           "\x00{}",
	"NUL after the value":            "{}\x00",
	"NUL after a number":             "1\x00",
	"NUL instead of a comma":         "[1\x002]",
	"NUL instead of an element":      "[\x00]",
	"NUL instead of a key":           "{\x00}",
	"NUL instead of a bracket":       "[1\x00",
	"NUL instead of a brace":         "{\"a\":1\x00",
	"NUL in a string":                "\"\x00\"",
	"form feed between tokens":       "[\f]",
	"vertical tab between tokens":    "[\v]",
	"no-break space between tokens":  "[\u00a0]",
	"text after the value":           `{} x`,
	"second value":                   `1 2`,
	"second object":                  `{}{}`,
	"comma after the value":          `1,`,
	"bracket after the value":        `[]]`,
	"bare word":                      `nil`,
	"upper-case word":                `True`,
	"word cut short":                 `tru`,
	"word too long":                  `nullx`,
	"NaN":                            `NaN`,
	"infinity":                       `-Infinity`,
	"leading zero":                   `01`,
	"leading zero after minus":       `-01`,
	"two zeros":                      `00`,
	"point at the end":               `1.`,
	"point at the start":             `.5`,
	"point after minus":              `-.5`,
	"two points":                     `1.2.3`,
	"point then exponent":            `1.e3`,
	"minus alone":                    `-`,
	"two minuses":                    `--1`,
	"plus":                           `+1`,
	"exponent alone":                 `e5`,
	"exponent without digits":        `1e`,
	"signed exponent without digits": `1e+`,
	"exponent with two signs":        `1e+-1`,
	"exponent with a fraction":       `1e1.5`,
	"hex number":                     `0x10`,
	"thousands separator":            `[1_000]`,
	"malformed number in an array":   `[-]`,
	"number then letter":             `[1a]`,
	"unclosed string":                `"abc`,
	"quote alone":                    `"`,
	"single quotes":                  `'a'`,
	"newline in a string":            "\"a\nb\"",
	"tab in a string":                "\"a\tb\"",
	"last control character":         "\"\x1f\"",
	"unknown escape":                 `"\x41"`,
	"escaped single quote":           `"\'"`,
	"escaped newline":                "\"\\\n\"",
	"upper-case escape":              `"\N"`,
	"backslash at the end":           `"\`,
	"backslash before the quote":     `"\"`,
	"unicode escape of 3 digits":     `"\u123"`,
	"unicode escape of no digits":    `"\u"`,
	"unicode escape cut short":       `"\u12`,
	"unicode escape not hex":         `"\u12g4"`,
	"unicode escape before hex":      `"\u12/4"`,
	"unicode escape after digits":    `"\u12:4"`,
	"unicode escape before letters":  `"\u12@4"`,
	"unicode escape with a sign":     `"\u+123"`,
	"unicode escape, upper-case U":   `"\U0041"`,
	"unclosed array":                 `[`,
	"unclosed array after element":   `[1`,
	"unclosed array after comma":     `[1,`,
	"trailing comma in an array":     `[1,]`,
	"trailing comma and space":       `[1, ]`,
	"leading comma in an array":      `[,1]`,
	"comma alone in an array":        `[,]`,
	"two commas in an array":         `[1,,2]`,
	"no comma in an array":           `[1 2]`,
	"colon in an array":              `["a":1]`,
	"array closed by a brace":        `[1}`,
	"empty array closed by a brace":  `[}`,
	"unclosed object":                `{`,
	"unclosed object after key":      `{"a"`,
	"unclosed object after colon":    `{"a":`,
	"unclosed object after member":   `{"a":1`,
	"unclosed object after comma":    `{"a":1,`,
	"trailing comma in an object":    `{"a":1,}`,
	"leading comma in an object":     `{,"a":1}`,
	"two commas in an object":        `{"a":1,,"b":2}`,
	"no comma in an object":          `{"a":1 "b":2}`,
	"key without value":              `{"a"}`,
	"key with comma":                 `{"a",1}`,
	"key without colon":              `{"a" 1}`,
	"two colons":                     `{"a"::1}`,
	"colon without value":            `{"a":}`,
	"colon without key":              `{:1}`,
	"bare key":                       `{a:1}`,
	"number as key":                  `{1:2}`,
	"null as key":                    `{null:2}`,
	"array as key":                   `{[]:2}`,
	"malformed key":                  `{"\q":1}`,
	"malformed value in an object":   `{"a":01}`,
	"object closed by a bracket":     `{"a":1]`,
	"empty object closed by bracket": `{]`,
	"line comment":                   "// x\n1",
	"comment":                        `[1 /* x */]`,
	"backslash between tokens":       `[1\n]`,
}

func TestWellFormed(t *testing.T) {
	for name, text := range wellFormed {
		t.Run(name, func(t *testing.T) {
			require.True(t, json.Valid([]byte(text)), "the case is wrong: encoding/json refuses it")
			requireVerdict(t, true, text)
			requireSame(t, tree(t, text), parse(t, text))
		})
	}
}

func TestMalformed(t *testing.T) {
	for name, text := range malformed {
		t.Run(name, func(t *testing.T) {
			require.False(t, json.Valid([]byte(text)), "the case is wrong: encoding/json accepts it")
			requireVerdict(t, false, text)
		})
	}
}

// A text is as acceptable as an element or a member as it is alone, where it is
// followed by more text and so read by other paths.
func TestInsideOthers(t *testing.T) {
	for _, table := range []map[string]string{wellFormed, malformed} {
		for name, inner := range table {
			t.Run(name, func(t *testing.T) {
				for _, text := range []string{
					`[` + inner + `]`,
					`[` + inner + `,"12345678"]`,
					`[0,` + inner + `,0]`,
					`{"key":` + inner + `}`,
					`{"key":` + inner + `,"another key":"12345678"}`,
				} {
					requireVerdict(t, acceptable(text), text)
				}
			})
		}
	}
}

func TestTruncated(t *testing.T) {
	end := len(sample) - 1 // it ends with white space, which may be missing
	for n := range end {
		requireVerdict(t, false, sample[:n])
	}
	requireVerdict(t, true, sample[:end])
}

// Every byte of the sample is replaced by one that may break it.
func TestMutated(t *testing.T) {
	for i := range len(sample) {
		for _, c := range []byte("\"\\{}[],: \n\x00\x1f\x7f\x80\xff0-+.eEuna") {
			text := sample[:i] + string([]byte{c}) + sample[i+1:]
			requireVerdict(t, acceptable(text), text)
		}
	}
}

func TestByteAfterValue(t *testing.T) {
	for c := range 256 {
		text := "[]" + string([]byte{byte(c)})
		requireVerdict(t, json.Valid([]byte(text)), text)
	}
}
