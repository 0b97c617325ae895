package plain_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/plain"
)

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"balances.transfer":  "balances.transfer",
		"a=1":                "a=1",
		"=1+1":               "'=1+1",
		"+1":                 "'+1",
		"-1+1":               "'-1+1",
		"@SUM(1)":            "'@SUM(1)",
		"|cmd":               "'|cmd",
		"-5":                 "-5",
		"-5.25":              "-5.25",
		"-5.":                "'-5.",
		"-5\n":               "'-5 ",
		"\t=1":               "' =1",
		"\r=1":               "'=1",
		"\n\n =1":            "'   =1",
		"\x00=1":             "'=1",
		"\ufeff=1":           "'=1", // a byte order mark
		"\u200b\u202e=1":     "'=1",
		"\u00a0\u3000=1":     "'\u00a0\u3000=1",
		"\u2800=1":           "'\u2800=1",
		"\uff1d1+1":          "'\uff1d1+1",
		"\uff0b1":            "'\uff0b1",
		"\u22121":            "'\u22121",
		"\uff20A":            "'\uff20A",
		"'=1":                "'=1", // is text already
		"\x1b[31mred":        "[31mred",
		"a\tb\nc":            "a b c",
		"\xff\xfe=":          "\ufffd\ufffd=",
		"=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0",
		"  name with space":  "  name with space",
		"0x1234":             "0x1234",
		"\u2028=1":           "' =1",
		"\u0301=1":           "'\u0301=1", // an accent without a letter
	} {
		require.Equal(t, want, plain.Cell(text), "%q", text)
	}
}

func FuzzCell(f *testing.F) {
	for _, text := range []string{"=1", " \t-1", "-5", "\r\n@", "\x00\uff1d", "'+", "\xff=", "\u202e=", "5=", "\U000e0001="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		safe := plain.Cell(text)
		require.True(t, utf8.ValidString(safe))
		require.Equal(t, safe, plain.Cell(safe), "safe text is unchanged")
		for _, r := range safe {
			require.False(t, unicode.Is(unicode.C, r), "%q", r)
		}
		first := strings.TrimSpace(safe)
		if strings.IndexAny(first, "=+@|\uff1d\uff0b\uff0d\uff20") == 0 {
			t.Fatalf("%q is a formula", safe)
		}
		if strings.HasPrefix(first, "-") {
			require.Empty(t, strings.Trim(safe, "-.0123456789"), "is not a number")
		}
		// Only invisible characters are removed, and only the apostrophe is added.
		require.Equal(t, plain.Line(text), safe[len(safe)-len(plain.Line(text)):])
	})
}
