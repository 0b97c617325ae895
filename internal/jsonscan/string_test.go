package jsonscan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

// Strings are read eight bytes at a time. These tests put whatever is special at
// every place of strings of every length, at the end of a text and before more
// text, so that each of the eight places and each way out is proved.

// longest is a little more than five blocks of eight.
const longest = 40

var specials = map[string]string{
	"nothing":            ``,
	"quote":              `"`,
	"backslash":          `\`,
	"NUL":                "\x00",
	"last control":       "\x1f",
	"space":              ` `,
	"before the quote":   `!`,
	"after the quote":    `#`,
	"before backslash":   `[`,
	"after backslash":    `]`,
	"DEL":                "\x7f",
	"first high byte":    "\x80",
	"quote with bit 7":   "\xa2",
	"newline with bit 7": "\x8a",
	"last byte":          "\xff",
	"two bytes":          `é`,
	"three bytes":        `€`,
	"four bytes":         `😀`,
	"cut character":      "\xf0\x9f\x98",
	"escaped quote":      `\"`,
	"escaped backslash":  `\\`,
	"escaped newline":    `\n`,
	"escaped letter":     `\u0041`,
	"escaped pair":       `\ud83d\ude00`,
	"escaped half pair":  `\ud83d`,
	"two quotes":         `\"\"`,
	"control and quote":  "\x01\"",
	"high byte, quote":   "\x80\"",
	"character, escape":  `é\té`,
}

// surroundings of a string: %s stands for it.
var surroundings = map[string]string{
	"alone":              `%s`,
	"before a bracket":   `[%s]`,
	"before a string":    `[%s,"12345678"]`,
	"before high bytes":  `[%s,"€€€€€€€€"]`,
	"before 8 spaces":    `%s        `,
	"key":                `{%s:0}`,
	"key, before a text": `{%s:"12345678"}`,
}

func TestStringAlignment(t *testing.T) {
	for name, special := range specials {
		t.Run(name, func(t *testing.T) {
			for length := range longest + 1 {
				for at := range length + 1 {
					plain := strings.Repeat("b", length)
					quoted := `"` + plain[:at] + special + plain[at:] + `"`
					for _, surrounding := range surroundings {
						text := strings.Replace(surrounding, "%s", quoted, 1)
						requireVerdict(t, acceptable(text), text)
					}
					requireUnescaped(t, quoted)
				}
			}
		})
	}
}

// All bytes, at each place of three blocks of eight.
func TestStringBytes(t *testing.T) {
	for at := range 24 {
		for c := range 256 {
			inside := []byte("abcdefghijklmnopqrstuvwx")
			inside[at] = byte(c)
			for _, text := range []string{`"` + string(inside) + `"`, `["` + string(inside) + `",0]       `} {
				requireVerdict(t, acceptable(text), text)
			}
		}
	}
}

// Two special bytes in one block of eight: the first one counts.
func TestStringBytePairs(t *testing.T) {
	bytes := []byte("\"\\\x00\x1f b\x7f\x80\xc3\xa9\xff")
	for first := range 8 {
		for second := first + 1; second < 8; second++ {
			for _, c := range bytes {
				for _, d := range bytes {
					inside := []byte("bbbbbbbb")
					inside[first], inside[second] = c, d
					text := `["` + string(inside) + `",0]`
					requireVerdict(t, acceptable(text), text)
				}
			}
		}
	}
}

func TestStringErrorOffset(t *testing.T) {
	for name, test := range map[string]struct {
		special, reason string
		atStart         bool // the offset is the string's, not the byte's
	}{
		"control":       {"\n", "a control character inside a string", false},
		"escape":        {`\a`, "a backslash that begins no escape", false},
		"half pair":     {`\ud83d`, "a backslash that begins no escape", false},
		"high byte":     {"\x80", "a string that is not UTF-8", true},
		"cut character": {"\xe2\x82", "a string that is not UTF-8", true},
	} {
		t.Run(name, func(t *testing.T) {
			for at := range longest {
				text := ` ["` + strings.Repeat("b", at) + test.special + `bbb", "\q"]`
				want := len(` ["`) + at
				if test.atStart {
					want = len(` [`)
				}
				_, err := jsonscan.Parse(text)
				require.Equal(t, &jsonscan.SyntaxError{Offset: want, Reason: test.reason}, err, "%q", text)
			}
		})
	}
}

// All escapes of four hex digits, against encoding/json.
func TestUnicodeEscapes(t *testing.T) {
	const digits = "0123456789aBcDeF"
	for r := range 1 << 16 {
		quoted := `"\u` + string([]byte{digits[r>>12], digits[r>>8&15], digits[r>>4&15], digits[r&15]}) + `"`
		_, err := jsonscan.Parse(quoted)
		surrogate := 0xd800 <= r && r < 0xe000
		require.Equal(t, surrogate, err != nil, "refused %s", quoted)
		requireUnescaped(t, quoted)
	}
}

// requireUnescaped checks that each way to a string's text gives what
// encoding/json does, if the string is acceptable.
func requireUnescaped(t *testing.T, quoted string) {
	t.Helper()
	if !acceptable(quoted) {
		return
	}
	var want string
	require.NoError(t, json.Unmarshal([]byte(quoted), &want))

	have, ok := parse(t, quoted).Text()
	require.True(t, ok, "%q is no string", quoted)
	require.Equal(t, want, have, "Value.Text of %q", quoted)

	require.NoError(t, jsonscan.Scan(quoted, func(s *jsonscan.Scanner) { have = s.Text() }))
	require.Equal(t, want, have, "Scanner.Text of %q", quoted)

	require.NoError(t, jsonscan.Scan(`{`+quoted+`:0}`, func(s *jsonscan.Scanner) {
		s.Object()
		s.Member()
		have = s.Key()
		s.Skip()
		s.Member()
	}))
	require.Equal(t, want, have, "Scanner.Key of %q", quoted)

	have, _, _ = parse(t, `{`+quoted+`:0}`).Only()
	require.Equal(t, want, have, "key of Value.Only of %q", quoted)
}
