// Package plain makes untrusted text safe to store and show.
package plain

import (
	"regexp"
	"strings"
	"unicode"
)

// Line returns untrusted text as one line, without control characters and direction marks. Line breaks and tabs
// become spaces, invalid UTF-8 becomes U+FFFD.
func Line(text string) string {
	if IsASCII(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\u2028', r == '\u2029':
			return ' '
		case unicode.Is(unicode.C, r):
			return -1
		}
		return r
	}, text)
}

// IsASCII reports whether all characters are printable ASCII.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// number matches text that may start with a sign without being a formula.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// triggers are the characters that start a formula in some spreadsheet: ASCII, a pipe, the minus sign, and
// the other-width forms that East Asian versions accept.
const triggers = "=+-@|" + "\u2212" + "\uff1d\uff0b\uff0d\uff20\uff5c" + "\ufe66\ufe62\ufe63\ufe6b"

// Cell returns text as one [Line] that no spreadsheet reads from CSV as a formula: if its first visible character could start one, an apostrophe is prepended. A plain decimal number such as
// -5 is unchanged. Programs that read the file as data see the apostrophe.
//
// Source: OWASP, CSV Injection; it names = + - @, tab, carriage return, line feed
// and the full-width forms. Control characters are removed first.
func Cell(text string) string {
	text = Line(text)
	for _, r := range text {
		if unicode.IsSpace(r) || blank(r) {
			continue
		}
		if strings.ContainsRune(triggers, r) && !number.MatchString(text) {
			return "'" + text
		}
		break
	}
	return text
}

// blank reports whether a character is invisible although Unicode does not class it as a space: fillers, the
// empty Braille pattern, and combining marks.
func blank(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800':
		return true
	}
	return unicode.Is(unicode.M, r)
}
